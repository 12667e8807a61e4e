"""Chapters 3 to 11: training against inference, options, memory, techniques, time, links, host, rack, horizon."""

from dataclasses import dataclass, replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments import charts
from assessments.charts.reading import accelerator_of, cycle_time, part_of, span, typical
from assessments.documents.context import DocumentContext, Json, PickedServer, Requirement
from assessments.documents.cover import column, link_line, recommended
from assessments.documents.words import Badge, fit_badge, printable
from assessments.wording import (
    ASPECTS,
    CASES,
    MOMENTS,
    NBSP,
    PARTS,
    RESOURCES,
    TECHNIQUES,
    amount,
    decimal,
    fabric_name,
    label_of,
    machine_of,
    option_letter,
    option_name,
    quantity,
    say,
    shown_unit,
    subject_of,
    technique_name,
    to_sum,
    value_label,
)

GIB = 2.0**30
NO_SWATCH = SafeString("")


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a table of quantities: name and a cell per option."""

    label: str
    cells: tuple[str, ...]
    swatch: SafeString = NO_SWATCH
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """Required, offered and left of one resource."""

    label: str
    required: str
    offered: str
    left: str
    fit: Badge


def difference(result: Json) -> dict[str, object]:
    """Whole model served, with adapters, fully trained: bar and table."""
    rows = [row for row in result.get("comparison") or [] if sum(typical(result, p) for p in row["parts"]) > 0]
    lines = _part_lines(result, [row["parts"] for row in rows], "difference")
    return {
        "chart": charts.comparison(result, cut="print"),
        "heads": [str(CASES.get(row["case"], row["case"])) for row in rows],
        "lines": lines,
    }


def _part_lines(result: Json, columns: list[list[str]], name: str) -> list[Line]:
    """Memory parts as rows, rounded so that each column sums to its printed total [GiB]."""
    rounded = []
    for ids in columns:
        values = {part_of(name): typical(result, name) / GIB for name in ids}
        figures = [values.get(part, 0.0) for part in charts.PART_ORDER]
        rounded.append(to_sum(figures, sum(figures)))
    lines = []
    for i, part in enumerate(charts.PART_ORDER):
        cells = tuple(decimal(float(column[i]), 1) for column in rounded)
        if any(column[i] for column in rounded):
            lines.append(Line(str(PARTS[part]), cells, charts.swatch(part, str(PARTS[part]), name)))
    totals = tuple(decimal(float(sum(column)), 1) for column in rounded)
    if rounded:
        lines.append(Line(_("In all"), totals, is_total=True))
    return lines


def memory(result: Json) -> dict[str, object]:
    """Memory of one GPU per option: bars and the same numbers as a table that sums."""
    options = result["options"]
    lines = _part_lines(result, [o["memory"]["parts"] for o in options], "parts")
    if options:
        for key, label in (
            ("total", _("Range of the total")),
            ("usable", _("Usable")),
            ("reserve", _("Reserve")),
            ("capacity", _("Capacity")),
        ):
            cells = []
            for option in options:
                found = span(result, option["memory"].get(key))
                ends = "–" if not found else _gib(found.low, found.high)
                cells.append(ends)
            lines.append(Line(label, tuple(cells)))
        lines.append(
            Line(_("Fullest moment"), tuple(str(MOMENTS.get(o["memory"].get("moment", ""), "–")) for o in options))
        )
        lines.append(Line(_("Fullest GPU"), tuple(str(MOMENTS.get(o["memory"].get("rank", ""), "–")) for o in options)))
    return {
        "chart": charts.memory_bars(result, cut="print", name="memory"),
        "swatches": [
            (str(PARTS[p]), charts.swatch(p, str(PARTS[p]), "key")) for p in (*charts.PART_ORDER, "free", "reserve")
        ],
        "heads": _heads(result),
        "lines": lines,
    }


def _gib(low: float, high: float) -> str:
    first, last = decimal(low / GIB, 1), decimal(high / GIB, 1)
    return first if first == last else f"{first}–{last}"


def _heads(result: Json) -> list[tuple[str, str]]:
    return [(option_letter(o["key"]), machine_of(o)) for o in result["options"]]


@dataclass(frozen=True, slots=True)
class TechniqueRow:
    """One technique in use: letters of the options, what it gives and costs."""

    name: str
    letters: str
    gives: str
    costs: str
    avoid: str
    here: str


def techniques(result: Json) -> list[TechniqueRow]:
    """What makes the options fit, each technique once."""
    codes: dict[str, list[tuple[Json, str | None]]] = {}
    for option in result["options"]:
        for row in option.get("techniques", []):
            codes.setdefault(row["code"], []).append((option, row.get("costs")))
    rows = []
    for code, uses in codes.items():
        known = TECHNIQUES.get(code)
        here = dict.fromkeys(
            quantity(result["quantities"][name], name) + _named(name)
            for _o, name in uses
            if name and span(result, name)
        )
        rows.append(
            TechniqueRow(
                name=technique_name(code),
                letters=", ".join(option_letter(o["key"]) for o, _c in uses),
                gives=str(known.gives) if known else "",
                costs=str(known.costs) if known else "",
                avoid=str(known.avoid) if known else "",
                here="; ".join(here),
            )
        )
    return rows


def _named(name: str) -> str:
    """The name of a cost in brackets, unless it is the technique's own."""
    return "" if subject_of(name).startswith("technique") else f" ({label_of(name)})"


