"""From a configuration of any family to a shape: which reader takes it, and what is refused by name."""

from collections.abc import Callable, Mapping
from typing import Any

from assessments.sizing.architectures.decoder import UNGATED_ACTIVATIONS, read_decoder
from assessments.sizing.architectures.dialects import ALIASES, DIALECTS, Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.nas import read_searched
from assessments.sizing.architectures.shape import ModelShape

type Reader = Callable[..., ModelShape]


def read_model_config(config: Mapping[str, Any]) -> ModelShape:
    """The shape of the model that this configuration describes; what was assumed stands in `assumptions`.

    Raises ConfigError for a file of another format, a missing key or a figure that cannot be.
    """
    return read_config(Fields(config))


def config_keys_read(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a configuration that was used: what a task keeps of it."""
    fields = Fields(config)
    read_config(fields)
    return fields.used()


def read_config(fields: Fields) -> ModelShape:
    """The same over checked fields."""
    model_type = fields.text("model_type")
    model_type = ALIASES.get(model_type, model_type)
    name = fields.text("_name_or_path", "name_or_path", default=model_type)
    if fields.has("block_configs"):
        return read_searched(fields, name=name)
    dialect = DIALECTS.get(model_type)
    if dialect is not None:
        return read_decoder(fields, dialect, name=name)
    raise ConfigError("config_unknown_format", keys=", ".join(sorted(map(str, fields.data))[:8]))


def guessed_dialect(fields: Fields) -> Dialect:
    """The rules of an unknown family, from the keys it writes; each guess is stated."""
    activation = fields.text("hidden_act", "activation_function", "hidden_activation", default="silu")
    gated = activation not in UNGATED_ACTIVATIONS
    layer_norm = fields.has("layer_norm_eps") or fields.has("layer_norm_epsilon")
    fields.assume("model_type_unknown", model_type=fields.text("model_type", default="?"))
    fields.assume("mlp_gated_assumed" if gated else "mlp_not_gated_assumed", activation=activation)
    return Dialect(gated=gated, norm=2 if layer_norm else 1, bias_reach="qkvo")
