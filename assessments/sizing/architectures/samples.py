"""What one sample costs: tokens in each network, forward work and kept activations, to first order."""

from dataclasses import dataclass

from assessments.sizing.architectures.shape import ModelShape


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSize:
    """How large one sample is; None = the model's native size."""

    text_tokens: int = 0
    target_tokens: int | None = None  # of the decoder in an encoder-decoder model
    image_width_px: int | None = None
    image_height_px: int | None = None
    images: int = 1
    frames: int | None = None
    audio_s: float | None = None
    rows: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkWork:
    """One network's work on one sample."""

    role: str  # "main" or the part's role
    shape: ModelShape
    frozen: bool  # the usual way; the task's frozen_parts may say otherwise
    tokens: float  # per stack that is longest [tokens]; 0 for networks without tokens
    forward_flops: float  # [FLOP]
    activation_bytes: float  # 16-bit, flash attention, no recomputation, kept for the backward pass [bytes]
    checkpoint_bytes: float  # kept when every block is recomputed: block inputs and one block's full set [bytes]


def sample_work(shape: ModelShape, size: SampleSize, *, causal: bool = True) -> tuple[NetworkWork, ...]:
    """Work of every network of the model on one sample, the main one first; frozen companions last."""
    raise NotImplementedError
