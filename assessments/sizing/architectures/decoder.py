"""Decoders: dense and mixture of experts, from the configuration of any family."""

from collections.abc import Sequence

from assessments.sizing.architectures.attention import attention_biases, layer_windows, read_attention
from assessments.sizing.architectures.blocks import (
    dense_mlp,
    expert_mlp,
    grouped,
    mlp_matrices,
)
from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.experts import Experts, read_experts
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Block, FeedForward, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, Widths, read_widths

UNGATED_ACTIVATIONS = {"gelu", "relu", "relu2", "gelu_new", "gelu_fast", "quick_gelu", "xielu"}


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
