"""What a task and its model are called in a few words: list, page title, cover."""

import re
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments.sizing.architectures import PRESETS
from assessments.wording.amounts import amount
from assessments.wording.answers import answer
from assessments.wording.labels import value_label

LONGEST = 60
_UPPER = frozenset(
    {"gpt", "vit", "clip", "sam", "dit", "gan", "vae", "opt", "moe", "xl", "xxl", "sd", "sdxl", "glm", "t5"}
)
_SIZE = re.compile(r"\d[\d.]*(x\d[\d.]*)?[bmk]$")


def preset_name(slug: str) -> str:
    """A preset as its makers write it, as far as the slug tells: llama-3.1-70b → Llama 3.1 70B."""
    known = PRESETS.get(slug)
    return (
        known.name if known else " ".join(_word(word) for word in slug[:LONGEST].replace("_", "-").split("-") if word)
    )


def _word(word: str) -> str:
    if _SIZE.fullmatch(word):
        return word[:-1] + word[-1].upper()
    if word in _UPPER:
        return word.upper()
    return word if any(c.isupper() for c in word) or word[0].isdigit() else word[0].upper() + word[1:]


def model_name(model: Mapping[str, Any]) -> str:
    """The model of a task: Llama 3.1 70B, a model of 7 billion parameters, a small model."""
    if model.get("preset"):
        return preset_name(str(model["preset"]))
    model_type = (model.get("config") or {}).get("model_type")
    if model_type:
        return str(model_type)[:LONGEST]
    params = model.get("params")
    if params and params != "unknown":
        return _("Model of %(params)s") % {"params": amount(params, "params")}
    size = model.get("class")
    if isinstance(size, str) and size != "unknown":
        return _("Model of class “%(name)s”") % {"name": value_label(size)}
    return pgettext("title", "Model")


def task_title(task: Mapping[str, Any]) -> str:
    """Model and kind of training of the first scenario."""
    scenario = task["scenarios"][0]
    parts = [model_name(scenario.get("model") or {})]
    method = (scenario.get("strategy") or {}).get("method")
    if method and method != "unknown":
        parts.append(answer("strategy.method", method))
    return ", ".join(parts)