def time(result: Json) -> dict[str, object]:
    """Curve and table of time over GPU counts."""
    rows = []
    offered = {option["accelerator"] for option in result["options"]}
    for curve in [c for c in result.get("curves") or [] if c["accelerator"] in offered]:
        for point in _telling(result, curve["points"]):
            found = span(result, point["time"])
            if not found:
                continue
            rows.append(
                (
                    accelerator_of(curve),
                    decimal(point["gpus"]),
                    decimal(point["servers"]),
                    amount([found.low, found.typical, found.high], "h"),
                    amount(found.typical, "h"),
                    fit_badge(point["fit"]),
                )
            )
    return {"chart": charts.time_curve(result, cut="print"), "rows": rows, "options": _times(result)}


MOST_POINTS = 6


def _telling(result: Json, points: list[Json]) -> list[Json]:
    """At most six points of a curve: up to four times the largest option, evenly chosen."""
    largest = max((o["gpus"] for o in result["options"]), default=1)
    near = [p for p in points if p["gpus"] <= 4 * largest] or points[:1]
    if len(near) <= MOST_POINTS:
        return near
    step = (len(near) - 1) / (MOST_POINTS - 1)
    return [near[round(i * step)] for i in range(MOST_POINTS)]


def _times(result: Json) -> list[tuple[str, str, str, str]]:
    rows = []
    for option in result["options"]:
        found = cycle_time(result, option)
        if found:
            spoken = column(result, option)
            rows.append((spoken.letter, spoken.machine, spoken.time, amount(found.typical, "h")))
    return rows


@dataclass(frozen=True, slots=True)
class Links:
    """How the GPUs of an option talk, and the price of a weaker link."""

    letter: str
    link: str
    profile: str
    weaker: tuple[str, ...]


def links(result: Json) -> list[Links]:
    """Profile of the interconnect per option."""
    rows = []
    for option in result["options"]:
        interconnect = option.get("interconnect") or {}
        weaker = []
        for row in interconnect.get("weaker") or []:
            found = result["quantities"].get(row["slower"])
            if found:
                weaker.append(_slower(fabric_name(row["link"]), found["v"][1]))
        profile = interconnect.get("profile")
        rows.append(
            Links(option_letter(option["key"]), link_line(option), say(str(profile)) if profile else "–", tuple(weaker))
        )
    return rows


def _slower(link: str, share: float) -> str:
    """How much longer a step takes: in per cent up to twice, in times beyond."""
    if share < 1:
        return _("%(link)s: a step is %(slower)s longer") % {"link": link, "slower": amount(share, "share")}
    times = 1 + share
    return _("%(link)s: a step takes %(times)s as long") % {"link": link, "times": amount(times, "times")}


