"""A decoder from explicit dimensions, as a customer with an own architecture types them."""

from collections.abc import Mapping
from typing import Any

from assessments.sizing.architectures.decoder import read_decoder
from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import ModelShape

# Our names of dimensions, and what configuration files call them.
DIMENSIONS = {
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "ffn": "intermediate_size",
    "vocab": "vocab_size",
    "tied": "tie_word_embeddings",
    "max_context": "max_position_embeddings",
    "window": "sliding_window",
    "experts": "num_experts",
    "experts_per_token": "num_experts_per_tok",
    "expert_ffn": "moe_intermediate_size",
    "shared_ffn": "shared_expert_intermediate_size",
    "dense_layers": "first_k_dense_replace",
    "bias": "attention_bias",
}
PLAIN_WIDTH = 4  # usual ratio of MLP width to hidden size
GATED_WIDTH = 8 / 3  # with three matrices instead of two: the same count


def from_dimensions(dimensions: Mapping[str, Any]) -> ModelShape:
    """The shape of a decoder from its dimensions.

    Needed: hidden, layers, heads, vocab; the rest has the usual values of today's decoders (gated MLP, embeddings
    apart, as many key/value heads as heads), and what was taken is stated.
    """
    unknown = sorted(set(map(str, dimensions)) - set(DIMENSIONS) - {"gated"})
    if unknown:
        raise ConfigError("config_key_unknown", key=unknown[0][:60])
    given = Fields(dimensions)
    gated = given.boolean("gated", default=True)
    data = {DIMENSIONS[key]: value for key, value in dimensions.items() if key in DIMENSIONS}
    fields = Fields(data)
    if not given.has("ffn") and not given.has("expert_ffn"):
        hidden = fields.integer("hidden_size")
        data["intermediate_size"] = int(hidden * (GATED_WIDTH if gated else PLAIN_WIDTH))
        fields.assume("ffn_usual", value=data["intermediate_size"])
    return read_decoder(fields, Dialect(gated=gated, windowed=True), name="own architecture")
