"""Candidates of an open method: each is sized, the smallest machine that holds it is shown beside."""

from __future__ import annotations

from typing import Any

import numpy as np

from assessments.sizing.choose import cheapest, field_of
from assessments.sizing.engine import Sized
from assessments.sizing.options import evaluated
from assessments.sizing.quantity import Span, combined
from assessments.sizing.resolve import Case
from assessments.sizing.search import plausible, search, work_tokens


def methods_shown(answer: Sized) -> list[dict[str, Any]]:
    """For each scenario with several candidates: what each method would take at least."""
    rows = []
    for cases in answer.resolved.cases:
        if len(cases) < 2:
            continue
        for position, case in enumerate(cases):
            rows.append(_method(answer, case, decides=position == 0))
    return rows


def _method(answer: Sized, case: Case, *, decides: bool) -> dict[str, Any]:
    machines = plausible([case], answer.machines)
    reserve = answer.ledger.typical("memory.reserve")
    found = search(case, machines, reserve, answer.anchor)
    row: dict[str, Any] = {"scenario": case.index, "method": case.method, "decides": decides}
    i = None
    if machines:
        field = field_of(machines, [found], answer.site)
        everyone = np.ones(len(machines), dtype=bool)
        i = cheapest(field, field.possible & field.in_time(field.latest), everyone)
    if i is None:
        names = ("accelerator", "accelerator_name", "gpus", "servers", "link", "time", "memory")
        return row | dict.fromkeys(names)
    machine, setup = machines[i], found.setups[i]
    if setup is None:
        raise ValueError("a machine that fits has a layout")
    at = evaluated(case, setup, answer.anchor)
    name = f"s{case.index + 1}.method_{case.method}"
    speed = at.typical.time
    hours = float(found.hours[i])
    spread = Span(1 / speed.tokens_per_s_gpu_high, 1 / speed.tokens_per_s_gpu, 1 / speed.tokens_per_s_gpu_low)
    time = combined(hours, [spread, case.feed.cycle_tokens])
    answer.ledger.add(
        f"{name}.time",
        time,
        unit="h",
        formula="curve.time",
        inputs=[machine.accelerator.slug, machine.gpus, work_tokens(case, 1)],
    )
    memory = Span(at.least.memory.low, at.typical.memory.typical, at.most.memory.high)
    answer.ledger.add(f"{name}.memory", memory, unit="bytes", formula="envelope", inputs=[machine.accelerator.slug])
    return row | {
        "accelerator": machine.accelerator.slug,
        "accelerator_name": machine.accelerator.name,
        "gpus": machine.gpus,
        "servers": machine.servers,
        "link": machine.link,
        "time": f"{name}.time",
        "memory": f"{name}.memory",
    }