HOST = ("cpu_cores", "ram", "storage", "storage_read", "storage_iops", "checkpoints", "checkpoint_write")
RACK = ("power", "feed", "heat", "cooling", "units", "depth", "weight", "inlet")
LINK = ("link", "fabric")


def comparisons(result: Json, option: Json, codes: tuple[str, ...] = ()) -> list[Comparison]:
    """Required, offered, left of an option; all its resources or the named ones."""
    rows = []
    for row in option["resources"]:
        if codes and row["code"] not in codes:
            continue
        cells = [_value(result, row["code"], row.get(key)) for key in ("required", "offered", "left")]
        rows.append(
            Comparison(
                str(RESOURCES.get(row["code"], row["code"])), cells[0], cells[1], cells[2], fit_badge(row["fit"])
            )
        )
    return rows


def _value(result: Json, code: str, name: object) -> str:
    """A quantity by ID, or a code such as a link or a kind of cooling."""
    if name is None:
        return "–"
    found = result["quantities"].get(name)
    if found:
        return amount(found["v"], shown_unit(code, found["unit"]))
    return value_label(str(name))


@dataclass(frozen=True, slots=True)
class Cell:
    """What one option needs of one resource, what there is, and whether it fits."""

    required: str
    offered: str
    fit: Badge


def matrix(result: Json, codes: tuple[str, ...]) -> list[tuple[str, list[Cell]]]:
    """The named resources as rows, the options as columns."""
    rows = []
    for code in codes:
        found = [next((r for r in o["resources"] if r["code"] == code), None) for o in result["options"]]
        if not any(found):
            continue
        cells = [
            Cell(_value(result, code, r.get("required")), _value(result, code, r.get("offered")), fit_badge(r["fit"]))
            if r
            else Cell("–", "–", fit_badge("unknown"))
            for r in found
        ]
        rows.append((str(RESOURCES.get(code, code)), cells))
    return rows


def rack(result: Json) -> dict[str, object]:
    """Gauges against the limits, front view, table."""
    gauges = [charts.rack_gauge(result, code, name="rack") for code in charts.gauge_codes(result)]
    drawn = [g for g in gauges if g]
    return {
        "gauges": [drawn[i : i + 2] for i in range(0, len(drawn), 2)],
        "elevation": charts.rack_elevation(result, cut="print", name="rack-elevation"),
        "rows": matrix(result, RACK),
    }


@dataclass(frozen=True, slots=True)
class FullOption:
    """An option with everything that is known of it."""

    letter: str
    name: str
    machine: str
    also: str
    facts: tuple[tuple[str, str], ...]
    fit: Badge
    deadline: Badge | None
    rows: tuple[Comparison, ...]
    run: dict[str, object] | None
    server: PickedServer | None
    server_rows: tuple[Comparison, ...]


def options(context: DocumentContext) -> list[FullOption]:
    """Options in full, with catalog servers where the engineer chose them."""
    result = context.result
    chosen = {server.option: server for server in context.servers}
    made = []
    for option in result["options"]:
        server = chosen.get(option["key"])
        also = ", ".join(option_name(key) for key in option.get("merged", []) if key != option["key"])
        made.append(
            FullOption(
                letter=option_letter(option["key"]),
                name=option_name(option["key"]),
                machine=machine_of(option),
                also=also,
                facts=tuple(facts(result, option)),
                fit=fit_badge(option["fit"]),
                deadline=column(result, option).deadline,
                rows=tuple(comparisons(result, option)),
                run=nearest_run(option.get("nearest_run")),
                server=_clean(server) if server else None,
                server_rows=tuple(_required(r) for r in server.requirements) if server else (),
            )
        )
    return made


