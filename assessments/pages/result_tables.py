"""The tables of options of a result/1: what is compared, what is required, memory by part, time by GPU count."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments import wording

type Json = Mapping[str, Any]

GIB = 2.0**30
TONE_OF_FIT = {"fits": "pass", "at_limit": "warn", "does_not_fit": "stop"}
MEMORY_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("state", ("weights", "gradients", "optimizer")),
    ("step", ("activations", "logits")),
    ("overhead", ("overhead",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word with a tone: pass, warn, stop, note or none."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table of options; anchor leads to the derivation of its main figure."""

    main: str = ""
    aside: str = ""
    badge: Badge | None = None
    anchor: str = ""


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


def fit_badge(fit: str) -> Badge:
    """Fits, at the limit, does not fit – as word and tone."""
    return Badge(text=str(wording.FITS.get(fit, fit)), tone=TONE_OF_FIT.get(fit, ""))


def anchor_of(name: str) -> str:
    """The id of a derivation on the page; dots would need escaping in selectors."""
    return "q-" + name.replace(".", "-")


def build_of(option: Json) -> str:
    """8 × H200 SXM5 141 GB, with the servers when there are several."""
    name = option.get("accelerator_name") or wording.accelerator_name(option["accelerator"])
    return f"{option['gpus']} × {name}" if option["accelerator"] else wording.option_name(option["key"])


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
        parts.append(_("fabric %(name)s") % {"name": wording.value_label(option["fabric"])})
    weaker = option["interconnect"]["weaker"]
    aside = ""
    if weaker:
        aside = _("%(link)s: step %(slower)s as long") % {
            "link": wording.value_label(weaker[0]["link"]),
            "slower": q.range(weaker[0]["slower"]),
        }
    return Cell(main=" + ".join(part for part in parts if part) or "–", aside=aside)


def _pair(q: Quantities, resources: Mapping[str, Json], *codes: str) -> Cell:
    return Cell(main=", ".join(q.range(resources[c]["required"]) for c in codes if c in resources))


def _techniques(option: Json) -> Cell:
    names = [wording.technique_name(t["code"]) for t in option["techniques"]]
    return Cell(
        main=", ".join(names[:1] + [name[:1].lower() + name[1:] if name[1:2].islower() else name for name in names[1:]])
    )


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


def memory_rows(result: Json) -> tuple[Row, ...]:
    """GiB of one GPU by part, rounded so that each column sums; then what is free and what is kept back."""
    q = Quantities(result)
    names = {
        "state": pgettext("memory group", "Model states"),
        "step": pgettext("memory group", "One step"),
        "overhead": pgettext("memory group", "Overhead"),
    }
    columns = [_memory_column(q, option["memory"]) for option in result["options"]]
    rows: list[Row] = []
    for group, parts in MEMORY_GROUPS:
        rows.append(Row(label=names[group], cells=(), kind="group"))
        rows += [_memory_row(str(wording.PARTS[part]).capitalize(), columns, part, part=part) for part in parts]
    rows.append(_memory_row(_("In use"), columns, "total", kind="total"))
    rows.append(_memory_row(_("Free up to the limit"), columns, "free", part="free"))
    rows.append(_memory_row(_("Kept in reserve"), columns, "reserve", part="reserve"))
    return tuple(rows)


def _memory_column(q: Quantities, memory: Json) -> Mapping[str, Decimal]:
    def typical(name: str | None) -> float:
        found = q.get(name)
        return found["v"][1] / GIB if found else 0.0

    names = [name.rsplit(".", 1)[-1] for name in memory["parts"]]
    total = typical(memory["total"])
    parts = wording.to_sum([typical(name) for name in memory["parts"]], total)
    used = _tenths(total)
    column: dict[str, Decimal] = dict(zip(names, parts, strict=True))
    return column | {
        "total": used,
        "free": _tenths(typical(memory.get("usable"))) - used,
        "reserve": _tenths(typical(memory.get("reserve"))),
    }


def _tenths(value: float) -> Decimal:
    return Decimal(repr(value)).quantize(Decimal("0.1"))


def _memory_row(
    label: str, columns: Iterable[Mapping[str, Decimal]], key: str, *, part: str = "", kind: str = ""
) -> Row:
    cells = []
    for column in columns:
        value = column.get(key)
        cells.append(Cell(main="–" if value is None else wording.decimal(float(value), 1)))
    return Row(label=label, cells=tuple(cells), part=part, kind=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable:
    """The curves of chapter 4 as a table: heads = accelerators, one row per GPU count."""

    heads: tuple[str, ...]
    rows: tuple[Row, ...]


def time_table(result: Json) -> TimeTable:
    """Time of a cycle by GPU count and accelerator; a count that does not fit memory says so."""
    q = Quantities(result)
    curves = result.get("curves") or ()
    letters = {(o["accelerator"], o["gpus"]): wording.option_letter(o["key"]) for o in result["options"]}
    counts = sorted({point["gpus"] for curve in curves for point in curve["points"]})
    rows = []
    for gpus in counts:
        cells = []
        for curve in curves:
            point = next((p for p in curve["points"] if p["gpus"] == gpus), None)
            letter = letters.get((curve["accelerator"], gpus), "")
            if point is None:
                cells.append(Cell(main="–"))
            elif point["fit"] == "does_not_fit":
                cells.append(Cell(main=_("no memory")))
            else:
                cells.append(Cell(main=q.range(point["time"]), aside=letter))
        rows.append(Row(label=str(gpus), cells=tuple(cells)))
    heads = tuple(curve.get("accelerator_name") or wording.accelerator_name(curve["accelerator"]) for curve in curves)
    return TimeTable(heads=heads, rows=tuple(rows))
