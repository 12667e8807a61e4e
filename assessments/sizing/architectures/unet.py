"""Convolutional U-Nets of diffusion, counted layer by layer."""

from collections.abc import Sequence

from assessments.sizing.architectures.convolution import Counter
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import ModelShape

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
