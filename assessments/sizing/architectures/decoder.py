"""Decoders: dense and mixture of experts, from the configuration of any family."""

from collections.abc import Sequence
from dataclasses import dataclass

from assessments.sizing.architectures.blocks import (
    attention_matrices,
    dense_mlp,
    expert_mlp,
    grouped,
    latent_attention,
    mlp_matrices,
)
from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.experts import Experts, read_experts
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Attention, Block, FeedForward, Matrix, ModelShape

HIDDEN = ("hidden_size", "n_embd", "d_model", "dim", "hidden_dim")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads")
CONTEXT = (
    "max_position_embeddings",
    "n_positions",
    "max_sequence_length",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "n_ctx",
)
UNGATED_ACTIVATIONS = {"gelu", "relu", "relu2", "gelu_new", "gelu_fast", "quick_gelu", "xielu"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The dimensions that every layer shares."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int


def read_decoder(fields: Fields, dialect: Dialect, *, name: str, tied: bool | None = None) -> ModelShape:
    """A decoder from its configuration.

    tied: what the enclosing configuration says about input and output embeddings, when it says it.
    """
    widths = read_widths(fields, dialect)
    vocab = fields.integer("vocab_size", "padded_vocab_size", most=MOST_VOCAB)
    width = ffn_width(fields, dialect, widths.hidden)
    experts = read_experts(fields, dialect, layers=widths.layers, dense_width=width)
    windows = layer_windows(fields, dialect, widths.layers)
    blocks = grouped(
        decoder_block(fields, dialect, widths, window=window, width=width, experts=experts, sparse=sparse)
        for window, sparse in zip(windows, experts.layers if experts else (False,) * widths.layers, strict=True)
    )
    is_tied = read_tied(fields, dialect, tied)
    embedding_width = fields.integer("word_embed_proj_dim", default=widths.hidden)
    rest = _rest_params(fields, dialect, widths, embedding_width)
    head = vocab * (1 if fields.boolean("lm_head_bias", default=dialect.head_bias) else 0)
    return ModelShape(
        name=name,
        family="decoder",
        hidden=widths.hidden,
        blocks=blocks,
        vocab=vocab,
        embedding_params=vocab * embedding_width,
        head_params=head + (0 if is_tied else vocab * widths.hidden),
        head_width=vocab,
        tied=is_tied,
        rest_params=rest,
        max_context=fields.integer(*CONTEXT, default=None, most=1_000_000_000),
        assumptions=tuple(fields.assumptions),
    )


def read_widths(fields: Fields, dialect: Dialect) -> Widths:
    """Hidden size, layers and heads; no key for key/value heads means as many as query heads."""
    hidden = fields.integer(*HIDDEN)
    heads = fields.integer(*HEADS, most=100_000)
    kv_heads = fields.integer(
        "num_key_value_heads", "n_head_kv", "num_kv_heads", "num_attention_groups", default=None, most=100_000
    )
    if fields.data.get("multi_query_attention") and fields.has("multi_query_group_num"):
        kv_heads = fields.integer("multi_query_group_num", most=100_000)
    if kv_heads is None:
        nested = fields.sub("attn_config")
        kv_heads = nested.integer("kv_n_heads", default=None, most=100_000)
    multi_query = fields.data.get("multi_query") is True and not fields.data.get("new_decoder_architecture")
    if multi_query:
        fields.boolean("multi_query", default=False)
    if multi_query and (kv_heads is None or "num_kv_heads" in fields.read):
        kv_heads = 1
    head_dim = fields.integer("head_dim", "attention_head_dim", "kv_channels", default=dialect.head_dim, most=100_000)
    if head_dim is None:
        if hidden % heads and not fields.has("kv_lora_rank"):
            raise ConfigError("config_inconsistent", key="num_attention_heads", value=heads, limit=hidden)
        head_dim = hidden // heads
    return Widths(
        hidden=hidden, layers=fields.layers(*LAYERS), heads=heads, kv_heads=kv_heads or heads, head_dim=head_dim
    )


def ffn_width(fields: Fields, dialect: Dialect, hidden: int) -> int | None:
    """Width of the dense MLP [elements]; None when each layer has its own (NAS) or only experts have one."""
    width = fields.integer(
        "intermediate_size_mlp",
        "intermediate_size",
        "ffn_dim",
        "n_inner",
        "ffn_hidden_size",
        "ffn_intermediate_size",
        "inter_dim",
        "d_ff",
        default=None,
    )
    if fields.data.get("model_type") == "qwen" and width is not None:
        return int(width) // 2
    if width is not None:
        return int(width)
    nested = fields.sub("ffn_config").integer("ffn_hidden_size", default=None)
    if nested is not None:
        return int(nested)
    if fields.has("expansion_ratio"):
        return int(hidden * fields.number("expansion_ratio", default=4.0, most=1000.0))
    if fields.has("block_configs") or fields.has("moe_intermediate_size"):
        return None
    if not dialect.gated:
        return dialect.ffn_multiple * hidden
    raise ConfigError("config_key_missing", key="intermediate_size")


def read_tied(fields: Fields, dialect: Dialect, outer: bool | None) -> bool:
    """Whether input and output embeddings are one matrix; the family's rule when the file is silent."""
    inner = fields.raw("tie_word_embeddings")
    if inner is None and outer is None:
        fields.assume("tied_by_family" if dialect.tied else "untied_by_family")
        return dialect.tied
    if inner is not None:
        return fields.boolean("tie_word_embeddings", default=dialect.tied)
    return bool(outer)


def layer_windows(fields: Fields, dialect: Dialect, layers: int) -> list[int | None]:
    """How far each layer looks back [tokens]; None = all."""
    window = fields.integer(
        "sliding_window", "attention_chunk_size", "window_size", default=None, least=-1, most=1_000_000_000
    )
    if window is None or window < 1 or fields.data.get("use_sliding_window") is False:
        return [None] * layers
    kinds = fields.items("layer_types", "attention_layers")
    if kinds is not None and len(kinds) == layers:
        return [window if kind in {"sliding_attention", "chunked_attention", "local"} else None for kind in kinds]
    if fields.data.get("use_sliding_window"):
        first = fields.integer("max_window_layers", default=0, least=0)
        return [window if i >= first else None for i in range(layers)]
    if fields.has("attention_chunk_size"):
        every = fields.integer("no_rope_layer_interval", default=4)
        return [window if (i + 1) % every else None for i in range(layers)]
    every = (
        fields.integer("sliding_window_pattern", "_sliding_window_pattern", default=dialect.window_every)
        if not isinstance(fields.data.get("sliding_window_pattern"), str)
        else dialect.window_every
    )
    if every is not None:
        return [window if (i + 1) % every else None for i in range(layers)]
    return [window if dialect.windowed else None] * layers


def attention_biases(fields: Fields, dialect: Dialect) -> tuple[bool, bool, bool]:
    """Biases of (query, key, value), of the output and of the MLP: the file's keys over the family's rule."""
    qkv, out, mlp = dialect.qkv_bias, dialect.out_bias, dialect.mlp_bias
    if fields.has("attention_bias") and dialect.bias_reach != "none":
        qkv = fields.boolean("attention_bias", default=qkv)
        out = qkv if dialect.bias_reach == "qkvo" else out
    if isinstance(fields.data.get("use_bias", fields.data.get("bias")), bool):
        qkv = out = fields.boolean("use_bias", "bias", default=qkv)
        mlp = qkv if fields.data.get("model_type") not in {"internlm", "internlm2"} else mlp
    if fields.data.get("no_bias") is False:
        qkv = out = mlp = not fields.boolean("no_bias", default=True)
    for key in ("qkv_bias", "use_qkv_bias", "add_qkv_bias"):
        if fields.has(key):
            qkv = fields.boolean(key, default=qkv)
    if fields.has("attention_out_bias"):
        out = fields.boolean("attention_out_bias", default=out)
    if fields.has("mlp_bias"):
        mlp = fields.boolean("mlp_bias", default=mlp)
    return qkv, out, mlp


def decoder_block(
    fields: Fields,
    dialect: Dialect,
    widths: Widths,
    *,
    window: int | None,
    width: int | None,
    experts: Experts | None,
    sparse: bool,
) -> Block:
    """One layer: attention (plain or latent), then an MLP or experts, and its norms."""
    qkv, out, mlp_bias = attention_biases(fields, dialect)
    core, attention, vectors = read_attention(fields, dialect, widths, window=window, qkv_bias=qkv, out_bias=out)
    hidden = widths.hidden
    feed_forward: FeedForward
    if sparse and experts is not None:
        feed_forward, mlp = expert_mlp(
            hidden,
            experts=experts.count,
            experts_per_token=experts.per_token,
            expert_width=experts.width,
            shared_width=experts.shared_width,
            gated=dialect.gated,
            bias=mlp_bias,
            router_bias=experts.router_bias,
            shared_gate=experts.shared_gate,
        )
        if experts.extra_dense and width:
            mlp += mlp_matrices(hidden, width, gated=dialect.gated, bias=mlp_bias, role="shared_expert")
            vectors += dialect.norm * hidden
    else:
        if width is None:
            raise ConfigError("config_key_missing", key="intermediate_size")
        feed_forward, mlp = dense_mlp(hidden, width, gated=dialect.gated, bias=mlp_bias)
    norms = _norm_count(fields, dialect)
    return Block(
        count=1,
        hidden=hidden,
        matrices=attention + mlp,
        attention=core,
        feed_forward=feed_forward,
        vector_params=vectors + norms * dialect.norm * hidden,
    )


def read_attention(
    fields: Fields,
    dialect: Dialect,
    widths: Widths,
    *,
    window: int | None,
    qkv_bias: bool,
    out_bias: bool,
    gate: bool = False,
) -> tuple[Attention, tuple[Matrix, ...], int]:
    """Attention of one layer: the core, its matrices, and the parameters of its own norms and sinks."""
    if fields.has("kv_lora_rank"):
        return _read_latent(fields, widths, bias=qkv_bias)
    core = Attention(
        heads=widths.heads,
        kv_heads=widths.kv_heads,
        key_dim=widths.head_dim,
        value_dim=widths.head_dim,
        window=window,
    )
    matrices = attention_matrices(widths.hidden, core, qkv_bias=qkv_bias, out_bias=out_bias, gate=gate)
    vectors = widths.heads if dialect.sinks else 0
    keys = core.kv_heads * core.key_dim
    has_qk_norm = fields.boolean(
        "use_qk_norm", "qk_layernorm", "qk_norm", "use_query_key_norm", default=bool(dialect.qk_norm)
    )
    if has_qk_norm and dialect.qk_norm == "width":
        vectors += core.query_width + keys
    elif has_qk_norm and dialect.qk_norm == "head_each":
        vectors += 2 * 2 * core.key_dim
    elif has_qk_norm and fields.data.get("model_type") in {"cohere", "stablelm"}:
        vectors += core.query_width + keys
    elif has_qk_norm and fields.data.get("model_type") != "llama4_text":  # Llama 4 normalises without a scale
        vectors += 2 * core.key_dim
    return core, matrices, vectors


def _read_latent(fields: Fields, widths: Widths, *, bias: bool) -> tuple[Attention, tuple[Matrix, ...], int]:
    """Latent attention, with the sparse indexer of DeepSeek-V3.2 where the file has one."""
    rank = fields.integer("q_lora_rank", default=0, least=0)
    core, matrices, vectors = latent_attention(
        widths.hidden,
        heads=widths.heads,
        query_rank=rank,
        key_value_rank=fields.integer("kv_lora_rank"),
        nope_dim=fields.integer("qk_nope_head_dim"),
        rope_dim=fields.integer("qk_rope_head_dim"),
        value_dim=fields.integer("v_head_dim"),
        bias=bias,
    )
    if fields.has("index_n_heads"):
        index_heads = fields.integer("index_n_heads", most=100_000)
        index_dim = fields.integer("index_head_dim", most=100_000)
        matrices += (
            Matrix(name="index_q", role="attention", inputs=rank or widths.hidden, outputs=index_heads * index_dim),
            Matrix(name="index_k", role="attention", inputs=widths.hidden, outputs=index_dim),
            Matrix(name="index_weights", role="attention", inputs=widths.hidden, outputs=index_heads),
        )
        vectors += 2 * index_dim
        fields.assume("sparse_attention_counted_dense", topk=fields.integer("index_topk", default=0, least=0))
    return core, matrices, vectors


def _norm_count(fields: Fields, dialect: Dialect) -> int:
    """Norms of one layer over the hidden width."""
    model_type = fields.data.get("model_type")
    if model_type == "RefinedWeb" or fields.data.get("new_decoder_architecture"):
        return int(fields.integer("num_ln_in_parallel_attn", default=2))
    if model_type in {"falcon", "RefinedWebModel"} and fields.data.get("parallel_attn") is False:
        return 2
    if fields.data.get("use_parallel_residual") is True and model_type in {"stablelm", "stablelm_epoch"}:
        return 1
    return dialect.norms


def _rest_params(fields: Fields, dialect: Dialect, widths: Widths, embedding_width: int) -> int:
    """Everything outside blocks, embedding and head: positions, final norm, projections [count]."""
    rest = dialect.norm * widths.hidden if dialect.final_norm else 0
    if dialect.embedding_norm:
        rest += dialect.norm * widths.hidden
    if dialect.positions is not None:
        rest += (fields.integer(*CONTEXT, most=1_000_000_000) + dialect.positions) * widths.hidden
    crossing = fields.items("cross_attention_layers")
    if crossing is not None:  # Llama 3.2 Vision: norms of queries and keys and two gates, and 8 more embedding rows
        rest += len(crossing) * (2 * widths.head_dim + 2) + 8 * widths.hidden
    if embedding_width != widths.hidden:
        rest += 2 * embedding_width * widths.hidden
    return rest


def describe(
    name: str, widths: Widths, blocks: Sequence[Block], *, vocab: int, tied: bool, max_context: int | None
) -> ModelShape:
    """A Llama-like decoder from explicit blocks; the head is stored apart unless tied."""
    return ModelShape(
        name=name,
        family="decoder",
        hidden=widths.hidden,
        blocks=tuple(blocks),
        vocab=vocab,
        embedding_params=vocab * widths.hidden,
        head_params=0 if tied else vocab * widths.hidden,
        head_width=vocab,
        tied=tied,
        rest_params=widths.hidden,
        max_context=max_context,
    )
