"""An answer of task/1 as people read it: number with unit, range, enum, list, or "not known"."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import pgettext

from assessments.wording.amounts import amount
from assessments.wording.labels import accelerator_name, path_of, value_label

UNITS: dict[str, str] = {
    "every_days": "days",
    "data_share": "share",
    "growth_per_year": "share",
    "dropout": "share",
    "params": "params",
    "active_params": "params",
    "trainable_params": "params",
    "context_tokens": "tokens",
    "seq_len": "tokens",
    "tokens": "tokens",
    "samples": "samples",
    "bytes": "bytes",
    "sample_bytes": "bytes",
    "memory_bytes": "gib",
    "ram_bytes": "gib",
    "image_width_px": "px",
    "image_height_px": "px",
    "audio_s": "s",
    "hours": "h",
    "step_s": "s",
    "location_gbit_s": "gbit_s",
    "gbit_s": "gbit_s",
    "location_iops": "iops",
    "wanted_h": "h",
    "latest_h": "h",
    "years": "years",
    "in_months": "months",
    "rack_kw": "kw",
    "feed_kw": "kw",
    "cooling_kw": "kw",
    "free_units": "units",
    "depth_mm": "mm",
    "load_kg": "kg",
    "inlet_c": "c",
    "gpus": "gpus",
    "servers": "servers",
    "max_servers": "servers",
    "racks": "racks",
    "ports": "ports",
    "times": "ratio",
    "tokens_per_s": "tokens_s",
}
NAMES = frozenset({"preset", "vendors", "excluded_vendors", "name", "model_type"})  # names, never translated


def unit_of(path: str) -> str:
    """Base unit of the answer at a JSON path; a bare number where it has none."""
    return UNITS.get(path.rsplit(".", 1)[-1], "count")


def answer(path: str, value: Any) -> str:
    """The answer at a JSON path in the active language."""
    name = path_of(path).rsplit(".", 1)[-1]
    if value is None:
        return "–"
    if isinstance(value, bool):
        return pgettext("answer", "yes") if value else pgettext("answer", "no")
    if isinstance(value, int | float):
        return amount(value, unit_of(name))
    if isinstance(value, str):
        return _word(name, value)
    if isinstance(value, Mapping):
        return _members(path, value)
    return _several(path, name, value)


def _word(name: str, value: str) -> str:
    if value == "unknown":
        return pgettext("answer", "don’t know")
    if name in ("accelerator", "accelerators"):
        return accelerator_name(value)
    return value if name in NAMES else value_label(value)


def _several(path: str, name: str, value: Sequence[Any]) -> str:
    """[low, high] of numbers is a range, anything else an enumeration."""
    if 2 <= len(value) <= 3 and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
        return amount(value, unit_of(name))
    return ", ".join(answer(path, item) for item in value) or "–"


def _members(path: str, value: Mapping[str, Any]) -> str:
    return ", ".join(answer(f"{path}.{key}", item) for key, item in value.items() if item is not None) or "–"
