"""Diffusion networks of `diffusers`: convolutional U-Nets and transformers over latent patches."""

from collections.abc import Sequence
from typing import Any

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.convolution import Counter
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Block, Matrix, ModelShape, Patches

VAE_DOWNSAMPLE = 8  # picture pixels per latent pixel and side; AutoencoderKL of SD, SDXL, SD3, Flux
PROMPT_TOKENS = 77  # CLIP's context


def _per_level(fields: Fields, name: str, levels: int, default: int) -> list[int]:
    """A figure that may be given once or per level."""
    value = fields.raw(name)
    if value is None:
        return [default] * levels
    if isinstance(value, list):
        if len(value) != levels:
            raise ConfigError("config_inconsistent", key=name, value=len(value), limit=levels)
        return [fields.checked(v, name, most=1_000_000) for v in value]
    return [fields.checked(value, name, most=1_000_000)] * levels


def read_unet(fields: Fields, *, name: str) -> ModelShape:
    """UNet2DConditionModel (Stable Diffusion 1, 2, XL), counted layer by layer at its native latent size.

    Source: Rombach et al. 2021, arXiv:2112.10752; Podell et al. 2023, arXiv:2307.01952; UNet2DConditionModel.
    """
    channels = fields.integers("block_out_channels", default=(320, 640, 1280, 1280), least=1)
    levels = len(channels)
    if not 1 <= levels <= 12:
        raise ConfigError("config_out_of_range", key="block_out_channels", value=levels, low=1, high=12)
    down = [
        str(kind)
        for kind in fields.items("down_block_types") or ["CrossAttnDownBlock2D"] * (levels - 1) + ["DownBlock2D"]
    ]
    up = [str(kind) for kind in fields.items("up_block_types") or ["UpBlock2D"] + ["CrossAttnUpBlock2D"] * (levels - 1)]
    if len(down) != levels or len(up) != levels:
        raise ConfigError("config_inconsistent", key="down_block_types", value=len(down), limit=levels)
    layers = _per_level(fields, "layers_per_block", levels, 2)
    depth = _per_level(fields, "transformer_layers_per_block", levels, 1)
    cross = _per_level(fields, "cross_attention_dim", levels, 1280)
    if max(layers) > 100 or max(depth) > 1000:
        raise ConfigError("config_out_of_range", key="layers_per_block", value=max(*layers, *depth), low=1, high=1000)
    side = fields.integer("sample_size", default=64, most=10_000)
    net = _UNet(side=side, time_width=4 * channels[0])
    net.run(
        channels,
        down,
        up,
        layers,
        depth,
        cross,
        latent_in=fields.integer("in_channels", default=4),
        latent_out=fields.integer("out_channels", default=4),
        extra_embedding=fields.integer("projection_class_embeddings_input_dim", default=0, least=0),
    )
    return ModelShape(
        name=name,
        family="diffusion",
        hidden=max(channels),
        blocks=(),
        rest_params=net.params,
        grid=net.grid(source="UNet2DConditionModel, counted layer by layer", downsample=VAE_DOWNSAMPLE),
        patches=Patches(downsample=VAE_DOWNSAMPLE, native_size=side * VAE_DOWNSAMPLE),
        assumptions=tuple(fields.assumptions),
    )


class _UNet(Counter):
    """The walk through a conditional U-Net."""

    def __init__(self, *, side: int, time_width: int) -> None:
        super().__init__(side=side)
        self.time_width = time_width

    def run(
        self,
        channels: Sequence[int],
        down: Sequence[str],
        up: Sequence[str],
        layers: Sequence[int],
        depth: Sequence[int],
        cross: Sequence[int],
        *,
        latent_in: int,
        latent_out: int,
        extra_embedding: int,
    ) -> None:
        """Down, middle and up paths with their skips."""
        first = channels[0]
        self.linear(first, self.time_width, per_pixel=False)
        self.linear(self.time_width, self.time_width, per_pixel=False)
        if extra_embedding:
            self.linear(extra_embedding, self.time_width, per_pixel=False)
            self.linear(self.time_width, self.time_width, per_pixel=False)
        self.conv(latent_in, first, kernel=3, bias=True)
        skips, before = [first], first
        for level, width in enumerate(channels):
            for _ in range(layers[level]):
                self.resnet(before, width)
                if "CrossAttn" in down[level]:
                    self.transformer(width, depth[level], cross[level])
                before = width
                skips.append(width)
            if level < len(channels) - 1:
                self.conv(width, width, kernel=3, stride=2, bias=True)
                skips.append(width)
        self.resnet(before, before)
        self.transformer(before, depth[-1], cross[-1])
        self.resnet(before, before)
        for step, level in enumerate(reversed(range(len(channels)))):
            width = channels[level]
            for _ in range(layers[level] + 1):
                self.resnet(before + skips.pop(), width)
                if "CrossAttn" in up[step]:
                    self.transformer(width, depth[level], cross[level])
                before = width
            if level:
                self.grow(2)
                self.conv(width, width, kernel=3, bias=True)
        self.norm(first)
        self.conv(first, latent_out, kernel=3, bias=True)

    def resnet(self, inputs: int, outputs: int) -> None:
        """Two convolutions with group norms, a time embedding, a projection where the width changes."""
        self.norm(inputs)
        self.conv(inputs, outputs, kernel=3, bias=True)
        self.linear(self.time_width, outputs, per_pixel=False)
        self.norm(outputs)
        self.conv(outputs, outputs, kernel=3, bias=True)
        if inputs != outputs:
            self.conv(inputs, outputs, kernel=1, bias=True)

    def transformer(self, width: int, depth: int, cross: int) -> None:
        """Self-attention, attention to the prompt and a GEGLU, `depth` times, between two projections."""
        self.norm(width)
        self.linear(width, width)
        for _ in range(depth):
            for _ in range(3):
                self.norm(width)
            for _ in range(4):
                self.linear(width, width, bias=False)
            self.attention(width)
            self.linear(width, width, bias=False)
            self.linear(cross, 2 * width, bias=False, per_pixel=False)
            self.attention(width, keys=PROMPT_TOKENS)
            self.linear(width, width)
            self.params += width
            self.linear(width, 8 * width)
            self.keep(8 * width)
            self.linear(4 * width, width)
        self.linear(width, width)


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
