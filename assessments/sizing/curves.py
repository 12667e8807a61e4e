"""Time against the number of cards, by accelerator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assessments.sizing.defaults import default
from assessments.sizing.engine import Sized
from assessments.sizing.estimate import estimate_many
from assessments.sizing.quantity import Span, combined
from assessments.sizing.search import work_tokens
from assessments.sizing.setup import SetupArrays

MOST_ACCELERATORS = 5
MOST_POINTS = 14
BEYOND_OPTIONS = 4  # a curve goes this many times further than the largest option


def curves(answer: Sized) -> list[dict[str, Any]]:
    """Curves of the options' accelerators and of the most frugal others; points where memory fits or nearly does."""
    field = answer.field
    if field is None:
        return []
    rows: dict[str, list[int]] = {}
    for i, machine in enumerate(field.machines):
        if field.found[0].setups[i] is not None and np.isfinite(field.hours[:, i]).all():
            rows.setdefault(machine.accelerator.slug, []).append(i)
    wanted = list(dict.fromkeys(option.machine.accelerator.slug for option in [*answer.options, *answer.given]))
    energy = {
        slug: min(_energy(answer, i) for i in indices)
        for slug, indices in rows.items()
        if any(field.fits[i] for i in indices)
    }
    others = sorted((slug for slug in energy if slug not in wanted), key=lambda slug: (energy[slug], slug))
    chosen = [slug for slug in (*wanted, *others) if slug in rows][:MOST_ACCELERATORS]
    return [curve for slug in chosen if (curve := _curve(answer, slug, rows[slug])) is not None]


def _energy(answer: Sized, i: int) -> float:
    """Watt-hours of the cards for one cycle: what a frugal accelerator needs least of."""
    field = answer.field
    if field is None or not field.fits[i]:
        return float("inf")
    return float(field.watts[i] * np.sum(field.hours[:, i]))


def _curve(answer: Sized, slug: str, indices: Sequence[int]) -> dict[str, Any] | None:
    field = answer.field
    if field is None:
        return None
    latest = float(field.latest[0])
    largest = max((option.machine.gpus for option in [*answer.options, *answer.given]), default=0)
    most = BEYOND_OPTIONS * max(largest, 8) if largest else float("inf")
    useful = [
        i
        for i in indices
        if field.machines[i].gpus <= most
        and field.hours[0, i] <= 50 * latest
        and (field.fits[i] or field.machines[i].servers == 1)
    ]
    useful = useful[:: max(1, -(-len(useful) // MOST_POINTS))]
    if not useful:
        return None
    found = field.found[0]
    setups = [setup for i in useful if (setup := found.setups[i]) is not None]
    speed = estimate_many(found.case.typical, SetupArrays.of(setups), anchor=answer.anchor).time
    points = []
    tokens = found.case.feed.cycle_tokens
    for k, i in enumerate(useful):
        machine = field.machines[i]
        share = default("run_share.many_nodes" if machine.servers > 1 else "run_share.one_node")
        fast, slow = float(speed.tokens_per_s_gpu_high[k]), float(speed.tokens_per_s_gpu_low[k])
        middle = float(speed.tokens_per_s_gpu[k])
        hours = work_tokens(found.case, 1) / (middle * machine.gpus) / 3600 / share.typical
        span = combined(
            hours,
            [Span(1 / fast, 1 / middle, 1 / slow), tokens, Span(1 / share.high, 1 / share.typical, 1 / share.low)],
        )
        name = f"curve.{slug}.g{machine.gpus}"
        answer.ledger.add(name, span, unit="h", formula="curve.time", inputs=[slug, machine.gpus, middle])
        fit = (
            "fits"
            if field.fits[i]
            else "at_limit"
            if found.memory_typical[i] <= machine.accelerator.memory_bytes
            else "does_not_fit"
        )
        points.append({"gpus": machine.gpus, "servers": machine.servers, "time": name, "fit": fit})
    first = field.machines[useful[-1]]
    return {"accelerator": slug, "accelerator_name": first.accelerator.name, "link": first.link, "points": points}
