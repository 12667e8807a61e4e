"""The tables of options of a result/1: what is compared, what is required, memory by part, time by GPU count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from assessments import wording

type Json = Mapping[str, Any]

TECHNIQUES_SHOWN = 4
TONE_OF_FIT = {"fits": "pass", "at_limit": "warn", "does_not_fit": "stop"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word with a tone: pass, warn, stop, note or none."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table of options; anchor leads to the derivation of its main figure.

    shows: IDs of its figures where there are several.
    """

    main: str = ""
    aside: str = ""
    badge: Badge | None = None
    anchor: str = ""
    shows: tuple[str, ...] = ()
    is_judged: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table; cells in the order of the options. part: memory part whose swatch stands in front."""

    label: str
    cells: tuple[Cell, ...]
    part: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The head of an option's column."""

    key: str
    letter: str
    name: str
    build: str
    purpose: str
    fit: Badge
    is_lead: bool
    short: str


class Quantities:
    """Looks quantities up by ID and speaks them; an ID that is not there reads as a dash."""

    def __init__(self, result: Json) -> None:
        self._by_id: Mapping[str, Json] = result["quantities"]

    def get(self, name: str | None) -> Json | None:
        return self._by_id.get(name) if name else None

    def range(self, name: str | None) -> str:
        found = self.get(name)
        return wording.amount(found["v"], wording.shown_unit(name or "", found["unit"])) if found else "–"

    def typical(self, name: str | None) -> str:
        found = self.get(name)
        return wording.typical(found, name or "") if found else "–"


def judged(rows: tuple[Row, ...], names: Iterable[str]) -> tuple[Row, ...]:
    """The rows with those cells marked whose figure an engineer set."""
    given = set(names)
    anchors = {anchor_of(name) for name in given}

    def marked(cell: Cell) -> Cell:
        return replace(cell, is_judged=cell.anchor in anchors or not given.isdisjoint(cell.shows))

    return tuple(replace(row, cells=tuple(marked(cell) for cell in row.cells)) for row in rows)


def fit_badge(fit: str) -> Badge:
    """Fits, at the limit, does not fit – as word and tone."""
    return Badge(text=str(wording.FITS.get(fit, fit)), tone=TONE_OF_FIT.get(fit, ""))


def anchor_of(name: str) -> str:
    """The id of a derivation on the page; dots would need escaping in selectors."""
    return "q-" + name.replace(".", "-")


def build_of(option: Json) -> str:
    """8 × H200 SXM5 141 GB; without GPUs the option is told by its name."""
    if not option["accelerator"]:
        return wording.option_name(option["key"])
    return f"{option['gpus']} × {card_of(option)}"


def card_of(entry: Json) -> str:
    """The accelerator of an option or a curve as printed."""
    name = entry.get("accelerator_name")
    return wording.accelerator_title(str(name)) if name else wording.accelerator_name(entry["accelerator"])


def options(result: Json) -> tuple[Option, ...]:
    """The columns; the lead is the balanced option, else the first."""
    keys = [option["key"] for option in result["options"]]
    lead = "balanced" if "balanced" in keys else keys[0] if keys else ""
    return tuple(
        Option(
            key=option["key"],
            letter=wording.option_letter(option["key"]),
            name=", ".join(wording.option_name(key) for key in (option["key"], *option.get("merged", ()))),
            build=build_of(option),
            purpose=_purpose(option),
            fit=fit_badge(option["fit"]),
            is_lead=option["key"] == lead,
            short=f"{wording.option_letter(option['key'])} {build_of(option)}",
        )
        for option in result["options"]
    )


def _purpose(option: Json) -> str:
    match option["deadline"]["target"]:
        case "wanted":
            return _("Meets the wanted time")
        case "latest":
            return _("Meets the latest time only")
    return _("Misses the latest time")


