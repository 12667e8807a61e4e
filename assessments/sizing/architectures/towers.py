"""Picture towers of Gemma, Llama, Pixtral and InternVL with their projectors."""

from dataclasses import replace

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.encoder import encoder_blocks
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Block, ModelShape
from assessments.sizing.architectures.vision import read_clip_vision

type Tower = tuple[ModelShape, ModelShape | None]


def projector_shape(params: int, hidden: int) -> ModelShape:
    """A projector: its parameters outside blocks; its work is under 1 % of a tower's."""
    return ModelShape(name="projector", family="other", hidden=hidden, blocks=(), rest_params=params)


def with_type(vision: Fields, model_type: str, **more: object) -> Fields:
    """The same fields with a model type where the nested file has none."""
    child = Fields({"model_type": model_type} | more | dict(vision.data), vision.path)
    child.assumptions = vision.assumptions
    vision.read.update({k: v for k, v in vision.data.items() if not isinstance(v, dict | list)})
    return child


def tower_shape(hidden: int, blocks: tuple[Block, ...], rest: int, patches: Patches) -> ModelShape:
    """A tower: its blocks, and `rest` parameters of stem, positions and norms."""
    return ModelShape(
        name="vision tower", family="vision", hidden=hidden, blocks=blocks, rest_params=rest, patches=patches
    )


