"""Public models by name: their configuration figures, read once from the package's data files."""

import re
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from assessments.sizing.architectures.config import read_model_config
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.shape import ModelShape, Part, PartRole

DATA_FILES = ("presets_language.toml", "presets_language_more.toml", "presets_other.toml")

# Endings and beginnings of hub names that do not change the shape.
_SAME_SHAPE = re.compile(
    r"-(hf|instruct|base|chat|it|pt|sft|v\d+(\.\d+)?|\d{4}|fp8|bf16|dequantized|deduped|bnb-4bit|bnb-nf4|awq|gptq|\d+k)$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One public model: `params` is what the source publishes, `config` what the shape is built from."""

    slug: str
    name: str
    family: str
    params: int
    active_params: int | None
    source: str
    config: dict[str, Any]
    parts: tuple[tuple[str, str, bool], ...] = ()
    companions: tuple[tuple[str, str], ...] = ()
    hub: tuple[str, ...] = ()
    is_usual: bool = True  # False: too peculiar to stand in for another model of its size


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("assessments.sizing.data").joinpath(name).read_text(encoding="utf-8"))


def _load() -> dict[str, Preset]:
    presets = {}
    for name in DATA_FILES:
        for slug, entry in _read(name).items():
            presets[slug] = Preset(
                slug=slug,
                name=entry["name"],
                family=entry.get("family", "decoder"),
                params=entry["params"],
                active_params=entry.get("active_params"),
                source=entry["source"],
                config=entry["config"],
                parts=tuple((p["role"], p["preset"], p["frozen"]) for p in entry.get("parts", ())),
                companions=tuple((c["role"], c["preset"]) for c in entry.get("companions", ())),
                hub=tuple(entry.get("hub", ())),
                is_usual=entry.get("usual", True),
            )
    return presets


PRESETS = _load()


def _squeezed(name: str) -> str:
    """A name without what people write differently: case, dots, hyphens, underscores, spaces."""
    return re.sub(r"[\W_]", "", name.lower())


_BY_SQUEEZED = {_squeezed(name): slug for slug, entry in PRESETS.items() for name in (slug, entry.name, *entry.hub)}


def preset_slugs() -> tuple[str, ...]:
    """Names of all presets, in the order of the data files."""
    return tuple(PRESETS)


def preset_names() -> dict[str, str]:
    """What people call each preset, by slug."""
    return {slug: entry.name for slug, entry in PRESETS.items()}


@cache
def preset(slug: str) -> ModelShape:
    """The shape of a public model; ConfigError for an unknown name."""
    entry = PRESETS.get(slug)
    if entry is None:
        raise ConfigError("preset_unknown", preset=slug)
    shape = read_model_config(entry.config)
    parts = tuple(Part(role=_role(role), shape=preset(name), frozen=frozen) for role, name, frozen in entry.parts)
    companions = tuple(Part(role=_role(role), shape=preset(name), frozen=True) for role, name in entry.companions)
    return replace(
        shape,
        name=entry.name,
        family=entry.family,
        obtained="preset",
        source=entry.source,
        parts=shape.parts + parts,
        companions=shape.companions + companions,
    )


def _role(role: str) -> PartRole:
    match role:
        case "vision_tower" | "audio_tower" | "projector" | "language_model" | "text_encoder" | "vae":
            return role
    raise ConfigError("preset_unknown", preset=role)


def find_preset(text: str) -> str | None:
    """The preset that a typed or hub name means, None when it is not known.

    "8x7B" means Mixtral's 46.7 billion, never 56; "meta-llama/Llama-3.1-8B-Instruct" means llama-3.1-8b.
    """
    name = text.strip().lower().rsplit("/", 1)[-1].replace("_", "-").replace(" ", "-")
    if not name:
        return None
    return next((_BY_SQUEEZED[key] for key in map(_squeezed, _spellings(name)) if key in _BY_SQUEEZED), None)


def _spellings(name: str) -> list[str]:
    """The name, then shorter spellings of it without what does not change the shape."""
    spellings = [name]
    spellings += [name.removeprefix(p) for p in ("meta-", "mistralai-", "qwen-") if name.startswith(p)]
    if re.fullmatch(r"8\s*[xх×]\s*(7|22)\s*b?", name):
        spellings.append("mixtral-8x22b" if "22" in name else "mixtral-8x7b")
    for spelling in list(spellings):
        shorter = spelling
        while (cut := _SAME_SHAPE.sub("", shorter)) != shorter:
            shorter = cut
            spellings.append(shorter)
    return spellings
