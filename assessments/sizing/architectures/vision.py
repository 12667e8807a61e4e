"""Image networks: vision transformers, towers of vision-language models, Swin, and convolutional networks."""

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.encoder import encoder_blocks
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Block, ModelShape
from assessments.sizing.architectures.widths import HEADS, HIDDEN

DEPTH = ("num_hidden_layers", "depth", "num_layers", "layers")
MLP_WIDTH = ("intermediate_size", "mlp_dim")


def image_patches(fields: Fields, *, default_patch: int, default_size: int, extra: int = 0) -> Patches:
    """Patch size, native picture side and whether pictures are scaled to it."""
    size = fields.raw("image_size")
    side = size[0] if isinstance(size, list) and size else size
    patch_raw = fields.raw("patch_size")
    patch = patch_raw[-1] if isinstance(patch_raw, list) and patch_raw else patch_raw
    return Patches(
        patch=default_patch if patch is None else fields.checked(patch, "patch_size", most=10_000),
        native_size=default_size if side is None else fields.checked(side, "image_size", most=100_000),
        extra=extra,
    )


def _tower(
    name: str, hidden: int, blocks: tuple[Block, ...], *, rest: int, patches: Patches, fields: Fields, head: int = 0
) -> ModelShape:
    return ModelShape(
        name=name,
        family="vision",
        hidden=hidden,
        blocks=blocks,
        rest_params=rest + head,
        patches=patches,
        assumptions=tuple(fields.assumptions),
    )


def read_vit(fields: Fields, *, name: str) -> ModelShape:
    """ViT, DeiT, DINO and MAE encoders with a classifier head where the file names labels.

    Source: Dosovitskiy et al. 2020, arXiv:2010.11929, table 1; ViTForImageClassification in transformers.
    """
    model_type = fields.text("model_type", default="vit")
    hidden = fields.integer(*HIDDEN, default=768)
    heads = fields.integer(*HEADS, default=12)
    layers = fields.layers(*DEPTH) if any(fields.has(k) for k in DEPTH) else 12
    ratio = fields.number("mlp_ratio", default=4.0, most=1000.0)
    width = fields.integer(*MLP_WIDTH, default=int(hidden * ratio))
    registers = fields.integer("num_register_tokens", default=4 if "registers" in model_type else 0, least=0)
    tokens = 1 + registers + (1 if model_type == "deit" else 0)
    patches = image_patches(fields, default_patch=16, default_size=224, extra=tokens)
    channels = fields.integer("num_channels", default=3, most=10_000)
    gated = fields.boolean("use_swiglu_ffn", default=False)
    if gated:
        width = (int(width * 2 / 3) + 7) // 8 * 8
    is_dino = model_type.startswith("dinov2")
    bias = fields.boolean("qkv_bias", default=True)
    block = encoder_blocks(
        layers,
        hidden,
        heads,
        width,
        bias=True,
        gated=gated,
        extra_vectors=(2 * hidden if is_dino else 0) - (0 if bias else 3 * hidden),
    )
    grid = (patches.native_size or 224) // patches.patch
    positions = grid * grid + 1 + (1 if model_type == "deit" else 0)
    rest = (channels * patches.patch**2 + 1) * hidden + positions * hidden + tokens * hidden + 2 * hidden
    if is_dino:
        rest += hidden  # mask token
    return _tower(
        name,
        hidden,
        (block,),
        rest=rest,
        patches=patches,
        fields=fields,
        head=classifier_params(fields, hidden, pooled=2 if is_dino else 1, pooler=model_type in {"vit", "deit"}),
    )


def classifier_params(fields: Fields, width: int, *, pooled: int = 1, pooler: bool = False) -> int:
    """Parameters of the classification head that the file's labels and architecture name [count]."""
    architectures = [str(a) for a in fields.items("architectures") or ()]
    if any("ForImageClassification" in a for a in architectures):
        labels = fields.integer("num_labels", default=None, most=10_000_000)
        if labels is None:
            named = fields.raw("id2label")
            labels = len(named) if isinstance(named, dict) and named else 1000
            if not named:
                fields.assume("labels_assumed", value=1000)
        return (pooled * width + 1) * int(labels)
    if pooler and any(a.endswith("Model") for a in architectures):
        return width * (width + 1)
    return 0


def read_clip_vision(fields: Fields, *, name: str, prefix: bool = True) -> ModelShape:
    """CLIP's or SigLIP's picture tower; a projection only in `…WithProjection`.

    Source: CLIPVisionModel and SiglipVisionModel in transformers.
    """
    siglip = "siglip" in fields.text("model_type", default="clip_vision_model")
    hidden = fields.integer(*HIDDEN, default=768)
    patches = image_patches(fields, default_patch=16 if siglip else 32, default_size=224, extra=0 if siglip else 1)
    width = fields.integer(*MLP_WIDTH, default=4 * hidden)
    heads = fields.integer(*HEADS, default=12)
    layers = fields.layers(*DEPTH) if any(fields.has(k) for k in DEPTH) else 12
    block = encoder_blocks(layers, hidden, heads, width)
    grid = (patches.native_size or 224) // patches.patch
    channels = fields.integer("num_channels", default=3, most=10_000)
    rest = channels * patches.patch**2 * hidden + (grid * grid + patches.extra) * hidden + 2 * hidden
    if siglip:
        rest += hidden  # the patch convolution has a bias
        if fields.boolean("vision_use_head", default=True):  # attention pooling with a probe
            rest += hidden + 4 * hidden * (hidden + 1) + 2 * hidden + 2 * hidden * width + width + hidden
    else:
        rest += hidden + 2 * hidden  # class token and the norm before the blocks
    architectures = fields.items("architectures") or ()
    if any("WithProjection" in str(a) for a in architectures):
        rest += hidden * fields.integer("projection_dim", default=512)
    return _tower(name, hidden, (block,), rest=rest, patches=patches, fields=fields)


