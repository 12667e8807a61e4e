"""JSON Schemas of task/1 and result/1: built here, committed beside as files, equal by test."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from assessments.sizing.schemas.result import result_schema
from assessments.sizing.task import TrainingTask

FILES = {"task": "task-1.json", "result": "result-1.json"}


def task_schema() -> dict[str, Any]:
    """Schema of task/1, from the models that read it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "task/1",
        **TrainingTask.model_json_schema(by_alias=True),
    }


def built(name: str) -> str:
    """The text of a schema file as it must be committed."""
    schema = task_schema() if name == "task" else result_schema()
    return json.dumps(schema, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def committed(name: str) -> dict[str, Any]:
    """A committed schema."""
    text = (files("assessments.sizing.schemas") / FILES[name]).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema
