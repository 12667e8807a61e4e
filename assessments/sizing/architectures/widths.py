"""Key names of dimensions in configuration files, and the dimensions that all layers share."""

from dataclasses import dataclass

from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The dimensions that every layer shares."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_dim: int


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
