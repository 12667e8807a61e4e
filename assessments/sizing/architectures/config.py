"""From a configuration of any family to a shape: which reader takes it, and what is refused by name."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assessments.sizing.architectures import (
    convolutional,
    encoder,
    encoder_decoder,
    encoder_kin,
    hybrids,
    state_space,
    vision,
)
from assessments.sizing.architectures.decoder import UNGATED_ACTIVATIONS, read_decoder
from assessments.sizing.architectures.dialects import ALIASES, DIALECTS, Dialect
from assessments.sizing.architectures.diffusion import DIFFUSERS
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.gemma4 import read_gemma4
from assessments.sizing.architectures.nas import read_searched
from assessments.sizing.architectures.published import read_patch_transformer, read_published
from assessments.sizing.architectures.shape import ModelShape
from assessments.sizing.architectures.vision_language import named_tower, read_tower, with_tower

type Reader = Callable[..., ModelShape]

READERS: dict[str, Reader] = {
    "published": read_published,
    "patch_transformer": read_patch_transformer,
    "gemma4_text": read_gemma4,
    "mamba": state_space.read_mamba,
    "falcon_mamba": state_space.read_mamba,
    "mamba2": state_space.read_mamba2,
    "nemotron_h": state_space.read_nemotron_hybrid,
    "jamba": state_space.read_jamba,
    "qwen3_next": state_space.read_delta_hybrid,
    "qwen3_5_text": state_space.read_delta_hybrid,
    "qwen3_5_moe_text": state_space.read_delta_hybrid,
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "ernie"), encoder.read_bert),
    **dict.fromkeys(("electra", "albert"), encoder_kin.read_narrow_embedding),
    "deberta-v2": encoder_kin.read_deberta,
    "mpnet": encoder_kin.read_mpnet,
    **dict.fromkeys(("wav2vec2", "hubert", "wavlm", "data2vec-audio"), encoder_kin.read_wav2vec),
    **dict.fromkeys(("bamba", "granitemoehybrid"), hybrids.read_bamba),
    "falcon_h1": hybrids.read_falcon_h1,
    "lfm2": hybrids.read_lfm2,
    "modernbert": encoder.read_modern_bert,
    "clip_text_model": encoder.read_clip_text,
    **dict.fromkeys(("t5", "mt5", "umt5", "longt5"), encoder_decoder.read_t5),
    **dict.fromkeys(("bart", "mbart", "pegasus", "marian", "blenderbot", "m2m_100"), encoder_decoder.read_bart),
    "whisper": encoder_decoder.read_whisper,
    **dict.fromkeys(("vit", "deit", "vit_mae", "dinov2", "dinov2_with_registers", "beit"), vision.read_vit),
    "clip_vision_model": vision.read_clip_vision,
    "siglip_vision_model": vision.read_clip_vision,
    "clip": vision.read_clip,
    "siglip": vision.read_clip,
    "swin": vision.read_swin,
    "resnet": convolutional.read_resnet,
    "convnext": convolutional.read_convnext,
    "convnextv2": convolutional.read_convnext,
}

# Families whose configuration nests the language model, with the type of the nested part.
NESTED_TEXT = {
    "qwen2_vl": "qwen2",
    "qwen2_5_vl": "qwen2",
    "qwen3_vl": "qwen3",
    "qwen3_vl_moe": "qwen3_moe",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "gemma3": "gemma3_text",
    "gemma4": "gemma4_text",
    "llama4": "llama4_text",
    "mistral3": "mistral",
    "llava": "llama",
    "llava_next": "llama",
    "vipllava": "llama",
    "video_llava": "llama",
    "paligemma": "gemma",
    "internvl": "qwen2",
    "internvl_chat": "qwen2",
    "mllama": "mllama_text_model",
    "qwen2_audio": "qwen2",
}
TEXT_TYPES = {
    "qwen3_vl_text": "qwen3",
    "qwen3_vl_moe_text": "qwen3_moe",
    "qwen2_5_vl_text": "qwen2",
    "qwen2_vl_text": "qwen2",
}

# Model files of other programs: recognised by these keys and refused by name.
REFUSED = (
    ("calculon (system)", ("matrix", "mem1", "networks")),
    ("calculon (model)", ("attn_heads", "num_blocks", "feedforward")),
    ("timm", ("architecture", "pretrained_cfg")),
    ("sentence-transformers", ("__version__", "prompts")),
    ("PEFT adapter", ("peft_type",)),
    ("DeepSpeed", ("zero_optimization",)),
    ("tokenizer", ("tokenizer_class",)),
    ("generation settings", ("_from_model_config",)),
    ("diffusers pipeline", ("_class_name", "unet")),
)

# Networks with layers of their own kind: a count by the usual keys would be wrong, so they are refused by name.
DIFFERENT = frozenset({
    "rwkv", "zamba", "zamba2", "recurrent_gemma", "gemma3n", "gemma3n_text", "longcat_flash", "doge", "jetmoe",
    "switch_transformers", "deepseek_v4", "xlstm", "reformer", "funnel", "xlnet", "perceiver", "deberta",
})  # fmt: skip


def read_model_config(config: Mapping[str, Any]) -> ModelShape:
    """The shape of the model that this configuration describes; what was assumed stands in `assumptions`.

    Raises ConfigError for a file of another format, a missing key or a figure that cannot be.
    """
    return read_config(Fields(config))


def config_keys_read(config: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a configuration that was used: what a task keeps of it."""
    fields = Fields(config)
    read_config(fields)
    return fields.used()


