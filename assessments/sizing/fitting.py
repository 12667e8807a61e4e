"""The fit that moves the constants towards published measurements, and the ranges that its errors give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from assessments.sizing.calibration import CALIBRATION, Calibration, Constant
from assessments.sizing.cases import Case
from assessments.sizing.conformal import error_quantiles, weights_of
from assessments.sizing.prediction import Prepared, errors_of, predict, prepare, soft_shares
from assessments.sizing.setup import Floats

ROUNDS = 14  # Gauss-Newton rounds; the fit moves less than 0.1 % after ten
SPREADS_PER_SIGMA = 2.563  # low and high are taken as the 10th and 90th percentile of the prior
ROW_SIGMA = {"memory": 0.10, "time": 0.15}  # error beyond which a row pulls less and less
SOURCE_WEIGHT = {"memory": 6.0, "time": 3.0}  # independent pieces of evidence that a whole source is worth
STEP = 0.05  # of a prior's sigma, for the numerical derivative
INNER_ROUNDS = 5  # rounds of the fits that only serve the ranges
GROUPS = 4  # groups of whole sources that take turns being left out for the ranges
ROWS_PER_SOURCE = 36  # evenly spaced rows of a source that a fit looks at; more add time, not evidence
LEAST_TOKENS = 2048.0  # below it a step is launch-bound and tells nothing of the kernels


def usable(cases: Sequence[Case]) -> list[Case]:
    """Cases that calibrate: counted, measured, and for time with a micro-batch that fills the card."""

    def fills(case: Case) -> bool:
        return case.scenario.sequence_tokens * case.setup.layout.micro_batch >= LEAST_TOKENS

    return [
        c
        for c in cases
        if c.counted and c.published is not None and c.modality == "text" and (c.kind == "memory" or fills(c))
    ]


def fit(rows: Sequence[Case], leave_out: str | None = None, *, start: Calibration = CALIBRATION) -> Calibration:
    """Constants and ranges from the cases, without those of one source.

    Each fit starts from the priors, never from fitted values, so that what is left out has no influence.
    """
    cases = [c for c in usable(rows) if c.source != leave_out]
    fitted = start
    for kind, group in (("memory", "memory"), ("throughput", "time")):
        fitted = _fitted_group(_thinned([c for c in cases if c.kind == kind]), fitted, group)
    return fitted


def fit_left_out(rows: Sequence[Case], source: str, *, start: Calibration = CALIBRATION) -> Calibration:
    """The calibration of a fold: as fitted, but groups to which the source contributes are refitted without it."""
    cases = usable(rows)
    fitted = start
    for kind, group in (("memory", "memory"), ("throughput", "time")):
        of_kind = [c for c in cases if c.kind == kind]
        if any(c.source == source for c in of_kind):
            fitted = _fitted_group(_thinned([c for c in of_kind if c.source != source]), fitted, group)
    return fitted


def _fitted_group(chosen: Sequence[Case], start: Calibration, group: str) -> Calibration:
    return _with_ranges(chosen, fit_group(prepare(chosen), start, group), group) if chosen else start


def _thinned(cases: Sequence[Case]) -> list[Case]:
    """At most ROWS_PER_SOURCE rows of each source, evenly spaced in the order of the table."""
    by_source: dict[str, list[Case]] = {}
    for case in cases:
        by_source.setdefault(case.source, []).append(case)
    return [c for rows in by_source.values() for c in rows[:: -(-len(rows) // ROWS_PER_SOURCE)]]


def _with_ranges(cases: Sequence[Case], fitted: Calibration, group: str) -> Calibration:
    """Ranges of one group: errors of whole sources left out of an inner fit, by class of what is known."""
    sources = sorted({c.source for c in cases})
    errors: list[float] = []
    soft: list[float] = []
    judged: list[Case] = []
    for turn in range(min(GROUPS, len(sources))):
        out = set(sources[turn::GROUPS])
        kept, held = [c for c in cases if c.source not in out], [c for c in cases if c.source in out]
        if not kept or not held:
            continue
        inner = fit_group(prepare(kept), fitted, group, rounds=INNER_ROUNDS)
        prepared = prepare(held)
        errors += errors_of(prepared, predict(prepared, inner)).tolist()
        soft += soft_shares(prepared, inner).tolist()
        judged += held
    found = error_quantiles(judged, np.array(errors), np.array(soft), group)
    if group == "time":
        found["time.open"] = _open_range(judged, found, fitted)
    ranges = dict(fitted.ranges)
    for name, (low, high) in found.items():
        ranges[name] = replace(ranges[name], low=low, high=high)
    return replace(fitted, ranges=ranges)


def _open_range(
    cases: Sequence[Case], found: dict[str, tuple[float, float]], fitted: Calibration
) -> tuple[float, float]:
    """Range around the ordinary estimate that holds both kinds of stack."""
    tuned = [c for c in cases if c.setup.recipe.tuned]
    ordinary = [replace(c, setup=replace(c.setup, recipe=replace(c.setup.recipe, tuned=False))) for c in tuned]
    gain = np.exp(errors_of(prepare(tuned), predict(prepare(tuned), fitted))) if tuned else np.ones(1)
    if tuned:
        gain = gain / np.exp(errors_of(prepare(ordinary), predict(prepare(ordinary), fitted)))
    low, high = found["time.ordinary"]
    least, most = float(np.quantile(gain, 0.1)), float(np.quantile(gain, 0.9))
    return min(low, found["time.unknown"][0] * least), max(high, found["time.unknown"][1] * most)


def fit_group(prepared: Prepared, calibration: Calibration, group: str, *, rounds: int = ROUNDS) -> Calibration:
    """Constants of one group ("memory" or "time") that explain the cases best; cases without a value are left out.

    Maximum a posteriori: each constant that has a prior may move, pulled back to it by its spread; errors have the
    tails of a Cauchy distribution, so that a source of another kind does not bend the constants of the rest; sources
    have equal votes. Gauss-Newton with numerical derivatives.
    """
    table: dict[str, Constant] = dict(getattr(calibration, group))
    names = [name for name, constant in table.items() if constant.prior is not None and constant.high > constant.low]
    center = np.array([table[n].prior for n in names], dtype=np.float64)
    sigma = np.array([(table[n].high - table[n].low) / SPREADS_PER_SIGMA for n in names])
    floor = np.array([table[n].low for n in names]) - sigma
    ceiling = np.array([table[n].high for n in names]) + sigma
    weights = weights_of(prepared.cases) * SOURCE_WEIGHT[group]

    def values(theta: Floats) -> dict[str, float]:
        moved = np.clip(center + theta * sigma, np.maximum(floor, 0.0), ceiling)
        return dict(zip(names, moved.tolist(), strict=True))

    def residuals(theta: Floats) -> Floats:
        return errors_of(prepared, predict(prepared, calibration.with_values(group, values(theta))))

    theta = _gauss_newton(residuals, np.zeros(len(names)), weights, ROW_SIGMA[group], rounds)
    return calibration.with_values(group, values(theta))


def _gauss_newton(
    residuals: Callable[[Floats], Floats], theta: Floats, weights: Floats, scale: float, rounds: int
) -> Floats:
    """Minimise Σ w·log(1 + (r/scale)²)/2 + θ²/2 by damped, reweighted Gauss-Newton."""

    def cost(r: Floats, t: Floats) -> float:
        return float(0.5 * np.sum(weights * np.log1p((r / scale) ** 2)) + 0.5 * t @ t)

    current = residuals(theta)
    best = cost(current, theta)
    for _ in range(rounds):
        jacobian = np.stack([(residuals(theta + STEP * e) - current) / STEP for e in np.eye(len(theta))], axis=1)
        w = weights / (1.0 + (current / scale) ** 2) / scale**2
        normal = jacobian.T @ (w[:, None] * jacobian) + np.eye(len(theta))
        step = np.linalg.solve(normal, -(jacobian.T @ (w * current)) - theta)
        for damping in (1.0, 0.5, 0.25, 0.1):
            trial = theta + damping * step
            r = residuals(trial)
            if (found := cost(r, trial)) < best:
                theta, current, gained, best = trial, r, best - found, found
                break
        else:
            break
        if gained < 1e-3 * best:
            break
    return theta
