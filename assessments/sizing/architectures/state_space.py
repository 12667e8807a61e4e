"""State-space models and hybrids: Mamba, Mamba-2, gated delta networks, with attention, MLPs or experts between."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assessments.sizing.architectures.attention import attention_biases, read_attention
from assessments.sizing.architectures.blocks import dense_mlp, expert_mlp, grouped
from assessments.sizing.architectures.decoder import describe, ffn_width, read_tied
from assessments.sizing.architectures.dialects import LLAMA, Dialect
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.experts import Experts, read_experts
from assessments.sizing.architectures.fields import MOST_LAYERS, MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Block, FeedForward, Matrix, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, HEADS, HIDDEN, LAYERS, Widths, read_widths

SCAN_FLOPS = 9  # per channel and state of the selective scan; Gu & Dao 2023, arXiv:2312.00752, appendix
LETTERS = {
    "mamba": "M",
    "linear_attention": "M",
    "attention": "*",
    "full_attention": "*",
    "mlp": "-",
    "moe": "E",
}
HYBRID_ATTENTION = Dialect(qk_norm="head", shared_gate=True)

type MlpOf = tuple[FeedForward | None, tuple[Matrix, ...]]


def mamba_block(
    hidden: int, *, inner: int, state: int, conv: int, rank: int, bias: bool, conv_bias: bool, inner_norms: bool = False
) -> Block:
    """One Mamba mixer with its norm.

    inner: expanded width; state: states per channel; rank: rank of the time step.
    Source: Gu & Dao 2023, arXiv:2312.00752, section 3.4; MambaMixer in transformers. inner_norms: Jamba's three.
    """
    matrices = (
        Matrix(name="in", role="mixer", inputs=hidden, outputs=2 * inner, bias=bias),
        Matrix(name="x", role="mixer", inputs=inner, outputs=rank + 2 * state),
        Matrix(name="dt", role="mixer", inputs=rank, outputs=inner, bias=True),
        Matrix(name="out", role="mixer", inputs=inner, outputs=hidden, bias=bias),
    )
    vectors = inner * (conv + conv_bias + state + 1) + hidden + (rank + 2 * state if inner_norms else 0)
    flops = inner * (2 * conv + SCAN_FLOPS * state)
    return Block(count=1, hidden=hidden, matrices=matrices, vector_params=vectors, mixer_width=inner, mixer_flops=flops)


def mamba2_block(
    hidden: int, *, heads: int, head_dim: int, groups: int, state: int, conv: int, bias: bool, conv_bias: bool
) -> Block:
    """One Mamba-2 mixer with its norm.

    Source: Dao & Gu 2024, arXiv:2405.21060, section 8.1; Mamba2Mixer and NemotronHMamba2Mixer.
    """
    inner = heads * head_dim
    mixed = inner + 2 * groups * state
    matrices = (
        Matrix(name="in", role="mixer", inputs=hidden, outputs=inner + mixed + heads, bias=bias),
        Matrix(name="out", role="mixer", inputs=inner, outputs=hidden, bias=bias),
    )
    vectors = mixed * (conv + conv_bias) + 3 * heads + inner + hidden
    flops = 2 * conv * mixed + SCAN_FLOPS * inner * state
    return Block(count=1, hidden=hidden, matrices=matrices, vector_params=vectors, mixer_width=inner, mixer_flops=flops)


def delta_block(hidden: int, fields: Fields) -> Block:
    """One gated delta network (linear attention) with its norm.

    Source: Yang et al. 2024, arXiv:2412.06464; Qwen3NextGatedDeltaNet in transformers.
    """
    heads = fields.integer("linear_num_value_heads", most=100_000)
    value_dim = fields.integer("linear_value_head_dim", most=100_000)
    key_dim = fields.integer("linear_key_head_dim", most=100_000)
    keys = fields.integer("linear_num_key_heads", most=100_000) * key_dim
    values = heads * value_dim
    conv = fields.integer("linear_conv_kernel_dim", default=4, most=1000)
    matrices = (
        Matrix(name="qkvz", role="attention", inputs=hidden, outputs=2 * keys + 2 * values),
        Matrix(name="ba", role="attention", inputs=hidden, outputs=2 * heads),
        Matrix(name="o", role="attention", inputs=values, outputs=hidden),
    )
    vectors = (2 * keys + values) * conv + 2 * heads + value_dim + hidden
    flops = 2 * conv * (2 * keys + values) + 8 * heads * key_dim * value_dim
    return Block(
        count=1,
        hidden=hidden,
        matrices=matrices,
        vector_params=vectors,
        mixer_width=2 * keys + 2 * values,
        mixer_flops=flops,
    )


def read_mamba(fields: Fields, *, name: str) -> ModelShape:
    """Pure Mamba; the vocabulary is 50,280 when the file does not say (MambaConfig)."""
    hidden = fields.integer(*HIDDEN)
    vocab = _vocab(fields, 50_280)
    expand = fields.integer("expand", default=2, most=1000)
    block = mamba_block(
        hidden,
        inner=fields.integer("intermediate_size", "d_inner", default=hidden * expand),
        state=fields.integer("state_size", "d_state", default=16, most=100_000),
        conv=fields.integer("conv_kernel", "d_conv", default=4, most=1000),
        rank=_time_rank(fields, hidden),
        bias=fields.boolean("use_bias", default=False),
        conv_bias=fields.boolean("use_conv_bias", default=True),
    )
    return _plain(fields, name, hidden, [block] * fields.layers(*LAYERS), vocab, tied_by_family=True)


def read_mamba2(fields: Fields, *, name: str) -> ModelShape:
    """Pure Mamba-2; defaults of Mamba2Config."""
    hidden = fields.integer(*HIDDEN)
    head_dim = fields.integer("head_dim", default=64, most=100_000)
    expand = fields.integer("expand", default=2, most=1000)
    block = mamba2_block(
        hidden,
        heads=fields.integer("num_heads", default=hidden * expand // head_dim, most=100_000),
        head_dim=head_dim,
        groups=fields.integer("n_groups", default=8, most=100_000),
        state=fields.integer("state_size", default=128, most=100_000),
        conv=fields.integer("conv_kernel", default=4, most=1000),
        bias=fields.boolean("use_bias", default=False),
        conv_bias=fields.boolean("use_conv_bias", default=True),
    )
    return _plain(fields, name, hidden, [block] * fields.layers(*LAYERS), _vocab(fields, 32_768), tied_by_family=False)


def read_nemotron_hybrid(fields: Fields, *, name: str) -> ModelShape:
    """Nemotron-H: one letter per layer – M Mamba-2, * attention, - MLP, E experts; every layer one norm.

    Source: NVIDIA 2025, arXiv:2504.03624, section 2.1; NemotronHConfig.
    """
    kinds = fields.items("layers_block_type")
    pattern = fields.text("hybrid_override_pattern") or "".join(LETTERS.get(str(kind), "?") for kind in kinds or ())
    if not pattern or len(pattern) > MOST_LAYERS or set(pattern) - set("M*-E"):
        raise ConfigError("config_not_text", key="hybrid_override_pattern", value=pattern[:60])
    hidden = fields.integer(*HIDDEN)
    heads = fields.integer(*HEADS, most=100_000)
    head_dim = fields.integer("head_dim", "attention_head_dim", default=hidden // heads, most=100_000)
    kv_heads = fields.integer("num_key_value_heads", default=heads, most=100_000)
    widths = Widths(hidden=hidden, layers=len(pattern), heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    mlp_bias = fields.boolean("mlp_bias", default=False)
    makers: dict[str, Callable[[], Block]] = {
        "M": lambda: mamba2_block(
            hidden,
            heads=fields.integer("mamba_num_heads", most=100_000),
            head_dim=fields.integer("mamba_head_dim", most=100_000),
            groups=fields.integer("n_groups", default=8, most=100_000),
            state=fields.integer("ssm_state_size", most=100_000),
            conv=fields.integer("conv_kernel", default=4, most=1000),
            bias=fields.boolean("mamba_proj_bias", default=False),
            conv_bias=fields.boolean("use_conv_bias", default=True),
        ),
        "*": lambda: attention_layer(fields, LLAMA, widths, norms=1),
        "-": lambda: _mlp_layer(
            hidden, dense_mlp(hidden, fields.integer("intermediate_size"), gated=False, bias=mlp_bias)
        ),
        "E": lambda: _mlp_layer(hidden, _experts(fields, hidden, gated=False)),
    }
    made = {letter: makers[letter]() for letter in dict.fromkeys(pattern)}
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    return _plain(fields, name, hidden, [made[letter] for letter in pattern], vocab, tied_by_family=False)


def read_jamba(fields: Fields, *, name: str) -> ModelShape:
    """Jamba: attention every nth layer, Mamba between, experts every mth. Source: arXiv:2403.19887; JambaConfig."""
    widths = read_widths(fields, LLAMA)
    hidden = widths.hidden
    every = fields.integer("attn_layer_period", default=8)
    offset = fields.integer("attn_layer_offset", default=4, least=0)
    mamba = mamba_block(
        hidden,
        inner=fields.integer("mamba_expand", default=2, most=1000) * hidden,
        state=fields.integer("mamba_d_state", default=16, most=100_000),
        conv=fields.integer("mamba_d_conv", default=4, most=1000),
        rank=fields.integer("mamba_dt_rank", default=-(-hidden // 16)),
        bias=fields.boolean("mamba_proj_bias", default=False),
        conv_bias=fields.boolean("mamba_conv_bias", default=True),
        inner_norms=True,
    )
    attention = attention_layer(fields, LLAMA, widths, norms=1)
    mixers = [attention if i % every == offset else mamba for i in range(widths.layers)]
    return _with_mlps(fields, LLAMA, name, widths, mixers, tied_by_family=False)


def read_delta_hybrid(fields: Fields, *, name: str) -> ModelShape:
    """Qwen3-Next and Qwen3.5: gated delta networks, every nth layer full attention with an output gate."""
    widths = read_widths(fields, replace(HYBRID_ATTENTION, head_dim=256))
    kinds = fields.items("layer_types")
    every = fields.integer("full_attention_interval", default=4)
    if kinds is None or len(kinds) != widths.layers:
        kinds = ["linear_attention" if (i + 1) % every else "full_attention" for i in range(widths.layers)]
    gate = fields.boolean("attn_output_gate", default=True)
    linear = delta_block(widths.hidden, fields)
    full = attention_layer(fields, HYBRID_ATTENTION, widths, norms=1, gate=gate)
    mixers = [full if kind == "full_attention" else linear for kind in kinds]
    return _with_mlps(fields, HYBRID_ATTENTION, name, widths, mixers, tied_by_family=False)


def _with_mlps(
    fields: Fields, dialect: Dialect, name: str, widths: Widths, mixers: Sequence[Block], *, tied_by_family: bool
) -> ModelShape:
    """Every mixer followed by a dense MLP or experts with a norm of its own."""
    has_experts_only = fields.has("moe_intermediate_size") and not fields.has("intermediate_size")
    width = None if has_experts_only else ffn_width(fields, LLAMA, widths.hidden)
    experts = read_experts(fields, dialect, layers=widths.layers, dense_width=width)
    layers = []
    for i, mixer in enumerate(mixers):
        if experts and experts.layers[i]:
            feed_forward, matrices = expert_matrices(widths.hidden, experts)
        elif width is not None:
            feed_forward, matrices = dense_mlp(widths.hidden, width, gated=True)
        else:
            raise ConfigError("config_key_missing", key="intermediate_size")
        layers.append(
            replace(
                mixer,
                matrices=mixer.matrices + matrices,
                feed_forward=feed_forward,
                vector_params=mixer.vector_params + widths.hidden,
            )
        )
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    return _plain(fields, name, widths.hidden, layers, vocab, tied_by_family=tied_by_family)


def _plain(
    fields: Fields, name: str, hidden: int, layers: Sequence[Block], vocab: int, *, tied_by_family: bool
) -> ModelShape:
    widths = Widths(hidden=hidden, layers=len(layers), heads=1, kv_heads=1, head_dim=hidden)
    tied = read_tied(fields, Dialect(tied=tied_by_family), None)
    context = fields.integer(*CONTEXT, default=None, most=1_000_000_000)
    shape = describe(name, widths, grouped(layers), vocab=vocab, tied=tied, max_context=context)
    return replace(shape, family="state_space", assumptions=tuple(fields.assumptions))


def attention_layer(fields: Fields, dialect: Dialect, widths: Widths, *, norms: int, gate: bool = False) -> Block:
    qkv, out, _mlp = attention_biases(fields, dialect)
    core, matrices, vectors = read_attention(
        fields, dialect, widths, window=None, qkv_bias=qkv, out_bias=out, gate=gate
    )
    return Block(
        count=1, hidden=widths.hidden, matrices=matrices, attention=core, vector_params=vectors + norms * widths.hidden
    )


def _mlp_layer(hidden: int, mlp: MlpOf) -> Block:
    feed_forward, matrices = mlp
    return Block(count=1, hidden=hidden, matrices=matrices, feed_forward=feed_forward, vector_params=hidden)


def _experts(fields: Fields, hidden: int, *, gated: bool) -> MlpOf:
    experts = read_experts(fields, LLAMA, layers=1, dense_width=None)
    if experts is None:
        raise ConfigError("config_key_missing", key="n_routed_experts")
    return expert_matrices(hidden, experts, gated=gated)


def expert_matrices(hidden: int, experts: Experts, *, gated: bool = True) -> tuple[FeedForward, tuple[Matrix, ...]]:
    return expert_mlp(
        hidden,
        experts=experts.count,
        experts_per_token=experts.per_token,
        expert_width=experts.width,
        shared_width=experts.shared_width,
        gated=gated,
        shared_gate=experts.shared_gate,
    )


def _time_rank(fields: Fields, hidden: int) -> int:
    if fields.data.get("time_step_rank") in (None, "auto"):
        return -(-hidden // 16)
    return int(fields.integer("time_step_rank"))


def _vocab(fields: Fields, by_family: int) -> int:
    """The vocabulary; the configuration class's figure when the file has none, and that is said."""
    vocab = fields.integer("vocab_size", default=None, most=MOST_VOCAB)
    if vocab is None:
        fields.assume("vocab_by_family", value=by_family)
        return by_family
    return int(vocab)
