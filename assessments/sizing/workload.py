"""What the formulas need of a model and its method, as numbers: computed once per scenario and recipe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from assessments.sizing.architectures.shape import Block, Matrix, ModelShape
from assessments.sizing.setup import Floats, Ints, Recipe, Scenario

ROLES = {
    "attention": frozenset({"attention"}),
    "mlp": frozenset({"mlp", "expert", "shared_expert"}),
    "mixer": frozenset({"mixer"}),
    "shared_expert": frozenset({"shared_expert"}),
}
UNTIES = frozenset({"litgpt"})  # stacks that hold tied embeddings twice
FUSES_QKV = frozenset({"litgpt"})  # stacks with one adapter, and so one dropped input, for query, key and value
MLP_TARGETS = frozenset({"mlp", "shared_expert", "gate", "up", "down"})
_INPUT_OF = {"k": "q", "v": "q", "up": "gate"}  # matrices that read the same tensor
EAGER_NORMS = frozenset({"hf", "torchtune", "litgpt", "axolotl", "llamafactory", "unknown"})
DROPOUT_BYTES = 3.0  # per element: the dropped 16-bit input and its mask, before each adapter
ELEMENT = 2.0  # bytes of a 16-bit activation


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadOf[T]:
    """A model under a method; T is float (one) or an array (one per setup).

    Parameters [count] of the main network: dense_params (blocks without routed experts), expert_params, input_params
    (embedding and everything before the blocks), output_params (head stored apart), tied_params (copy of the embedding
    that a last pipeline stage needs), outer_params (larger of embedding and head).
    trainable_share: of the base model's parameters; adapter_params: LoRA; beside_params: trained in full beside it.
    side_bytes: weights of frozen networks beside it. hidden_saved, inner_saved [bytes per token, all layers, 16-bit,
    before stack multipliers]: the part that tensor parallelism does not divide, and the part that it does.
    checkpoint_saved: inputs of all layers. layer_*: of the largest layer. score_heads: Σ layers · heads of cores whose
    score matrix an unfused kernel writes. Work is forward [FLOP per token].
    """

    dense_params: T
    expert_params: T
    input_params: T
    output_params: T
    tied_params: T
    outer_params: T
    quantizable_dense: T
    quantizable_experts: T
    block_dense: T
    block_experts: T
    trainable_share: T
    adapter_params: T
    beside_params: T
    side_bytes: T
    side_flops: T
    layers: T
    hidden: T
    vocab: T
    sequence: T
    hidden_saved: T
    inner_saved: T
    checkpoint_saved: T
    layer_hidden_saved: T
    layer_inner_saved: T
    score_heads: T
    layer_score_heads: T
    keys_seen: T
    gemm_flops: T
    expert_flops: T
    head_flops: T
    attention_flops: T
    attention_flops_unmasked: T
    kv_bytes: T
    routed_bytes: T
    moe_layers: T
    mean_width: T
    expert_width: T
    is_moe: T
    is_lora: T
    biased: T
    has_tokens: T


type Workload = WorkloadOf[float]
type WorkloadArrays = WorkloadOf[Floats]


def saved_bytes(block: Block, recipe: Recipe, *, lora: bool) -> tuple[float, float]:
    """Activations that one layer keeps per token for the backward pass, 16-bit, fused attention [bytes].

    Returns the part of hidden width (norm inputs and outputs, which plain tensor parallelism does not divide) and the
    inner part (queries, keys, values, attention output, MLP). Per token 8h + 2(2ad + 2kd) + 4a + 8f gated, 4f plain.
    Under LoRA a frozen matrix without adapter does not keep its input; with dropout before the adapter 3 bytes per
    element (the dropped copy and its mask, once per adapter) replace it. An RMS norm written out in Python keeps its
    input in fp32 (2h more), and its normalized output when its weight is trained (2h more).

    Source: Korthikanti et al. 2022, arXiv:2205.05198, section 4.1, less dropout masks; 4a = softmax statistics of
    Dao et al. 2022, arXiv:2205.14135. Off by the share of fp32 copies that a stack adds: a multiplier per stack.
    """
    h = float(block.hidden)
    hidden, inner = 0.0, 0.0
    mlp = block.feed_forward
    is_16_bit = recipe.weights in {"mixed", "pure"} and recipe.unquantized_bytes < 4.0
    if is_16_bit and mlp is not None and mlp.gated and recipe.stack in EAGER_NORMS:  # gated blocks have RMS norms
        hidden += 2 * ELEMENT * h * (1.0 if lora else 2.0)
    mlp_has_adapters = not lora or bool(recipe.lora_targets & MLP_TARGETS)
    if lora and recipe.lora_dropout:
        dropped, replaced = _dropout_inputs(block, recipe)
        inner += DROPOUT_BYTES * dropped - ELEMENT * replaced
    for core in (block.attention, block.cross):
        if core is None:
            continue
        hidden += 2 * ELEMENT * h
        inner += ELEMENT * (core.query_width + core.key_value_width + core.output_width)
        inner += ELEMENT * (core.latent_dim + core.query_rank) + 4.0 * core.heads
    if block.mixer_width:
        hidden += 2 * ELEMENT * h
        inner += 6 * ELEMENT * block.mixer_width
    if mlp is not None and mlp.width:
        hidden += 2 * ELEMENT * h
        inner += (4 if mlp.gated else 2) * ELEMENT * mlp.width
        if mlp.is_moe:
            hidden += 2 * ELEMENT * h * mlp.experts_per_token
        if not mlp_has_adapters:
            hidden -= ELEMENT * h
            inner -= ELEMENT * mlp.width
    return hidden, inner


def _targeted(block: Block, targets: frozenset[str]) -> list[Matrix]:
    """Matrices of a layer that carry adapters: by role or by name."""
    roles = frozenset[str]().union(*(ROLES.get(t, frozenset()) for t in targets))
    return [m for m in block.matrices if m.role in roles or m.name in targets]


def _dropout_inputs(block: Block, recipe: Recipe) -> tuple[float, float]:
    """Widths per token [elements]: inputs that dropout before the adapters copies, and those that it makes needless.

    Query, key and value read one tensor, as do gate and up; the attention keeps the input of the output projection.
    """
    targeted = _targeted(block, recipe.lora_targets)
    if recipe.stack in FUSES_QKV:
        heads = [m for m in targeted if m.name in {"q", "k", "v"}]
        targeted = [m for m in targeted if m not in heads[1:]]
    inputs = {_INPUT_OF.get(m.name, m.name): m.used * m.inputs for m in targeted if m.name not in {"o", "k_b", "kv_b"}}
    return float(sum(m.used * m.inputs for m in targeted)), float(sum(inputs.values()))


def workload_of(scenario: Scenario, recipe: Recipe) -> Workload:
    """The numbers of one scenario under one recipe."""
    shape = scenario.shape
    lora = scenario.method in {"lora", "qlora"}
    blocks = [b for b in shape.blocks if b.count]
    saved = [saved_bytes(b, recipe, lora=lora) for b in blocks]
    largest = max(range(len(blocks)), key=lambda i: sum(saved[i]), default=None)
    cores = [(b, core) for b in blocks for core in (b.attention, b.cross) if core is not None and not core.linear]
    experts = float(shape.expert_params)
    block_params = float(sum(b.count * b.params for b in blocks))
    parts = sum(p.shape.total_params for p in shape.parts)
    expert_flops = float(sum(b.count * m.flops for b in blocks for m in b.matrices if m.role == "expert"))
    moe = [b for b in blocks if b.feed_forward is not None and b.feed_forward.is_moe]
    routed = sum(b.count * 2 * ELEMENT * b.hidden * b.feed_forward.experts_per_token for b in moe if b.feed_forward)
    expert_weights = float(sum(b.count * m.weights for b in blocks for m in b.matrices if m.role == "expert"))
    seq = scenario.sequence_tokens
    total = float(shape.total_params)
    trainable = _trainable_share(scenario, total)
    adapted = [(b.count, m) for b in blocks for m in _targeted(b, recipe.lora_targets)] if lora else []
    unties = shape.tied and recipe.stack in UNTIES
    grid = shape.grid
    grid_saved = grid.activation_bytes if grid is not None else 0.0
    grid_flops = grid.forward_flops if grid is not None else 0.0
    score_heads = sum(b.count * core.heads for b, core in cores)
    return WorkloadOf(
        dense_params=block_params - experts + parts,
        expert_params=experts,
        input_params=float(shape.embedding_params + shape.rest_params),
        output_params=float(shape.head_params or unties * shape.embedding_params),
        tied_params=float(shape.embedding_params if shape.tied else 0),
        outer_params=float(max(shape.embedding_params, shape.head_params)),
        quantizable_dense=float(shape.linear_params) - expert_weights if recipe.quant_bits else 0.0,
        quantizable_experts=expert_weights if recipe.quant_bits else 0.0,
        block_dense=float(shape.largest_block_without_experts),
        block_experts=float(shape.largest_block_params - shape.largest_block_without_experts),
        trainable_share=trainable,
        beside_params=float(scenario.trainable_params or 0.0) if lora else 0.0,
        adapter_params=recipe.lora_rank * sum(n * m.copies * (m.inputs + m.outputs) for n, m in adapted),
        side_bytes=sum(c.shape.total_params * c.weight_bytes for c in scenario.components),
        side_flops=sum(_side_flops(c.shape, c.tokens_per_sample, c.frozen, seq) for c in scenario.components),
        layers=float(max(shape.layers, 1)),
        hidden=float(shape.hidden),
        vocab=float(shape.head_width),
        sequence=float(seq),
        hidden_saved=sum(b.count * s[0] for b, s in zip(blocks, saved, strict=True)),
        inner_saved=sum(b.count * s[1] for b, s in zip(blocks, saved, strict=True)) + grid_saved,
        checkpoint_saved=sum(ELEMENT * b.count * b.hidden for b in blocks) + 0.1 * grid_saved,
        layer_hidden_saved=saved[largest][0] if largest is not None else 0.0,
        layer_inner_saved=saved[largest][1] if largest is not None else 0.1 * grid_saved,
        score_heads=float(score_heads),
        layer_score_heads=float(max((core.heads for _, core in cores), default=0)),
        keys_seen=sum(b.count * core.heads * core.keys_seen(seq, causal=False) for b, core in cores)
        / max(score_heads, 1),
        gemm_flops=2.0 * shape.block_matmul_params - expert_flops + grid_flops,
        expert_flops=expert_flops,
        head_flops=2.0 * shape.head_matmul_params,
        attention_flops=float(shape.attention_flops(seq, causal=True)),
        attention_flops_unmasked=float(shape.attention_flops(seq, causal=False)),
        kv_bytes=sum(ELEMENT * b.count * core.key_value_width for b, core in cores),
        routed_bytes=float(routed),
        moe_layers=float(sum(b.count for b in moe)),
        mean_width=float(shape.hidden),
        expert_width=float(max((b.feed_forward.expert_width for b in moe if b.feed_forward), default=0)),
        is_moe=float(shape.is_moe),
        is_lora=float(lora),
        biased=float(scenario.attention_bias),
        has_tokens=float(shape.head_width > 0 or grid is None),
    )


def _trainable_share(scenario: Scenario, total: float) -> float:
    if scenario.method in {"lora", "qlora", "inference"}:
        return 0.0
    if scenario.trainable_params is not None:
        return min(scenario.trainable_params / max(total, 1.0), 1.0)
    return 0.1 if scenario.method == "frozen" else 1.0


def _side_flops(shape: ModelShape, tokens_per_sample: float | None, frozen: bool, sequence: float) -> float:
    """Work of a network beside the main one, per token of the main one, in forward FLOP."""
    ratio = 1.0 if tokens_per_sample is None else tokens_per_sample / max(sequence, 1.0)
    forward = 2.0 * (shape.block_matmul_params + shape.head_matmul_params) + shape.attention_flops(sequence)
    return ratio * forward * (1.0 if frozen else 3.0)


def stack(works: Sequence[Workload], index: Ints | None = None) -> WorkloadArrays:
    """Many workloads as arrays; `index` repeats them per setup. A single one stays a broadcastable scalar."""
    if len(works) == 1 and index is not None:
        return WorkloadOf(**{f.name: np.array(getattr(works[0], f.name)) for f in fields(works[0])})
    columns = {f.name: np.array([getattr(w, f.name) for w in works], dtype=np.float64) for f in fields(works[0])}
    if index is not None:
        columns = {name: column[index] for name, column in columns.items()}
    return WorkloadOf(**columns)
