"""How large a sample is to a network: grids of pixels or frames, and patches cut from them."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Work of a network that is not a stack of token blocks (convolutions, U-Nets, tables), to first order.

    A sample is `units` large (pixels, audio frames, rows); work and kept bytes are measured at `reference_units` and
    grow with the units, the attention share with their square.
    """

    unit: Literal["pixel", "audio_frame", "row"]
    reference_units: int
    forward_flops: float  # of one sample at the reference size [FLOP]
    activation_bytes: float  # 16-bit, kept for the backward pass, one sample at the reference size [bytes]
    attention_flops: float = 0.0  # the part of forward_flops that grows with the square of the units
    source: str = ""

    def scale(self, units: float) -> float:
        """Size of a sample against the reference [ratio]."""
        return units / self.reference_units

    def flops(self, units: float) -> float:
        """Forward work of one sample of `units` [FLOP]."""
        ratio = self.scale(units)
        return (self.forward_flops - self.attention_flops) * ratio + self.attention_flops * ratio**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """How a picture, a clip or a sound becomes tokens.

    tokens in the tower = (width/patch)·(height/patch)·ceil(frames/frame_patch) + extra; the language model sees them
    divided by merge (or `fixed_output` tokens, whatever the size).
    """

    patch: int = 1
    frame_patch: int = 1
    downsample: int = 1  # of a VAE or convolutional stem before the patches
    extra: int = 0  # class and register tokens
    merge: int = 1  # neighbours joined before the language model
    fixed_output: int | None = None
    native_size: int | None = None  # side of the picture the tower was made for [px]
    resizes: bool = True  # False: every picture is scaled to native_size
    max_tokens: int | None = None
    frames_per_second: float = 0.0  # audio frames