def read_config(fields: Fields) -> ModelShape:
    """The same over checked fields."""
    class_name = fields.text("_class_name")
    if class_name:
        return _diffusers(fields, class_name)
    if fields.has("embed_dim") and fields.has("vision_cfg") and fields.has("text_cfg"):
        return vision.read_open_clip(fields, name="open_clip")
    if fields.has("n_layers") and fields.has("dim") and fields.has("n_heads") and not fields.has("model_type"):
        return _native(fields)
    model_type = _model_type(fields)
    name = fields.text("_name_or_path", "name_or_path", default=model_type)
    _note_storage(fields)
    shape = _read_typed(fields, model_type, name)
    return replace(shape, assumptions=tuple(fields.assumptions))


def _read_typed(fields: Fields, model_type: str, name: str) -> ModelShape:
    if fields.has("block_configs"):
        return read_searched(fields, name=name)
    if model_type in NESTED_TEXT or fields.has("text_config") or fields.has("llm_config"):
        if model_type in {"clip", "siglip"}:
            return vision.read_clip(fields, name=name)
        return _nested(fields, model_type, name)
    reader = READERS.get(model_type)
    if reader is not None:
        return reader(fields, name=name)
    if model_type in DIFFERENT:
        raise ConfigError("config_format_refused", format=model_type)
    dialect = DIALECTS.get(model_type)
    if dialect is None:
        _refuse_known(fields)
        dialect = _guessed(fields, model_type)
    if fields.integer("num_nextn_predict_layers", "num_mtp_modules", default=0, least=0):
        fields.assume("prediction_heads_not_counted")
    return read_decoder(fields, dialect, name=name)


def _model_type(fields: Fields) -> str:
    """The family; from the architecture's name or the keys when the file does not say."""
    model_type = fields.text("model_type")
    if not model_type:
        classes = [str(a).lower() for a in fields.items("architectures") or ()]
        known = sorted((*DIALECTS, *READERS), key=len, reverse=True)
        for key in known:
            if any(c.startswith(key.replace("_", "").replace("-", "")) for c in classes):
                model_type = key
                break
    if not model_type and fields.has("type_vocab_size") and fields.has("num_attention_heads"):
        model_type = "bert"
        fields.assume("model_type_by_keys", model_type="bert")
    return ALIASES.get(model_type, model_type) if model_type not in NESTED_TEXT else model_type


