"""A (partial) task/1 as the answers a person would have typed, for imported files."""

import json
from collections.abc import Mapping
from typing import Any

from django.forms import Field, MultipleChoiceField

from assessments.intake.answers_to_task import LISTS, paths_of
from assessments.intake.fields import AmountField
from assessments.intake.model_fields import ConfigField
from assessments.intake.questions import UNKNOWN
from assessments.intake.steps import STEPS

# A typed amount in the unit that its select offers: kind → (unit, base units in it).
TYPED_IN = {"bytes": ("gb", 1e9), "hours": ("h", 1.0), "kw": ("kw", 1.0), "share": ("", 0.01)}
DESCRIBED_BY = (("preset", "name"), ("config_text", "config"), ("params", "params"), ("size_class", "class"))

type TypedPage = dict[str, str | list[str]]


def task_to_answers(task: Mapping[str, Any]) -> tuple[dict[str, TypedPage], tuple[str, ...]]:
    """Typed answers of the first scenario by step, and the paths for which the intake has no question."""
    answers: dict[str, TypedPage] = {}
    left = dict(leaves(task.get("scenarios", [{}])[0]) if task.get("scenarios") else ())
    left |= dict(leaves({key: value for key, value in task.items() if key not in ("schema", "scenarios")}))
    for step in STEPS:
        for name, path in paths_of(step.form_class.base_fields):
            if path and path in left:
                answers.setdefault(step.slug, {}).update(typed(step.form_class.base_fields[name], name, left.pop(path)))
    _settle(answers)
    return answers, tuple(left)


def leaves(tree: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Dotted paths and values; a configuration and a list of choices are one value, of rows the first counts."""
    found: list[tuple[str, Any]] = []
    for key, value in tree.items():
        path = f"{prefix}{key}"
        if path in LISTS and value:
            found += leaves(value[0], f"{path}.")
        elif isinstance(value, Mapping) and path not in ("model.config", "model.shape"):
            found += leaves(value, f"{path}.")
        elif value is not None:
            found.append((path, value))
    return found


def typed(field: Field, name: str, value: Any) -> TypedPage:
    """One answer as a person would type it."""
    if isinstance(field, AmountField):
        if value == UNKNOWN:
            return {f"{name}_unknown": "on"}
        unit, size = TYPED_IN.get(field.kind, ("", 1.0))
        text = "–".join(_number(number / size) for number in (value if isinstance(value, list | tuple) else [value]))
        return {name: text, f"{name}_unit": unit} if unit else {name: text}
    if isinstance(field, ConfigField):
        return {name: json.dumps(value, ensure_ascii=False, indent=1)}
    if isinstance(field, MultipleChoiceField):
        return {name: [str(item) for item in value] if isinstance(value, list | tuple) else []}
    return {name: {True: "yes", False: "no"}.get(value, str(value))}


def _number(value: float) -> str:
    """Digits with a decimal point; three decimals get a zero, so that nobody takes the point for a group."""
    if float(value).is_integer():
        return str(int(value))
    text = f"{value:.10g}"
    return f"{text}0" if len(text.rpartition(".")[2]) == 3 else text


def _settle(answers: dict[str, TypedPage]) -> None:
    """Answers that others imply."""
    model = answers.get("model", {})
    for name, way in DESCRIBED_BY:
        if name in model or f"{name}_unknown" in model:
            model["described_by"] = way
            break
    strategy = answers.get("strategy", {})
    if any(key.startswith(("every_days", "data_share")) for key in strategy):
        strategy["repeats"] = "yes"
