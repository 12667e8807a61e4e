"""Memory of the fullest card during a training step, in its six parts, at the moment of its peak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.calibration import Calibration
from assessments.sizing.numbers import GIB, NumbersArrays
from assessments.sizing.setup import Floats, Ints, MemoryOf, SetupArrays
from assessments.sizing.workload import ELEMENT, WorkloadArrays

FLOAT32 = 4.0  # bytes
MOST_BUFFERED = 0.6  # of what sharding frees may come back as gathered layers and buckets, never more
LOSS, BACKWARD, STEP = 0, 1, 2  # indices into MOMENTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """How many ranks share each thing [count]."""

    data_parallel: Floats
    layers_per_stage: Floats
    dense: Floats  # tensor-parallel divisor of what is not a routed expert
    experts: Floats  # divisor of routed experts
    weight_shards: Floats
    gradient_shards: Floats
    optimizer_shards: Floats
    expert_weight_shards: Floats
    expert_gradient_shards: Floats
    expert_optimizer_shards: Floats


def split_of(layers: Floats, s: SetupArrays, holds_whole: NDArray[np.bool_] | None = None) -> Split:
    """Ranks that divide weights, gradients and optimizer states.

    Data-parallel and context-parallel ranks shard together; a routed expert is divided by max(ep, tp) and sharded over
    the ranks that hold the same experts. holds_whole: weights and gradients stay whole while they accumulate.

    Source: Rajbhandari et al. 2020, arXiv:1910.02054, section 5; Megatron Core, distributed optimizer and MoE guides.
    """
    replicas = np.maximum(s.gpus / (s.tp * s.pp), 1.0)  # data parallel × context parallel
    data_parallel = np.maximum(replicas / s.cp, 1.0)
    in_server = np.minimum(np.maximum(s.gpus / np.maximum(s.servers, 1) / (s.tp * s.pp), 1.0), replicas)
    reach = np.where(s.sharding == 4, in_server, replicas)
    experts = np.maximum(s.ep, s.tp)
    expert_reach = np.maximum(reach * s.tp / experts, 1.0)
    one = np.ones_like(replicas)
    shards = np.ones(len(s), dtype=bool) if holds_whole is None else ~holds_whole
    weights, gradients, states = (s.sharding >= 3) & shards, (s.sharding >= 2) & shards, s.sharding >= 1
    return Split(
        data_parallel=data_parallel,
        layers_per_stage=np.ceil(layers / s.pp),
        dense=s.tp,
        experts=experts,
        weight_shards=np.where(weights, reach, one),
        gradient_shards=np.where(gradients, reach, one),
        optimizer_shards=np.where(states, reach, one),
        expert_weight_shards=np.where(weights, expert_reach, one),
        expert_gradient_shards=np.where(gradients, expert_reach, one),
        expert_optimizer_shards=np.where(states, expert_reach, one),
    )


def gathered_bytes(w: WorkloadArrays, n: NumbersArrays, split: Split, blocks: float) -> Floats:
    """Whole layers that full sharding holds while it computes [bytes].

    The block at work and the next; quantized layers as they are stored. FSDP's root unit holds embedding and head from
    the forward to the end of the backward pass; where they are units of their own it is the larger of them.
    Source: PyTorch FSDP, forward prefetch and root unit; DeepSpeed, stage3_max_live_parameters.
    """
    quantized = (w.quantizable_dense + w.quantizable_experts) / np.maximum(w.dense_params + w.expert_params, 1.0)
    block_bytes = quantized * n.quant_bytes + (1.0 - quantized) * n.gathered_bytes
    block = w.block_dense / split.dense + w.block_experts / split.experts
    outer = np.where(n.root_unit > 0, w.input_params + w.output_params, w.outer_params)
    gathered = blocks * block * block_bytes + outer / split.dense * n.gathered_bytes
    return np.where(split.weight_shards > 1, gathered, 0.0)


def freed_bytes(w: WorkloadArrays, n: NumbersArrays, s: SetupArrays, split: Split) -> tuple[Floats, Floats]:
    """What sharding frees on one rank, weights and gradients [bytes]: gathered layers and buckets never exceed it."""
    dense = (w.dense_params + w.input_params + w.output_params) / (split.dense * s.pp)
    experts = w.expert_params / (split.experts * s.pp)
    weights = dense * (1.0 - 1.0 / split.weight_shards) + experts * (1.0 - 1.0 / split.expert_weight_shards)
    gradients = dense * (1.0 - 1.0 / split.gradient_shards) + experts * (1.0 - 1.0 / split.expert_gradient_shards)
    quantized = (w.quantizable_dense + w.quantizable_experts) / np.maximum(w.dense_params + w.expert_params, 1.0)
    stored = quantized * n.quant_bytes + (1.0 - quantized) * n.base_bytes
    return weights * stored, w.trainable_share * gradients * n.gradient_bytes


def saved_per_layer(w: WorkloadArrays, n: NumbersArrays, s: SetupArrays) -> tuple[Floats, Floats, Floats]:
    """Bytes that all layers keep per token, that one layer keeps, and that its checkpoint keeps, on one rank.

    The score matrix of a recomputed layer is in the attention scratch. Tensor parallelism divides the inner part; the
    hidden-width part only with sequence parallelism.
    Source: Korthikanti et al. 2022, arXiv:2205.05198, equations 2 to 4.
    """
    hidden_split = np.where(s.sequence_parallel, s.tp, 1.0)
    scores = n.score_saved * w.keys_seen
    hidden, inner = n.residual * n.multiplier / hidden_split, n.element * n.multiplier / s.tp
    everything = w.hidden_saved * hidden + w.inner_saved * inner + w.score_heads * scores / s.tp
    layer = w.layer_hidden_saved * hidden + w.layer_inner_saved * inner
    checkpoint = w.checkpoint_saved * n.residual / hidden_split
    return everything, layer, checkpoint


def kept_bytes(
    everything: Floats, checkpoint: Floats, scores: Floats, keep: tuple[Floats, float], recompute: Ints
) -> Floats:
    """What survives until the backward pass under each way of recomputation, per token [bytes].

    selective: per-operator checkpointing keeps a share of it, and no score matrix; alternate: every second layer whole;
    full_offload: the inputs of the layers in host memory but for a share. keep: the shares of the first and the last.
    """
    selective = np.minimum(keep[0] * (everything - scores), everything)
    alternate = np.minimum(0.5 * (everything + checkpoint), everything)
    full = np.minimum(checkpoint, everything)
    return np.choose(recompute, [everything, selective, alternate, full, keep[1] * full])


def memory_many(
    w: WorkloadArrays,
    n: NumbersArrays,
    s: SetupArrays,
    plain_split: Split,
    calibration: Calibration,
    accumulation: Floats,
) -> MemoryOf[Floats]:
    """Memory of every setup [bytes]; low and high are set to typical here, the ranges come later.

    The peak is the largest of three moments: the loss (weights, states, kept activations, logits; gradients when they
    accumulate), the end of backward (gradients whole, one layer's activations, buckets), the optimizer step
    (temporaries, buckets). Fragmentation is a share of the most that was dynamic.
    DeepSpeed with offloaded parameters still holds the 16-bit weights whole and its share of fp32 gradients
    (deepspeedai/DeepSpeed issue 4527: 14.7 to 21.3 GiB for 6.8 billion on four cards).
    With a pipeline the first stage holds as many micro-batches as there are stages, the last one has the head.
    """
    c = calibration.memory
    holds_whole = (n.no_sync > 0) & (s.sharding >= 3) & (accumulation > 1)
    split = split_of(w.layers, s, holds_whole) if holds_whole.any() else plain_split
    stage_share = split.layers_per_stage / w.layers
    blocks_dense = w.dense_params * stage_share / split.dense
    blocks_experts = w.expert_params * stage_share / split.experts
    piped = s.pp > 1
    first_outer = (w.input_params + np.where(piped, 0.0, w.output_params)) / split.dense
    last_outer = (w.output_params + w.tied_params) / split.dense
    quantized = w.quantizable_dense * stage_share / split.dense
    quantized_experts = w.quantizable_experts * stage_share / split.experts

    everything, layer, checkpoint = saved_per_layer(w, n, s)
    tokens = s.micro_batch * w.sequence / s.cp
    scores_kept = w.score_heads * n.score_saved * w.keys_seen / s.tp
    kept_token = kept_bytes(
        everything, checkpoint, scores_kept, (n.selective_keep, c["cpu_offload_keep"].typical), s.recompute
    )
    recomputing = s.recompute > 0
    recomputed = np.clip(everything - checkpoint, 0.0, layer)
    one_layer = np.where(recomputing, recomputed, 0.0) * tokens
    layer_scores = w.layer_score_heads * w.keys_seen / s.tp * tokens
    last_layer = np.where(recomputing, recomputed, layer) * tokens + n.score_scratch * layer_scores
    scratch = np.where(recomputing, n.score_scratch, np.maximum(n.score_scratch - n.score_saved, 0.0)) * layer_scores
    logits_whole = n.loss_bytes * w.vocab / s.tp * tokens

    dynamic_gathered = gathered_bytes(w, n, split, c["gathered_blocks"].typical)
    freed_weights, freed_gradients = freed_bytes(w, n, s, split)
    dynamic_gathered = np.minimum(dynamic_gathered, MOST_BUFFERED * freed_weights)
    offload_states, offload_weights = s.offload >= 1, s.offload >= 2
    streams = offload_weights & (n.deepspeed > 0) & (w.trainable_share > 0)
    any_streams, has_copies = bool(np.any(streams)), bool(np.any(n.zero1_copy > 0))
    has_adapters, has_beside = bool(np.any(w.adapter_params > 0)), bool(np.any(w.beside_params > 0))
    nothing = np.zeros(1)  # what a method does not have costs no array
    accumulates = (accumulation > 1) | piped
    context = _context(s, calibration)
    dimensions = (s.tp > 1) * 1.0 + (s.pp > 1) + (s.cp > 1) + (s.ep > 1) + (split.data_parallel > 1)
    buffers = dimensions * n.parallel_buffers
    buckets = np.clip(MOST_BUFFERED * (freed_weights + freed_gradients) - dynamic_gathered, 0.0, n.zero_buffers)
    buckets = np.where((s.sharding >= 2) & (split.gradient_shards > 1), buckets, 0.0)

    def rank(outer: Floats, in_flight: Floats, has_logits: Floats) -> tuple[Floats, ...]:
        """The parts of one kind of rank at the moment of its peak, and that moment."""
        dense = blocks_dense + outer
        plain = dense - quantized
        experts_plain = blocks_experts - quantized_experts
        base_weights = (plain * n.base_bytes + quantized * n.quant_bytes) / split.weight_shards
        expert_weights = experts_plain * n.base_bytes + quantized_experts * n.quant_bytes
        expert_weights = expert_weights / split.expert_weight_shards
        stage_adapters = w.adapter_params * stage_share / split.dense if has_adapters else nothing
        adapters, adapter_states = stage_adapters / split.weight_shards, stage_adapters / split.optimizer_shards
        beside = w.beside_params * np.where(piped, 0.5, 1.0) / split.dense if has_beside else nothing
        resident = np.where(offload_weights, 0.0, base_weights + expert_weights) + adapters * n.adapter_bytes
        resident = resident + beside * ELEMENT
        if any_streams:
            resident = resident + np.where(streams, (dense + blocks_experts) * ELEMENT, 0.0)
        side = w.side_bytes / split.weight_shards / split.dense
        weights = resident + dynamic_gathered + side
        t_dense, t_experts = w.trainable_share * dense, w.trainable_share * blocks_experts
        gradients = n.gradient_bytes * (t_dense / split.gradient_shards + t_experts / split.expert_gradient_shards)
        block = w.block_dense / split.dense + n.expert_gradients * w.block_experts / split.experts
        block_gradient = n.gradient_bytes * w.trainable_share * block
        root_gradient = n.root_unit * n.gradient_bytes * w.trainable_share * outer
        unsharded = n.gradient_bytes * (t_dense + t_experts)
        waiting = block_gradient + root_gradient
        gradients = np.where(split.gradient_shards > 1, np.minimum(gradients + waiting, unsharded), gradients)
        moves_gradients = (n.in_backward > 0) | (offload_states & (s.sharding >= 2))
        gradients = np.where(moves_gradients, np.minimum(block_gradient, gradients), gradients)
        if any_streams:
            shard = (t_dense + t_experts) / np.maximum(split.gradient_shards, 1.0)
            gradients = np.where(streams, np.maximum(gradients, FLOAT32 * shard), gradients)
        gradients = gradients + adapters * n.adapter_bytes + beside * ELEMENT
        t_outer = w.trainable_share * outer
        states = n.optimizer_bytes * (
            (t_dense - t_outer) / split.optimizer_shards + t_experts / split.expert_optimizer_shards
        )
        states = states + n.outer_optimizer_bytes * t_outer / split.optimizer_shards
        states = states + adapter_states * n.adapter_state_bytes + beside * 2.0 * ELEMENT
        states = np.where(offload_states, 0.0, states)
        temporaries = n.temporary_bytes * (t_dense / split.optimizer_shards + t_experts / split.expert_optimizer_shards)
        if has_copies:
            most = MOST_BUFFERED * n.optimizer_bytes * (t_dense * (1.0 - 1.0 / split.optimizer_shards))
            flat = np.minimum(n.zero1_copy * n.gathered_bytes * (t_dense + t_experts), most)
            temporaries = temporaries + np.where(s.sharding == 1, flat, 0.0)
        temporaries = np.where(offload_states, 0.0, temporaries + 0.5 * n.temporary_bytes * beside)
        kept = kept_token * stage_share * tokens * in_flight
        logits = logits_whole * has_logits
        loss_gradients = np.where(accumulates, gradients, 0.0)
        active = np.maximum(logits, one_layer + scratch)
        idle = n.cached * temporaries  # the allocator keeps them beside the other moments
        at_loss = weights + loss_gradients + states + kept + active
        after_states = weights + gradients + states
        at_backward = after_states + last_layer + kept * (in_flight - 1) / np.maximum(in_flight, 1) + buckets
        at_step = resident + side + gradients + states + temporaries + buckets
        fragmentation = n.fragmentation * (kept + active + dynamic_gathered)
        peak = np.maximum(np.maximum(at_loss + idle, at_backward + idle), at_step)
        moment = np.where(at_loss + idle >= peak, LOSS, np.where(at_backward + idle >= peak, BACKWARD, STEP))
        is_loss, is_step = moment == LOSS, moment == STEP
        logits_win = logits >= one_layer + scratch
        return (
            np.where(is_step, resident + side, weights),
            np.where(is_loss, loss_gradients, gradients),
            states + np.where(is_step, temporaries, 0.0),
            np.where(
                is_loss,
                kept + np.where(logits_win, 0.0, one_layer + scratch),
                np.where(is_step, 0.0, at_backward - after_states - buckets),
            ),
            np.where(is_loss & logits_win, logits, 0.0),
            moment.astype(np.float64),
            peak + fragmentation,
            dense / split.weight_shards + blocks_experts / split.expert_weight_shards,
            t_dense + t_experts + adapters,
            temporaries,
            fragmentation + np.where(is_step, 0.0, idle),
            np.where(is_loss, 0.0, buckets),
        )

    in_flight = np.minimum(s.pp, np.maximum(accumulation, 1.0))
    interleaved = 1.0 + (s.pp - 1.0) / (s.pp * np.maximum(s.virtual_stages, 1.0)) * (s.virtual_stages > 1)
    first = rank(first_outer, in_flight * interleaved, np.where(piped, 0.0, 1.0))
    which = np.zeros(len(s))
    if piped.any():
        last = rank(last_outer, np.ones(len(s)), np.ones(len(s)))
        is_last = piped & (last[6] > first[6])
        first = tuple(np.where(is_last, b, a) for a, b in zip(first, last, strict=True))
        which = np.where(piped, np.where(is_last, 2.0, 1.0), 0.0)
    first = tuple(np.broadcast_to(x, (len(s),)) for x in first)
    weights, gradients, optimizer, activations, logits, moment, reserved = first[:7]
    params, trainable, temporaries, fragmentation, held = first[7:]
    workspace = c["workspace"].typical * GIB
    overhead = fragmentation + held + context + buffers + workspace
    reserved = reserved + workspace
    total = reserved + context + buffers
    wide = np.ones(len(s))
    return MemoryOf(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        activations=activations,
        logits=logits,
        overhead=overhead,
        low=total,
        typical=total,
        high=total,
        allocated=reserved - fragmentation,
        reserved=reserved,
        moment=moment,
        rank=which,
        params_per_rank=params,
        trainable_per_rank=trainable,
        weight_bytes_per_param=n.base_bytes * wide,
        gradient_bytes_per_param=n.gradient_bytes * wide,
        optimizer_bytes_per_param=n.optimizer_bytes * wide,
        gathered=dynamic_gathered,
        weight_shards=split.weight_shards,
        gradient_shards=split.gradient_shards,
        optimizer_shards=split.optimizer_shards,
        step_temporaries=temporaries,
        tokens_per_rank=tokens,
        layers_per_stage=split.layers_per_stage,
        microbatches_in_flight=in_flight,
        saved_per_token_layer=kept_token / w.layers,
        recomputed_layer=one_layer,
        attention_scratch=scratch,
        logit_bytes_per_token=n.loss_bytes * w.vocab / s.tp,
        fragmentation=fragmentation,
        context=context,
        communication_buffers=buffers + held,
    )


def _context(s: SetupArrays, calibration: Calibration) -> Floats:
    """Driver context of one process on each accelerator [bytes]."""
    per_card = [calibration.keyed("memory", "context", a.architecture) * GIB for a in s.accelerators]
    return np.array(per_card)[s.accelerator]
