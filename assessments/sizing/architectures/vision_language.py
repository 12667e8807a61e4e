"""Vision-language models: a picture tower, a projector and a decoder, from one nested configuration."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.encoder import encoder_blocks
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Block, ModelShape, Part, PartRole
from assessments.sizing.architectures.towers import (
    Tower,
    gemma3_tower,
    gemma4_tower,
    internvl_tower,
    llama4_tower,
    mllama_tower,
    pixtral_tower,
    projector_shape,
    tower_shape,
    with_type,
)
from assessments.sizing.architectures.vision import DEPTH, read_clip_vision

CLIP_L_336 = {
    "model_type": "clip_vision_model",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 336,
    "patch_size": 14,
}
QWEN_MOST_TOKENS = 16_384  # of one picture: max_pixels 12,845,056 of the default processor / 28²
# Towers that older files only name.
NAMED_TOWERS = {
    "openai/clip-vit-large-patch14-336": CLIP_L_336,
    "openai/clip-vit-large-patch14": CLIP_L_336 | {"image_size": 224},
}


def with_tower(language: ModelShape, tower: ModelShape, projector: ModelShape | None) -> ModelShape:
    """The decoder with its tower and projector as parts, counted together."""
    role: PartRole = "audio_tower" if tower.family == "speech" else "vision_tower"
    parts: tuple[Part, ...] = (Part(role=role, shape=tower),)
    if projector is not None:
        parts += (Part(role="projector", shape=projector),)
    return replace(language, family="vision_language", parts=parts, patches=tower.patches)


def read_tower(fields: Fields, language_hidden: int, model_type: str) -> Tower | None:
    """Tower and projector of this family; None when the file describes no tower."""
    vision = fields.sub("vision_config")
    reader = TOWERS.get(model_type)
    if not (vision.data or fields.has("audio_config")) or (reader is None and not any(vision.has(k) for k in DEPTH)):
        return None
    if reader is None:
        fields.assume("tower_by_clip", model_type=model_type)
        reader = _clip_tower
    return reader(fields, vision, language_hidden)


def _qwen_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Qwen3-VL and Qwen3.5: LayerNorm tower, learned positions, 2×2 merger, DeepStack mergers."""
    hidden, patch = vision.integer("hidden_size"), vision.integer("patch_size", default=16, most=1000)
    frames = vision.integer("temporal_patch_size", default=2, most=1000)
    merge = vision.integer("spatial_merge_size", default=2, most=1000)
    out = vision.integer("out_hidden_size", default=language_hidden)
    block = encoder_blocks(
        vision.layers("depth"), hidden, vision.integer("num_heads"), vision.integer("intermediate_size")
    )
    channels = vision.integer("in_channels", "in_chans", default=3, most=1000)
    positions = vision.integer("num_position_embeddings", default=2304) * hidden
    rest = (channels * frames * patch**2 + 1) * hidden + positions
    joined = hidden * merge**2
    merger = joined * (joined + 1) + (joined + 1) * out
    deep = len(vision.items("deepstack_visual_indexes") or ())
    projector = merger + 2 * hidden + deep * (merger + 2 * joined)
    patches = Patches(patch=patch, frame_patch=frames, merge=merge**2, resizes=False, max_tokens=QWEN_MOST_TOKENS)
    return tower_shape(hidden, (block,), rest, patches), projector_shape(projector, out)


