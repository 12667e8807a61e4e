"""Hybrids of Mamba-2 or short convolutions with attention: Bamba, Granite 4, Falcon-H1, LFM2."""

from collections.abc import Sequence
from dataclasses import replace

from assessments.sizing.architectures.blocks import dense_mlp, grouped
from assessments.sizing.architectures.decoder import describe, read_tied
from assessments.sizing.architectures.dialects import LLAMA, Dialect
from assessments.sizing.architectures.experts import read_experts
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Block, Matrix, ModelShape
from assessments.sizing.architectures.state_space import attention_layer, expert_matrices, mamba2_block
from assessments.sizing.architectures.widths import CONTEXT, read_widths


def _mamba(fields: Fields, hidden: int) -> Block:
    """A Mamba-2 mixer under the key names that Bamba introduced."""
    head_dim = (
        fields.integer("mamba_d_head", default=None, most=100_000)
        if fields.data.get("mamba_d_head") != "auto"
        else None
    )
    inner = fields.integer("mamba_d_ssm", default=None)
    if inner is None:
        inner = fields.integer("mamba_expand", default=2, most=1000) * hidden
    heads = fields.integer("mamba_n_heads", default=128, most=100_000)
    return mamba2_block(
        hidden,
        heads=heads,
        head_dim=head_dim or inner // heads,
        groups=fields.integer("mamba_n_groups", default=1, most=100_000),
        state=fields.integer("mamba_d_state", default=256, most=100_000),
        conv=fields.integer("mamba_d_conv", default=4, most=1000),
        bias=fields.boolean("mamba_proj_bias", default=False),
        conv_bias=fields.boolean("mamba_conv_bias", default=True),
    )


def _kinds(fields: Fields, layers: int) -> list[bool]:
    """For each layer, whether it is attention."""
    kinds = fields.items("layers_block_type", "layer_types")
    if kinds is not None and len(kinds) == layers:
        return [kind in {"attention", "full_attention"} for kind in kinds]
    indices = {fields.checked(i, "attn_layer_indices", least=0) for i in fields.items("attn_layer_indices") or ()}
    return [i in indices for i in range(layers)]


def _model(fields: Fields, name: str, hidden: int, layers: Sequence[Block], *, tied: bool) -> ModelShape:
    widths = replace(read_widths(fields, LLAMA), hidden=hidden)
    shape = describe(
        name,
        widths,
        grouped(layers),
        vocab=fields.integer("vocab_size", most=MOST_VOCAB),
        tied=read_tied(fields, Dialect(tied=tied), None),
        max_context=fields.integer(*CONTEXT, default=None, most=1_000_000_000),
    )
    return replace(shape, family="state_space", assumptions=tuple(fields.assumptions))


def read_bamba(fields: Fields, *, name: str) -> ModelShape:
    """Bamba and Granite 4 hybrid: Mamba-2 or attention, then a gated MLP, experts or both.

    Source: BambaForCausalLM and GraniteMoeHybridForCausalLM in transformers.
    """
    widths = read_widths(fields, LLAMA)
    hidden = widths.hidden
    experts = read_experts(fields, LLAMA, layers=widths.layers, dense_width=fields.integer("intermediate_size"))
    shared = fields.integer("shared_intermediate_size", default=None, least=0)
    mamba, attention = _mamba(fields, hidden), attention_layer(fields, LLAMA, widths, norms=1)
    layers = []
    for is_attention in _kinds(fields, widths.layers):
        mixer = attention if is_attention else mamba
        if experts is not None:
            mlp, matrices = expert_matrices(hidden, experts)
        else:
            mlp, matrices = dense_mlp(hidden, shared or fields.integer("intermediate_size"), gated=True)
        layers.append(
            replace(
                mixer,
                matrices=mixer.matrices + matrices,
                feed_forward=mlp,
                vector_params=mixer.vector_params + hidden,
            )
        )
    return _model(fields, name, hidden, layers, tied=fields.text("model_type") == "granitemoehybrid")


def read_falcon_h1(fields: Fields, *, name: str) -> ModelShape:
    """Falcon-H1: attention and Mamba-2 side by side in every layer. Source: arXiv:2507.22448; FalconH1ForCausalLM."""
    widths = read_widths(fields, LLAMA)
    hidden = widths.hidden
    mamba, attention = _mamba(fields, hidden), attention_layer(fields, LLAMA, widths, norms=0)
    mlp, matrices = dense_mlp(hidden, fields.integer("intermediate_size"), gated=True)
    gated_norm = 0 if fields.boolean("mamba_rms_norm", default=False) else mamba.mixer_width
    layer = replace(
        mamba,
        matrices=mamba.matrices + attention.matrices + matrices,
        attention=attention.attention,
        feed_forward=mlp,
        vector_params=mamba.vector_params - gated_norm + attention.vector_params + hidden,
    )
    return _model(fields, name, hidden, [layer] * widths.layers, tied=False)


def read_lfm2(fields: Fields, *, name: str) -> ModelShape:
    """LFM2: gated short convolutions, attention in some layers. Source: Lfm2ForCausalLM in transformers."""
    widths = read_widths(fields, LLAMA)
    hidden = widths.hidden
    width = fields.integer("block_ff_dim", "intermediate_size")
    if fields.boolean("block_auto_adjust_ff_dim", default=True):
        width = int(int(2 * width / 3) * fields.number("block_ffn_dim_multiplier", default=1.0, most=100.0))
        multiple = fields.integer("block_multiple_of", default=256)
        width = -(-width // multiple) * multiple
    mlp, matrices = dense_mlp(hidden, width, gated=True)
    bias = fields.boolean("conv_bias", default=False)
    kernel = fields.integer("conv_L_cache", default=3, most=1000)
    convolution = Block(
        count=1,
        hidden=hidden,
        matrices=(
            Matrix(name="in", role="mixer", inputs=hidden, outputs=3 * hidden, bias=bias),
            Matrix(name="out", role="mixer", inputs=hidden, outputs=hidden, bias=bias),
        ),
        vector_params=hidden * (kernel + bias) + hidden,
        mixer_width=hidden,
        mixer_flops=2 * kernel * hidden,
    )
    attention = attention_layer(fields, Dialect(qk_norm="head"), widths, norms=1)
    indices = fields.items("full_attn_idxs")
    if indices is not None and not fields.has("layer_types"):
        chosen = {fields.checked(i, "full_attn_idxs", least=0) for i in indices}
        kinds = [i in chosen for i in range(widths.layers)]
    else:
        kinds = _kinds(fields, widths.layers)
    layers = [attention if is_attention else convolution for is_attention in kinds]
    layers = [
        replace(m, matrices=m.matrices + matrices, feed_forward=mlp, vector_params=m.vector_params + hidden)
        for m in layers
    ]
    return _model(fields, name, hidden, layers, tied=True)
