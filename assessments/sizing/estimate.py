"""One call for the physics: memory and time of many setups, with their ranges."""

from __future__ import annotations

import numpy as np

from assessments.sizing.calibration import CALIBRATION, Calibration
from assessments.sizing.compute import speeds, step_many
from assessments.sizing.memory import memory_many, split_of
from assessments.sizing.numbers import numbers_of, stack_numbers
from assessments.sizing.ranges import anchored, likeness, with_ranges
from assessments.sizing.setup import (
    Estimate,
    EstimateArrays,
    EstimateOf,
    Floats,
    Measurement,
    Scenario,
    Setup,
    SetupArrays,
    estimate_at,
)
from assessments.sizing.workload import WorkloadArrays, stack, workload_of

FREE_MICRO_STEPS_PER_STAGE = 4.0  # micro-batches per pipeline stage where the global batch is free


def estimate_many(
    scenario: Scenario,
    setups: SetupArrays,
    *,
    anchor: Measurement | None = None,
    calibration: Calibration = CALIBRATION,
) -> EstimateArrays:
    """Memory and step time of every setup; arrays of shape (n,).

    anchor: a measurement of the customer; its ratio to the estimate of that setup corrects like jobs and narrows ranges
    """
    works = [workload_of(scenario, recipe) for recipe in setups.recipes]
    work = stack(works, setups.recipe)
    accumulation = accumulation_of(scenario.global_batch, setups)
    bare = evaluate(work, setups, accumulation, calibration)
    ranged = with_ranges(bare, setups, work, calibration, shape_known=scenario.shape_known)
    if anchor is None:
        return ranged
    reference = estimate(anchor.scenario, anchor.setup, calibration=calibration)
    return anchored(ranged, likeness(scenario, setups, anchor), reference, anchor, calibration)


def estimate(
    scenario: Scenario, setup: Setup, *, anchor: Measurement | None = None, calibration: Calibration = CALIBRATION
) -> Estimate:
    """Memory and step time of one setup: `estimate_many` of one."""
    return estimate_at(estimate_many(scenario, SetupArrays.of([setup]), anchor=anchor, calibration=calibration), 0)


def accumulation_of(global_batch: float | None, s: SetupArrays) -> Floats:
    """Micro-steps per optimizer step [count]: given, or global batch / (replicas × micro-batch), at least one."""
    replicas = np.maximum(s.gpus / (s.tp * s.pp * s.cp), 1.0)
    free = np.where(s.pp > 1, FREE_MICRO_STEPS_PER_STAGE * s.pp, 1.0)
    wanted = free if global_batch is None else np.maximum(np.ceil(global_batch / (replicas * s.micro_batch)), 1.0)
    return np.where(np.isnan(s.accumulation), wanted, s.accumulation)


def evaluate(
    work: WorkloadArrays, setups: SetupArrays, accumulation: Floats, calibration: Calibration
) -> EstimateArrays:
    """The bare physics without ranges; works may differ per setup (calibration does that)."""
    numbers = stack_numbers([numbers_of(r, calibration) for r in setups.recipes], setups.recipe)
    split = split_of(work.layers, setups)
    memory = memory_many(work, numbers, setups, split, calibration, accumulation)
    speed = speeds(setups, calibration)
    time = step_many(work, numbers, setups, speed, split, calibration, accumulation)
    return EstimateOf(memory=memory, time=time)
