"""Time of one optimizer step: kernels, launch floor, exposed communication, bubble, optimizer."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from assessments.sizing.calibration import Calibration
from assessments.sizing.interconnect import Links, all_reduce_bytes, exposed_s, gather_bytes, links_of
from assessments.sizing.memory import Split
from assessments.sizing.numbers import NumbersArrays
from assessments.sizing.setup import Accelerator, Floats, Recipe, SetupArrays, StepOf
from assessments.sizing.workload import WorkloadArrays

FALLBACK = {  # precision → where to look when the card has no figure for it
    "fp4": ("fp4", "fp8", "bf16", "fp16"),
    "fp8": ("fp8", "bf16", "fp16"),
    "bf16": ("bf16", "fp16", "tf32", "fp32"),
    "fp16": ("fp16", "bf16", "tf32", "fp32"),
    "tf32": ("tf32", "fp32"),
    "fp32": ("fp32",),
}
ORDINARY = frozenset({"hf", "litgpt", "axolotl", "llamafactory", "diffusers", "unknown"})
FLASH_BACKWARD = 2.5  # backward of fused attention against its forward: it recomputes the scores
MS = 1e-3
NO_FIGURE = 1e12


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedOf[T]:
    """What one card reaches under one recipe; T is float or an array."""

    peak: T  # dense peak of the precision of the matmuls [FLOP/s]
    gemm: T  # reached by large matmuls [FLOP/s]
    attention: T  # reached by the attention kernel [FLOP/s]
    bandwidth: T  # reached memory bandwidth [bytes/s]
    host_bytes_s: T  # PCIe to host memory, one direction
    traffic: T
    launch: T  # host time of one layer, forward and backward [s]
    factor: T  # of the stack, beyond kernels
    residual: T  # share of data-parallel communication that stays exposed
    lora_factor: T
    tp_exposed: T  # share of the tensor-parallel all-reduce that stays exposed
    ordinary: T


def is_ordinary(recipe: Recipe) -> bool:
    """Whether the stack is an ordinary one: said, or by its name."""
    return not recipe.tuned if recipe.tuned is not None else recipe.stack in ORDINARY


def peak_of(accelerator: Accelerator, precision: str) -> float:
    """Dense peak of the precision that the card really runs [FLOP/s].

    A card without a figure in that or a wider type gives what it has; one without any figure counts as 1 TFLOP/s.
    """
    found = [accelerator.peak_flops.get(p) for p in (*FALLBACK[precision], *FALLBACK["fp4"], "fp32")]
    return next((float(p) for p in found if p), NO_FIGURE)


def speed_of(accelerator: Accelerator, recipe: Recipe, calibration: Calibration) -> SpeedOf[float]:
    """Speeds of one card under one recipe.

    Source: share of the dense peak by generation from mosaicml/llm-foundry, NVIDIA-NeMo/Megatron-Bridge, ROCm and
    Hugging Face style tables; spread 10 to 20 % between stacks and versions.
    """
    c = calibration.time
    kind = accelerator.architecture
    peak = peak_of(accelerator, recipe.precision)
    peak16 = peak_of(accelerator, "bf16" if recipe.precision in {"fp8", "fp4"} else recipe.precision)
    gemm = calibration.keyed("time", "gemm_share", kind)
    if recipe.precision in {"fp8", "fp4"} and peak > peak16:
        gemm *= calibration.keyed("time", f"gemm_{recipe.precision}", kind)
    elif recipe.precision in {"fp32", "tf32"}:
        gemm *= c[f"gemm_{recipe.precision}"].typical
    ordinary = is_ordinary(recipe)
    factor = c["ordinary_factor"].typical if ordinary else 1.0
    if recipe.quant_bits is not None:
        factor *= c["qlora_factor"].typical
    return SpeedOf(
        peak=peak,
        gemm=peak * gemm,
        attention=peak16 * calibration.keyed("time", "attention_share", kind),
        bandwidth=(accelerator.bandwidth_bytes_s or 1e12) * c["achieved_bandwidth"].typical,
        host_bytes_s=accelerator_host_bytes_s(accelerator),
        traffic=c["elementwise_traffic"].typical
        * (c["compile_traffic"].typical if recipe.compiled else 1.0)
        * (c["ordinary_traffic"].typical if ordinary else 1.0),
        launch=c["launch_ordinary" if ordinary else "launch_tuned"].typical * MS,
        factor=factor,
        residual=c["dp_residual_ordinary" if ordinary else "dp_residual"].typical,
        lora_factor=c["lora_factor"].typical,
        tp_exposed=calibration.keyed("time", "tp_exposed", "default" if recipe.flash_attention else "eager"),
        ordinary=float(ordinary),
    )


def accelerator_host_bytes_s(accelerator: Accelerator) -> float:
    """PCIe bandwidth between a card and host memory, one direction [bytes/s]: 0.8 of lanes × lane rate."""
    lane = {3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9}.get(accelerator.pcie_gen or 4, 1.969e9)
    return 0.8 * lane * (accelerator.pcie_lanes or 16)


def speeds(s: SetupArrays, calibration: Calibration) -> SpeedOf[Floats]:
    """Speeds of every setup: one small table of card × recipe, then look-ups."""
    recipes = len(s.recipes)
    pair = s.accelerator * recipes + s.recipe
    if len(s.accelerators) * recipes > len(s):
        used, position = np.unique(pair, return_inverse=True)
    else:
        used, position = np.arange(len(s.accelerators) * recipes), pair
    cells = [speed_of(s.accelerators[k // recipes], s.recipes[k % recipes], calibration) for k in used.tolist()]
    if len(cells) == 1:
        return SpeedOf(**{f.name: np.array(getattr(cells[0], f.name)) for f in fields(SpeedOf)})
    return SpeedOf(**{f.name: np.array([getattr(c, f.name) for c in cells])[position] for f in fields(SpeedOf)})


def size_share(width: Floats, tokens: Floats, half_width: float, half_tokens: float) -> Floats:
    """Share of its best speed that a matmul of this width over this many tokens reaches.

    Saturates as x / (x + half); small models and micro-batches reach far less. Fitted on llm-foundry's small models.
    """
    return width / (width + half_width) * tokens / (tokens + half_tokens)


def step_many(
    w: WorkloadArrays,
    n: NumbersArrays,
    s: SetupArrays,
    v: SpeedOf[Floats],
    split: Split,
    calibration: Calibration,
    accumulation: Floats,
) -> StepOf[Floats]:
    """Time of one optimizer step of every setup [s]; low and high equal typical here, the ranges come later.

    Forward work per token is 2 × active matmul entries + attention; backward twice it (once under a frozen base),
    recomputation one forward more. Kernels and host run side by side: the step is their soft maximum.
    """
    c = calibration.time
    tokens = s.micro_batch * w.sequence / s.cp
    stage = split.layers_per_stage / w.layers
    again = np.array([0.0, c["recompute_selective"].typical, 0.5, 1.0, 1.0])[s.recompute]
    backward = np.where(w.is_lora > 0, 1.0, 2.0)
    passes = 1.0 + backward
    factor = v.factor * np.where(w.is_lora > 0, v.lora_factor, 1.0)
    half_width, half_tokens = c["size_width"].typical, c["size_tokens"].typical
    share = size_share(w.mean_width / np.sqrt(s.tp), tokens, half_width, half_tokens)
    expert_tokens = tokens * np.maximum(w.expert_flops, 1.0) / np.maximum(w.gemm_flops + w.expert_flops, 1.0)
    narrow = w.expert_width / (w.expert_width + c["expert_half_width"].typical + 1e-9)
    expert_share = share * narrow * expert_tokens / (expert_tokens + half_tokens) / c["moe_factor"].typical
    expert_share = np.maximum(expert_share, 1e-3)
    dense_s = w.gemm_flops * tokens * stage / s.tp / (v.gemm * share)
    experts_s = w.expert_flops * tokens * stage / s.tp / (v.gemm * expert_share)
    head_s = w.head_flops * tokens / s.pp / s.tp / (v.gemm * share)
    side_s = w.side_flops * tokens / s.pp / s.tp / (v.gemm * share)
    gemm_forward = dense_s + experts_s
    gemm = gemm_forward * passes + head_s * passes + side_s
    flash = n.flash > 0
    attention_flops = np.where(flash, w.attention_flops, w.attention_flops_unmasked)
    slowed = np.where(w.biased > 0, c["biased_attention"].typical, 1.0)
    attention_reached = np.where(flash, v.attention * slowed, v.gemm * c["eager_attention"].typical)
    attention_forward = attention_flops * tokens * stage / s.tp / attention_reached
    scores = w.score_heads * w.keys_seen * tokens * stage / s.tp
    score_s = np.where(flash, 0.0, c["score_traffic"].typical * scores / v.bandwidth)
    attention_forward = attention_forward + score_s / (1.0 + FLASH_BACKWARD)
    attention = attention_forward * (1.0 + np.where(flash, FLASH_BACKWARD, backward))
    hidden_split = np.where(s.sequence_parallel, s.tp, 1.0)
    moved = (w.hidden_saved * n.residual / hidden_split + w.inner_saved * n.element / s.tp) * tokens * stage
    elementwise = v.traffic * moved / v.bandwidth * passes / 3.0
    logits = c["logits_traffic"].typical * w.vocab * tokens / s.tp / s.pp / v.bandwidth
    recompute = again * (gemm_forward + attention_forward + elementwise / passes)
    kernels = (gemm + attention + elementwise + logits + recompute) * factor
    host = (
        v.launch
        * (1.0 + 0.5 * w.is_lora)
        * split.layers_per_stage
        * (1.0 + again / passes)
        * (1.0 + w.is_moe * c["launch_moe"].typical)
    )
    micro = soft_maximum(kernels, host)
    launch = micro - kernels

    links = links_of(s, split.data_parallel, calibration)
    traffic = _exposed(w, n, s, v, split, links, calibration, micro, micro * accumulation, tokens, stage, again)
    tp_exposed, ep_exposed, cp_exposed, pp_exposed, dp_exposed, dp_bytes, tp_bytes, ep_bytes = traffic
    busy = micro + tp_exposed + ep_exposed + cp_exposed + pp_exposed
    bubble = c["bubble"].typical * busy * (s.pp - 1.0) / np.maximum(s.virtual_stages, 1.0)
    trainable = w.trainable_share * (
        (w.dense_params + w.input_params + w.output_params) / (s.tp * s.pp) / split.optimizer_shards
        + w.expert_params / (split.experts * s.pp) / split.expert_optimizer_shards
    ) + w.adapter_params / (s.tp * s.pp)
    optimizer = c["optimizer_traffic"].typical * trainable / v.bandwidth
    offload = _offload(w, n, s, v, split, calibration, accumulation, trainable)
    ranks = np.log2(np.maximum(s.gpus, 1.0))
    jitter = 1.0 + c["jitter"].typical * ranks
    step = (busy * accumulation + bubble + dp_exposed) * jitter + optimizer + offload
    scale = step / (busy * accumulation + bubble + dp_exposed + optimizer + offload)
    tokens_per_step = s.micro_batch * w.sequence * split.data_parallel * accumulation
    rate = tokens_per_step / step / s.gpus
    attention_per_token = w.attention_flops
    flops = (w.gemm_flops + w.expert_flops + w.head_flops + attention_per_token) * passes
    wide = np.ones(len(s))
    per_step = accumulation * scale * factor
    return StepOf(
        step=step,
        step_low=step,
        step_high=step,
        gemm=gemm * per_step,
        attention=attention * per_step,
        elementwise=elementwise * per_step,
        logits=logits * per_step,
        launch=launch * accumulation * scale,
        recompute=recompute * per_step,
        tp_exposed=tp_exposed * accumulation * scale,
        dp_exposed=dp_exposed * scale,
        ep_exposed=ep_exposed * accumulation * scale,
        cp_exposed=cp_exposed * accumulation * scale,
        pp_exposed=pp_exposed * accumulation * scale,
        bubble=bubble * scale,
        optimizer=optimizer * scale,
        offload=offload * scale,
        tokens_per_step=tokens_per_step,
        accumulation=accumulation * wide,
        data_parallel=split.data_parallel,
        tokens_per_s_gpu=rate,
        tokens_per_s_gpu_low=rate,
        tokens_per_s_gpu_high=rate,
        gemm_flops_per_token=(w.gemm_flops + w.expert_flops + w.head_flops) * wide,
        attention_flops_per_token=attention_per_token * wide,
        flops_per_token=flops * wide,
        peak_flops=v.peak * wide,
        gemm_share=v.gemm / v.peak * share,
        attention_share=v.attention / v.peak * wide,
        mfu=rate * flops / v.peak,
        dp_bytes=dp_bytes,
        tp_bytes=tp_bytes,
        ep_bytes=ep_bytes,
        link_bytes_s=links.in_server,
        fabric_bytes_s=links.collective,
    )


def soft_maximum(a: Floats, b: Floats) -> Floats:
    """Smooth maximum of two times: at least the larger, at most 1.19 × it when they are equal."""
    a2, b2 = a * a, b * b
    return np.sqrt(np.sqrt(a2 * a2 + b2 * b2))


def _exposed(
    w: WorkloadArrays,
    n: NumbersArrays,
    s: SetupArrays,
    v: SpeedOf[Floats],
    split: Split,
    links: Links,
    calibration: Calibration,
    micro: Floats,
    all_micro: Floats,
    tokens: Floats,
    stage: Floats,
    again: Floats,
) -> tuple[Floats, ...]:
    """Exposed communication: tp, ep, cp, pp per micro-step, dp per step [s]; bytes of dp, tp, ep."""
    c = calibration.time
    layers = split.layers_per_stage
    tp_bytes = all_reduce_bytes(2.0 * tokens * w.hidden, s.tp) * layers * (4.0 + 2.0 * again)
    tp_link = np.where(s.tp > s.gpus / np.maximum(s.servers, 1.0), links.single, links.in_server)
    tp_exposed = v.tp_exposed * tp_bytes / tp_link
    ep_bytes = gather_bytes(w.routed_bytes / np.sqrt(s.tp) * tokens * stage, s.ep) * (4.0 + 2.0 * again)
    ep_link = np.where(s.ep > s.gpus / np.maximum(s.servers, 1.0), links.single, links.in_server)
    ep_exposed = c["ep_exposed"].typical * ep_bytes / ep_link
    cp_bytes = w.kv_bytes / s.tp * tokens * stage * (s.cp - 1.0) * 3.0
    cp_link = np.where(s.cp * s.tp > s.gpus / np.maximum(s.servers, 1.0), links.single, links.in_server)
    cp_exposed = exposed_s(cp_bytes / cp_link, micro, 0.3 * np.ones_like(micro), 0.5)
    pp_bytes = np.where(s.pp > 1, 4.0 * tokens * w.hidden / np.where(s.sequence_parallel, s.tp, 1.0), 0.0)
    pp_exposed = c["pp_exposed"].typical * pp_bytes * np.maximum(s.virtual_stages, 1.0) / links.single
    dense = (w.dense_params + w.input_params + w.output_params) / (s.tp * s.pp)
    experts = w.expert_params / (split.experts * s.pp)
    replicas = np.maximum(s.gpus / (s.tp * s.pp), 1.0)
    expert_replicas = np.maximum(replicas * s.tp / split.experts, 1.0)
    micro_steps = all_micro / np.maximum(micro, 1e-12)
    sharded = s.sharding >= 3
    trained_dense = w.trainable_share * dense + w.adapter_params / (s.tp * s.pp)
    trained_experts = w.trainable_share * experts
    full_bytes = gather_bytes(2.0 * dense * n.gathered_bytes + n.gradient_bytes * trained_dense, replicas)
    full_bytes += gather_bytes(2.0 * experts * n.gathered_bytes + n.gradient_bytes * trained_experts, expert_replicas)
    gradient, expert_gradient = n.gradient_bytes * trained_dense, n.gradient_bytes * trained_experts
    reduced = all_reduce_bytes(gradient, replicas) + all_reduce_bytes(expert_gradient, expert_replicas)
    scattered = gather_bytes(gradient + 2.0 * trained_dense, replicas)
    scattered += gather_bytes(expert_gradient + 2.0 * trained_experts, expert_replicas)
    dp_bytes = np.where(sharded, full_bytes * micro_steps, np.where(s.sharding == 0, reduced, scattered))
    window = np.where(sharded, all_micro, micro)
    dp_exposed = exposed_s(dp_bytes / links.collective, window, v.residual * np.ones_like(window), 0.8)
    return tp_exposed, ep_exposed, cp_exposed, pp_exposed, dp_exposed, dp_bytes, tp_bytes, ep_bytes


def _offload(
    w: WorkloadArrays,
    n: NumbersArrays,
    s: SetupArrays,
    v: SpeedOf[Floats],
    split: Split,
    calibration: Calibration,
    accumulation: Floats,
    trainable: Floats,
) -> Floats:
    """Time of moving states and weights between card and host, and of the optimizer on the host [s per step].

    Optimizer: gradients down, weights up, and Adam at the host's memory bandwidth. Parameters: the weights once per
    pass. NVMe adds the states at the disks' rate. Source: Ren et al. 2021, arXiv:2101.06840 (ZeRO-Offload).
    """
    c = calibration.time
    per_server = np.maximum(s.gpus / np.maximum(s.servers, 1.0), 1.0)
    transfer = 4.0 * trainable / v.host_bytes_s
    adam = 28.0 * trainable * per_server / (c["host_bandwidth"].typical * 1e9)
    whole = (w.dense_params + w.expert_params) / (s.tp * s.pp) * n.gathered_bytes
    stream = 2.0 * whole * accumulation / v.host_bytes_s
    disk = 28.0 * trainable * per_server / (c["nvme_bandwidth"].typical * 1e9)
    return np.where(
        s.offload == 0,
        0.0,
        transfer + adam + np.where(s.offload >= 2, stream, 0.0) + np.where(s.offload >= 3, disk, 0.0),
    )
