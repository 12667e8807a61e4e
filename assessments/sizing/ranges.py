"""From a typical value to a range: quantiles of the errors on left-out sources, by what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.calibration import Calibration, Constant
from assessments.sizing.compute import is_ordinary
from assessments.sizing.setup import (
    Estimate,
    EstimateArrays,
    EstimateOf,
    Floats,
    Ints,
    Measurement,
    MemoryOf,
    Recipe,
    Scenario,
    SetupArrays,
    StepOf,
)
from assessments.sizing.workload import WorkloadArrays

type Flags = NDArray[np.bool_]

KEPT_PER_FACT = 0.7  # of an own measurement's correction, per fact in which the job differs from the measured one
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
SOFT_FLOOR = 0.4  # share of a prediction of memory that is uncertain even where all of it is arithmetic
LAUNCH_BOUND_TOKENS = 2048.0
MEMORY_FACTS = frozenset({"stack", "optimizer", "weights", "recompute", "loss", "sharding", "micro_batch", "precision"})
TIME_FACTS = frozenset({"tuned", "recompute", "precision"})
UNMEASURED_STACKS = frozenset({"unknown", "other", "diffusers"})  # no counted row of memory tells about them
MEMORY_CLASSES = ("known", "multi_node", "unknown")
TIME_CLASSES = ("dense", "moe", "ordinary", "unknown", "open")


def memory_class(recipe: Recipe, servers: float, *, shape_known: bool, is_moe: bool) -> str:
    """Which range of memory errors applies: known | multi_node | unknown (also mixtures of experts)."""
    if not shape_known or is_moe or recipe.stack in UNMEASURED_STACKS or recipe.assumed & MEMORY_FACTS:
        return "unknown"
    return "multi_node" if servers > 1 else "known"


def time_class(recipe: Recipe, *, is_moe: bool, shape_known: bool) -> str:
    """Which range of time errors applies: dense | moe | ordinary | unknown | open.

    open: nothing tells whether the stack is tuned, so the range holds both kinds.
    """
    if recipe.tuned is None and recipe.stack == "unknown":
        return "open"
    if is_ordinary(recipe):
        return "ordinary"
    if is_moe:
        return "moe"
    return "unknown" if not shape_known or recipe.assumed & TIME_FACTS else "dense"


def soft_share(memory: MemoryOf[Floats]) -> Floats:
    """Share of a prediction that is not arithmetic: activations, logits, overhead."""
    return (memory.activations + memory.logits + memory.overhead) / memory.typical


def uncertainty(soft: Floats, is_open: Flags) -> Floats:
    """What errors of memory are measured in: weights and states are arithmetic, so what is not gives the error.

    is_open: stack or recipe is not known, and then the bytes of the states are not certain either.
    """
    return np.where(is_open, np.maximum(SOFT_FLOOR + soft, 1.0), SOFT_FLOOR + soft)


def with_ranges(
    bare: EstimateArrays, s: SetupArrays, w: WorkloadArrays, calibration: Calibration, *, shape_known: bool
) -> EstimateArrays:
    """Low and high of the totals.

    Memory: typical × the multiples of its class to the power of `uncertainty`. Time: typical × those of its class.
    """
    is_moe = bool(np.max(w.is_moe) > 0)
    classes = [
        [memory_class(r, servers, shape_known=shape_known, is_moe=is_moe) for servers in (1.0, 2.0)] for r in s.recipes
    ]
    many = (s.servers > 1).astype(np.int64)
    low, high = (
        np.log([[getattr(calibration.ranges[f"memory.{k}"], side) for k in pair] for pair in classes])[s.recipe, many]
        for side in ("low", "high")
    )
    is_open = np.array([[k == "unknown" for k in pair] for pair in classes])[s.recipe, many]
    power = uncertainty(soft_share(bare.memory), is_open)
    typical = bare.memory.typical
    memory = replace(bare.memory, low=typical * np.exp(low * power), high=typical * np.exp(high * power))
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


def recipe_facts(scenario: Scenario, recipe: Recipe) -> tuple[object, ...]:
    """What makes two jobs differ in kind, of the method and recipe."""
    return (
        scenario.method,
        scenario.shape.is_moe,
        recipe.quant_bits,
        recipe.optimizer,
        recipe.precision,
        recipe.compiled,
        recipe.loss,
        recipe.flash_attention,
        recipe.tuned,
    )


def layout_facts(s: SetupArrays) -> tuple[Ints | Flags, ...]:
    """The same of card and layout, one array per fact."""
    return (s.recompute, s.sharding, s.offload, s.tp > 1, s.pp > 1, s.ep > 1, s.servers > 1)


def likeness(scenario: Scenario, s: SetupArrays, anchor: Measurement) -> Floats:
    """How much of an own measurement's correction holds for each setup: 1 for the same kind of job, less per fact."""
    measured = SetupArrays.of([anchor.setup])
    own = recipe_facts(anchor.scenario, anchor.setup.recipe)
    by_recipe = np.array([_unequal(own, recipe_facts(scenario, r)) for r in s.recipes])[s.recipe]
    by_card = np.array([a.slug != anchor.setup.accelerator.slug for a in s.accelerators])[s.accelerator]
    by_layout = sum(
        (theirs != ours[0] for theirs, ours in zip(layout_facts(s), layout_facts(measured), strict=True)),
        start=np.zeros(len(s)),
    )
    differing: Floats = by_recipe + by_card + by_layout
    return np.power(KEPT_PER_FACT, differing)


