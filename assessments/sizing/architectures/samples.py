"""What one sample costs: tokens in each network and its forward work, to first order."""

import math
from dataclasses import dataclass, replace

from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.shape import ModelShape, Part

USUAL_AUDIO_S = 30.0  # Whisper's window; taken when the length is not known
USUAL_TARGETS = 100  # tokens of a transcript of 30 s: about 3 a second
USUAL_SIDE_PX = 224
# a convolution works on many places of one sample at once: 16 × 16 pixels count like one token of a transformer
UNITS_OF_A_PLACE = {"pixel": 256, "audio_frame": 4}
CHANNELS = 256  # width of a convolution where most of the work is, for networks that state no hidden size


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
    tokens: float  # [tokens]; of a two-stack network weighted by the stacks' work; 0 without tokens
    forward_flops: float  # [FLOP]


def sample_work(shape: ModelShape, size: SampleSize) -> tuple[NetworkWork, ...]:
    """Work of every network of the model on one sample: main, its parts, then frozen companions.

    A vision-language model counts a picture twice: its patches in the tower, and the merged tokens that join the text
    in the language model. Pictures in one sample do not attend to each other inside the tower.
    """
    tower = next((part for part in shape.parts if part.role in {"vision_tower", "audio_tower"}), None)
    if tower is None:
        works = [_main(shape, size, tokens_of(shape, size))]
    else:
        seen = language_tokens(shape.patches, size) * size.images
        works = [_main(shape, size, float(size.text_tokens + seen))]
    works += [_beside(part, shape, size) for part in shape.parts]
    works += [_beside(part, shape, size) for part in shape.companions]
    return tuple(works)


def tokens_of(shape: ModelShape, size: SampleSize) -> float:
    """Tokens of one sample in the main network [tokens]."""
    if shape.grid is not None:
        return 0.0
    stacks = {b.stack for b in shape.blocks if b.count}
    if shape.patches is not None and shape.patches.frames_per_second:
        source = audio_tokens(shape.patches, size.audio_s)
    elif shape.patches is not None:
        source = patch_tokens(shape.patches, size) * size.images
    else:
        source = float(size.text_tokens)
    if stacks != {"encoder", "decoder"}:
        return source
    usual = USUAL_TARGETS if shape.family == "speech" else source
    target = float(size.target_tokens if size.target_tokens is not None else (size.text_tokens or usual))
    return _weighted(shape, source, target)


def _weighted(shape: ModelShape, source: float, target: float) -> float:
    """One token count that gives the same matrix work as `source` tokens in the encoder and `target` in the decoder."""
    encoder = sum(b.count * b.matmul_flops for b in shape.blocks if b.stack == "encoder")
    decoder = sum(b.count * b.matmul_flops for b in shape.blocks if b.stack == "decoder")
    return (encoder * source + decoder * target) / max(encoder + decoder, 1)


