"""Which layers of a configuration are mixtures of experts, and how wide a token's way through them is."""

from dataclasses import dataclass

from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields

MOST_EXPERTS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Experts:
    """The experts of a configuration; `layers` says for each layer whether it routes."""

    count: int
    per_token: int
    width: int
    shared_width: int
    shared_gate: bool
    router_bias: bool
    layers: tuple[bool, ...]
    extra_dense: bool = False  # a dense MLP of the usual width runs beside the experts


def read_experts(fields: Fields, dialect: Dialect, *, layers: int, dense_width: int | None) -> Experts | None:
    """Experts of this configuration, None when it has none.

    dense_width: `intermediate_size` of the file, also the expert's width in families without a key of their own.
    """
    nested = fields.sub("ffn_config")
    count = fields.integer(
        "num_local_experts",
        "n_routed_experts",
        "num_experts",
        "moe_num_experts",
        "num_moe_experts",
        default=None,
        least=0,
        most=MOST_EXPERTS,
    )
    if count is None:
        count = nested.integer("moe_num_experts", default=0, least=0, most=MOST_EXPERTS)
    if not count or (count == 1 and not fields.has("moe_intermediate_size")):
        return None
    per_token = fields.integer(
        "num_experts_per_tok",
        "num_experts_per_token",
        "experts_per_token",
        "top_k_experts",
        "moe_top_k",
        "moe_topk",
        "moe_k",
        "topk",
        "num_selected_experts",
        default=None,
        least=1,
        most=MOST_EXPERTS,
    )
    if per_token is None:
        per_token = nested.integer("moe_top_k", default=None, least=1, most=MOST_EXPERTS)
    if per_token is None:
        per_token = min(2, count)
        fields.assume("experts_per_token_assumed", value=per_token)
    if per_token > count:
        raise ConfigError("config_inconsistent", key="num_experts_per_tok", value=per_token, limit=count)
    if fields.has("intermediate_size_mlp"):  # Llama 4: the plain key is the expert's width
        dense_width = fields.integer("intermediate_size")
    width = fields.integer(
        "moe_intermediate_size", "expert_ffn_hidden_size", "moe_ffn_hidden_size", default=dense_width
    )
    if width is None:
        raise ConfigError("config_key_missing", key="moe_intermediate_size")
    return Experts(
        count=count,
        per_token=per_token,
        width=width,
        shared_width=_shared_width(fields, width),
        shared_gate=dialect.shared_gate,
        router_bias=dialect.router_bias or _corrects_routing(fields),
        layers=_routing_layers(fields, layers, experts_from_start=dialect.sparse_by_default),
        extra_dense=fields.has("moe_layer_interval") and not fields.has("moe_layer_start_index"),
    )


def _corrects_routing(fields: Fields) -> bool:
    """Whether the router keeps a correction per expert (DeepSeek-V3's loss-free balancing)."""
    return fields.text("topk_method") == "noaux_tc" or fields.boolean("use_routing_bias", default=False)


def _shared_width(fields: Fields, expert_width: int) -> int:
    """Width of everything that all tokens pass beside the routed experts [elements]."""
    given = fields.integer(
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "shared_intermediate_size",
        default=None,
        least=0,
    )
    if given is not None:
        return int(given)
    shared = fields.integer(
        "n_shared_experts",
        "num_shared_experts",
        "num_shared_expert",
        "moe_num_shared_experts",
        default=None,
        least=0,
        most=MOST_EXPERTS,
    )
    if shared is not None:
        return int(shared) * expert_width
    return expert_width if fields.data.get("model_type") in {"llama4_text", "llama4"} else 0


def _routing_layers(fields: Fields, layers: int, *, experts_from_start: bool) -> tuple[bool, ...]:
    """For each layer, whether its MLP is a mixture of experts; the keys differ by family."""
    explicit = fields.items("moe_layers")
    if explicit is not None:
        chosen = {fields.checked(i, "moe_layers", least=0) for i in explicit}
        return tuple(i in chosen for i in range(layers))
    kinds = fields.items("mlp_layer_types")
    if kinds is not None and len(kinds) == layers:
        return tuple(kind == "sparse" for kind in kinds)
    if fields.has("interleave_moe_layer_step"):
        step = fields.integer("interleave_moe_layer_step", least=0)
        return tuple(step > 0 and (i + 1) % step == 0 for i in range(layers))
    if fields.has("moe_layer_start_index"):
        start = fields.integer("moe_layer_start_index", least=0)
        end = fields.integer("moe_layer_end_index", default=layers - 1, least=-1)
        every = fields.integer("moe_layer_interval", default=1)
        last = layers - 1 if end < 0 else end
        return tuple(start <= i <= last and (i + 1) % every == 0 for i in range(layers))
    if fields.has("moe_layer_interval"):
        every = fields.integer("moe_layer_interval")
        return tuple((i + 1) % every == 0 for i in range(layers))
    if fields.has("expert_layer_period"):
        every = fields.integer("expert_layer_period")
        offset = fields.integer("expert_layer_offset", default=0, least=0)
        return tuple(i % every == offset for i in range(layers))
    dense_first = fields.integer("first_k_dense_replace", "n_dense_layers", "num_dense_layers", default=0, least=0)
    frequency = (
        fields.integer("moe_layer_freq", default=1) if not isinstance(fields.data.get("moe_layer_freq"), list) else 1
    )
    step = fields.integer("decoder_sparse_step", default=1, least=0)
    dense = {fields.checked(i, "mlp_only_layers", least=0) for i in fields.items("mlp_only_layers") or ()}
    return tuple(
        experts_from_start
        and i >= dense_first
        and i % frequency == 0
        and i not in dense
        and step > 0
        and (i + 1) % step == 0
        for i in range(layers)
    )