def _unequal(one: tuple[object, ...], other: tuple[object, ...]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def anchored(
    many: EstimateArrays, kept: Floats, reference: Estimate, anchor: Measurement, c: Calibration
) -> EstimateArrays:
    """Correct by measured / estimated of the anchor's setup, and narrow the ranges towards those of anchored estimates.

    kept: `likeness` of each setup with the anchor's. Memory: what is not arithmetic is scaled first; time as a whole.
    """
    memory, time = many.memory, many.time
    if anchor.peak_bytes is not None:
        at = reference.memory
        shown = {"active": at.allocated, "allocated": at.allocated, "reserved": at.reserved, "process": at.typical}
        memory = _anchored_memory(memory, kept, at, anchor.peak_bytes - shown[anchor.notion], c)
    rate = anchor.tokens_per_s_gpu
    if rate is None and anchor.step_s is not None:
        rate = reference.time.tokens_per_s_gpu * reference.time.step / anchor.step_s
    if rate is not None:
        ratio = (rate / reference.time.tokens_per_s_gpu) ** kept
        scaled = {name: getattr(time, name) / ratio for name in EXPOSED_PARTS}
        scaled |= {"tokens_per_s_gpu": time.tokens_per_s_gpu * ratio, "mfu": time.mfu * ratio}
        slow, fast = narrowed(
            time.tokens_per_s_gpu_low / time.tokens_per_s_gpu,
            time.tokens_per_s_gpu_high / time.tokens_per_s_gpu,
            c.ranges["time.anchored"],
            kept,
        )
        time = _time_range(replace(time, **scaled), slow, fast)
    return EstimateOf(memory=memory, time=time)


def narrowed(low: Floats, high: Floats, anchored_range: Constant, kept: Floats) -> tuple[Floats, Floats]:
    """Multiples of typical after an own measurement: between the class's and those of anchored estimates."""
    near_low, near_high = np.maximum(low, anchored_range.low), np.minimum(high, anchored_range.high)
    return low ** (1.0 - kept) * near_low**kept, high ** (1.0 - kept) * near_high**kept


def anchored_share(gap: Floats, soft: float, typical: float) -> tuple[Floats, Floats]:
    """How an own measurement of memory corrects: the factor of the soft parts, then of everything.

    gap: measured − estimated; soft: activations, logits, overhead of the estimate. The gap goes
    into the soft parts as far as they can explain it; the rest scales the whole. Same unit.
    """
    ratio = np.clip(1.0 + gap / max(soft, 1e-9), SOFT_LEAST, SOFT_MOST)
    left = gap - (ratio - 1.0) * soft
    return ratio, 1.0 + left / np.maximum(typical + (ratio - 1.0) * soft, 1e-9)


def _anchored_memory(
    memory: MemoryOf[Floats], kept: Floats, at: MemoryOf[float], gap: float, c: Calibration
) -> MemoryOf[Floats]:
    ratio, rest = anchored_share(gap * kept, at.activations + at.logits + at.overhead, at.typical)
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
    low, high = memory.low / memory.typical, memory.high / memory.typical
    low, high = narrowed(low, high, c.ranges["memory.anchored"], kept)
    return replace(
        memory,
        **parts,
        typical=typical,
        reserved=np.maximum(typical - above[0] * ratio * rest, 0.0),
        allocated=np.maximum(typical - above[1] * ratio * rest, 0.0),
        low=typical * low,
        high=typical * high,
    )
