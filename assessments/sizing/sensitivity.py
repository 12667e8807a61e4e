"""What to find out next: the unknowns ranked by how much of the range each causes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.choose import KEYS
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
    """One open answer: its path, the target it moves, the range when it is known, the share of the range it causes.

    decides: options that meet the wanted time or the memory only at one end of the range; opens: options that are not
    offered now and may be when the answer is known
    """

    path: str
    how: str
    target: str
    then: Span
    share: float
    decides: tuple[str, ...]
    opens: tuple[str, ...] = ()


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
            "opens": list(row.opens),
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
                decides=_decides(answer),
                opens=_opens(answer),
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
            decides=tuple(shown.key for shown in _shown(answer) if _memory_crosses(shown)),
            opens=_opens(answer),
        )
        for key in ("model.params", "model.context_tokens")
        if f"{row.case.prefix}.{key}" in ranges
    ]


def _shown(answer: Sized) -> list[Option]:
    return [*answer.options, *answer.given]


def _decides(answer: Sized) -> tuple[str, ...]:
    """Options whose range of time lies across the wanted or the latest time."""

    def crosses(option: Option) -> bool:
        cycle = option.value("time.cycle")
        return any(cycle.low <= option.value(f"time.{limit}").typical <= cycle.high for limit in ("wanted", "latest"))

    return tuple(option.key for option in _shown(answer) if crosses(option))


def _memory_crosses(option: Option) -> bool:
    total = option.value("memory.total")
    return total.low <= option.value("memory.usable").typical <= total.high


def _opens(answer: Sized) -> tuple[str, ...]:
    """Keys that no machine holds now; the low end of the range may open them."""
    offered = {key for option in answer.options for key in option.keys}
    grows = answer.outlook.factor.typical > 1.0
    return tuple(key for key in KEYS if key not in offered and (key != "growth" or grows))
