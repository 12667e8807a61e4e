"""When nothing holds: what breaks, and which single change of the task repairs it, verified by sizing it again."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from assessments.sizing.engine import Sized, is_feasible
from assessments.sizing.errors import TaskErrors
from assessments.sizing.machines import SERVERS, Machine, fabric_of
from assessments.sizing.options import Option
from assessments.sizing.quantity import rounded
from assessments.sizing.rack import peak_w
from assessments.sizing.search import search
from assessments.sizing.task import parse_task

MOST_CHECKED = 6


def breach(answer: Sized) -> tuple[str, dict[str, Any], dict[str, Any], Machine | None]:
    """The first limit that no machine holds: its code, what is needed, the limit (with units), the nearest machine."""
    field = answer.field
    if field is None or not len(field.machines):
        needed = max((case.model.params.typical for case in answer.resolved.deciding), default=0.0) * 2
        return "exclusions", {"v": needed, "unit": "bytes"}, {"v": 0, "unit": "bytes"}, None
    if not field.fits.any():
        usable = np.array([m.accelerator.memory_bytes for m in field.machines])
        usable = usable * (1 - answer.ledger.typical("memory.reserve"))
        memory = np.array(
            [np.where(np.isfinite(found.memory_high), found.memory_high, np.inf) for found in field.found]
        )
        i = int(np.argmin(np.max(memory, axis=0) / usable))
        need = float(np.max(memory[:, i]))
        if not np.isfinite(need):
            need = float(max(case.model.params.typical for case in answer.resolved.deciding) * 2)
        return "memory", {"v": need, "unit": "bytes"}, {"v": float(usable[i]), "unit": "bytes"}, field.machines[i]
    slow = np.where(field.fits, np.max(field.hours / field.latest[:, None], axis=0), np.inf)
    in_time = slow <= 1
    if in_time.any() and not (in_time & field.rack).any():
        pool = np.flatnonzero(in_time)
        i = int(pool[np.argmin(field.watts[pool])])
        machine = field.machines[i]
        server = peak_w(machine, 0.0, 8, liquid=False).typical
        limit = answer.site.rack_w or answer.site.cooling_w or answer.site.feed_w or 0.0
        return "rack", {"v": server, "unit": "w"}, {"v": limit, "unit": "w"}, machine
    if in_time.any() and not (in_time & field.rack & (field.utilisation <= 1)).any():
        i = int(np.argmin(np.where(in_time & field.rack, field.utilisation, np.inf)))
        return (
            "utilisation",
            {"v": float(field.utilisation[i]), "unit": "share"},
            {"v": 1.0, "unit": "share"},
            field.machines[i],
        )
    with_rack = np.where(field.rack, slow, np.inf)
    i = int(np.argmin(with_rack if np.isfinite(with_rack).any() else slow))
    group = int(np.argmax(field.hours[:, i] / field.latest))
    return (
        "time",
        {"v": float(field.hours[group, i]), "unit": "h"},
        {"v": float(field.latest[group]), "unit": "h"},
        field.machines[i],
    )


def repairs(answer: Sized, kind: str, need: dict[str, Any]) -> list[dict[str, Any]]:
    """Single changes that were sized again and hold: {code, params, path, value, verified}."""
    rows = []
    for checked, (code, params, path, value) in enumerate(_candidates(answer, kind, need)):
        if checked >= MOST_CHECKED:
            break
        if _holds(answer, path, value):
            rows.append({"code": code, "params": params, "path": path, "value": value, "verified": True})
    return rows


def enough_cards(answer: Sized, option: Option) -> tuple[dict[str, Any], ...]:
    """How many servers like those of a given option the task needs at least, as a repair; empty when none will do."""
    machine = option.machine
    unit = replace(machine, gpus=machine.per_server, servers=1)
    fabric, ports = fabric_of(answer.catalog, machine.link, machine.per_server, None)
    rows = [
        replace(
            unit,
            gpus=unit.gpus * n,
            servers=n,
            fabric=machine.fabric or fabric,
            fabric_ports=machine.fabric_ports or ports,
        )
        for n in SERVERS
        if n > machine.servers
    ]
    reserve = answer.ledger.typical("memory.reserve")
    fits = np.all([search(row.case, rows, reserve, answer.anchor).fits for row in option.rows], axis=0)
    if not fits.any():
        return ()
    least = rows[int(np.argmax(fits))]
    number = None if option.given is None else option.given.number
    path = f"setups.{option.key}.servers" if number is None else f"hardware[{number}].servers"
    params = {"n_nodes": least.servers}
    return ({"code": "more_nodes", "params": params, "path": path, "value": least.servers, "verified": True},)


def _holds(answer: Sized, path: str, value: Any) -> bool:
    """Whether the task with this one change has an option."""
    data = patched(answer.task.canonical(), path, value)
    try:
        task = parse_task(data)
    except TaskErrors:
        return False
    return is_feasible(task, answer.catalog)


def patched(data: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy of plain JSON with one path such as scenarios[0].cycle.latest_h set; missing objects are made."""
    changed = copy.deepcopy(data)
    steps: list[str | int] = []
    for part in path.split("."):
        name, *indices = part.replace("]", "").split("[")
        steps.append(name)
        steps += [int(index) for index in indices]
    target: Any = changed
    for step, after in pairwise(steps):
        if isinstance(step, str) and step not in target:
            target[step] = [] if isinstance(after, int) else {}
        target = target[step]
    target[steps[-1]] = value
    return changed