def compare_rows(result: Json) -> tuple[Row, ...]:
    """The table in which a CTO chooses: time, memory, rack, link, host, storage, techniques."""
    q = Quantities(result)
    each: Sequence[Json] = result["options"]
    resources = [{r["code"]: r for r in option["resources"]} for option in each]
    rows = [
        Row(
            label=str(wording.RESOURCES["time"]),
            cells=tuple(_time(q, o, r) for o, r in zip(each, resources, strict=True)),
        ),
        Row(label=_("Memory per GPU"), cells=tuple(_memory(q, o) for o in each)),
        Row(label=_("Rack"), cells=tuple(_rack(q, r) for r in resources)),
        Row(label=_("Utilisation"), cells=tuple(_utilisation(q, o) for o in each)),
        Row(label=_("Servers"), cells=tuple(Cell(main=wording.counted(o["servers"], "servers")) for o in each)),
        Row(label=_("Link"), cells=tuple(_link(q, o) for o in each)),
        Row(label=_("CPU and RAM"), cells=tuple(_pair(q, r, "cpu_cores", "ram") for r in resources)),
        Row(label=_("Storage"), cells=tuple(_pair(q, r, "storage", "storage_read") for r in resources)),
        Row(label=_("What makes it fit"), cells=tuple(_techniques(o) for o in each)),
        Row(label=_("All in all"), cells=tuple(Cell(badge=fit_badge(o["fit"])) for o in each)),
    ]
    return tuple(row for row in rows if any(cell.main not in ("", "–") or cell.badge for cell in row.cells))


def _time(q: Quantities, option: Json, resources: Mapping[str, Json]) -> Cell:
    name = resources["time"]["required"] if "time" in resources else f"{option['key']}.time.cycle"
    badges = {
        "wanted": Badge(text=_("Meets the wanted time"), tone="pass"),
        "latest": Badge(text=_("Latest time only"), tone="warn"),
        "none": Badge(text=_("Misses the latest time"), tone="stop"),
    }
    deadline = option["deadline"]
    badge = badges.get(deadline["target"])
    if badge and deadline["target"] != "none" and not deadline.get("sure", True):
        badge = Badge(text=_("%(outcome)s, likely") % {"outcome": badge.text}, tone="warn")
    return Cell(
        main=q.range(name),
        aside=_("likely %(value)s") % {"value": q.typical(name)},
        badge=badge,
        anchor=anchor_of(name),
    )


def _memory(q: Quantities, option: Json) -> Cell:
    memory = option["memory"]
    total, usable = q.get(memory["total"]), q.get(memory.get("usable"))
    aside = ""
    if total and usable:
        left = usable["v"][1] - total["v"][1]
        words = _("limit %(limit)s, %(left)s free") if left >= 0 else _("limit %(limit)s, %(left)s short")
        aside = words % {"limit": q.typical(memory.get("usable")), "left": wording.amount(abs(left), "gib")}
    return Cell(main=q.typical(memory["total"]), aside=aside, anchor=anchor_of(memory["total"]))


def _rack(q: Quantities, resources: Mapping[str, Json]) -> Cell:
    found = [resources[code] for code in ("power", "heat", "units", "depth", "weight") if code in resources]
    shown = [q.typical(resources[code]["required"]) for code in ("power", "units") if code in resources]
    fits = {r["fit"] for r in found}
    worst = next((fit for fit in ("does_not_fit", "at_limit", "fits") if fit in fits), "")
    offered = [q.typical(r["offered"]) for r in found[:1] if r.get("offered")]
    return Cell(
        main=", ".join(shown),
        aside=_("your rack: %(offered)s") % {"offered": offered[0]} if offered else "",
        badge=fit_badge(worst) if worst and offered else None,
    )