def gemma3_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Gemma 3 and PaliGemma: SigLIP; Gemma 3 pools 4,096 patches to 256 tokens for the language model."""
    tower = read_clip_vision(with_type(vision, "siglip_vision_model", vision_use_head=False), name="vision tower")
    tokens = fields.integer("mm_tokens_per_image", default=None, most=1_000_000)
    if tokens is not None:
        tower = replace(tower, patches=replace(tower.patches or Patches(), fixed_output=tokens))
        return tower, projector_shape(tower.hidden + tower.hidden * language_hidden, language_hidden)
    return tower, projector_shape((tower.hidden + 1) * language_hidden, language_hidden)


def gemma4_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Gemma 4: gated tower with four norms and a two-axis position table. Source: Gemma4VisionModel."""
    hidden, heads = vision.integer("hidden_size"), vision.integer("num_attention_heads")
    dim = vision.integer("head_dim", default=hidden // heads)
    core = Attention(
        heads=heads,
        kv_heads=vision.integer("num_key_value_heads", default=heads),
        key_dim=dim,
        value_dim=dim,
        causal=False,
    )
    feed_forward, mlp = dense_mlp(hidden, vision.integer("intermediate_size"), gated=True)
    block = Block(
        count=vision.layers("num_hidden_layers"),
        hidden=hidden,
        matrices=attention_matrices(hidden, core) + mlp,
        attention=core,
        feed_forward=feed_forward,
        vector_params=4 * hidden + 2 * dim,
        stack="encoder",
    )
    patch = vision.integer("patch_size", default=16, most=1000)
    rest = 3 * patch**2 * hidden + 2 * vision.integer("position_embedding_size", default=10_240) * hidden
    pool = vision.integer("pooling_kernel_size", default=3, most=1000)
    tokens = fields.integer("vision_soft_tokens_per_image", default=None, most=1_000_000)
    patches = Patches(
        patch=patch, merge=pool**2, fixed_output=tokens, resizes=True, max_tokens=(tokens or 280) * pool**2
    )
    return tower_shape(hidden, (block,), rest, patches), projector_shape(hidden * language_hidden, language_hidden)


def llama4_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Llama 4: biased ViT, pixel shuffle by 4, a two-layer adapter and a projector. Source: Llama4VisionModel."""
    hidden = vision.integer("hidden_size", default=768)
    patch = vision.integer("patch_size", default=14, most=1000)
    size = vision.integer("image_size", default=448, most=100_000)
    joined = vision.integer("intermediate_size", default=5632)
    block = encoder_blocks(vision.layers("num_hidden_layers"), hidden, vision.integer("num_attention_heads"), joined)
    rest = 3 * patch**2 * hidden + ((size // patch) ** 2 + 1) * hidden + hidden + 4 * hidden
    into = vision.integer("projector_input_dim", default=4096)
    out = vision.integer("projector_output_dim", default=4096)
    adapter = joined * into + into * out
    projector = adapter + vision.integer("vision_output_dim", default=out) * language_hidden
    patches = Patches(patch=patch, merge=4, extra=1, native_size=size)
    return tower_shape(hidden, (block,), rest, patches), projector_shape(projector, language_hidden)


def pixtral_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Pixtral: gated tower without biases, rotary positions; Mistral 3 merges 2×2 patches."""
    hidden, heads = vision.integer("hidden_size", default=1024), vision.integer("num_attention_heads", default=16)
    dim = vision.integer("head_dim", default=hidden // heads)
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    feed_forward, mlp = dense_mlp(hidden, vision.integer("intermediate_size", default=4096), gated=True)
    depth = vision.layers("num_hidden_layers") if vision.has("num_hidden_layers") else 24
    block = Block(
        count=depth,
        hidden=hidden,
        matrices=attention_matrices(hidden, core) + mlp,
        attention=core,
        feed_forward=feed_forward,
        vector_params=2 * hidden,
        stack="encoder",
    )
    patch = vision.integer("patch_size", default=16, most=1000)
    merge = fields.integer("spatial_merge_size", default=1, most=1000)
    bias = 1 if fields.boolean("multimodal_projector_bias", default=True) else 0
    projector = (hidden + bias) * language_hidden + (language_hidden + bias) * language_hidden
    if merge > 1:
        projector += hidden + merge**2 * hidden * hidden
    patches = Patches(patch=patch, merge=merge**2, resizes=False)
    return tower_shape(hidden, (block,), 3 * patch**2 * hidden + hidden, patches), projector_shape(
        projector, language_hidden
    )


def internvl_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """InternVL: biased ViT with layer scale, pixel shuffle by 2, a normed two-layer projector.

    Source: InternVLForConditionalGeneration in transformers; InternVisionModel of OpenGVLab.
    """
    hidden = vision.integer("hidden_size", default=1024)
    patch, size = (first(vision, key, usual) for key, usual in (("patch_size", 14), ("image_size", 448)))
    depth = vision.layers("num_hidden_layers") if vision.has("num_hidden_layers") else 24
    heads = vision.integer("num_attention_heads", default=16)
    normed = vision.boolean("use_qk_norm", "qk_normalization", default=False)
    biased = vision.boolean("attention_bias", "qkv_bias", default=True)
    block = encoder_blocks(
        depth,
        hidden,
        heads,
        vision.integer("intermediate_size", default=4 * hidden),
        extra_vectors=2 * hidden + (2 * hidden if normed else 0) - (0 if biased else 3 * hidden),
    )
    rest = (3 * patch**2 + 1) * hidden + ((size // patch) ** 2 + 1) * hidden + hidden
    joined = 4 * hidden
    projector = 2 * joined + (joined + 1) * language_hidden + (language_hidden + 1) * language_hidden
    patches = Patches(patch=patch, merge=4, extra=1, native_size=size)
    return tower_shape(hidden, (block,), rest, patches), projector_shape(projector, language_hidden)


def mllama_tower(fields: Fields, vision: Fields, language_hidden: int) -> Tower:
    """Llama 3.2 Vision: 32 local and 8 gated global layers over four tiles. Source: MllamaVisionModel."""
    hidden = vision.integer("hidden_size", default=1280)
    layers = vision.layers("num_hidden_layers") if vision.has("num_hidden_layers") else 32
    over = vision.integer("num_global_layers", default=8, most=1000)
    heads = vision.integer("attention_heads", "num_attention_heads", default=16)
    patch, size = vision.integer("patch_size", default=14), vision.integer("image_size", default=448)
    tiles, ratios = (
        vision.integer("max_num_tiles", default=4),
        1 + len(vision.items("supported_aspect_ratios") or range(8)),
    )
    # attention without biases, MLP with them
    block = encoder_blocks(
        layers + over, hidden, heads, vision.integer("intermediate_size", default=5120), extra_vectors=-4 * hidden
    )
    seen = (size // patch) ** 2 + 1
    rest = 3 * patch**2 * hidden + hidden + seen * hidden + ratios * tiles * hidden * (seen + 2) + 3 + 4 * hidden
    rest += 2 * over
    out = vision.integer("vision_output_dim", default=7680)
    patches = Patches(patch=patch, extra=1, native_size=size, fixed_output=1)
    return tower_shape(hidden, (block,), rest, patches), projector_shape((out + 1) * language_hidden, language_hidden)


def first(vision: Fields, key: str, usual: int) -> int:
    """A figure that may be written as a pair."""
    value = vision.raw(key)
    value = value[0] if isinstance(value, list) and value else value
    return usual if value is None else vision.checked(value, key, most=100_000)