def _qwen25_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Qwen2.5-VL: gated MLP with biases, RMS norms, windowed attention in most layers."""
    hidden, heads = vision.integer("hidden_size", default=1280), vision.integer("num_heads", default=16)
    depth = vision.layers("depth") if vision.has("depth") else 32
    width = vision.integer("intermediate_size", default=3420)
    patch = vision.integer("patch_size", "spatial_patch_size", default=14, most=1000)
    merge = vision.integer("spatial_merge_size", default=2, most=1000)
    full = vision.items("fullatt_block_indexes") or (7, 15, 23, 31)
    window = (vision.integer("window_size", default=112, most=100_000) // patch) ** 2
    blocks = []
    for count, reach in ((depth - len(full), window), (min(len(full), depth), None)):
        core = Attention(
            heads=heads, kv_heads=heads, key_dim=hidden // heads, value_dim=hidden // heads, causal=False, window=reach
        )
        feed_forward, mlp = dense_mlp(hidden, width, gated=True, bias=True)
        matrices = attention_matrices(hidden, core, qkv_bias=True, out_bias=True) + mlp
        blocks.append(
            Block(
                count=count,
                hidden=hidden,
                matrices=matrices,
                attention=core,
                feed_forward=feed_forward,
                vector_params=2 * hidden,
                stack="encoder",
            )
        )
    frames = vision.integer("temporal_patch_size", default=2, most=1000)
    out = vision.integer("out_hidden_size", default=language_hidden)
    joined = hidden * merge**2
    projector = hidden + joined * (joined + 1) + (joined + 1) * out
    patches = Patches(patch=patch, frame_patch=frames, merge=merge**2, resizes=False, max_tokens=QWEN_MOST_TOKENS)
    tower = tower_shape(hidden, tuple(b for b in blocks if b.count > 0), 3 * frames * patch**2 * hidden, patches)
    return tower, projector_shape(projector, out)


def _qwen2_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Qwen2-VL: LayerNorm tower without positions."""
    hidden = vision.integer("embed_dim", default=1280)
    depth = vision.layers("depth") if vision.has("depth") else 32
    width = int(hidden * vision.number("mlp_ratio", default=4.0, most=1000.0))
    patch = vision.integer("patch_size", "spatial_patch_size", default=14, most=1000)
    merge = vision.integer("spatial_merge_size", default=2, most=1000)
    block = encoder_blocks(depth, hidden, vision.integer("num_heads", default=16), width)
    frames = vision.integer("temporal_patch_size", default=2, most=1000)
    out = vision.integer("hidden_size", default=language_hidden)
    joined = hidden * merge**2
    projector = 2 * hidden + joined * (joined + 1) + (joined + 1) * out
    patches = Patches(patch=patch, frame_patch=frames, merge=merge**2, resizes=False, max_tokens=QWEN_MOST_TOKENS)
    return tower_shape(hidden, (block,), 3 * frames * patch**2 * hidden, patches), projector_shape(projector, out)


def _qwen_audio_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Qwen2-Audio: Whisper's encoder, frames pooled by 2, one linear map. Source: Qwen2AudioEncoder."""
    audio = fields.sub("audio_config")
    hidden, mels = audio.integer("d_model", default=1280), audio.integer("num_mel_bins", default=128)
    frames = audio.integer("max_source_positions", default=1500)
    block = encoder_blocks(
        audio.layers("encoder_layers") if audio.has("encoder_layers") else 32,
        hidden,
        audio.integer("encoder_attention_heads", default=20),
        audio.integer("encoder_ffn_dim", default=5120),
        key_bias=False,
    )
    rest = 3 * mels * hidden + hidden + 3 * hidden * hidden + hidden + frames * hidden + 2 * hidden
    patches = Patches(frames_per_second=50.0, max_tokens=frames, merge=2)
    shape = replace(tower_shape(hidden, (block,), rest, patches), name="audio tower", family="speech")
    return shape, projector_shape((hidden + 1) * language_hidden, language_hidden)


def _clip_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """LLaVA: CLIP or SigLIP and a two-layer projector with biases."""
    tower = read_clip_vision(
        with_type(vision, vision.text("model_type", default="clip_vision_model")), name="vision tower"
    )
    projector = (tower.hidden + 1) * language_hidden + (language_hidden + 1) * language_hidden
    return tower, projector_shape(projector, language_hidden)


def named_tower(fields: Fields, language_hidden: int) -> Tower | None:
    """The tower that an original LLaVA file only names; None when it is not known."""
    name = fields.text("mm_vision_tower", default="")
    config: Mapping[str, object] | None = NAMED_TOWERS.get(name)
    if config is None:
        return None
    fields.assume("tower_only_named", tower=name)
    return _clip_tower(fields, Fields(config), language_hidden)


TOWERS: dict[str, Callable[[Fields, Fields, int], Tower]] = {
    "qwen3_vl": _qwen_tower,
    "qwen3_vl_moe": _qwen_tower,
    "qwen3_5": _qwen_tower,
    "qwen3_5_moe": _qwen_tower,
    "qwen2_5_vl": _qwen25_tower,
    "qwen2_vl": _qwen2_tower,
    "gemma3": gemma3_tower,
    "paligemma": gemma3_tower,
    "gemma4": gemma4_tower,
    "llama4": llama4_tower,
    "pixtral": pixtral_tower,
    "mistral3": pixtral_tower,
    "internvl": internvl_tower,
    "internvl_chat": internvl_tower,
    "mllama": mllama_tower,
    "qwen2_audio": _qwen_audio_tower,
    "llava": _clip_tower,
    "llava_next": _clip_tower,
    "video_llava": _clip_tower,
    "vipllava": _clip_tower,
}