def _link(q: Quantities, option: Json) -> Cell:
    parts = [wording.value_label(option["link"]) if option.get("link") else ""]
    if option.get("fabric"):
        parts.append(_("fabric %(name)s") % {"name": wording.fabric_name(option["fabric"])})
    weaker = option["interconnect"]["weaker"]
    aside = slower(q, weaker[0], _("over %(link)s a step takes %(factor)s")) if weaker else ""
    return Cell(main=" + ".join(part for part in parts if part) or "–", aside=aside)


def slower(q: Quantities, weaker: Json, words: str) -> str:
    """What a weaker link does to the step, as a factor: a share of 0.4 more is 1.4 ×."""
    slower = q.get(weaker["slower"])
    if slower is None:
        return ""
    more = 1.0 if slower["unit"] == "share" else 0.0
    factor = wording.amount([more + value for value in slower["v"]], "ratio")
    return words % {"link": wording.fabric_name(weaker["link"]), "factor": factor}


def _pair(q: Quantities, resources: Mapping[str, Json], *codes: str) -> Cell:
    shown = tuple(resources[code]["required"] for code in codes if code in resources)
    return Cell(main=", ".join(q.range(name) for name in shown), shows=shown)


def _techniques(option: Json) -> Cell:
    names = [wording.technique_name(t["code"]) for t in option["techniques"]]
    shown = names[:1] + [_lower_first(name) for name in names[1:TECHNIQUES_SHOWN]]
    rest = len(names) - len(shown)
    more = ngettext("and %(n)d more, below", "and %(n)d more, below", rest) % {"n": rest} if rest > 0 else ""
    return Cell(main=", ".join(shown), aside=more)


def _lower_first(text: str) -> str:
    """A word in the middle of a line, unless it is an abbreviation or a name."""
    word = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if word[1:].islower() else text


def _utilisation(q: Quantities, option: Json) -> Cell:
    name = f"{option['key']}.use.utilisation"
    return Cell(main=q.range(name), anchor=anchor_of(name)) if q.get(name) else Cell()


@dataclass(frozen=True, slots=True, kw_only=True)
class TechniqueLine:
    """A technique that options rely on: what it gives, costs, and when it is the wrong one."""

    name: str
    gives: str
    costs: str
    avoid: str
    letters: str


def technique_lines(result: Json) -> tuple[TechniqueLine, ...]:
    """Every technique of any option, in the order of the result."""
    used: dict[str, list[str]] = {}
    for option in result["options"]:
        for technique in option["techniques"]:
            used.setdefault(technique["code"], []).append(wording.option_letter(option["key"]))
    lines = []
    for code, letters in used.items():
        known = wording.TECHNIQUES.get(code)
        lines.append(
            TechniqueLine(
                name=wording.technique_name(code),
                gives=str(known.gives) if known else "",
                costs=str(known.costs) if known else "",
                avoid=str(known.avoid) if known else "",
                letters=" ".join(letters),
            )
        )
    return tuple(lines)


def resource_rows(result: Json) -> tuple[Row, ...]:
    """Required, offered and left for every resource that any option names."""
    q = Quantities(result)
    found = [{r["code"]: r for r in option["resources"]} for option in result["options"]]
    codes = list(dict.fromkeys(code for resources in found for code in resources))
    return tuple(
        Row(label=str(wording.RESOURCES.get(code, code)), cells=tuple(_resource(q, r.get(code)) for r in found))
        for code in codes
    )


def _resource(q: Quantities, resource: Json | None) -> Cell:
    if resource is None:
        return Cell(main="–")
    aside = ""
    if resource.get("offered") and resource.get("left"):
        aside = _("of %(offered)s, %(left)s left") % {
            "offered": q.typical(resource["offered"]),
            "left": q.typical(resource["left"]),
        }
    elif resource.get("offered"):
        aside = _("of %(offered)s") % {"offered": q.typical(resource["offered"])}
    badge = fit_badge(resource["fit"]) if resource.get("offered") else None
    return Cell(main=q.range(resource["required"]), aside=aside, badge=badge, anchor=anchor_of(resource["required"]))
