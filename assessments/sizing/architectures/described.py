"""A model and its sample as benchmark tables describe them: a name, a size in words, perhaps the work of a picture."""

import re
from dataclasses import dataclass, replace

from assessments.sizing.architectures.config import read_model_config
from assessments.sizing.architectures.presets import find_preset, preset
from assessments.sizing.architectures.samples import SampleSize, by_place, grid_units, sample_work
from assessments.sizing.architectures.shape import ModelShape

# Names that tables use, as patterns over lower case; the first that is found wins.
NAMES = (
    (r"stable.?diffusion.?v?2|sd.?2\b", "sd-2.1"),
    (r"stable.?diffusion.?xl|sdxl|kolors", "sdxl"),
    (r"stable.?diffusion.?v?3|\bsd3\b", "sd3-medium"),
    (r"stable.?diffusion|\bsd.?1", "sd-1.5"),
    (r"flux", "flux.1"),
    (r"aura.?flow", "auraflow"),
    (r"chroma", "chroma"),
    (r"qwen.?image", "qwen-image"),
    (r"pixart", "pixart-alpha"),
    (r"lumina.?2", "lumina-2"),
    (r"z-image", "z-image"),
    (r"sana.?video", ""),
    (r"\bsana\b", "sana-1.6b"),
    (r"wan.*1\.3b", "wan2.1-1.3b"),
    (r"wan.*14b", "wan2.1-14b"),
    (r"ltx.?video.?2", ""),
    (r"ltx.?video", "ltx-video-2b"),
    (r"cogvideox.*5b", "cogvideox-5b"),
    (r"longcat.?video", "longcat-video-13.6b"),
    (r"resnet.?152", "resnet-152"),
    (r"(mask r-?cnn|mask_rcnn).*r-?50.?fpn", "mask-rcnn-r50-fpn"),
    (r"(faster r-?cnn|faster_rcnn).*r-?50.?fpn", "faster-rcnn-r50-fpn"),
    (r"retinanet.*r-?50", "retinanet-r50-fpn"),
    (r"vit-h/14", "vit-h-14"),
    (r"dinov2 vit-l/14|vit-l/16", "vit-l-16"),
    (r"whisper.?small", "whisper-small"),
    (r"whisper.?medium", "whisper-medium"),
    (r"whisper.?large", "whisper-large-v3"),
    (r"wav2vec 2\.0 base", "wav2vec2-base"),
)
GMACS = re.compile(r"GMACs[^\d]{0,20}([\d.]+)")
SIDES = re.compile(r"(\d{2,5})\s?[x×]\s?(\d{2,5})")
SIDE = re.compile(r"(\d{3,4})\s?px")
FRAMES = re.compile(r"(\d{1,4})\s?(?:f\b|frames)")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedSample:
    """The network, at the size of this sample, and how many tokens (places of a grid) one sample has in it.

    forward_flops: of one sample [FLOP]; work and kept bytes of shape.grid are those of one place.
    """

    shape: ModelShape
    tokens: float
    forward_flops: float


def described_sample(model: str, description: str = "", params: float | None = None) -> DescribedSample | None:
    """What one training sample costs in the network that a table names; None when the table does not say enough.

    params: printed count [count], needed with printed multiply-adds. The largest measured steps are a preset's; a
    network known only by its multiply-adds has no activations and serves for time alone.
    """
    shape = _named(model)
    size = _size(description)
    if shape is None:
        return _by_work(description, params)
    if shape.grid is not None:
        units = grid_units(shape, size)
        each, places = by_place(shape, units)
        return DescribedSample(shape=each, tokens=places, forward_flops=shape.grid.flops(units))
    main = sample_work(shape, size)[0]
    return DescribedSample(shape=shape, tokens=main.tokens, forward_flops=main.forward_flops)


def _named(model: str) -> ModelShape | None:
    lower = model.lower()
    for pattern, slug in NAMES:
        if re.search(pattern, lower):
            return preset(slug) if slug else None
    if "ssd" in lower:  # SSD with another backbone than the preset's
        return None
    found = find_preset(model)
    return preset(found) if found else None


def _size(description: str) -> SampleSize:
    sides, side, frames = SIDES.search(description), SIDE.search(description), FRAMES.search(description)
    width = int(sides.group(1)) if sides else int(side.group(1)) if side else None
    height = int(sides.group(2)) if sides else width
    return SampleSize(image_width_px=width, image_height_px=height, frames=int(frames.group(1)) if frames else None)


def _by_work(description: str, params: float | None) -> DescribedSample | None:
    found, sides = GMACS.search(description), SIDES.search(description)
    if found is None or params is None or params < 1:
        return None
    pixels = int(sides.group(1)) * int(sides.group(2)) if sides else 1
    config = {"model_type": "published", "params": round(params), "gmacs": float(found.group(1)),
              "unit": "pixel" if sides else "row", "reference_units": pixels}  # fmt: skip
    shape = replace(read_model_config(config), family="vision")
    each, places = by_place(shape, pixels)
    return DescribedSample(shape=each, tokens=places, forward_flops=2e9 * float(found.group(1)))
