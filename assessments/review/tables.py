"""The tables of the review page: options side by side, resources, catalog matches, what to find out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from assessments import matching, wording
from assessments.models import ServerChoice
from assessments.review.numbers import anchor_of
from assessments.services.reviews import setup_key
from catalog import words
from catalog.matching import Match

type Json = Mapping[str, Any]

TONES = {"fits": "pass", "at_limit": "warn", "does_not_fit": "stop", "not_stated": "note"}
RACK = ("power", "heat", "units", "depth", "weight")
CANDIDATES_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One figure; anchor opens its derivation. tone: pass, warn, stop, note or none."""

    text: str
    anchor: str = ""
    note: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table with a cell per option."""

    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """An option as the head of a column."""

    letter: str
    name: str
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What an option requires of one resource, what is offered, what is left."""

    label: str
    required: Cell
    offered: Cell
    left: Cell
    fit: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A catalog server for one option: how many, what it meets, what it does not, and why it stands here."""

    slug: str
    label: str
    fit: str
    tone: str
    met: str
    misfits: tuple[Cell, ...]
    quantity: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionServers:
    """The catalog's answer for one option, and what the engineer picked."""

    key: str
    label: str
    servers: int
    answer: str
    candidates: tuple[Candidate, ...]
    choice: ServerChoice | None = None
    is_stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionResources:
    """All resources of one option."""

    label: str
    rows: tuple[Resource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """An open answer: how to find it out, and what that does to the target."""

    label: str
    how: str
    before: str
    after: str
    narrows: str


def fit_cell(fit: str) -> Cell:
    """Fits, at the limit, does not fit, not stated – as word and tone."""
    return Cell(text=str(wording.FITS.get(fit) or words.FITS.get(fit, fit)), tone=TONES.get(fit, ""))


def number_cell(quantities: Mapping[str, Json], name: str | None, *, note: str = "", tone: str = "") -> Cell:
    """A quantity by its id; a code such as a kind of cooling as a word; a dash where there is none."""
    if not name:
        return Cell(text="–")
    found = quantities.get(name)
    if found is None:
        return Cell(text=wording.value_label(str(name)), note=note, tone=tone)
    shown = wording.amount(found["v"], wording.shown_unit(name, found["unit"]))
    return Cell(text=shown, anchor=anchor_of(name), note=note, tone=tone)


def heads(result: Json) -> tuple[Head, ...]:
    """The options as columns."""
    return tuple(
        Head(
            letter=wording.option_letter(option["key"]),
            name=wording.option_name(option["key"]),
            machine=wording.machine_of(option),
        )
        for option in result["options"]
    )


def side_by_side(result: Json) -> tuple[Row, ...]:
    """Time, memory, rack, utilisation, link and fit of every option."""
    quantities, options = result["quantities"], result["options"]
    of = [{line["code"]: line for line in option["resources"]} for option in options]
    deadlines = {
        "wanted": (_("Meets the wanted time"), "pass"),
        "latest": (_("Latest time only"), "warn"),
        "none": (_("Misses the latest time"), "stop"),
    }
    rows = [
        Row(
            label=str(wording.RESOURCES["time"]),
            cells=tuple(
                number_cell(
                    quantities,
                    lines["time"]["required"] if "time" in lines else f"{option['key']}.time.cycle",
                    note=deadlines.get(option["deadline"]["target"], ("", ""))[0],
                    tone=deadlines.get(option["deadline"]["target"], ("", ""))[1],
                )
                for option, lines in zip(options, of, strict=True)
            ),
        ),
        Row(
            label=_("Memory per GPU"),
            cells=tuple(
                number_cell(quantities, option["memory"]["total"], note=_limit(quantities, option))
                for option in options
            ),
        ),
        *(
            Row(
                label=str(wording.RESOURCES[code]),
                cells=tuple(
                    number_cell(quantities, lines[code]["required"], tone=_tone(lines[code]))
                    if code in lines
                    else Cell(text="–")
                    for lines in of
                ),
            )
            for code in RACK
            if any(code in lines for lines in of)
        ),
        *_subjects(result, "time.mfu", "time.tokens_per_s", "use.utilisation"),
        Row(
            label=_("Link"),
            cells=tuple(Cell(text=" + ".join(_links(option)) or "–") for option in options),
        ),
        Row(
            label=_("All in all"),
            cells=tuple(Cell(text="", note=str(wording.FITS[o["fit"]]), tone=TONES.get(o["fit"], "")) for o in options),
        ),
    ]
    return tuple(rows)


def _tone(line: Json) -> str:
    return TONES.get(line["fit"], "") if line.get("offered") else ""


def _limit(quantities: Mapping[str, Json], option: Json) -> str:
    name = option["memory"].get("usable")
    if name not in quantities:
        return ""
    return _("limit %(limit)s") % {"limit": wording.typical(quantities[name], name)}


def _links(option: Json) -> list[str]:
    link, fabric = option.get("link"), option.get("fabric")
    return [*([wording.value_label(link)] if link else []), *([wording.fabric_name(fabric)] if fabric else [])]


def _subjects(result: Json, *subjects: str) -> list[Row]:
    rows = []
    for subject in subjects:
        names = [f"{option['key']}.{subject}" for option in result["options"]]
        known = next((name for name in names if name in result["quantities"]), None)
        if known is not None:
            cells = tuple(
                number_cell(result["quantities"], name if name in result["quantities"] else None) for name in names
            )
            rows.append(Row(label=wording.label_of(subject), cells=cells))
    return rows


def resources(result: Json) -> tuple[OptionResources, ...]:
    """Required, offered and left of every resource, option by option."""
    quantities = result["quantities"]
    return tuple(
        OptionResources(
            label=f"{wording.option_letter(option['key'])} {wording.machine_of(option)}",
            rows=tuple(
                Resource(
                    label=str(wording.RESOURCES.get(line["code"], line["code"])),
                    required=number_cell(quantities, line.get("required")),
                    offered=number_cell(quantities, line.get("offered")),
                    left=number_cell(quantities, line.get("left")),
                    fit=fit_cell(line["fit"]) if line.get("offered") else Cell(text="–"),
                )
                for line in option["resources"]
            ),
        )
        for option in result["options"]
    )


def servers(result: Json, choices: Mapping[str, ServerChoice]) -> tuple[OptionServers, ...]:
    """What the catalog answers for every option that needs a server; three queries in all."""
    found = matching.matching_of(result["options"])
    groups = []
    for option in result["options"]:
        answer = found.get(option["key"])
        if answer is None:
            continue
        choice = choices.get(option["key"])
        ranked = answer.matches or answer.near
        groups.append(
            OptionServers(
                key=option["key"],
                label=f"{wording.option_letter(option['key'])} {wording.option_name(option['key'])}",
                servers=option["servers"],
                answer=words.answer(answer),
                candidates=tuple(_candidate(match) for match in ranked[:CANDIDATES_SHOWN]),
                choice=choice,
                is_stale=choice is not None and choice.setup != setup_key(option),
            )
        )
    return tuple(groups)


def _candidate(match: Match) -> Candidate:
    bad = [line for line in match.lines if line.fit != "fits"]
    return Candidate(
        slug=match.slug,
        label=match.label,
        fit=words.verdict(match),
        tone=TONES.get(match.fit, ""),
        met=_("%(met)s of %(all)s") % {"met": len(match.lines) - len(bad), "all": len(match.lines)},
        misfits=tuple(Cell(text=words.line(line), tone=TONES.get(line.fit, "")) for line in bad),
        quantity=match.quantity,
        why=words.reason(match.before_next),
    )


def unknowns(result: Json) -> tuple[Unknown, ...]:
    """What to find out next, the most useful first."""
    return tuple(_unknown(result["quantities"], item) for item in result.get("sensitivity") or ())


def _unknown(quantities: Mapping[str, Json], item: Json) -> Unknown:
    target = quantities.get(item["target"])
    unit = wording.shown_unit(item["target"], target["unit"]) if target else "count"
    share = item.get("share")
    return Unknown(
        label=wording.label_of(item["path"]),
        how=wording.say(item["how"], item.get("params") or {}),
        before=f"{wording.label_of(item['target'])}: {wording.amount(target['v'], unit) if target else '–'}",
        after=wording.amount(item["then"], unit),
        narrows=_("narrows by %(share)s") % {"share": wording.amount(share, "share")} if share else "",
    )
