"""Decoders whose layers were searched one by one: block_configs with attention removed or MLPs narrowed."""

from typing import Any

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp, grouped
from assessments.sizing.architectures.decoder import describe, read_tied
from assessments.sizing.architectures.dialects import LLAMA
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import MOST_VOCAB, MOST_WIDTH, Fields
from assessments.sizing.architectures.shape import Attention, Block, FeedForward, Matrix, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, HEADS, HIDDEN, Widths

ROUND_TO = 256  # rounding of an MLP's width in DeciLM's modelling code


def read_searched(fields: Fields, *, name: str) -> ModelShape:
    """A decoder from `block_configs` (DeciLM, Llama-Nemotron).

    Source: modeling_decilm.py of nvidia/Llama-3_3-Nemotron-Super-49B-v1 (ffn_mult × hidden × 2/3, rounded up to 256).
    """
    hidden, heads = fields.integer(*HIDDEN), fields.integer(*HEADS, most=100_000)
    configs = fields.items("block_configs") or ()
    head_dim = fields.integer("head_dim", default=hidden // heads)
    blocks = grouped(
        _block(fields, config, i, hidden=hidden, heads=heads, head_dim=head_dim) for i, config in enumerate(configs)
    )
    widths = Widths(hidden=hidden, layers=len(configs), heads=heads, kv_heads=heads, head_dim=head_dim)
    return describe(
        name,
        widths,
        blocks,
        vocab=fields.integer("vocab_size", most=MOST_VOCAB),
        tied=read_tied(fields, LLAMA, None),
        max_context=fields.integer(*CONTEXT, default=None, most=1_000_000_000),
    )


def _block(fields: Fields, config: Any, index: int, *, hidden: int, heads: int, head_dim: int) -> Block:
    entry = Fields(config, f"block_configs[{index}]")
    attention, ffn = entry.sub("attention"), entry.sub("ffn")
    core: Attention | None = None
    feed_forward: FeedForward | None = None
    matrices: tuple[Matrix, ...] = ()
    vectors = 0
    if attention.boolean("replace_with_linear", default=False):
        matrices += (Matrix(name="linear", role="attention", inputs=hidden, outputs=hidden),)
        vectors += hidden
    elif not attention.boolean("no_op", default=False):
        group = attention.integer("n_heads_in_group", most=100_000)
        if heads % group:
            raise ConfigError("config_inconsistent", key="n_heads_in_group", value=group, limit=heads)
        core = Attention(heads=heads, kv_heads=heads // group, key_dim=head_dim, value_dim=head_dim)
        matrices += attention_matrices(hidden, core)
        vectors += hidden
    if ffn.boolean("replace_with_linear", default=False):
        matrices += (Matrix(name="linear_mlp", role="mlp", inputs=hidden, outputs=hidden),)
        vectors += hidden
    elif not ffn.boolean("no_op", default=False):
        width = ffn.integer("intermediate_size", default=None)
        if width is None:
            exact = int(2 * ffn.number("ffn_mult", default=4.0, most=MOST_WIDTH) * hidden / 3)
            width = -(-exact // ROUND_TO) * ROUND_TO
        feed_forward, mlp = dense_mlp(hidden, width, gated=True)
        matrices += mlp
        vectors += hidden
    return Block(
        count=1, hidden=hidden, matrices=matrices, attention=core, feed_forward=feed_forward, vector_params=vectors
    )
