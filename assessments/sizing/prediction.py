"""Prediction of many published cases at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.calibration import Calibration
from assessments.sizing.cases import Case
from assessments.sizing.estimate import accumulation_of, evaluate
from assessments.sizing.numbers import GIB
from assessments.sizing.ranges import soft_share
from assessments.sizing.setup import EstimateArrays, Floats, Ints, SetupArrays
from assessments.sizing.workload import WorkloadArrays, stack, workload_of

DURATIONS = frozenset({"step_s", "gpu_hours", "wall_hours"})


METRICS = (
    "active",
    "allocated",
    "reserved",
    "process",
    "tokens_per_s_gpu",
    "tokens_per_s",
    "samples_per_s",
    "step_s",
    "gpu_hours",
    "wall_hours",
    "tflops_per_gpu",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Cases as arrays: what does not depend on constants is computed once.

    metric: index into METRICS (a notion for memory); sign: -1 where a larger value is slower
    """

    cases: tuple[Case, ...]
    work: WorkloadArrays
    setups: SetupArrays
    accumulation: Floats
    published: Floats
    metric: Ints
    sign: Floats
    sequence: Floats
    amount: Floats
    is_whole: NDArray[np.bool_]

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
        metric=np.array([METRICS.index(c.notion if c.metric == "peak_gib" else c.metric) for c in cases]),
        sign=np.array([-1.0 if c.metric in DURATIONS else 1.0 for c in cases]),
        sequence=np.array([c.scenario.sequence_tokens for c in cases]),
        amount=np.array([np.nan if c.amount is None else c.amount for c in cases]),
        is_whole=np.array([c.is_whole_run for c in cases], dtype=bool),
    )


def predict(prepared: Prepared, calibration: Calibration) -> Floats:
    """Typical prediction of every case in its own metric."""
    estimates = evaluate(prepared.work, prepared.setups, prepared.accumulation, calibration)
    return in_metric(prepared, estimates, calibration)


def soft_shares(prepared: Prepared, calibration: Calibration) -> Floats:
    """Share of each prediction of memory that is not arithmetic."""
    memory = evaluate(prepared.work, prepared.setups, prepared.accumulation, calibration).memory
    return np.broadcast_to(soft_share(memory), (len(prepared),))


def in_metric(prepared: Prepared, estimates: EstimateArrays, calibration: Calibration) -> Floats:
    """Typical values in the metric and notion of each case; memory in GiB."""
    memory, time, gpus = estimates.memory, estimates.time, prepared.setups.gpus
    kept = np.where(prepared.is_whole, calibration.time["whole_run"].typical, 1.0)
    rate = time.tokens_per_s_gpu * kept
    columns = (
        memory.allocated / GIB,
        memory.allocated / GIB,
        memory.reserved / GIB,
        memory.typical / GIB,
        rate,
        rate * gpus,
        rate * gpus / prepared.sequence,
        time.step / kept,
        prepared.amount / rate / 3600,
        prepared.amount / rate / gpus / 3600,
        rate * time.flops_per_token / 1e12,
    )
    return np.stack([np.broadcast_to(c, (len(prepared),)) for c in columns])[prepared.metric, np.arange(len(prepared))]


def errors_of(prepared: Prepared, predicted: Floats) -> Floats:
    """Log of predicted against published, + = too much memory or too fast."""
    return prepared.sign * np.log(predicted / prepared.published)
