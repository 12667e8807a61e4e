"""A recipe as numbers: bytes per parameter, bytes per element, multipliers of its stack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from assessments.sizing.calibration import Calibration
from assessments.sizing.setup import Floats, Ints, Recipe

STATE_BYTES = {  # moments of one parameter [bytes] kept in fp32; a 16-bit recipe halves what is not quantized
    "adamw": 8.0,
    "adamw_bf16": 4.0,
    "adamw_8bit": 2.0,
    "paged_adamw_8bit": 0.2,  # managed memory, in host RAM but for the page at work
    "adamw_4bit": 1.06,
    "adafactor": 0.05,
    "lion": 4.0,
    "sgd": 4.0,
    "muon": 4.0,
    "none": 0.0,
}
QUANTIZED_STATES = frozenset({"adamw_8bit", "paged_adamw_8bit", "adamw_4bit"})
FLOAT32_ADAPTERS = frozenset({"hf", "axolotl", "llamafactory", "deepspeed", "unknown"})
NO_SYNC = frozenset(
    {"litgpt"}
)  # stacks that hold whole weights and gradients while they accumulate under full sharding
PICKS_EXPERTS = frozenset({"hf", "axolotl", "llamafactory", "unknown"})  # loop over the experts of one fused tensor
SHARDS_ENDS_APART = frozenset({"torchtune"})  # stacks that shard embedding and head as units of their own
NO_AUTOCAST = frozenset({"litgpt"})  # stacks whose quantized layers hand on the type of their input
WIDER_SCORES = 0.25  # fp32 hidden states widen eager scores from 15.7 to 18.6 bytes (fitcheck-llm T4 runs)
GIB = 2.0**30


@dataclass(frozen=True, slots=True, kw_only=True)
class NumbersOf[T]:
    """Bytes per parameter and per element of a recipe, and the multipliers of its stack; T is float or an array."""

    base_bytes: T  # resident weight of the base model, where it is not quantized
    quant_bytes: T  # resident weight of a quantized linear layer
    adapter_bytes: T  # adapter weights, gradients and states together are kept in one type
    gradient_bytes: T
    optimizer_bytes: T  # master and moments
    outer_optimizer_bytes: T  # the same for embedding and head, which 8-bit optimizers keep in fp32
    adapter_state_bytes: T
    temporary_bytes: T
    gathered_bytes: T
    residual: T  # bytes of a hidden-width element against 16 bit
    element: T  # bytes of an inner element against 16 bit
    multiplier: T
    selective_keep: T
    loss_bytes: T
    score_saved: T  # bytes per score element kept when attention is not fused, else 0
    score_scratch: T
    flash: T
    in_backward: T
    fragmentation: T
    parallel_buffers: T
    zero_buffers: T
    deepspeed: T
    expert_gradients: T  # whole gradients of a layer's experts at once: picking one expert from a fused tensor adds one
    root_unit: T  # 1 where full sharding gathers embedding and head as one unit
    zero1_copy: T
    no_sync: T
    cached: T  # share of the step's temporaries that the allocator keeps reserved beside the peak


type Numbers = NumbersOf[float]
type NumbersArrays = NumbersOf[Floats]


def optimizer_bytes(recipe: Recipe) -> tuple[float, float, float]:
    """Master weights and moments of one parameter [bytes]; the same for embedding and head; step temporaries' share.

    Source: Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (K = 12 for mixed-precision Adam); Dettmers et al.
    2022, arXiv:2110.02861 (8-bit states, embeddings kept in 32 bit); Shazeer and Stern 2018, arXiv:1804.04235.
    """
    master = 4.0 if recipe.weights == "mixed" else 0.0
    states = STATE_BYTES[recipe.optimizer]
    if recipe.optimizer in QUANTIZED_STATES:
        outer = states if "paged" in recipe.optimizer else 4.0 if recipe.weights == "pure" else 8.0
        return master + states, master + outer, 0.0
    if recipe.weights == "pure" and recipe.optimizer != "adamw_bf16":
        states *= 0.5
    outer = 2 * states if recipe.optimizer == "muon" else states
    unfused = 0.0 if recipe.fused_optimizer else states / 8.0
    return master + states, master + outer, unfused if recipe.optimizer == "adamw" else 0.0


def numbers_of(recipe: Recipe, calibration: Calibration) -> Numbers:
    """The numbers of one recipe under one calibration."""
    c = calibration.memory
    wide = {"amp": 4.0, "fp32": 4.0}.get(recipe.weights, 2.0)
    cast = c["amp_cast"].typical if recipe.weights == "amp" else 0.0
    copies = calibration.keyed("memory", "fp8_copies", recipe.stack) if recipe.precision in {"fp8", "fp4"} else 0.0
    states, outer, unfused = optimizer_bytes(recipe)
    adapter = 4.0 if recipe.stack in FLOAT32_ADAPTERS or recipe.weights in {"fp32", "amp"} else 2.0
    base = max(wide, recipe.unquantized_bytes)
    # PyTorch 2 brought both fused attention and the foreach optimizer, so eager attention tells the older software
    generation = recipe.stack if recipe.flash_attention else f"{recipe.stack}_eager"
    compiled = c["compile_keep"].typical if recipe.compiled else 1.0
    eager_head = c["loss_fp32_head"].typical if base == 4.0 else 0.0
    loss = calibration.keyed("memory", f"loss_{recipe.loss}", recipe.stack)
    eager = 0.0 if recipe.flash_attention else calibration.keyed("memory", "eager_fragmentation", recipe.stack)
    scratch = 0.0 if recipe.flash_attention else calibration.keyed("memory", "eager_scratch", recipe.stack)
    fragmentation = c["reserved_share"].typical + eager
    # a quantized layer returns the type it is given: fp32 embeddings and norms make every activation fp32
    wide_inside = recipe.weights == "fp32" or (
        recipe.quant_bits is not None and base == 4.0 and recipe.stack in NO_AUTOCAST
    )
    is_zero_engine = recipe.deepspeed or recipe.stack == "deepspeed"
    return NumbersOf(
        base_bytes=base + cast + copies,
        quant_bytes=(recipe.quant_bits or 16.0) / 8.0,
        adapter_bytes=adapter,
        gradient_bytes=max(recipe.gradient_bytes, wide),
        optimizer_bytes=states,
        outer_optimizer_bytes=outer,
        adapter_state_bytes=STATE_BYTES[recipe.optimizer] / 4.0 * adapter,
        temporary_bytes=unfused * calibration.keyed("memory", "step_temporaries", generation),
        gathered_bytes=2.0 if recipe.weights != "fp32" else 4.0,
        residual=base / 2.0,
        element=2.0 if wide_inside else 1.0,
        multiplier=calibration.keyed("memory", "activation_multiplier", recipe.stack) * compiled,
        selective_keep=c["selective_keep"].typical,
        loss_bytes=loss + (eager_head if recipe.loss == "eager" else 0.0),
        score_saved=0.0 if recipe.flash_attention else c["eager_saved"].typical * (base / 2.0),
        score_scratch=scratch * (base / 2.0) ** WIDER_SCORES,
        flash=float(recipe.flash_attention),
        in_backward=float(recipe.optimizer_in_backward),
        fragmentation=fragmentation,
        parallel_buffers=calibration.keyed("memory", "parallel_buffers", recipe.stack) * GIB,
        zero_buffers=c["zero_buffers"].typical * GIB if is_zero_engine else 0.0,
        deepspeed=float(is_zero_engine),
        expert_gradients=2.0 if recipe.stack in PICKS_EXPERTS else 1.0,
        root_unit=float(not is_zero_engine and recipe.stack not in SHARDS_ENDS_APART),
        zero1_copy=calibration.keyed("memory", "zero1_copy", generation),
        cached=calibration.keyed("memory", "cached_temporaries", generation),
        no_sync=float(recipe.stack in NO_SYNC),
    )


def stack_numbers(items: Sequence[Numbers], index: Ints) -> NumbersArrays:
    """The numbers of many recipes, one entry per setup; a single recipe stays a broadcastable scalar."""
    if len(items) == 1:
        return NumbersOf(**{f.name: np.array(getattr(items[0], f.name)) for f in fields(items[0])})
    return NumbersOf(**{f.name: np.array([getattr(n, f.name) for n in items])[index] for f in fields(items[0])})