def patch_tokens(patches: Patches, size: SampleSize) -> float:
    """Patches of one picture or clip inside the network that cuts it [tokens].

    Source: Dosovitskiy et al. 2020, arXiv:2010.11929, section 3.1; Qwen2-VL, arXiv:2409.12191, section 2.1 (pictures
    keep their size, sides rounded to a whole number of merged patches).
    """
    clips = math.ceil(max(size.frames or 1, 1) / patches.frame_patch)
    width = size.image_width_px or patches.native_size or USUAL_SIDE_PX
    height = size.image_height_px or size.image_width_px or patches.native_size or USUAL_SIDE_PX
    cell = patches.patch * patches.downsample
    if not patches.resizes:
        unit = cell * math.isqrt(patches.merge)
        cells = max(1, round(width / unit)) * max(1, round(height / unit))
        if patches.max_tokens is not None:
            cells = min(cells, patches.max_tokens)
        return float(cells * patches.merge * clips + patches.extra)
    if patches.native_size is not None and patches.downsample == 1:
        width = height = patches.native_size
    cells = max(1, width // cell) * max(1, height // cell)
    if patches.max_tokens is not None:
        cells = min(cells, patches.max_tokens)
    return float(cells * clips + patches.extra)


def language_tokens(patches: Patches | None, size: SampleSize) -> int:
    """Tokens that one picture or clip takes in the language model [tokens]."""
    if patches is None:
        return 0
    clips = math.ceil(max(size.frames or 1, 1) / patches.frame_patch)
    if patches.fixed_output is not None:
        return patches.fixed_output * clips
    return int((patch_tokens(patches, size) - patches.extra) // patches.merge)


def audio_tokens(patches: Patches, audio_s: float | None) -> float:
    """Frames of one recording inside the encoder [tokens]; Whisper pads to whole windows of 30 s."""
    frames = (audio_s if audio_s is not None else USUAL_AUDIO_S) * patches.frames_per_second
    if patches.max_tokens is not None:
        return float(max(1, math.ceil(frames / patches.max_tokens)) * patches.max_tokens)
    return max(frames, 1.0)


def grid_units(shape: ModelShape, size: SampleSize) -> float:
    """Size of one sample in the unit of the shape's grid [pixels, audio frames or rows]."""
    if shape.grid is None:
        return 0.0
    if shape.grid.unit == "pixel":
        side = shape.patches.native_size if shape.patches else None
        width = size.image_width_px or side or USUAL_SIDE_PX
        height = size.image_height_px or size.image_width_px or side or USUAL_SIDE_PX
        return float(width * height * max(size.frames or 1, 1) * size.images)
    if shape.grid.unit == "audio_frame":
        rate = shape.patches.frames_per_second if shape.patches and shape.patches.frames_per_second else 100.0
        return (size.audio_s if size.audio_s is not None else USUAL_AUDIO_S) * rate
    return float(size.rows)


def by_place(shape: ModelShape, units: float) -> tuple[ModelShape, float]:
    """A network on a grid with its work and kept bytes per place of one sample, and how many places the sample has.

    units: size of the sample in the unit of the grid; without a grid the shape itself and 1.
    """
    grid = shape.grid
    if grid is None:
        return shape, 1.0
    places = max(round(units / UNITS_OF_A_PLACE.get(grid.unit, 1)), 1)
    kept = grid.activation_bytes * max(grid.scale(units), 1e-6)
    each = replace(grid, forward_flops=grid.flops(units) / places, activation_bytes=kept / places)
    return replace(shape, grid=each, hidden=max(shape.hidden, CHANNELS)), float(places)


def _main(shape: ModelShape, size: SampleSize, tokens: float) -> NetworkWork:
    alone = replace(shape, parts=(), companions=()) if shape.parts or shape.companions else shape
    if shape.grid is not None:
        flops = shape.grid.flops(grid_units(shape, size))
    else:
        per_token = 2.0 * (alone.block_matmul_params + alone.head_matmul_params)
        flops = tokens * (per_token + alone.attention_flops(max(tokens, 1.0)))
    return NetworkWork(role="main", shape=alone, frozen=False, tokens=tokens, forward_flops=flops)


def _beside(part: Part, main: ModelShape, size: SampleSize) -> NetworkWork:
    """A tower sees the picture or sound, a projector the merged tokens, a text encoder the prompt, a VAE pixels."""
    shape, tokens, flops = part.shape, 0.0, 0.0
    if shape.grid is not None:
        flops = shape.grid.flops(grid_units(shape, size))
    elif part.role == "projector":
        tokens = float(language_tokens(main.patches, size) * size.images)
        flops = 2.0 * tokens * shape.own_params
    elif shape.blocks:
        one = tokens_of(shape, replace(size, images=1))
        pictures = size.images if shape.patches is not None and not shape.patches.frames_per_second else 1
        if part.role == "text_encoder":
            one = float(min(size.text_tokens or shape.max_context or 77, shape.max_context or 512))
        tokens = one * pictures
        flops = tokens * (2.0 * shape.block_matmul_params + shape.attention_flops(max(one, 1.0)))
    return NetworkWork(role=part.role, shape=shape, frozen=part.frozen, tokens=tokens, forward_flops=flops)
