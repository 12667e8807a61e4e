"""Diffusion networks of `diffusers`: convolutional U-Nets and transformers over latent patches."""

from typing import Any

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Block, Matrix, ModelShape
from assessments.sizing.architectures.unet import VAE_DOWNSAMPLE, read_unet


def _streams(hidden: int, core: Attention, width: int, *, bias: bool, gated: bool, double: bool) -> tuple[Matrix, ...]:
    """Matrices of one joint-attention layer; a second, equal set for the prompt's tokens when `double`."""
    own = (
        attention_matrices(hidden, core, qkv_bias=bias, out_bias=bias)
        + dense_mlp(hidden, width, gated=gated, bias=bias)[1]
    )
    if not double:
        return own
    return own + tuple(
        Matrix(name=f"text_{m.name}", role=m.role, inputs=m.inputs, outputs=m.outputs, bias=m.bias, used=0) for m in own
    )


def read_flux(fields: Fields, *, name: str) -> ModelShape:
    """FluxTransformer2DModel: two-stream layers, then one-stream layers with attention and MLP side by side.

    Modulations work once per sample, so they are parameters without work per token.
    Source: FluxTransformer2DModel in diffusers.
    """
    heads = fields.integer("num_attention_heads", default=24, most=100_000)
    dim = fields.integer("attention_head_dim", default=128, most=100_000)
    hidden = heads * dim
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    feed_forward, _mlp = dense_mlp(hidden, 4 * hidden, gated=False, bias=True)
    double = Block(
        count=fields.layers("num_layers"),
        hidden=hidden,
        matrices=_streams(hidden, core, 4 * hidden, bias=True, gated=False, double=True),
        attention=core,
        feed_forward=feed_forward,
        vector_params=2 * 6 * hidden * (hidden + 1) + 4 * dim,
        stack="encoder",
    )
    single = Block(
        count=fields.layers("num_single_layers"),
        hidden=hidden,
        matrices=(
            *attention_matrices(hidden, core, qkv_bias=True)[:3],
            Matrix(name="up", role="mlp", inputs=hidden, outputs=4 * hidden, bias=True),
            Matrix(name="o_down", role="mlp", inputs=5 * hidden, outputs=hidden, bias=True),
        ),
        attention=core,
        feed_forward=feed_forward,
        vector_params=3 * hidden * (hidden + 1) + 2 * dim,
        stack="encoder",
    )
    latent = fields.integer("in_channels", default=64)
    pooled = fields.integer("pooled_projection_dim", default=768)
    text = fields.integer("joint_attention_dim", default=4096)
    conditions = 1 + (1 if fields.boolean("guidance_embeds", default=False) else 0)
    rest = (latent + 1) * hidden + (text + 1) * hidden
    rest += conditions * (257 * hidden + hidden * (hidden + 1)) + (pooled + 1) * hidden + hidden * (hidden + 1)
    rest += 2 * hidden * (hidden + 1) + (hidden + 1) * latent
    return _transformer(fields, name, hidden, (double, single), rest, patch=2)


def read_sd3(fields: Fields, *, name: str) -> ModelShape:
    """SD3Transformer2DModel; the last layer gives no prompt stream on. Source: arXiv:2403.03206; diffusers."""
    heads = fields.integer("num_attention_heads", default=18, most=100_000)
    dim = fields.integer("attention_head_dim", default=64, most=100_000)
    layers = fields.layers("num_layers")
    hidden = heads * dim
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    feed_forward, _mlp = dense_mlp(hidden, 4 * hidden, gated=False, bias=True)
    norms = 4 * dim if fields.text("qk_norm") else 0
    dual = {fields.checked(i, "dual_attention_layers", least=0) for i in fields.items("dual_attention_layers") or ()}

    def layer(index: int) -> Block:
        matrices = _streams(hidden, core, 4 * hidden, bias=True, gated=False, double=True)
        vectors = 12 * hidden * (hidden + 1) + norms
        if index == layers - 1:  # the prompt ends here: no output, no MLP, two modulations instead of six
            matrices = tuple(m for m in matrices if m.name not in {"text_o", "text_up", "text_down"})
            vectors -= 4 * hidden * (hidden + 1)
        if index in dual:
            matrices += tuple(
                Matrix(name=f"second_{m.name}", role=m.role, inputs=m.inputs, outputs=m.outputs, bias=m.bias)
                for m in attention_matrices(hidden, core, qkv_bias=True, out_bias=True)
            )
            vectors += 3 * hidden * (hidden + 1) + norms // 2
        return Block(
            count=1,
            hidden=hidden,
            matrices=matrices,
            attention=core,
            cross=core if index in dual else None,
            feed_forward=feed_forward,
            vector_params=vectors,
            stack="encoder",
        )

    from_latent = fields.integer("in_channels", default=16) * fields.integer("patch_size", default=2, most=1000) ** 2
    to_latent = fields.integer("out_channels", default=16) * fields.integer("patch_size", default=2, most=1000) ** 2
    text = fields.integer("joint_attention_dim", default=4096)
    pooled = fields.integer("pooled_projection_dim", default=2048)
    rest = (from_latent + 1) * hidden + (text + 1) * hidden + 257 * hidden + 2 * hidden * (hidden + 1)
    rest += (pooled + 1) * hidden + 2 * hidden * (hidden + 1) + (hidden + 1) * to_latent
    blocks = tuple(layer(i) for i in range(layers))
    return _transformer(fields, name, hidden, blocks, rest, patch=fields.integer("patch_size", default=2, most=1000))


