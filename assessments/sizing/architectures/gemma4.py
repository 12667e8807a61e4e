"""Gemma 4's decoder: two head sizes, keys that serve as values, experts beside a dense MLP, per-layer inputs."""

from assessments.sizing.architectures.blocks import dense_mlp, expert_mlp, grouped
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Attention, Block, FeedForward, Matrix, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, HEADS, HIDDEN, LAYERS


def read_gemma4(fields: Fields, *, name: str) -> ModelShape:
    """The text decoder of Gemma 4. Source: Gemma4TextModel in transformers."""
    hidden, layers = fields.integer(*HIDDEN), fields.layers(*LAYERS)
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    kinds = fields.items("layer_types")
    if kinds is None or len(kinds) != layers:
        kinds = ["sliding_attention" if (i + 1) % 6 else "full_attention" for i in range(layers)]
    per_layer = fields.integer("hidden_size_per_layer_input", default=0, least=0)
    shared = fields.integer("num_kv_shared_layers", default=0, least=0)
    blocks = grouped(
        _block(fields, hidden, sliding=kind == "sliding_attention", reuses=i >= layers - shared, per_layer=per_layer)
        for i, kind in enumerate(kinds)
    )
    rest = hidden
    if per_layer:
        table = fields.integer("vocab_size_per_layer_input", default=vocab, most=MOST_VOCAB)
        rest += layers * per_layer * (table + hidden) + per_layer
    tied = fields.boolean("tie_word_embeddings", default=True)
    return ModelShape(
        name=name,
        family="decoder",
        hidden=hidden,
        blocks=blocks,
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_params=0 if tied else vocab * hidden,
        head_width=vocab,
        tied=tied,
        rest_params=rest,
        max_context=fields.integer(*CONTEXT, default=None, most=1_000_000_000),
        assumptions=tuple(fields.assumptions),
    )


def _block(fields: Fields, hidden: int, *, sliding: bool, reuses: bool, per_layer: int) -> Block:
    heads = fields.integer(*HEADS, most=100_000)
    kv_heads = fields.integer("num_key_value_heads", default=heads, most=100_000)
    dim = fields.integer("head_dim", default=256, most=100_000)
    if not sliding:
        dim = fields.integer("global_head_dim", default=512, most=100_000)
        if fields.boolean("attention_k_eq_v", default=False):
            kv_heads = fields.integer("num_global_key_value_heads", default=kv_heads, most=100_000)
    core = Attention(
        heads=heads,
        kv_heads=kv_heads,
        key_dim=dim,
        value_dim=dim,
        window=fields.integer("sliding_window", default=None, most=1_000_000_000) if sliding else None,
    )
    bias = fields.boolean("attention_bias", default=False)
    matrices: list[Matrix] = [Matrix(name="q", role="attention", inputs=hidden, outputs=heads * dim, bias=bias)]
    vectors = dim
    if not reuses:
        matrices.append(Matrix(name="k", role="attention", inputs=hidden, outputs=kv_heads * dim, bias=bias))
        vectors += dim
        if sliding or not fields.data.get("attention_k_eq_v"):
            matrices.append(Matrix(name="v", role="attention", inputs=hidden, outputs=kv_heads * dim, bias=bias))
    matrices.append(Matrix(name="o", role="attention", inputs=heads * dim, outputs=hidden, bias=bias))
    width = fields.integer("intermediate_size")
    if reuses and fields.boolean("use_double_wide_mlp", default=False):
        width *= 2
    feed_forward, mlp = dense_mlp(hidden, width, gated=True)
    matrices.extend(mlp)
    vectors += 4 * hidden
    if fields.boolean("enable_moe_block", default=False):
        experts = fields.integer("num_experts", most=100_000)
        used = fields.integer("top_k_experts", "num_experts_per_tok", most=100_000)
        routed, more = expert_mlp(
            hidden,
            experts=experts,
            experts_per_token=used,
            expert_width=fields.integer("moe_intermediate_size"),
        )
        matrices.extend(more)
        feed_forward = FeedForward(
            width=routed.width + width,
            gated=True,
            experts=experts,
            experts_per_token=used,
            expert_width=routed.expert_width,
            shared_width=width,
        )
        vectors += 4 * hidden + experts
    if per_layer:
        matrices.append(Matrix(name="per_layer_gate", role="mlp", inputs=hidden, outputs=per_layer))
        matrices.append(Matrix(name="per_layer_out", role="mlp", inputs=per_layer, outputs=hidden))
        vectors += hidden
    return Block(
        count=1,
        hidden=hidden,
        matrices=tuple(matrices),
        attention=core,
        feed_forward=feed_forward,
        vector_params=vectors,
    )
