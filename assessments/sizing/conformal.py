"""Ranges from errors: quantiles over whole left-out sources, one vote per source, split by what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from assessments.sizing.cases import Case
from assessments.sizing.ranges import (
    KEPT_PER_FACT,
    MEMORY_CLASSES,
    TIME_CLASSES,
    layout_facts,
    memory_class,
    recipe_facts,
    time_class,
    uncertainty,
)
from assessments.sizing.setup import Floats, SetupArrays

COVERAGE = {"memory": 0.92, "time": 0.90}  # share of the votes inside
MEMORY_TAIL = 0.03  # votes above the high end of memory: running out is worse than having left
NEW_SOURCE = {"memory": 0.0, "time": 0.5}  # errors of unseen sources exceed those of n left-out ones by this / sqrt(n)
FEWEST_SOURCES = 3  # a class that fewer sources know takes the errors of all
ANCHORED_TAIL = 0.05
ANCHORS = 6  # rows of a source that take turns as its own measurement


def error_quantiles(cases: Sequence[Case], errors: Floats, soft: Floats, group: str) -> dict[str, tuple[float, float]]:
    """Low and high of each class as multiples of typical.

    errors: log of predicted / published; those of sources that the fit behind them has not seen
    soft: share of each prediction of memory that is not arithmetic
    """
    classes = np.array([class_of(c) for c in cases])
    votes = weights_of(cases)
    found = {}
    names = MEMORY_CLASSES if group == "memory" else TIME_CLASSES[:-1]
    for name in names:
        chosen = classes == name
        if len({c.source for c, is_in in zip(cases, chosen, strict=True) if is_in}) < FEWEST_SOURCES:
            chosen = np.ones(len(cases), dtype=bool)
        scale = uncertainty(soft, np.full(len(cases), name == "unknown")) if group == "memory" else np.ones(len(cases))
        known_by = len({c.source for c, is_in in zip(cases, chosen, strict=True) if is_in})
        widen = 1.0 + NEW_SOURCE[group] / known_by**0.5
        found[f"{group}.{name}"] = _range((-errors / scale)[chosen], votes[chosen], group, widen)
    wider = ("known", "multi_node", "unknown") if group == "memory" else ("dense", "unknown")
    for less, more in pairwise(wider):  # what is not known never narrows
        a, b = found[f"{group}.{less}"], found[f"{group}.{more}"]
        found[f"{group}.{more}"] = (min(a[0], b[0]), max(a[1], b[1]))
    rest, weights = _after_anchor(cases, -errors)
    found[f"{group}.anchored"] = _pair(rest, weights, ANCHORED_TAIL, 1.0 - ANCHORED_TAIL, 1.0)
    return found


def weights_of(cases: Sequence[Case]) -> Floats:
    """Weight of each case: every source one vote, shared by its distinct configurations, then by the rows of one."""
    configurations: dict[str, Counter[str]] = {}
    for case in cases:
        configurations.setdefault(case.source, Counter())[case.configuration] += 1
    return np.array([1.0 / len(configurations[c.source]) / configurations[c.source][c.configuration] for c in cases])


def class_of(case: Case) -> str:
    """The class of range that a case falls in, the same rule as for customers."""
    recipe, shape_known = case.setup.recipe, case.scenario.shape_known
    if case.metric == "peak_gib":
        return memory_class(recipe, case.setup.servers, shape_known=shape_known, is_moe=case.scenario.shape.is_moe)
    return time_class(recipe, is_moe=case.scenario.shape.is_moe, shape_known=shape_known)


def facts_of(case: Case) -> tuple[object, ...]:
    """What makes two jobs differ in kind; as `likeness` counts it."""
    setup = case.setup
    layout = tuple(column[0] for column in layout_facts(SetupArrays.of([setup])))
    return (*recipe_facts(case.scenario, setup.recipe), setup.accelerator.slug, *layout)


def kept_of(one: tuple[object, ...], other: tuple[object, ...]) -> float:
    """Share of an own measurement's correction that holds between two jobs."""
    return float(KEPT_PER_FACT ** sum(a != b for a, b in zip(one, other, strict=True)))


def _after_anchor(cases: Sequence[Case], ratio: Floats) -> tuple[Floats, Floats]:
    """Errors of the other rows of a source when one row is measured, and their votes; like jobs only."""
    rest: list[float] = []
    votes: list[float] = []
    facts = [facts_of(c) for c in cases]
    for source in dict.fromkeys(c.source for c in cases):
        own = [i for i, c in enumerate(cases) if c.source == source]
        turns = own[:: -(-len(own) // ANCHORS)]
        pairs = [(a, b) for a in turns for b in own if a != b and kept_of(facts[a], facts[b]) >= KEPT_PER_FACT]
        rest += [float(ratio[b] - ratio[a] * kept_of(facts[a], facts[b])) for a, b in pairs]
        votes += [1.0 / max(len(pairs), 1)] * len(pairs)
    return (np.array(rest), np.array(votes)) if rest else (ratio, np.ones(len(ratio)))


def _range(ratio: Floats, weights: Floats, group: str, widen: float) -> tuple[float, float]:
    """Memory: the quantiles that leave MEMORY_TAIL above. Time: the shortest range that covers its share."""
    if group == "memory":
        return _pair(ratio, weights, 1.0 - MEMORY_TAIL - COVERAGE[group], 1.0 - MEMORY_TAIL, widen)
    starts = np.linspace(0.0, 1.0 - COVERAGE[group], 36)
    pairs = [_pair(ratio, weights, float(q), float(q) + COVERAGE[group], widen) for q in starts]
    return min(pairs, key=lambda pair: pair[1] / pair[0])


def _pair(ratio: Floats, weights: Floats, low: float, high: float, widen: float) -> tuple[float, float]:
    least, most = (weighted_quantile(ratio, weights, q) for q in (low, high))
    return float(np.exp(widen * min(least, 0.0))), float(np.exp(widen * max(most, 0.0)))


def weighted_quantile(values: Floats, weights: Floats, q: float) -> float:
    """The smallest value at which the cumulative weight reaches q."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / np.sum(weights)
    found = int(np.searchsorted(reached, q - 1e-12))
    return float(values[order][min(found, len(values) - 1)])
