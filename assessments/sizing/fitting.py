"""Constants from measurements: prediction of many cases at once, and the fit that moves the constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assessments.sizing.calibration import Calibration
from assessments.sizing.cases import Case
from assessments.sizing.estimate import accumulation_of, evaluate
from assessments.sizing.numbers import GIB
from assessments.sizing.setup import EstimateArrays, Floats, SetupArrays
from assessments.sizing.workload import WorkloadArrays, stack, workload_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Cases as arrays: what does not depend on constants is computed once."""

    cases: tuple[Case, ...]
    work: WorkloadArrays
    setups: SetupArrays
    accumulation: Floats
    published: Floats

    def __len__(self) -> int:
        return len(self.cases)


def prepare(cases: Sequence[Case]) -> Prepared:
    """Arrays of cases, in their order."""
    setups = SetupArrays.of([c.setup for c in cases])
    work = stack([workload_of(c.scenario, c.setup.recipe) for c in cases])
    return Prepared(
        cases=tuple(cases),
        work=work,
        setups=setups,
        accumulation=accumulation_of(None, setups),
        published=np.array([np.nan if c.published is None else c.published for c in cases]),
    )


def predict(prepared: Prepared, calibration: Calibration) -> Floats:
    """Typical prediction of every case in its own metric."""
    estimates = evaluate(prepared.work, prepared.setups, prepared.accumulation, calibration)
    return in_metric(prepared, estimates, calibration)


def in_metric(prepared: Prepared, estimates: EstimateArrays, calibration: Calibration) -> Floats:
    """Typical values in the metric and notion of each case."""
    memory, time = estimates.memory, estimates.time
    setups, cases = prepared.setups, prepared.cases
    sequence = np.array([c.scenario.sequence_tokens for c in cases])
    amount = np.array([np.nan if c.amount is None else c.amount for c in cases])
    whole = np.array([calibration.time["whole_run"].typical if c.is_whole_run else 1.0 for c in cases])
    rate = time.tokens_per_s_gpu * whole
    by_notion = {
        "active": memory.allocated / GIB,
        "allocated": memory.allocated / GIB,
        "reserved": memory.reserved / GIB,
        "process": memory.typical / GIB,
    }
    values = {
        "tokens_per_s_gpu": rate,
        "samples_per_s": rate * setups.gpus / sequence,
        "step_s": time.step / whole,
        "gpu_hours": amount / rate / 3600,
        "wall_hours": amount / rate / setups.gpus / 3600,
        "tflops_per_gpu": rate * time.flops_per_token / 1e12,
    }
    return np.array(
        [
            by_notion[case.notion][i] if case.metric == "peak_gib" else values[case.metric][i]
            for i, case in enumerate(cases)
        ]
    )
