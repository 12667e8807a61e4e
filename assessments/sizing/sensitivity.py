"""What to find out next: the unknowns ranked by how much of the range each causes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.engine import Sized, main_option
from assessments.sizing.options import Option
from assessments.sizing.quantity import Span, rounded

HOW = {
    "dataset.tokens": "run_tokenizer",
    "dataset.samples": "count_samples",
    "dataset.epochs": "decide_epochs",
    "model.params": "attach_config",
    "model.context_tokens": "measure_lengths",
    "recipe.stack": "name_stack",
    "measurements": "measure_step",
}
SMALLEST_SHARE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """One open answer: its path, the target it moves, the range when it is known, the share of the range it causes."""

    path: str
    how: str
    target: str
    then: Span
    share: float
    decides: tuple[str, ...]


def unknowns(answer: Sized) -> list[Unknown]:
    """Ranked unknowns of the main option, the one that causes most first."""
    option = main_option(answer)
    if option is None:
        return []
    rows = [*_of_time(answer, option), *_of_memory(answer, option)]
    return sorted((row for row in rows if row.share >= SMALLEST_SHARE), key=lambda row: (-row.share, row.path))


def as_json(rows: list[Unknown]) -> list[dict[str, Any]]:
    """The ranking as plain JSON."""
    return [
        {
            "path": row.path,
            "how": row.how,
            "target": row.target,
            "then": [rounded(value) for value in row.then],
            "share": rounded(row.share),
            "decides": list(row.decides),
            "opens": [row.path],
        }
        for row in rows
    ]


def width(span: Span) -> float:
    """Width of a range in logarithms, squared: what independent factors add up to."""
    return math.log(span.high / span.low) ** 2 if span.low > 0 else 0.0


def _of_time(answer: Sized, option: Option) -> list[Unknown]:
    case, cycle = option.slowest.case, option.value("time.cycle")
    path, total = case.prefix, width(cycle)
    if total <= 0:
        return []
    factors: dict[str, float] = {}
    ranges = answer.resolved.assumptions.ranges
    for key in ("dataset.tokens", "dataset.samples", "dataset.epochs"):
        if f"{path}.{key}" in ranges:
            factors[f"{path}.{key}"] = width(ranges[f"{path}.{key}"])
    # figures that a step on the customer's own stack replaces
    speed = width(option.value("time.mfu")) if case.recipe.stack != "unknown" or not case.recipe.assumed else 0.0
    physics = width(option.value("time.tokens_per_s_gpu"))
    if answer.anchor is None:
        anchored = CALIBRATION.ranges.get("time.anchored")
        left = math.log(anchored.high / anchored.low) ** 2 if anchored is not None else speed
        factors["measurements"] = max(physics - left, 0.0)
        if case.recipe.stack == "unknown":
            dense = CALIBRATION.ranges["time.dense"]
            factors[f"{path}.recipe.stack"] = max(physics - math.log(dense.high / dense.low) ** 2, 0.0)
    rows = []
    for name, part in factors.items():
        share = min(part / total, 1.0)
        short = name.removeprefix(f"{path}.")
        rows.append(
            Unknown(
                path=name,
                how=HOW.get(short, "decide"),
                target=option.scope.id("time.cycle"),
                then=_narrowed(cycle, share),
                share=share,
                decides=_decides(option),
            )
        )
    return rows


def _narrowed(span: Span, share: float) -> Span:
    """The range without one factor that causes this share of its squared width."""
    keep = math.sqrt(max(1.0 - share, 0.0))
    return Span(
        span.typical * (span.low / span.typical) ** keep,
        span.typical,
        span.typical * (span.high / span.typical) ** keep,
    )


def _of_memory(answer: Sized, option: Option) -> list[Unknown]:
    row, total = option.deciding, option.value("memory.total")
    if not row.case.is_open:
        return []
    known = row.typical.memory
    then = Span(known.low, known.typical, known.high)
    share = 1.0 - width(then) / width(total) if width(total) > 0 else 0.0
    ranges = answer.resolved.assumptions.ranges
    return [
        Unknown(
            path=f"{row.case.prefix}.{key}",
            how=HOW[key],
            target=option.scope.id("memory.total"),
            then=then,
            share=min(max(share, 0.0), 1.0),
            decides=("accelerator", "gpus"),
        )
        for key in ("model.params", "model.context_tokens")
        if f"{row.case.prefix}.{key}" in ranges
    ]


def _decides(option: Option) -> tuple[str, ...]:
    """What the unknown may change: the number of cards when a bound of the time lies across the wanted time."""
    cycle, wanted = option.value("time.cycle"), option.value("time.wanted").typical
    return ("gpus",) if cycle.low <= wanted <= cycle.high else ()
