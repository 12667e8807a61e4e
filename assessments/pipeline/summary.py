"""The summary columns of a request, written from a result for lists, filters and search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assessments.models import Assessment, Inquiry, SizingRun

SEVERITY_RANK = {"stop": 4, "warn": 3, "assumed": 2, "note": 1}


def summary_write(assessment: Assessment, run: SizingRun) -> None:
    """Write the list columns of a request from a finished run of its working assessment."""
    inquiry = assessment.inquiry
    columns = summary_columns(run.task, run.result or {})
    columns["search_text"] = search_text(inquiry, assessment, run.task)
    Inquiry.objects.filter(pk=inquiry.pk).update(**columns)


def summary_columns(task: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """What lists, filters and the board show of a result/1."""
    quantities = result["quantities"]
    gpus = quantities.get(result["summary"].get("gpus") or "", {}).get("v")
    power = quantities.get(result["summary"].get("power") or "", {}).get("v")
    options = result["options"]
    first = next((o for o in options if o["key"] == "balanced"), options[0] if options else None)
    scenario = task["scenarios"][0]
    params = (scenario.get("model") or {}).get("params")
    method = scenario["strategy"].get("method")
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
    }


def search_text(inquiry: Inquiry, assessment: Assessment, task: Mapping[str, Any]) -> str:
    """The words by which a request is found, case-folded: SQLite compares no other way in Cyrillic."""
    context = assessment.intake.context
    models = ((scenario.get("model") or {}).get("preset") or "" for scenario in task["scenarios"])
    words = (
        inquiry.number,
        inquiry.organization.name,
        context.get("business_task", ""),
        context.get("contact_name", ""),
        *models,
    )
    return " ".join(word for word in words if word).casefold()
