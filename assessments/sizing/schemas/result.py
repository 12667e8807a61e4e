"""The JSON Schema of result/1."""

from __future__ import annotations

from typing import Any

from assessments.sizing.codes import (
    ADVICE,
    ASSUMPTIONS,
    CLASSES,
    FIND_OUT,
    FINDINGS,
    FORMULAS,
    OUTSIDE,
    REPAIRS,
    SEVERITIES,
    TECHNIQUES,
    VERDICTS,
)

RESOURCES = (
    "memory", "time", "power", "feed", "heat", "cooling", "units", "depth", "weight", "cpu_cores", "ram", "storage",
    "storage_read", "storage_iops", "checkpoints", "checkpoint_write", "link", "fabric", "growth_slots",
)  # fmt: skip
FITS = ("fits", "at_limit", "does_not_fit")
OPTION_KEY = r"^(economical|balanced|growth|given-[0-9]+|custom-[0-9]+)$"
TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
SPAN: dict[str, Any] = {"type": "array", "items": NUMBER, "minItems": 3, "maxItems": 3}
ID: dict[str, Any] = {"type": "string", "pattern": r"^[a-z0-9_.-]+$"}
ID_OR_NOTHING: dict[str, Any] = {"anyOf": [ID, {"type": "null"}]}
OPEN: dict[str, Any] = {"type": "object"}


def one_of(*values: str) -> dict[str, Any]:
    """An enum."""
    return {"enum": list(values)}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """A value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def listed(items: dict[str, Any]) -> dict[str, Any]:
    """A list."""
    return {"type": "array", "items": items}


def closed_object(**properties: dict[str, Any]) -> dict[str, Any]:
    """An object in which every key is required and no other is known."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def result_schema() -> dict[str, Any]:
    """Schema of result/1."""
    quantity = {
        "type": "object",
        "properties": {
            "v": SPAN,
            "unit": TEXT,
            "origin": one_of("answer", "assumption", "computed", "pinned"),
            "formula": one_of(*FORMULAS),
            "inputs": listed({"type": ["string", "number"]}),
            "source": TEXT,
            "engine_v": SPAN,
        },
        "required": ["v", "unit", "origin", "formula", "inputs", "source"],
        "additionalProperties": False,
    }
    spoken = {"code": one_of(*VERDICTS), "params": OPEN}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "result/1",
        "title": "Result of a sizing",
        **closed_object(
            schema={"const": "result/1"},
            engine=TEXT,
            calibration=TEXT,
            catalog=closed_object(label=TEXT, sha256=TEXT),
            task_sha256=TEXT,
            overrides={"type": "object", "additionalProperties": NUMBER},
            setups={"type": "object", "additionalProperties": nullable(OPEN)},
            calibrated=closed_object(inside={"type": "boolean"}, why=listed(one_of(*OUTSIDE))),
            scenarios=listed(closed_object(name=nullable(TEXT), methods=listed(TEXT), decides=listed(TEXT))),
            verdict=closed_object(
                **{"class": one_of(*CLASSES)},
                advice=listed(one_of(*ADVICE)),
                code=one_of(*VERDICTS),
                params=OPEN,
                beside=listed(closed_object(**spoken)),
            ),
            repairs=listed(
                closed_object(code=one_of(*REPAIRS), params=OPEN, path=TEXT, value={}, verified={"type": "boolean"})
            ),
            summary=closed_object(**dict.fromkeys(("gpus", "servers", "time", "memory", "power"), ID_OR_NOTHING)),
            assumptions=listed(closed_object(path=TEXT, value={}, code=one_of(*ASSUMPTIONS), params=OPEN, source=TEXT)),
            options=listed(_option()),
            methods=listed(
                closed_object(
                    scenario=COUNT,
                    method=TEXT,
                    decides={"type": "boolean"},
                    accelerator=nullable(TEXT),
                    accelerator_name=nullable(TEXT),
                    gpus=nullable(COUNT),
                    servers=nullable(COUNT),
                    link=nullable(TEXT),
                    time=ID_OR_NOTHING,
                    memory=ID_OR_NOTHING,
                )
            ),
            curves=listed(
                closed_object(
                    accelerator=TEXT,
                    accelerator_name=TEXT,
                    link=TEXT,
                    points=listed(closed_object(gpus=COUNT, servers=COUNT, time=ID, fit=one_of(*FITS))),
                )
            ),
            comparison=listed(
                closed_object(case=one_of("inference", "qlora", "lora", "full"), parts=listed(ID), total=ID)
            ),
            findings=listed(
                closed_object(
                    code=one_of(*FINDINGS),
                    severity=one_of(*SEVERITIES),
                    params=OPEN,
                    options=listed(TEXT),
                    repairs=listed(OPEN),
                )
            ),
            sensitivity=listed(
                closed_object(
                    path=TEXT,
                    how=one_of(*FIND_OUT),
                    target=ID,
                    then=SPAN,
                    share=NUMBER,
                    decides=listed(TEXT),
                    opens=listed(TEXT),
                )
            ),
            quantities={"type": "object", "additionalProperties": quantity},
            knobs=listed(closed_object(id=ID, unit=TEXT, low=NUMBER, high=NUMBER)),
        ),
    }


def _option() -> dict[str, Any]:
    return closed_object(
        key={"type": "string", "pattern": OPTION_KEY},
        merged=listed(TEXT),
        accelerator=TEXT,
        accelerator_name=TEXT,
        vendor=TEXT,
        gpus=COUNT,
        servers=COUNT,
        link=TEXT,
        fabric=nullable(TEXT),
        fabric_name=nullable(TEXT),
        fabric_ports=COUNT,
        layout=OPEN,
        recipe=OPEN,
        methods={"type": "object", "additionalProperties": TEXT},
        techniques=listed(closed_object(code=one_of(*TECHNIQUES), costs=ID_OR_NOTHING)),
        memory=closed_object(
            moment=one_of("loss", "backward", "step"),
            rank=one_of("any", "first_stage", "last_stage"),
            parts=listed(ID),
            total=ID,
            usable=ID,
            reserve=ID,
            capacity=ID,
            free=ID,
        ),
        ram=closed_object(parts=listed(ID), total=ID, needed=ID),
        storage=closed_object(
            tier=one_of("sata_or_network", "nvme_few", "nvme_many", "parallel_fs"), drives=ID, drive=ID
        ),
        deadline=closed_object(target=one_of("wanted", "latest", "none"), sure={"type": "boolean"}),
        resources=listed(
            closed_object(
                code=one_of(*RESOURCES),
                required=ID,
                offered=ID_OR_NOTHING,
                left=ID_OR_NOTHING,
                fit=nullable(one_of(*FITS)),
            )
        ),
        fit=one_of(*FITS),
        decides={"type": "object", "additionalProperties": COUNT},
        interconnect=closed_object(
            profile=one_of("pcie", "link_pays", "switched", "fabric"),
            weaker=listed(closed_object(link=TEXT, name=TEXT, slower=ID)),
        ),
        nearest_run=nullable(OPEN),
        requirement=nullable(OPEN),
    )