def _candidates(answer: Sized, kind: str, need: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str, Any]]:
    """Changes worth a try, the gentlest first."""
    cases, field = answer.resolved.deciding, answer.field
    case = cases[0]
    path = case.prefix
    if kind in ("time", "rack", "utilisation") and field is not None:
        possible = field.fits & field.rack & (field.utilisation <= 1.0)
        if possible.any():
            group = 0
            hours = float(np.min(np.where(possible, np.max(field.hours, axis=0), np.inf)))
            value = rounded(float(-(-hours * 1.02 // 1)))
            first = cases[field.groups[group][0]]
            yield "longer_time", {"to": value}, f"{first.prefix}.cycle.latest_h", value
    most = answer.task.preferences.max_servers
    if most is not None and kind in ("time", "memory", "utilisation"):
        fewest = 2
        if kind == "time" and field is not None and field.fits.any():
            late = np.min(np.where(field.fits, np.max(field.hours / field.latest[:, None], axis=0), np.inf))
            fewest = int(-(-late * float(field.servers.max()) // 1))
        for servers in (fewest, 2 * fewest, 4 * fewest):
            yield "more_nodes", {"n_nodes": servers}, "preferences.max_servers", servers
    if kind == "rack":
        watts = float(need["v"])
        if answer.site.rack_w is not None:
            to = float(-(-watts * 1.05 // 500) * 500)
            yield "more_power", {"to": to}, "facility.rack_kw", rounded(to / 1000)
        yield "liquid", {}, "facility.cooling", "direct_to_chip"
    if case.method in ("full", "from_scratch", "frozen"):
        yield "lora", {}, f"{path}.strategy.method", "lora"
    if case.method == "lora":
        yield "qlora", {}, f"{path}.strategy.method", "qlora"
    if case.typical.sequence_tokens > 2048:
        shorter = int(case.typical.sequence_tokens // 4)
        yield "shorter_context", {"to": shorter}, f"{path}.model.context_tokens", shorter
    if "8bit_optimizer" in case.forbidden or case.recipe.optimizer == "adamw":
        yield "optimizer_8bit", {}, f"{path}.recipe.optimizer", "adamw_8bit"
    smaller = case.model.params.typical / 4
    if case.layout.model.preset is None and case.layout.model.config is None and case.layout.model.shape is None:
        yield "smaller_model", {"to": rounded(smaller)}, f"{path}.model.params", rounded(smaller)
