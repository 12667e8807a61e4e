"""Every number of a result/1 with its formula, inputs and source, to be opened where it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from assessments import wording

type Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Something that stands in a derivation: a number with an anchor, or a literal without."""

    label: str
    value: str = ""
    origin: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One quantity and how it came about; engine_value stands beside a pinned one."""

    id: str
    anchor: str
    label: str
    value: str
    likely: str
    origin: str
    is_pinned: bool
    is_assumed: bool
    engine_value: str
    formula: str
    inputs: tuple[Reference, ...]
    source: str
    used_in: tuple[Reference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A number that differs between two results; is_key: one by which options are compared."""

    id: str
    label: str
    before: str
    after: str
    is_key: bool


def anchor_of(name: str) -> str:
    """The id of a number's derivation on the page."""
    return "q-" + name.replace(".", "-")


def numbers_of(result: Json) -> tuple[Number, ...]:
    """All quantities in the order of the result."""
    quantities: Mapping[str, Json] = result["quantities"]
    users: dict[str, list[str]] = defaultdict(list)
    for name, quantity in quantities.items():
        for given in quantity["inputs"]:
            if isinstance(given, str) and given in quantities:
                users[given].append(name)
    references = {name: _reference(name, quantity) for name, quantity in quantities.items()}
    return tuple(_number(name, quantity, references, users[name]) for name, quantity in quantities.items())


def _number(name: str, quantity: Json, references: Mapping[str, Reference], users: list[str]) -> Number:
    engine_v = quantity.get("engine_v")
    return Number(
        id=name,
        anchor=anchor_of(name),
        label=wording.label_of(name),
        value=wording.quantity(quantity, name),
        likely=wording.typical(quantity, name),
        origin=str(wording.ORIGINS.get(quantity["origin"], quantity["origin"])),
        is_pinned=quantity["origin"] == "pinned",
        is_assumed=quantity["origin"] == "assumption",
        engine_value=wording.amount(engine_v, wording.shown_unit(name, quantity["unit"])) if engine_v else "",
        formula=wording.say(quantity["formula"]) if quantity.get("formula") else "",
        inputs=tuple(_input(given, references) for given in quantity["inputs"]),
        source=wording.say(quantity["source"]) if quantity.get("source") else "",
        used_in=tuple(references[user] for user in users),
    )


def _reference(name: str, quantity: Json) -> Reference:
    return Reference(
        label=wording.label_of(name),
        value=wording.typical(quantity, name),
        origin=str(wording.ORIGINS.get(quantity["origin"], quantity["origin"])),
        anchor=anchor_of(name),
    )


def _input(given: object, references: Mapping[str, Reference]) -> Reference:
    if isinstance(given, str):
        return references.get(given) or Reference(label=wording.value_label(given))
    if isinstance(given, int | float):
        return Reference(label=_("constant"), value=wording.amount(float(given), "count"))
    return Reference(label=str(given))


def moved_between(before: Json, after: Json) -> list[Moved]:
    """Every number of two results that differs, is new or is gone; those by which options are compared come first."""
    old, new = before["quantities"], after["quantities"]
    keys = _keys(after) | _keys(before)
    names = [name for name in dict.fromkeys([*new, *old]) if _v(old, name) != _v(new, name)]
    return [
        Moved(
            id=name,
            label=wording.label_of(name),
            before=wording.quantity(old[name], name) if name in old else "–",
            after=wording.quantity(new[name], name) if name in new else "–",
            is_key=name in keys,
        )
        for name in sorted(names, key=lambda name: name not in keys)
    ]


def _v(quantities: Mapping[str, Json], name: str) -> Any:
    return quantities[name]["v"] if name in quantities else None


def _keys(result: Json) -> set[str]:
    """Summary, and what each option needs of each resource."""
    needed = (line["required"] for option in result["options"] for line in option["resources"])
    return {*result["summary"].values(), *needed}
