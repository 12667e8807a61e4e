"""Ranges from errors: quantiles over whole left-out sources, one vote per source, split by what is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assessments.sizing.cases import Case
from assessments.sizing.ranges import memory_class, time_class
from assessments.sizing.setup import Floats

COVERAGE = {"memory": 0.91, "time": 0.90}  # share of the votes inside; new sources are worse than these by some points
MEMORY_TAIL = 0.035  # votes above the high end of memory: running out is worse than having left
FEWEST_SOURCES = 3  # a class that fewer sources know takes the errors of all
ANCHORED_TAIL = 0.05


def error_quantiles(
    cases: Sequence[Case], errors: Floats, weights: Floats, group: str
) -> dict[str, tuple[float, float]]:
    """Low and high of each class as multiples of typical.

    errors: log of predicted / published; those of sources that the fit behind them has not seen

    """
    classes = np.array([class_of(c) for c in cases])
    ratio = -errors  # log of published / predicted
    found = {}
    names = {"memory": ("known", "multi_node", "unknown"), "time": ("dense", "moe", "ordinary", "unknown")}[group]
    for name in names:
        chosen = classes == name
        if len({c.source for c, is_in in zip(cases, chosen, strict=True) if is_in}) < FEWEST_SOURCES:
            chosen = np.ones(len(cases), dtype=bool)
        found[f"{group}.{name}"] = _range(ratio[chosen], weights[chosen], group)
    found[f"{group}.anchored"] = _pair(_within(cases, ratio), weights, ANCHORED_TAIL, 1.0 - ANCHORED_TAIL)
    return found


def class_of(case: Case) -> str:
    """The class of range that a case falls in, the same rule as for customers."""
    recipe, shape_known = case.setup.recipe, case.scenario.shape_known
    if case.metric == "peak_gib":
        return memory_class(recipe, case.setup.servers, shape_known=shape_known, is_moe=case.scenario.shape.is_moe)
    return time_class(recipe, is_moe=case.scenario.shape.is_moe, shape_known=shape_known)


def _within(cases: Sequence[Case], ratio: Floats) -> Floats:
    """Errors that remain when the median error of each source is known: what an own measurement leaves."""
    sources = np.array([c.source for c in cases])
    rest = ratio.copy()
    for source in np.unique(sources):
        rest[sources == source] -= np.median(ratio[sources == source])
    return rest


def _range(ratio: Floats, weights: Floats, group: str) -> tuple[float, float]:
    """Memory: the quantiles that leave MEMORY_TAIL above. Time: the shortest range that covers its share."""
    if group == "memory":
        return _pair(ratio, weights, 1.0 - MEMORY_TAIL - COVERAGE[group], 1.0 - MEMORY_TAIL)
    starts = np.linspace(0.0, 1.0 - COVERAGE[group], 36)
    pairs = [_pair(ratio, weights, float(q), float(q) + COVERAGE[group]) for q in starts]
    return min(pairs, key=lambda pair: pair[1] / pair[0])


def _pair(ratio: Floats, weights: Floats, low: float, high: float) -> tuple[float, float]:
    least, most = (weighted_quantile(ratio, weights, q) for q in (low, high))
    return float(np.exp(min(least, 0.0))), float(np.exp(max(most, 0.0)))


def weighted_quantile(values: Floats, weights: Floats, q: float) -> float:
    """The smallest value at which the cumulative weight reaches q."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / np.sum(weights)
    found = int(np.searchsorted(reached, q - 1e-12))
    return float(values[order][min(found, len(values) - 1)])
