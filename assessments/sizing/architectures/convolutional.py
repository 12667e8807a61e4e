"""Convolutional image networks: ResNet and ConvNeXt."""

from collections.abc import Sequence

from assessments.sizing.architectures.convolution import Counter
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import ModelShape
from assessments.sizing.architectures.vision import classifier_params


def read_resnet(fields: Fields, *, name: str) -> ModelShape:
    """ResNet with basic or bottleneck layers. Source: He et al. 2015, arXiv:1512.03385, table 1; ResNetModel."""
    stem = fields.integer("embedding_size", default=64)
    widths = fields.integers("hidden_sizes", default=(256, 512, 1024, 2048), least=1)
    depths = fields.integers("depths", default=(3, 4, 6, 3), least=1)
    bottleneck = fields.text("layer_type", default="bottleneck") == "bottleneck"
    return _convolutional(fields, name, _resnet(stem, widths, depths, bottleneck=bottleneck), widths[-1])


def _resnet(stem: int, widths: Sequence[int], depths: Sequence[int], *, bottleneck: bool) -> Counter:
    if len(widths) != len(depths) or not widths or sum(depths) > 1000:
        raise ConfigError("config_inconsistent", key="depths", value=len(depths), limit=len(widths))
    net = Counter(side=224)
    net.conv(3, stem, kernel=7, stride=2)
    net.norm(stem)
    net.pool(2)
    before = stem
    for stage, (width, depth) in enumerate(zip(widths, depths, strict=True)):
        for layer in range(depth):
            stride = 2 if stage and not layer else 1
            if before != width or stride > 1:
                net.branch(before, width, stride=stride)
            if bottleneck:
                inner = width // 4
                net.conv(before, inner, kernel=1)
                net.norm(inner)
                net.conv(inner, inner, kernel=3, stride=stride)
                net.norm(inner)
                net.conv(inner, width, kernel=1)
            else:
                net.conv(before, width, kernel=3, stride=stride)
                net.norm(width)
                net.conv(width, width, kernel=3)
            net.norm(width)
            before = width
    return net


def read_convnext(fields: Fields, *, name: str) -> ModelShape:
    """ConvNeXt (and V2 with its response norm). Source: Liu et al. 2022, arXiv:2201.03545; ConvNextModel."""
    widths = fields.integers("hidden_sizes", default=(96, 192, 384, 768), least=1)
    depths = fields.integers("depths", default=(3, 3, 9, 3), least=1)
    second = fields.text("model_type") == "convnextv2"
    if len(widths) != len(depths) or sum(depths) > 1000:
        raise ConfigError("config_inconsistent", key="depths", value=len(depths), limit=len(widths))
    net = Counter(side=224)
    net.conv(3, widths[0], kernel=4, stride=4, bias=True)
    net.norm(widths[0])
    for stage, (width, depth) in enumerate(zip(widths, depths, strict=True)):
        if stage:
            net.norm(widths[stage - 1])
            net.conv(widths[stage - 1], width, kernel=2, stride=2, bias=True)
        for _ in range(depth):
            net.conv(width, width, kernel=7, groups=width, bias=True)
            net.norm(width)
            net.conv(width, 4 * width, kernel=1, bias=True)
            net.params += 8 * width if second else width
            net.keep(4 * width)
            net.conv(4 * width, width, kernel=1, bias=True)
    net.params += 2 * widths[-1]
    return _convolutional(fields, name, net, widths[-1])


def _convolutional(fields: Fields, name: str, net: Counter, last: int) -> ModelShape:
    side = net.native
    return ModelShape(
        name=name,
        family="vision",
        hidden=last,
        blocks=(),
        rest_params=net.params + classifier_params(fields, last),
        grid=net.grid(source="counted layer by layer"),
        patches=Patches(native_size=side, resizes=False),
        assumptions=tuple(fields.assumptions),
    )
