"""The summary columns of a request, written from a result for lists, filters and search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assessments.models import Assessment, Inquiry

SEVERITY_RANK = {"stop": 4, "warn": 3, "assumed": 2, "note": 1}


def summary_columns(
    inquiry: Inquiry, assessment: Assessment, task: Mapping[str, Any], result: Mapping[str, Any]
) -> dict[str, Any]:
    """Values of the list columns of one request, from its result/1."""
    quantities = result["quantities"]
    gpus = quantities.get(result["summary"].get("gpus") or "", {}).get("v")
    power = quantities.get(result["summary"].get("power") or "", {}).get("v")
    options = result["options"]
    first = next((o for o in options if o["key"] == "balanced"), options[0] if options else None)
    scenario = task["scenarios"][0]
    model = scenario.get("model") or {}
    method = scenario["strategy"].get("method")
    params = model.get("params")
    context = assessment.intake.context
    words = (
        inquiry.number,
        inquiry.organization.name,
        context.get("business_task", ""),
        context.get("contact_name", ""),
        model.get("preset") or "",
    )
    return {
        "strategy": method if isinstance(method, str) else "unknown",
        "model_class": result["verdict"]["class"],
        "params": params if isinstance(params, int | float) else None,
        "accelerator": first["accelerator"] if first else "",
        "gpus_low": round(gpus[0]) if gpus else None,
        "gpus_high": round(gpus[2]) if gpus else None,
        "kw": power[1] / 1000 if power else None,
        "worst_severity": max((SEVERITY_RANK[f["severity"]] for f in result["findings"]), default=0),
        "findings_count": len(result["findings"]),
        "search_text": " ".join(word for word in words if word).casefold(),
    }