def read_dit(fields: Fields, *, name: str) -> ModelShape:
    """DiTTransformer2DModel: self-attention layers, each with its own modulation.

    Source: Peebles & Xie 2022, arXiv:2212.09748, table 1; DiTTransformer2DModel in diffusers.
    """
    heads = fields.integer("num_attention_heads", default=16, most=100_000)
    dim = fields.integer("attention_head_dim", default=72, most=100_000)
    hidden, patch = heads * dim, fields.integer("patch_size", default=2, most=1000)
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    feed_forward, mlp = dense_mlp(hidden, 4 * hidden, gated=False, bias=True)
    classes = fields.integer("num_embeds_ada_norm", default=1000, most=10_000_000)
    # diffusers gives every layer its own embedding of time and class; the paper's network has one for all
    conditioning = 257 * hidden + hidden * (hidden + 1) + (classes + 1) * hidden
    block = Block(
        count=fields.layers("num_layers"),
        hidden=hidden,
        matrices=attention_matrices(hidden, core, qkv_bias=True, out_bias=True) + mlp,
        attention=core,
        feed_forward=feed_forward,
        vector_params=6 * hidden * (hidden + 1),
        stack="encoder",
    )
    latent = fields.integer("in_channels", default=4)
    out = fields.integer("out_channels", default=2 * latent)
    rest = conditioning + (latent * patch**2 + 1) * hidden + 2 * hidden * (hidden + 1) + (hidden + 1) * out * patch**2
    return _transformer(fields, name, hidden, (block,), rest, patch=patch)


def read_wan(fields: Fields, *, name: str) -> ModelShape:
    """WanTransformer3DModel: video latents in 1×2×2 patches, attention over the clip and to the prompt.

    Source: Wan Team 2025, arXiv:2503.20314, section 4.2; WanTransformer3DModel in diffusers.
    """
    heads = fields.integer("num_attention_heads", default=40, most=100_000)
    dim = fields.integer("attention_head_dim", default=128, most=100_000)
    hidden, width = heads * dim, fields.integer("ffn_dim", default=13_824)
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    cross = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False, cross=True)
    feed_forward, mlp = dense_mlp(hidden, width, gated=False, bias=True)
    own = attention_matrices(hidden, core, qkv_bias=True, out_bias=True)
    prompt = tuple(
        Matrix(
            name=f"cross_{m.name}",
            role=m.role,
            inputs=m.inputs,
            outputs=m.outputs,
            bias=m.bias,
            used=0 if m.name in {"k", "v"} else 1,
        )
        for m in own
    )
    block = Block(
        count=fields.layers("num_layers"),
        hidden=hidden,
        matrices=own + prompt + mlp,
        attention=core,
        cross=cross,
        feed_forward=feed_forward,
        vector_params=4 * hidden + 2 * hidden + 6 * hidden,
        stack="encoder",
    )
    latent = fields.integer("in_channels", default=16)
    out = fields.integer("out_channels", default=16)
    text = fields.integer("text_dim", default=4096)
    times = fields.integer("freq_dim", default=256)
    rest = (latent * 4 + 1) * hidden + (times + 1) * hidden + hidden * (hidden + 1) + 6 * hidden * (hidden + 1)
    rest += (text + 1) * hidden + hidden * (hidden + 1) + 2 * hidden + (hidden + 1) * out * 4
    return _transformer(fields, name, hidden, (block,), rest, patch=2, frames=4)


def _transformer(
    fields: Fields, name: str, hidden: int, blocks: tuple[Block, ...], rest: int, *, patch: int, frames: int = 1
) -> ModelShape:
    return ModelShape(
        name=name,
        family="video_diffusion" if frames > 1 else "diffusion",
        hidden=hidden,
        blocks=blocks,
        rest_params=rest,
        patches=Patches(patch=patch, downsample=VAE_DOWNSAMPLE, frame_patch=frames),
        assumptions=tuple(fields.assumptions),
    )


DIFFUSERS: dict[str, Any] = {
    "UNet2DConditionModel": read_unet,
    "FluxTransformer2DModel": read_flux,
    "SD3Transformer2DModel": read_sd3,
    "DiTTransformer2DModel": read_dit,
    "WanTransformer3DModel": read_wan,
}
