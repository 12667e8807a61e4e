"""task/1 at the border: JSON in, TrainingTask out; every error has its path, code and parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, ValidationError

from assessments.sizing import architectures
from assessments.sizing.answers import OpenChoice, OpenNumber, choice, echo, rows
from assessments.sizing.errors import TaskError, TaskErrors
from assessments.sizing.questions import SCHEMA, Answers, Facility, Hardware, Horizon, Measured, Preferences, Scenario

MOST_NODES = 20_000
DEEPEST = 24
LONGEST_STRING = 20_000
MOST_ERRORS = 100


class TrainingTask(Answers):
    """A whole task; canonical() is what is hashed and stored."""

    schema_: Annotated[OpenChoice, choice(SCHEMA)]
    scenarios: Annotated[tuple[Scenario, ...], rows(8, least=1)]
    horizon: Horizon = Horizon()
    facility: Facility = Facility()
    preferences: Preferences = Preferences()
    hardware: Annotated[tuple[Hardware, ...], rows(8)] = ()
    measurements: Annotated[tuple[Measured, ...], rows(20)] = ()

    model_config = ConfigDict(alias_generator=lambda name: name.removesuffix("_"))

    def canonical(self) -> dict[str, Any]:
        """The task as plain JSON: nothing that was not asked, whole numbers as integers, always the same bytes."""
        dumped = self.model_dump(by_alias=True)
        for scenario in dumped["scenarios"]:
            if scenario["model"]["config"] is not None:
                scenario["model"]["config"] = architectures.config_keys_read(scenario["model"]["config"])
        return {
            key: value
            for key, value in ((key, _pruned(item)) for key, item in dumped.items())
            if value not in (None, {}, [])
        }


def parse_task(data: object) -> TrainingTask:
    """Read a task/1 from plain JSON; raises TaskErrors and nothing else, whatever is given."""
    if not isinstance(data, Mapping):
        raise TaskErrors((TaskError(path="", code="wrong_shape", params={"expected": "object"}),))
    too_large = _too_large(data)
    if too_large is not None:
        raise TaskErrors((too_large,))
    try:
        task = TrainingTask.model_validate(data)
    except ValidationError as error:
        raise TaskErrors(tuple(_errors_of(error))) from None
    wrong = tuple(_contradictions(task))
    if wrong:
        raise TaskErrors(wrong)
    return task


def low_of(value: OpenNumber) -> float | None:
    """Lower bound of an answer, None when it is open."""
    return None if value is None or isinstance(value, str) else value[0] if isinstance(value, tuple) else value


def high_of(value: OpenNumber) -> float | None:
    """Upper bound of an answer, None when it is open."""
    return None if value is None or isinstance(value, str) else value[1] if isinstance(value, tuple) else value


def _contradictions(task: TrainingTask) -> Iterator[TaskError]:
    if task.scenarios[0].strategy.method is None:
        yield TaskError(path="scenarios[0].strategy.method", code="required")
    for i, scenario in enumerate(task.scenarios):
        path = f"scenarios[{i}]"
        yield from _model_contradictions(scenario, path)
        wanted, latest = high_of(scenario.cycle.wanted_h), low_of(scenario.cycle.latest_h)
        if wanted is not None and latest is not None and latest < wanted:
            yield TaskError(
                path=f"{path}.cycle.latest_h", code="latest_before_wanted", params={"wanted": wanted, "latest": latest}
            )
        if scenario.after is not None and scenario.after >= i:
            yield TaskError(
                path=f"{path}.after",
                code="out_of_range",
                params={"low": 0, "high": i - 1, "given": echo(int(scenario.after))},
            )
    last = len(task.scenarios) - 1
    pointers = [(f"horizon.planned[{i}]", row.scenario) for i, row in enumerate(task.horizon.planned)]
    pointers += [(f"measurements[{i}]", row.scenario) for i, row in enumerate(task.measurements)]
    for path, index in pointers:
        if index is not None and index > last:
            yield TaskError(
                path=f"{path}.scenario", code="out_of_range", params={"low": 0, "high": last, "given": echo(int(index))}
            )


def _model_contradictions(scenario: Scenario, path: str) -> Iterator[TaskError]:
    model, known = scenario.model, architectures.preset_slugs()
    named = [(f"{path}.model.preset", model.preset)]
    named += [(f"{path}.model.components[{i}].preset", part.preset) for i, part in enumerate(model.components)]
    if scenario.strategy.teacher is not None:
        named.append((f"{path}.strategy.teacher.preset", scenario.strategy.teacher.preset))
    for where, name in named:
        if name is not None and name not in known:
            yield TaskError(path=where, code="unknown_preset", params={"name": echo(name)})
    for key, read in (("config", architectures.read_model_config), ("shape", architectures.from_dimensions)):
        given = getattr(model, key)
        if given is not None:
            try:
                read(given)
            except architectures.ConfigError as error:
                yield TaskError(path=f"{path}.model.{key}", code=error.code, params=dict(error.params))
    active, total = low_of(model.active_params), high_of(model.params)
    if active is not None and total is not None and active > total:
        yield TaskError(
            path=f"{path}.model.active_params", code="active_above_total", params={"active": active, "total": total}
        )


def _errors_of(error: ValidationError) -> Iterator[TaskError]:
    for item in error.errors(include_url=False)[:MOST_ERRORS]:
        path = _json_path(item["loc"])
        kind, context = item["type"], item.get("ctx", {})
        if kind == "missing":
            yield TaskError(path=path, code="required")
        elif kind == "extra_forbidden":
            yield TaskError(path=path, code="unknown_key", params={"path": echo(path), "schema": SCHEMA})
        elif kind in ("model_type", "model_attributes_type", "dict_type"):
            yield TaskError(path=path, code="wrong_shape", params={"expected": "object"})
        else:
            yield TaskError(path=path, code=kind, params=dict(context))


def _json_path(location: tuple[str | int, ...]) -> str:
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{echo(step)}" if path else echo(step)
    return path


def _too_large(data: object) -> TaskError | None:
    """The first sign that this is no task: too deep, too many values, keys that are not text; without recursion."""
    seen = 0
    stack: list[tuple[object, int]] = [(data, 0)]
    while stack:
        value, depth = stack.pop()
        seen += 1
        if depth > DEEPEST:
            return TaskError(path="", code="too_many", params={"limit": DEEPEST, "given": depth})
        if seen > MOST_NODES:
            return TaskError(path="", code="too_many", params={"limit": MOST_NODES, "given": seen})
        if isinstance(value, str) and len(value) > LONGEST_STRING:
            return TaskError(path="", code="too_long", params={"limit": LONGEST_STRING, "given": len(value)})
        if isinstance(value, Mapping):
            if not all(isinstance(key, str) for key in value):
                return TaskError(path="", code="wrong_shape", params={"expected": "object"})
            stack.extend((item, depth + 1) for item in value.values())
            seen += len(value)
        elif isinstance(value, list | tuple):
            stack.extend((item, depth + 1) for item in value)
        elif not (value is None or isinstance(value, str | int | float)):
            return TaskError(path="", code="wrong_shape", params={"expected": "JSON"})
    return None


def _pruned(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: _pruned(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item is not None and item not in ({}, [])}
    if isinstance(value, list | tuple):
        return [_pruned(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
