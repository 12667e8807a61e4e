"""From a typical value to a range: quantiles of the errors on left-out sources, by what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assessments.sizing.calibration import Calibration
from assessments.sizing.compute import is_ordinary
from assessments.sizing.setup import (
    Estimate,
    EstimateArrays,
    EstimateOf,
    Floats,
    Measurement,
    MemoryOf,
    Notion,
    Recipe,
    SetupArrays,
    StepOf,
)
from assessments.sizing.workload import WorkloadArrays

EXPOSED_PARTS = (
    "step",
    "gemm",
    "attention",
    "elementwise",
    "logits",
    "launch",
    "recompute",
    "tp_exposed",
    "dp_exposed",
    "ep_exposed",
    "cp_exposed",
    "pp_exposed",
    "bubble",
    "optimizer",
    "offload",
)
SOFT_LEAST, SOFT_MOST = 0.5, 2.0  # beyond these the gap is not of activations alone
LAUNCH_BOUND_TOKENS = 2048.0
MEMORY_FACTS = frozenset({"stack", "optimizer", "weights", "recompute", "loss", "sharding", "micro_batch", "precision"})
TIME_FACTS = frozenset({"stack", "tuned", "recompute", "precision", "layout", "flash_attention"})


def memory_class(recipe: Recipe, servers: float, *, shape_known: bool, is_moe: bool) -> str:
    """Which range of memory errors applies: known | multi_node | unknown (also mixtures of experts)."""
    if not shape_known or is_moe or recipe.stack == "unknown" or recipe.assumed & MEMORY_FACTS:
        return "unknown"
    return "multi_node" if servers > 1 else "known"


def time_class(recipe: Recipe, *, is_moe: bool, shape_known: bool) -> str:
    """Which range of time errors applies: dense | moe | ordinary | unknown."""
    if is_ordinary(recipe):
        return "ordinary"
    if is_moe:
        return "moe"
    return "unknown" if not shape_known or recipe.assumed & TIME_FACTS else "dense"


def with_ranges(
    bare: EstimateArrays, s: SetupArrays, w: WorkloadArrays, calibration: Calibration, *, shape_known: bool
) -> EstimateArrays:
    """Low and high of the totals: typical × the quantiles of its class."""
    is_moe = bool(np.max(w.is_moe) > 0)
    classes = [
        [memory_class(r, servers, shape_known=shape_known, is_moe=is_moe) for servers in (1.0, 2.0)] for r in s.recipes
    ]
    many = (s.servers > 1).astype(np.int64)
    low, high = (
        np.array([[getattr(calibration.ranges[f"memory.{k}"], side) for k in pair] for pair in classes])[s.recipe, many]
        for side in ("low", "high")
    )
    memory = replace(bare.memory, low=bare.memory.typical * low, high=bare.memory.typical * high)
    times = [calibration.ranges[f"time.{time_class(r, is_moe=is_moe, shape_known=shape_known)}"] for r in s.recipes]
    short = s.micro_batch * w.sequence < LAUNCH_BOUND_TOKENS
    extra = calibration.ranges["time.short"]
    slow = np.array([t.low for t in times])[s.recipe] * np.where(short, extra.low, 1.0)
    fast = np.array([t.high for t in times])[s.recipe] * np.where(short, extra.high, 1.0)
    return EstimateOf(memory=memory, time=_time_range(bare.time, slow, fast))


def _time_range(time: StepOf[Floats], slow: Floats, fast: Floats) -> StepOf[Floats]:
    """Range of the rate between typical × slow and typical × fast, and of the step the other way round."""
    return replace(
        time,
        tokens_per_s_gpu_low=time.tokens_per_s_gpu * slow,
        tokens_per_s_gpu_high=time.tokens_per_s_gpu * fast,
        step_low=time.step / fast,
        step_high=time.step / slow,
    )


def notion_bytes(memory: MemoryOf[Floats], notion: Notion) -> Floats:
    """Typical memory as a given counter shows it [bytes]."""
    return {
        "active": memory.allocated,
        "allocated": memory.allocated,
        "reserved": memory.reserved,
        "process": memory.typical,
    }[notion]


def anchored(many: EstimateArrays, reference: Estimate, anchor: Measurement, c: Calibration) -> EstimateArrays:
    """Scale by measured / estimated of the anchor's setup, and take the narrower ranges of anchored estimates.

    Memory: only what is not arithmetic is scaled (activations, logits, overhead), unless that cannot explain the gap.
    """
    memory, time = many.memory, many.time
    if anchor.peak_bytes is not None:
        at = reference.memory
        shown = {"active": at.allocated, "allocated": at.allocated, "reserved": at.reserved, "process": at.typical}
        memory = _anchored_memory(memory, at, anchor.peak_bytes - shown[anchor.notion], c)
    rate = anchor.tokens_per_s_gpu
    if rate is None and anchor.step_s is not None:
        rate = reference.time.tokens_per_s_gpu * reference.time.step / anchor.step_s
    if rate is not None:
        ratio = rate / reference.time.tokens_per_s_gpu
        scaled = {name: getattr(time, name) / ratio for name in EXPOSED_PARTS}
        scaled |= {"tokens_per_s_gpu": time.tokens_per_s_gpu * ratio, "mfu": time.mfu * ratio}
        narrow = c.ranges["time.anchored"]
        time = _time_range(replace(time, **scaled), np.array(narrow.low), np.array(narrow.high))
    return EstimateOf(memory=memory, time=time)


def anchored_share(gap: float, soft: float, typical: float) -> tuple[float, float]:
    """How an own measurement of memory corrects: the factor of the soft parts, then of everything.

    gap: measured − estimated; soft: activations, logits, overhead of the estimate. The gap goes
    into the soft parts as far as they can explain it; the rest scales the whole. Same unit.
    """
    ratio = min(max(1.0 + gap / max(soft, 1e-9), SOFT_LEAST), SOFT_MOST)
    left = gap - (ratio - 1.0) * soft
    return ratio, 1.0 + left / max(typical + (ratio - 1.0) * soft, 1e-9)


def _anchored_memory(memory: MemoryOf[Floats], at: MemoryOf[float], gap: float, c: Calibration) -> MemoryOf[Floats]:
    ratio, rest = anchored_share(gap, at.activations + at.logits + at.overhead, at.typical)
    parts = {
        "weights": memory.weights * rest,
        "gradients": memory.gradients * rest,
        "optimizer": memory.optimizer * rest,
        "activations": memory.activations * ratio * rest,
        "logits": memory.logits * ratio * rest,
        "overhead": memory.overhead * ratio * rest,
    }
    typical = np.sum(list(parts.values()), axis=0)
    above = (memory.typical - memory.reserved, memory.typical - memory.allocated)
    narrow = c.ranges["memory.anchored"]
    return replace(
        memory,
        **parts,
        typical=typical,
        reserved=np.maximum(typical - above[0] * ratio * rest, 0.0),
        allocated=np.maximum(typical - above[1] * ratio * rest, 0.0),
        low=typical * narrow.low,
        high=typical * narrow.high,
    )
