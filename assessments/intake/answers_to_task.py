"""Raw answers become a task/1, and back; what is wrong or does not apply is left out."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from assessments.intake.forms import Answers
from assessments.intake.questions import UNKNOWN, Question
from assessments.intake.steps import STEPS, Page, pages_of, scenario_count

SCHEMA = "task/1"
LISTS = ("hardware", "horizon.planned")
SCENARIO = re.compile(r"^scenarios\[(\d+)\]\.")
INDEX = re.compile(r"\[\d+\]")


def answers_to_task(answers: Answers) -> dict[str, Any]:
    """The task of what has been answered so far; parse_task decides whether it is complete."""
    task: dict[str, Any] = {"schema": SCHEMA, "scenarios": [{} for _n in range(scenario_count(answers))]}
    for page in pages_of(answers):
        target = task["scenarios"][page.scenario] if page.step.is_per_scenario else task
        values = page.form(answers).answered
        for name, path in paths_of(page.step.form_class.base_fields):
            if path and name in values:
                put(target, path, values[name])
        settle(page, values, target)
    return task


def paths_of(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and path of every question."""
    return ((name, field.ask.path) for name, field in fields.items() if isinstance(field, Question))


def put(target: dict[str, Any], path: str, value: Any) -> None:
    """Set a value at a dotted path; rows of a list have one row each."""
    *parents, last = path.split(".")
    for depth, key in enumerate(parents):
        if ".".join(parents[: depth + 1]) in LISTS:
            target = target.setdefault(key, [{}])[0]
        else:
            target = target.setdefault(key, {})
    target[last] = value


def settle(page: Page, values: Mapping[str, Any], target: dict[str, Any]) -> None:
    """What follows from several answers together."""
    if page.step.slug == "strategy" and values.get("repeats") is True:
        target["strategy"].setdefault("continuous", {"every_days": UNKNOWN})
    if page.step.slug == "model" and values.get("described_by") == UNKNOWN:
        target.setdefault("model", {})["params"] = UNKNOWN
    if page.step.slug == "horizon" and UNKNOWN in (values.get("planned_in_months"), values.get("planned_times")):
        planned = {key: value for key, value in target["horizon"].pop("planned")[0].items() if value != UNKNOWN}
        if planned:
            target["horizon"]["planned"] = [planned]
    if page.step.slug == "facility" and "hardware" in target:
        if values.get("own_accelerator"):
            target["hardware"][0]["owned"] = True
        else:
            del target["hardware"]


def place_of(path: str) -> tuple[str, str] | None:
    """Page key and field of a JSON path of task/1, None where the intake has no such question."""
    scenario = SCENARIO.match(path)
    inner = INDEX.sub("", path[scenario.end() :] if scenario else path)
    for step in STEPS:
        if step.is_per_scenario is not (scenario is not None):
            continue
        for name, known in paths_of(step.form_class.base_fields):
            if known and (inner == known or inner.startswith(f"{known}.")):
                return Page(step=step, scenario=int(scenario[1]) if scenario else 0).key, name
    return None