def read_open_clip(fields: Fields, *, name: str) -> ModelShape:
    """A model file of open_clip: both towers, their projections and the temperature.

    Source: open_clip model configurations; Radford et al. 2021, arXiv:2103.00020.
    """
    shared = fields.integer("embed_dim")
    vision, text = fields.sub("vision_cfg"), fields.sub("text_cfg")
    if isinstance(vision.data.get("layers"), list) or vision.has("timm_model_name"):
        raise ConfigError("config_format_refused", format="open_clip (ResNet or timm tower)")
    width, depth = vision.integer("width"), vision.layers("layers")
    head_width = vision.integer("head_width", default=64)
    patches = image_patches(vision, default_patch=16, default_size=224, extra=1)
    ratio = vision.number("mlp_ratio", default=4.0, most=1000.0)
    picture = encoder_blocks(depth, width, width // head_width, int(width * ratio))
    text_width, text_layers = text.integer("width"), text.layers("layers")
    sentence = encoder_blocks(
        text_layers,
        text_width,
        text.integer("heads"),
        int(text_width * text.number("mlp_ratio", default=4.0, most=1000.0)),
        causal=True,
    )
    vocab = text.integer("vocab_size", default=49_408)
    context = text.integer("context_length", default=77, most=1_000_000)
    grid = (patches.native_size or 224) // patches.patch
    picture_rest = 3 * patches.patch**2 * width + (grid * grid + 2) * width + 4 * width + width * shared
    text_rest = context * text_width + 2 * text_width + text_width * shared
    return ModelShape(
        name=name,
        family="two_tower",
        hidden=width,
        blocks=(picture, sentence),
        vocab=vocab,
        embedding_params=vocab * text_width,
        rest_params=picture_rest + text_rest + 1,
        max_context=context,
        patches=patches,
        assumptions=tuple(fields.assumptions),
    )


def read_clip(fields: Fields, *, name: str) -> ModelShape:
    """CLIP or SigLIP of Hugging Face: both towers and projections. Source: CLIPModel, SiglipModel in transformers."""
    siglip = fields.text("model_type") in {"siglip", "siglip2"}
    from_text, from_vision = fields.sub("text_config"), fields.sub("vision_config")
    if not from_text.has("hidden_size"):
        from_text = fields.sub("text_config_dict")
        from_vision = fields.sub("vision_config_dict")
    hidden = from_text.integer("hidden_size", default=768 if siglip else 512)
    if siglip and not from_vision.has("model_type"):
        from_vision.data = {"model_type": "siglip_vision_model"} | dict(from_vision.data)
    vision = read_clip_vision(from_vision, name=name)
    text = encoder_blocks(
        from_text.layers("num_hidden_layers") if from_text.has("num_hidden_layers") else 12,
        hidden,
        from_text.integer("num_attention_heads", default=12 if siglip else 8),
        from_text.integer("intermediate_size", default=4 * hidden),
        causal=True,
    )
    vocab = from_text.integer("vocab_size", default=32_000 if siglip else 49_408)
    context = from_text.integer("max_position_embeddings", default=64 if siglip else 77)
    if siglip:
        joint = hidden * (from_text.integer("projection_size", default=hidden)) + hidden + 2
    else:
        joint = fields.integer("projection_dim", default=512) * (hidden + vision.hidden) + 1
    return ModelShape(
        name=name,
        family="two_tower",
        hidden=vision.hidden,
        blocks=(*vision.blocks, text),
        vocab=vocab,
        embedding_params=vocab * hidden,
        rest_params=vision.rest_params + context * hidden + 2 * hidden + joint,
        max_context=context,
        patches=vision.patches,
        assumptions=tuple(fields.assumptions),
    )


def read_swin(fields: Fields, *, name: str) -> ModelShape:
    """Swin: four stages of windowed attention with patch merging. Source: arXiv:2103.14030; SwinModel."""
    embed = fields.integer("embed_dim", default=96)
    depths = fields.integers("depths", default=(2, 2, 6, 2))
    heads = fields.integers("num_heads", default=(3, 6, 12, 24))
    window = fields.integer("window_size", default=7, most=1000)
    ratio = fields.number("mlp_ratio", default=4.0, most=1000.0)
    patches = image_patches(fields, default_patch=4, default_size=224)
    blocks, rest = [], (3 * patches.patch**2 + 1) * embed + 2 * embed
    if not 1 <= len(depths) <= 8 or len(heads) != len(depths) or sum(depths) > 1000:
        raise ConfigError("config_inconsistent", key="depths", value=len(depths), limit=len(heads))
    for stage, (count, head) in enumerate(zip(depths, heads, strict=True)):
        width = embed * 2**stage
        core = Attention(
            heads=head, kv_heads=head, key_dim=width // head, value_dim=width // head, window=window**2, causal=False
        )
        feed_forward, mlp = dense_mlp(width, int(width * ratio), gated=False, bias=True)
        blocks.append(
            Block(
                count=count,
                hidden=width,
                matrices=attention_matrices(width, core, qkv_bias=True, out_bias=True) + mlp,
                attention=core,
                feed_forward=feed_forward,
                vector_params=4 * width + (2 * window - 1) ** 2 * head,
                stack="encoder",
            )
        )
        if stage < len(depths) - 1:
            rest += 8 * width * width + 8 * width
    last = embed * 2 ** (len(depths) - 1)
    head = classifier_params(fields, last)
    return _tower(name, last, tuple(blocks), rest=rest + 2 * last, patches=patches, fields=fields, head=head)
