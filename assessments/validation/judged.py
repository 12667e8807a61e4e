"""A published row beside its prediction, and the statistics over many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

import numpy as np

USABLE_SHARE = 0.92  # of a card's memory, the engine's default reserve
DURATION_UNITS = frozenset({"s", "h", "GPU h"})

type Fit = Literal["fits", "at_limit", "does_not_fit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One row: what was published, what the engine says, and where it counts.

    published, low, typical, high: in `unit`; "OOM" = ran out of memory. skipped: the reason, None = predicted
    counted: takes part in statistics; weight_key: configuration; ran: whether the job ran on a card of known size
    """

    kind: str
    id: str
    source: str
    metric: str = ""
    unit: str = ""
    modality: str = "other"
    published: float | Literal["OOM"] | None = None
    low: float | None = None
    typical: float | None = None
    high: float | None = None
    fits: Fit | None = None
    skipped: str | None = None
    counted: bool = True
    subset: str = ""
    weight_key: str = ""
    ran: bool | None = None
    card: float | None = None
    facts: tuple[object, ...] = ()  # what makes two jobs differ in kind, for an own measurement
    soft: float = 0.0  # the part of a memory prediction that is not arithmetic: activations, logits, overhead

    @property
    def is_duration(self) -> bool:
        """Whether a larger value means slower."""
        return self.unit in DURATION_UNITS

    @property
    def error(self) -> float | None:
        """Relative error, + = too much memory or too fast; None where there is nothing to compare."""
        if self.typical is None or self.published is None or self.published == "OOM":
            return None
        if self.is_duration:
            return self.published / self.typical - 1.0
        return self.typical / self.published - 1.0

    @property
    def is_compared(self) -> bool:
        """Whether the row takes part in error statistics."""
        return self.counted and self.error is not None

    def as_dict(self) -> dict[str, Any]:
        """The row as the JSON output has it."""
        return {
            "kind": self.kind,
            "id": self.id,
            "source": self.source,
            "metric": self.metric,
            "unit": self.unit,
            "class": self.modality,
            "published": self.published,
            "low": self.low,
            "typical": self.typical,
            "high": self.high,
            "error": self.error,
            "fits": self.fits,
            "skipped": self.skipped,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts as counts, shares as fractions, None where no row tells."""

    n: int
    skipped: int
    median_ape: float | None
    p90_ape: float | None
    bias: float | None
    in_range: float | None
    under_high: float | None
    median_half_width: float | None
    median_ratio: float | None
    fit_n: int
    fit_right: float | None
    called_fit: int
    called_fit_ran: float | None

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def fit_of(high: float, typical: float, card: float) -> Fit:
    """fits = high within the usable memory; does_not_fit = typical beyond the card; at_limit between. Same unit."""
    if high <= USABLE_SHARE * card:
        return "fits"
    return "does_not_fit" if typical > card else "at_limit"


def plain_statistics(rows: Sequence[Judged]) -> Statistics:
    """Statistics of one source: every row counts alike."""
    compared = [r for r in rows if r.is_compared]
    return _statistics(rows, compared, lambda values: float(np.median(values)), _plain_p90, float_mean)


def voted_statistics(rows: Sequence[Judged]) -> Statistics:
    """Statistics over sources, each with one vote: medians of the sources' medians, means of their shares."""
    compared = [r for r in rows if r.is_compared]
    sources = [r.source for r in compared]

    def median_of_medians(values: Sequence[float]) -> float:
        return float(np.median([np.median(v) for v in _by(sources, values)]))

    def mean_of_means(values: Sequence[float]) -> float:
        return float(np.mean([np.mean(v) for v in _by(sources, values)]))

    return _statistics(rows, compared, median_of_medians, _voted_p90, mean_of_means)


def float_mean(values: Sequence[float]) -> float:
    """Arithmetic mean."""
    return float(np.mean(values))


def _statistics(
    rows: Sequence[Judged],
    compared: Sequence[Judged],
    middle: Callable[[Sequence[float]], float],
    p90: Callable[[Sequence[Judged]], float],
    share: Callable[[Sequence[float]], float],
) -> Statistics:
    triples = [(r, *_triple(r)) for r in compared]
    has = bool(triples)
    counted = [r for r in rows if r.counted and r.skipped is None]
    judged_fit = [r for r in counted if r.ran is not None and r.card is not None and r.typical is not None]
    called = [r for r in judged_fit if r.fits == "fits"]
    return Statistics(
        n=len(compared),
        skipped=sum(r.skipped is not None for r in rows),
        median_ape=middle([abs(e) for _, e, _, _, _, _ in triples]) if has else None,
        p90_ape=p90(compared) if has else None,
        bias=middle([e for _, e, _, _, _, _ in triples]) if has else None,
        in_range=share([float(low <= p <= high) for _, _, p, low, _, high in triples]) if has else None,
        under_high=share([float(p <= high) for _, _, p, _, _, high in triples]) if has else None,
        median_half_width=middle([(high - low) / 2 / t for _, _, _, low, t, high in triples]) if has else None,
        median_ratio=middle([high / low for _, _, _, low, _, high in triples]) if has else None,
        fit_n=len(judged_fit),
        fit_right=float(np.mean([_is_right(r) for r in judged_fit])) if judged_fit else None,
        called_fit=len(called),
        called_fit_ran=float(np.mean([bool(r.ran) for r in called])) if called else None,
    )


def _is_right(row: Judged) -> bool:
    """Whether "typical within the card" says what happened."""
    return row.typical is not None and row.card is not None and (row.typical <= row.card) == row.ran


def _triple(row: Judged) -> tuple[float, float, float, float, float]:
    error, published = row.error, row.published
    if error is None or not isinstance(published, float) or row.low is None or row.typical is None or row.high is None:
        raise ValueError(f"row {row.kind} {row.id} has no prediction to compare")
    return error, published, row.low, row.typical, row.high


def _by(keys: Sequence[str], values: Sequence[float]) -> Iterable[list[float]]:
    groups: dict[str, list[float]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return groups.values()


def _plain_p90(rows: Sequence[Judged]) -> float:
    return float(np.quantile([abs(_triple(r)[0]) for r in rows], 0.9))


def _voted_p90(rows: Sequence[Judged]) -> float:
    """The smallest error at which the cumulative weight reaches 0.9: a source weighs 1, shared by configurations."""
    configurations: dict[str, Counter[str]] = {}
    for row in rows:
        configurations.setdefault(row.source, Counter())[row.weight_key] += 1
    weights = np.array([1.0 / len(configurations[r.source]) / configurations[r.source][r.weight_key] for r in rows])
    errors = np.array([abs(_triple(r)[0]) for r in rows])
    order = np.argsort(errors, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(errors[order][np.searchsorted(reached, 0.9 - 1e-12)])


STATISTIC_NAMES = tuple(f.name for f in fields(Statistics))
