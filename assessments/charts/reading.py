"""What the figures read from result/1; they format, none computes a figure of its own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments.wording import accelerator_name, accelerator_title, machine_of, option_letter

type Cut = Literal["wide", "narrow", "print"]
type Json = Mapping[str, Any]

WIDTHS: dict[Cut, int] = {"wide": 640, "narrow": 342, "print": 800}


@dataclass(frozen=True, slots=True)
class Span:
    """Low, typical, high of a quantity in its base unit."""

    low: float
    typical: float
    high: float


def span(result: Json, name: str | None) -> Span | None:
    """A quantity by ID; None where the result does not have it."""
    found = result["quantities"].get(name) if name else None
    return Span(*(float(v) for v in found["v"])) if found else None


def typical(result: Json, name: str | None) -> float:
    """The likely value of a quantity, 0 where the result does not have it."""
    found = span(result, name)
    return found.typical if found else 0.0


def part_of(name: str) -> str:
    """Memory part an ID names: balanced.memory.optimizer → optimizer."""
    return name.rsplit(".", 1)[-1]


def accelerator_of(entry: Json) -> str:
    """Name of the accelerator of an option or curve."""
    name = entry.get("accelerator_name")
    return accelerator_title(str(name)) if name else accelerator_name(entry["accelerator"])


_LONG_WORDS = re.compile(
    r"\b(NVIDIA|AMD|Intel|Huawei|Moore Threads|Blackwell|Hopper|Ada Generation|Server Edition|Workstation Edition"
    r"|Tensor Core|Ultra|Instinct)\b ?"
)


def legend_names(entries: Sequence[Json]) -> list[str]:
    """Names of accelerators for a legend: without vendor, generation and edition where these tell none apart."""
    full = [accelerator_of(entry) for entry in entries]
    short = [_LONG_WORDS.sub("", name).strip() for name in full]
    return [few if few and short.count(few) == 1 else name for few, name in zip(short, full, strict=True)]


def option_title(option: Json) -> str:
    """Letter and machine of an option, for text alternatives."""
    return _("Option %(letter)s: %(machine)s") % {"letter": option_letter(option["key"]), "machine": machine_of(option)}


def gib_ticks(axis: float, most: int = 6) -> list[int]:
    """Round steps of an axis in GiB."""
    for step in (5, 10, 20, 40, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 50_000):
        if axis / step <= most:
            return list(range(0, int(axis) + 1, step))
    return [0]


def gib_word() -> str:
    """The unit beside the zero of a memory axis."""
    return pgettext("unit", "GiB")


def wanted_h(result: Json) -> float | None:
    """The wanted time of a cycle [h]; None when it was left open."""
    return _deadline(result, "wanted")


def latest_h(result: Json) -> float | None:
    """The latest acceptable time of a cycle [h]; None when it was left open."""
    return _deadline(result, "latest")


def _deadline(result: Json, kind: str) -> float | None:
    """The tightest of the options' deadlines: that of the scenario that decides."""
    found = [span(result, f"{option['key']}.time.{kind}") for option in result["options"]]
    return min((row.typical for row in found if row), default=None)


def cycle_time(result: Json, option: Json) -> Span | None:
    """Time of one cycle on an option [h]: what its resource `time` requires."""
    for row in option["resources"]:
        if row["code"] == "time":
            return span(result, row["required"])
    return None
