"""The shape of a row's model: its printed dimensions, its name, or its width and parameter count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from assessments.sizing.architectures.config import read_model_config
from assessments.sizing.architectures.presets import PRESETS, find_preset, preset
from assessments.sizing.architectures.shape import ModelShape

YES = {"1", "true", "y"}

# Names whose spelling no rule reaches.
ALIASES = (
    (r"deepseek.?v3", "deepseek-v3"),
    (r"kimi.?k2", "kimi-k2"),
    (r"gpt.?oss.?20b", "gpt-oss-20b"),
    (r"gpt.?oss.?120b", "gpt-oss-120b"),
    (r"qwen3.*235b", "qwen3-235b-a22b"),
    (r"qwen3.*30b", "qwen3-30b-a3b"),
    (r"mixtral.*8x22", "mixtral-8x22b"),
    (r"mixtral.*8x7", "mixtral-8x7b"),
    (r"nemotron.*nano", "nemotron-3-nano-30b-a3b"),
    (r"gpt.?3 175b", "gpt3-175b"),
    (r"llama 2 70b", "llama-2-70b"),
    (r"bert.?large", "bert-large-uncased"),
    (r"bert.?base", "bert-base-uncased"),
    (r"tinyllama", "tinyllama-1.1b"),
    (r"pythia.?1\.0b", "pythia-1b"),
    (r"llama-65b", "llama-65b"),
    (r"llama-7b", "llama-7b"),
    (r"bloom.?176", "bloom"),
)


def shape_of(row: Mapping[str, str]) -> tuple[ModelShape, bool] | None:
    """The shape, and whether it is known (printed or recognised) rather than taken from the parameter count."""
    name = row["model"]
    known = _recognised(name)
    printed = _printed(row)
    if known is not None and (known.is_moe or printed is None):
        return known, True
    if printed is not None:
        return printed, not row["active_params_b"]
    params, hidden = _number(row["params_b"]), _number(row["hidden"])
    if params is None or hidden is None:
        return None
    return _from_width(row, params, hidden), True


@cache
def _recognised(name: str) -> ModelShape | None:
    lower = name.lower().replace("_", "-")
    found = find_preset(name)
    if found is None:
        found = next((slug for pattern, slug in ALIASES if re.search(pattern, lower) and slug in PRESETS), None)
    return preset(found) if found else None


def _printed(row: Mapping[str, str]) -> ModelShape | None:
    values = {key: _number(row[key]) for key in ("layers", "hidden", "heads", "vocab")}
    if any(value is None for value in values.values()):
        return None
    ffn, kv, head_dim = _number(row["ffn"]), _number(row["kv_heads"]), _number(row["head_dim"])
    gated = row["gated"].lower() in YES
    return _built(
        layers=int(values["layers"] or 0),
        hidden=int(values["hidden"] or 0),
        heads=int(values["heads"] or 0),
        kv_heads=int(kv or values["heads"] or 0),
        head_dim=int(head_dim or 0),
        ffn=int(ffn or 4 * (values["hidden"] or 0)),
        vocab=int(values["vocab"] or 0),
        gated=gated,
        tied=row["tied"].lower() in YES,
        name=row["model"],
    )


def _from_width(row: Mapping[str, str], params_b: float, hidden: float) -> ModelShape:
    """Layers from the count, the width and the vocabulary: 12·h² per plain layer."""
    vocab = _number(row["vocab"]) or 50_257.0
    heads = _number(row["heads"]) or hidden // 128
    layers = max(round((params_b * 1e9 - vocab * hidden) / (12.0 * hidden**2)), 1)
    return _built(
        layers=layers,
        hidden=int(hidden),
        heads=int(heads),
        kv_heads=int(heads),
        head_dim=0,
        ffn=int(4 * hidden),
        vocab=int(vocab),
        gated=False,
        tied=True,
        name=row["model"],
    )


@cache
def _built(
    *,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    ffn: int,
    vocab: int,
    gated: bool,
    tied: bool,
    name: str,
) -> ModelShape:
    config = {
        "model_type": "llama" if gated else "gpt_neox",
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": ffn,
        "vocab_size": vocab,
        "tie_word_embeddings": tied,
        "name_or_path": name,
    }
    if head_dim:
        config["head_dim"] = head_dim
    return read_model_config(config)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