def _nested(fields: Fields, model_type: str, name: str) -> ModelShape:
    """A language model inside `text_config` (or at the top level of older files), with its tower."""
    inner = next((key for key in ("text_config", "llm_config") if fields.has(key)), None)
    text = fields.sub(inner) if inner else fields
    text_type = text.text("model_type", default="") if text is not fields else ""
    if text_type in {"", model_type}:
        text_type = NESTED_TEXT.get(model_type, "")
    text_type = TEXT_TYPES.get(text_type, ALIASES.get(text_type, text_type))
    if text is not fields and not text.has("model_type"):
        text = Fields({"model_type": text_type} | dict(text.data), text.path)
        text.assumptions = fields.assumptions
        fields.read[inner or "text_config"] = text.read
    outer = fields.boolean("tie_word_embeddings", default=False) if fields.has("tie_word_embeddings") else None
    dialect = DIALECTS.get(text_type)
    if dialect is not None and not text.has("block_configs"):
        language = read_decoder(text, dialect, name=name, tied=outer)
    elif text_type in READERS:
        if outer is not None and not text.has("tie_word_embeddings"):
            text.data = dict(text.data) | {"tie_word_embeddings": outer}
        language = READERS[text_type](text, name=name)
    elif text_type in DIFFERENT:
        raise ConfigError("config_format_refused", format=text_type)
    else:
        language = read_decoder(text, _guessed(text, text_type), name=name, tied=outer)
    tower = read_tower(fields, language.hidden, model_type) or named_tower(fields, language.hidden)
    if tower is None:
        fields.assume("tower_not_described")
        return replace(language, family="vision_language")
    return with_tower(language, *tower)


def _native(fields: Fields) -> ModelShape:
    """DeepSeek's and Meta's own key names (dim, n_layers, n_heads …)."""
    renamed = {
        "dim": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "n_kv_heads": "num_key_value_heads",
        "inter_dim": "intermediate_size",
        "hidden_dim": "intermediate_size",
        "moe_inter_dim": "moe_intermediate_size",
        "n_dense_layers": "first_k_dense_replace",
        "n_activated_experts": "num_experts_per_tok",
        "max_seq_len": "max_position_embeddings",
    }
    data = {renamed.get(key, key): value for key, value in fields.data.items()}
    if "kv_lora_rank" not in data and "intermediate_size" not in data:
        data["intermediate_size"] = _meta_width(fields)
    fields.assume("native_key_names")
    inner = Fields(data)
    inner.assumptions = fields.assumptions
    shape = read_decoder(inner, DIALECTS["llama"], name="native")
    fields.read.update({k: v for k, v in fields.data.items() if renamed.get(k, k) in inner.read})
    return replace(shape, assumptions=tuple(fields.assumptions))


def _meta_width(fields: Fields) -> int:
    """FFN width of Meta's params.json: 2/3 × 4 × dim × multiplier, rounded up.

    Source: meta-llama/llama-models, FeedForward in models/llama3/model.py.
    """
    dim = fields.integer("dim")
    multiplier = fields.number("ffn_dim_multiplier", default=1.0, least=0.01, most=100.0)
    multiple = fields.integer("multiple_of", default=256)
    width = int(int(2 * 4 * dim / 3) * multiplier)
    return int(-(-width // multiple) * multiple)


def _diffusers(fields: Fields, class_name: str) -> ModelShape:
    reader = DIFFUSERS.get(class_name)
    if reader is None:
        raise ConfigError("config_format_refused", format=f"diffusers {class_name[:60]}")
    name = fields.text("_name_or_path", default=class_name)
    _note_storage(fields)
    shape: ModelShape = reader(fields, name=name)
    return replace(shape, assumptions=tuple(fields.assumptions))


def _note_storage(fields: Fields) -> None:
    """A quantized file is stored smaller than it trains: the count is the same, the bytes are not."""
    if fields.has("quantization_config"):
        method = fields.sub("quantization_config").text("quant_method", default="?")
        fields.assume("stored_quantized", method=method)


def _refuse_known(fields: Fields) -> None:
    for label, keys in REFUSED:
        if all(key in fields.data for key in keys):
            raise ConfigError("config_format_refused", format=label)
    if not any(fields.has(key) for key in ("hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer")):
        raise ConfigError("config_unknown_format", keys=", ".join(sorted(map(str, fields.data))[:8])[:200])


def _guessed(fields: Fields, model_type: str) -> Dialect:
    """The rules of an unknown family, from the keys it writes; each guess is stated."""
    activation = fields.text("hidden_act", "activation_function", "hidden_activation", default="silu")
    gated = activation not in UNGATED_ACTIVATIONS
    layer_norm = (fields.has("layer_norm_eps") or fields.has("layer_norm_epsilon")) and not fields.has("rms_norm_eps")
    fields.assume("model_type_unknown", model_type=model_type[:60] or "?")
    fields.assume("mlp_gated_assumed" if gated else "mlp_not_gated_assumed", activation=activation[:60])
    fields.assume("norms_assumed", kind="layer" if layer_norm else "rms")
    return Dialect(gated=gated, norm=2 if layer_norm else 1)
