"""Cover and the one-page summary."""

from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments import charts
from assessments.charts.rack import resource_of
from assessments.charts.reading import cycle_time, latest_h, span, typical, wanted_h
from assessments.documents.context import DocumentContext, Json
from assessments.documents.words import Badge, day, fit_badge, printable, status_word, task_line, title_of
from assessments.wording import (
    NBSP,
    RESOURCES,
    amount,
    answer,
    counted,
    fabric_name,
    finding,
    label_of,
    machine_of,
    option_letter,
    option_name,
    quantity,
    repair_of,
    shown_unit,
    subject_of,
    technique_name,
    value_label,
    verdict,
)


def recommended(result: Json) -> Json | None:
    """The option the verdict speaks of: balanced, else the first."""
    options = result["options"]
    return next(
        (o for o in options if o["key"] == "balanced" or "balanced" in o.get("merged", [])),
        options[0] if options else None,
    )


def cover(context: DocumentContext, result_sha256: str) -> dict[str, object]:
    """Title block and the front view of the recommended option."""
    option = recommended(context.result)
    title = title_of(context)
    drawing = charts.rack_elevation(context.result, keys=(option["key"],), name="cover") if option else ""
    units = resource_of(option, "units") if option else None
    free = round(typical(context.result, units.get("offered"))) if units else 0
    caption = ""
    if option and drawing:
        letter = option_letter(option["key"])
        caption = _("Option %(letter)s, front view to scale.") % {"letter": letter}
        if free:
            caption += " " + _("Dashed: the %(units)s free in your rack.") % {"units": f"{free}{NBSP}U"}
    approved_on = date_format(context.approval.on, "DATE_FORMAT").replace(" ", NBSP) if context.approval else ""
    return {
        "title": title,
        "is_long": len(title) > 44,
        "line": task_line(context),
        "organization": printable(context.organization, 160),
        "purpose": printable(context.business_task, 260),
        "drawing": drawing,
        "caption": caption,
        "date": day(context),
        "status_kind": "superseded" if context.superseded_by else ("approved" if context.approval else "automatic"),
        "status": status_word(context),
        "approver": printable(context.approval.name, 80) if context.approval else "",
        "approved_on": approved_on,
        "adjustments": counted(len(context.adjustments), "adjustments") if context.adjustments else "",
        "hash": " ".join(result_sha256[i : i + 8] for i in range(0, 64, 8)),
    }