def _clean(server: PickedServer) -> PickedServer:
    """The chosen server with its free text made printable."""
    return replace(
        server,
        name=printable(server.name, 200) if server.name else None,
        vendor=printable(server.vendor, 100),
        reason=printable(server.reason),
    )


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One candidate of a method that was left open."""

    method: str
    machine: str
    memory: str
    time: str


def methods(result: Json) -> list[MethodRow]:
    """What follows from each kind of training while the answer is open."""
    rows = []
    for row in result.get("methods") or []:
        memory, time = result["quantities"].get(row.get("memory")), result["quantities"].get(row.get("time"))
        rows.append(
            MethodRow(
                value_label(row["method"]),
                machine_of(row) if row.get("accelerator") else _("impossible here"),
                quantity(memory, row["memory"]) if memory else "–",
                quantity(time, row["time"]) if time else "–",
            )
        )
    return rows


def facts(result: Json, option: Json) -> list[tuple[str, str]]:
    """Machine, layout and recipe of an option as term and value."""
    layout, recipe = option.get("layout") or {}, option.get("recipe") or {}
    rows = [(_("Links"), link_line(option))]
    split = [
        f"{key.upper()}{NBSP}{decimal(layout[key])}" for key in ("tp", "pp", "cp", "ep") if (layout.get(key) or 1) > 1
    ]
    if layout.get("sharding") and layout["sharding"] != "none":
        split.append(value_label(layout["sharding"]))
    rows.append((label_of("recipe.layout"), ", ".join(split) or _("data parallelism only")))
    split_paths = {"recompute": "recipe.recompute", "offload": "recipe.layout.offload"}
    rows += [
        (label_of(path), value_label(layout[key]))
        for key, path in split_paths.items()
        if layout.get(key, "none") != "none"
    ]
    if layout.get("micro_batch"):
        rows.append((label_of("recipe.micro_batch"), decimal(layout["micro_batch"])))
    kept = [
        value_label(str(recipe[key]))
        for key in ("precision", "optimizer", "stack")
        if recipe.get(key) and recipe[key] != "unknown"
    ]
    if kept:
        rows.append((_("Recipe"), ", ".join(kept)))
    for subject in ("time.tokens_per_s", "time.mfu", "use.utilisation"):
        name = f"{option['key']}.{subject}"
        found = result["quantities"].get(name)
        if found:
            rows.append((label_of(name), quantity(found, name)))
    return rows


def nearest_run(run: Json | None) -> dict[str, object] | None:
    """The nearest published run: title, address, what is the same, what differs, figures."""
    if not run:
        return None
    return {
        "title": printable(str(run.get("title") or run.get("source") or ""), 200),
        "url": str(run.get("url") or ""),
        "same": ", ".join(_aspect(code) for code in run.get("same") or []),
        "differs": ", ".join(_aspect(code) for code in run.get("differs") or []),
        "figures": "; ".join(_figure(f) for f in run.get("figures") or []),
    }


def _aspect(code: str) -> str:
    return str(ASPECTS[code]) if code in ASPECTS else value_label(code)


def _figure(figure: Json) -> str:
    """One published figure; memory in GiB as everywhere."""
    metric, unit = str(figure["metric"]), figure["unit"]
    value = figure["value"] * GIB if unit == "gib" else figure["value"]
    return f"{label_of(metric)}: {amount(value, 'gib' if metric == 'peak_memory' else unit)}"


def _required(row: Requirement) -> Comparison:
    """A line of required / offered / left of a chosen server."""
    unit = shown_unit(row.code, row.unit)
    return Comparison(
        str(RESOURCES.get(row.code, row.code)),
        amount(row.required, unit),
        amount(row.offered, unit),
        amount(row.left, unit),
        fit_badge(row.fit),
    )


def horizon(result: Json) -> list[tuple[str, str]]:
    """Utilisation, energy and growth: every quantity of these subjects."""
    option = recommended(result)
    wanted = ("use", "energy", "growth_slots", "horizon")
    rows = []
    for name, found in result["quantities"].items():
        subject = subject_of(name)
        is_of_task = subject == name or name.split(".")[0].startswith("s")
        is_recommended = option is not None and name.startswith(f"{option['key']}.")
        if subject.split(".")[0] in wanted and (is_of_task or is_recommended):
            rows.append((label_of(name), quantity(found, name)))
    return rows