USUAL = frozenset(
    {"bf16", "packing", "flash_attention", "sp", "sharded_load", "async_checkpoint"}
)  # not worth a line in the summary


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the four figures of the summary."""

    label: str
    value: str
    unit: str
    line: SafeString
    aside: str


@dataclass(frozen=True, slots=True)
class Column:
    """An option as a column of the summary table."""

    letter: str
    name: str
    machine: str
    is_marked: bool
    time: str
    deadline: Badge | None
    memory: str
    rack: str
    fit: Badge
    link: str
    techniques: str


def summary(context: DocumentContext) -> dict[str, object]:
    """What a CTO decides from: verdict, measures, options, memory, limits, what to find out."""
    result = context.result
    return {
        "verdict": verdict(result["verdict"]),
        "beside": [verdict(item) for item in result["verdict"].get("beside") or []],
        "repairs": [repair_line(item) for item in result.get("repairs") or []],
        "measures": measures(result),
        "columns": [column(result, option) for option in result["options"]],
        "memory": charts.memory_bars(result, cut="print", name="summary"),
        "limits": limits(result),
        "unknowns": [unknown_line(result, row) for row in result.get("sensitivity", [])[:3]],
    }


def repair_line(item: Json) -> str:
    """A single change that was sized again and holds: what, and to which value."""
    change = repair_of({"code": item["code"], "params": item.get("params") or {}})
    if item.get("path") and item.get("value") is not None:
        return f"{change[:1].upper()}{change[1:]} ({label_of(item['path'])}: {answer(item['path'], item['value'])})"
    return f"{change[:1].upper()}{change[1:]}"


def measures(result: Json) -> list[Measure]:
    """GPUs, time, memory and power over all options."""
    made = []
    latest, wanted = latest_h(result), wanted_h(result)
    servers = span(result, result.get("summary", {}).get("servers"))
    asides = {
        "gpus": counted(round(servers.high), "servers") if servers and servers.low == servers.high else "",
        "time": _("wanted: %(time)s") % {"time": amount(wanted, "h")}
        if wanted
        else (_("latest: %(time)s") % {"time": amount(latest, "h")} if latest else ""),
    }
    if servers and servers.low != servers.high:
        asides["gpus"] = amount([servers.low, servers.high], "servers")
    for key, label in (
        ("gpus", _("GPU count")),
        ("time", pgettext("resource", "Cycle time")),
        ("memory", _("Memory per GPU")),
        ("power", _("Power")),
    ):
        name = result.get("summary", {}).get(key)
        found = span(result, name)
        if not found:
            continue
        unit = shown_unit("memory" if key == "memory" else str(name), result["quantities"][name]["unit"])
        value, _space, word = amount([found.low, found.typical, found.high], unit).partition(NBSP)
        aside = asides.get(key) or _("most likely %(value)s") % {"value": amount(found.typical, unit)}
        made.append(Measure(label, value, word, charts.dimension(found.low, found.typical, found.high), aside))
    return made


def deadline_badge(result: Json, option: Json) -> Badge | None:
    """Whether the option meets the wanted or only the latest time."""
    target = option.get("deadline", {}).get("target")
    is_sure = option.get("deadline", {}).get("sure")
    wanted, latest = wanted_h(result), latest_h(result)
    if target == "wanted":
        said = _("In time: %(time)s") % {"time": amount(wanted, "h")} if wanted else _("In time")
        return Badge("pass" if is_sure else "warn", said if is_sure else _("%(said)s, without margin") % {"said": said})
    if target == "latest":
        said = _("Latest time only") + (f": {amount(latest, 'h')}" if latest else "")
        return Badge("warn", said)
    if target == "none" and (wanted or latest):
        return Badge("stop", _("Misses the latest time"))
    return None


def rack_line(result: Json, option: Json) -> str:
    """Peak power and units of an option."""
    parts = []
    for code in ("power", "units"):
        row = resource_of(option, code)
        if row and span(result, row.get("required")):
            parts.append(quantity(result["quantities"][row["required"]], row["required"]))
    return ", ".join(parts)


def rack_fit(option: Json) -> str:
    """The worst fit among what the rack limits."""
    fits = [
        row["fit"]
        for row in option["resources"]
        if row["code"] in ("power", "feed", "heat", "cooling", "units", "depth", "weight")
    ]
    return next((f for f in ("does_not_fit", "at_limit", "unknown", "fits") if f in fits), "unknown")


def link_line(option: Json) -> str:
    """Links of an option: inside the server, and between servers when there are several."""
    link = value_label(str(option.get("link") or "pcie"))
    fabric = option.get("fabric")
    if option.get("servers", 1) > 1 and fabric:
        ports = option.get("fabric_ports")
        count = f"{ports}{NBSP}× " if ports else ""
        return f"{link}; {count}{fabric_name(str(fabric))}"
    return link


def memory_line(result: Json, memory: Json) -> str:
    """Memory of one GPU against what is usable."""
    total, usable = result["quantities"].get(memory.get("total")), span(result, memory.get("usable"))
    if not total:
        return "–"
    used = quantity(total, memory["total"])
    return _("%(used)s, limit %(limit)s") % {"used": used, "limit": amount(usable.typical, "gib")} if usable else used


def column(result: Json, option: Json) -> Column:
    """An option as the summary table shows it."""
    time = cycle_time(result, option)
    spoken_time = ""
    if time:
        spoken_time = amount([time.low, time.typical, time.high], "h")
    return Column(
        letter=option_letter(option["key"]),
        name=option_name(option["key"]),
        machine=machine_of(option),
        is_marked=option is recommended(result),
        time=spoken_time,
        deadline=deadline_badge(result, option),
        memory=memory_line(result, option["memory"]),
        rack=rack_line(result, option),
        fit=fit_badge(rack_fit(option)),
        link=link_line(option),
        techniques=", ".join(technique_name(t["code"]) for t in option.get("techniques", []) if t["code"] not in USUAL)
        or pgettext("value", "none"),
    )


LINE = 150  # characters of a line of the summary; a longer finding is named and explained in its chapter


def limits(result: Json) -> list[str]:
    """The hardest findings in one line each, each code once."""
    rows: dict[str, Json] = {}
    for row in result["findings"]:
        if row["severity"] in ("stop", "warn"):
            rows.setdefault(row["code"], row)
    lines = []
    for row in list(rows.values())[:3]:
        letters = ", ".join(option_letter(key) for key in row.get("options", []))
        spoken = finding(row)
        head = f"{letters}: {spoken.title}" if letters else spoken.title
        line = f"{head}. {spoken.what}"
        lines.append(line if len(line) <= LINE else f"{head}.")
    return lines


def unknown_line(result: Json, row: Json) -> str:
    """One open answer and what it would change."""
    label = label_of(row["path"])
    target = result["quantities"].get(row.get("target"))
    if target and row.get("share"):
        then = amount(row["then"], shown_unit(row["target"], target["unit"]))
        resource = label_of(row["target"])
        option = row["target"].split(".")[0]
        letter = f" {option_letter(option)}" if subject_of(row["target"]) != row["target"] else ""
        return _("%(label)s: %(resource)s%(option)s becomes %(then)s") % {
            "label": label,
            "resource": resource[:1].lower() + resource[1:],
            "option": letter,
            "then": then,
        }
    opens = ", ".join(option_letter(key) for key in row.get("opens", []))
    if opens:
        return _("%(label)s: may open option %(letters)s") % {"label": label, "letters": opens}
    decides = ", ".join(
        str(RESOURCES[code]) if code in RESOURCES else option_letter(code) for code in row.get("decides", [])
    )
    return f"{label}: {decides}" if decides else label
