"""The rack: gauges of each option against one limit, and the front view in the free units."""

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments.charts.hatches import hatches
from assessments.charts.reading import Cut, Json, span, typical
from assessments.charts.svg import (
    EDGE,
    INK,
    INK_2,
    PAPER,
    STOP,
    SUNKEN,
    element,
    figure,
    path,
    rect,
    soft,
    text,
    text_width,
)
from assessments.wording import NBSP, RESOURCES, amount, decimal, machine_of, number_in, option_letter, shown_unit

UNIT_MM = 44.45
PX = 11.0  # of one rack unit


def resource_of(option: Json, code: str) -> Json | None:
    """The row of a resource of an option."""
    return next((row for row in option["resources"] if row["code"] == code), None)


def gauge_codes(result: Json) -> list[str]:
    """Resources of the rack that have a limit to be drawn against."""
    codes = ("power", "feed", "heat", "units", "depth", "weight")
    return [
        code
        for code in codes
        if any((row := resource_of(o, code)) and span(result, row.get("offered")) for o in result["options"])
    ]


def rack_gauge(result: Json, code: str, *, name: str = "gauge") -> SafeString:
    """Bars of the options against the limit of one resource; the excess is hatched and carries a minus."""
    rows = [(o, row) for o in result["options"] if (row := resource_of(o, code)) and span(result, row.get("required"))]
    limits = [typical(result, row["offered"]) for _o, row in rows if span(result, row.get("offered"))]
    if not rows or not limits:
        return SafeString("")
    name, limit = f"{name}-{code}", min(limits)
    unit = shown_unit(code, result["quantities"][rows[0][1]["required"]]["unit"])
    width, left, right, height, gap, top = 340.0, 22.0, 112.0, 16.0, 9.0, 24.0
    axis = max([limit, *(typical(result, row["required"]) for _o, row in rows)]) * 1.05
    scale = (width - left - right) / axis
    drawn = [soft(width, top - 10, _("left"), anchor="end")]
    y = top
    for option, row in rows:
        value = typical(result, row["required"])
        drawn += [
            text(2, y + 12.5, option_letter(option["key"]), bold=True, class_="c-bold"),
            rect(left, y, axis * scale, height, fill=SUNKEN, class_="c-sunken"),
            rect(left, y, min(value, limit) * scale, height, fill=INK, class_="c-ink"),
        ]
        if value > limit:
            drawn.append(
                rect(
                    left + limit * scale,
                    y,
                    (value - limit) * scale,
                    height,
                    fill=f"url(#{name}-over)",
                    stroke=STOP,
                    class_="c-stop-s",
                )
            )
        drawn.append(text(width - right + 8, y + 12.5, amount(value, unit)))
        left_over = number_in(limit - value, unit, like=limit)
        is_over = value > limit
        drawn.append(
            text(
                width,
                y + 12.5,
                left_over,
                anchor="end",
                fill=STOP if is_over else INK_2,
                bold=is_over,
                class_="c-stop c-bold" if is_over else "c-soft",
            )
        )
        y += height + gap
    x = left + limit * scale
    drawn.append(path(f"M{x:.1f} {top - 6}V{y - gap + 5}", stroke=STOP, width=2.5, class_="c-stop-s"))
    said = _("limit %(amount)s") % {"amount": amount(limit, unit)}
    half = text_width(said) / 2
    drawn.append(text(max(x, half + 2), top - 10, said, anchor="middle", fill=STOP, bold=True, class_="c-stop c-bold"))
    title = _("%(resource)s of the options against the limit") % {"resource": RESOURCES[code]}
    desc = "; ".join(f"{option_letter(o['key'])} {amount(typical(result, r['required']), unit)}" for o, r in rows)
    return figure(hatches(name, "over"), *drawn, width=width, height=y + 2, title=title, desc=desc, class_="gauge")


def rack_elevation(result: Json, *, keys: tuple[str, ...] = (), cut: Cut = "wide", name: str = "rack") -> SafeString:
    """Front view of the free units with the servers of each option, dimensioned.

    keys: options to draw, by default all whose units are known
    """
    drawn_options = []
    for option in result["options"]:
        row = resource_of(option, "units")
        needed = round(typical(result, row["required"])) if row else 0
        if needed and (not keys or option["key"] in keys):
            free = round(typical(result, row["offered"])) if row and row.get("offered") else 0
            drawn_options.append((option, needed, free))
    if not drawn_options or max(needed for _o, needed, _f in drawn_options) > 60:
        return SafeString("")
    name = f"{name}-{cut}"
    is_single = len(drawn_options) == 1
    free = max(f for _o, _n, f in drawn_options)
    bay = 230.0 if is_single else (150.0 if cut != "narrow" else 74.0)
    unit_px = PX * (1.5 if is_single else 1.0)
    pitch = bay + (100 if cut != "narrow" or is_single else 30)
    lead = 84.0 if free and cut != "narrow" else 12.0
    most = max(free, *(needed for _o, needed, _f in drawn_options))
    top = 14.0
    floor = top + most * unit_px
    notes = text_width(machine_of(drawn_options[0][0])) + 16 if is_single else 0
    width = lead + pitch * len(drawn_options) + notes
    drawn = []
    for i, (option, needed, _free) in enumerate(drawn_options):
        x = lead + i * pitch
        drawn.append(_bay(x, bay, floor, unit_px, most, free))
        drawn.append(_servers(option, needed, free, x, bay, floor, unit_px, name))
        drawn.append(_caption(option, needed, free, x, bay, floor, unit_px, cut, is_single))
        if is_single:
            drawn.append(_callouts(result, option, x + bay, floor, needed * unit_px))
    if free and lead > 20:
        drawn.append(_vertical(lead - 22, floor - free * unit_px, floor, [f"{free}{NBSP}U", _("free")], side=-1))
    title = _("Front view of the rack units that the options take")
    desc = "; ".join(f"{option_letter(o['key'])}: {n}{NBSP}U" for o, n, _f in drawn_options)
    return figure(
        hatches(name, "over"), *drawn, width=width, height=floor + 28, title=title, desc=desc, class_=f"elevation {cut}"
    )


def _bay(x: float, bay: float, floor: float, unit_px: float, most: int, free: int) -> SafeString:
    """Rails with a mark per unit, and the free space dashed."""
    top = floor - most * unit_px
    marks = "".join(
        f"M{x - 9:.1f} {floor - n * unit_px:.1f}h3M{x + bay + 6:.1f} {floor - n * unit_px:.1f}h3"
        for n in range(most + 1)
    )
    rails = [
        rect(at, top, 8, floor - top, fill=SUNKEN, stroke=EDGE, class_="c-sunken c-edge") for at in (x - 9, x + bay + 1)
    ]
    space = (
        rect(
            x, floor - free * unit_px, bay, free * unit_px, fill=PAPER, stroke=EDGE, dash="4 3", class_="c-paper c-edge"
        )
        if free
        else SafeString("")
    )
    return SafeString("".join([*rails, path(marks, stroke=EDGE, class_="c-edge"), space]))


def _servers(
    option: Json, needed: int, free: int, x: float, bay: float, floor: float, unit_px: float, name: str
) -> SafeString:
    """Boxes of the option's servers, from the floor up; what stands above the free units is hatched."""
    servers = max(1, min(int(option.get("servers") or 1), needed))
    base, extra = divmod(needed, servers)
    drawn, used = [], 0
    for i in range(servers):
        units = base + (1 if i < extra else 0)
        used += units
        y, height = floor - used * unit_px, units * unit_px
        drawn.append(
            rect(x + 1, y + 1, bay - 2, height - 2, fill=PAPER, stroke=INK, stroke_width=1.6, class_="c-paper c-axis")
        )
        over = max(0, used - free) * unit_px if free else 0.0
        if over:
            drawn.append(
                rect(
                    x + 1,
                    y + 1,
                    bay - 2,
                    min(over, height) - 1,
                    fill=f"url(#{name}-over)",
                    stroke=STOP,
                    class_="c-stop-s",
                )
            )
        drawn.append(_front(x, bay, y + over, height - over, unit_px, option["gpus"] // servers))
    return SafeString("".join(drawn))


def _front(x: float, bay: float, y: float, height: float, unit_px: float, gpus: int) -> SafeString:
    """GPU modules and fan wall; nothing where there is no room to draw them."""
    modules = min(max(gpus, 1), 10)
    module_height = min(height * 0.42, 5 * unit_px)
    if module_height < 6:
        return SafeString("")
    step = (bay - 24) / modules
    at = y + height - module_height - unit_px * 0.6
    drawn = [
        rect(
            x + 12 + i * step,
            at,
            step - 3,
            module_height,
            fill=SUNKEN,
            stroke=INK,
            stroke_width=0.8,
            class_="c-sunken c-axis",
        )
        for i in range(modules)
    ]
    fans = at - y - unit_px * 1.2
    if fans > 5:
        drawn.append(rect(x + 12, y + unit_px * 0.7, bay - 27, fans, stroke=INK, stroke_width=0.8, class_="c-axis"))
        slats = "".join(
            f"M{x + 12 + i * 4:.0f} {y + unit_px * 0.7:.1f}v{fans:.1f}" for i in range(1, int((bay - 27) / 4) + 1)
        )
        drawn.append(path(slats, stroke=EDGE, width=0.7, class_="c-edge"))
    return SafeString("".join(drawn))


def _caption(
    option: Json, needed: int, free: int, x: float, bay: float, floor: float, unit_px: float, cut: Cut, is_single: bool
) -> SafeString:
    is_over = bool(free) and needed > free
    letter = option_letter(option["key"])
    colour, class_ = (STOP, "c-stop c-bold") if is_over else (INK, "c-bold")
    if cut == "narrow" and not is_single:
        return text(
            x + bay / 2,
            floor + 18,
            f"{letter}: {needed}{NBSP}U",
            anchor="middle",
            fill=colour,
            bold=True,
            class_=class_,
        )
    lines = [f"{needed}{NBSP}U", amount(needed * UNIT_MM, "mm")]
    dimension = _vertical(x + bay + 22, floor - needed * unit_px, floor, lines, is_over=is_over)
    return SafeString(
        dimension + text(x + bay / 2, floor + 18, letter, anchor="middle", bold=True, size=14, class_="c-bold")
    )


def _vertical(
    x: float, top: float, bottom: float, lines: list[str], *, side: int = 1, is_over: bool = False
) -> SafeString:
    """A vertical dimension line with its figure beside it."""
    d = (
        f"M{x} {top:.1f}V{bottom:.1f}M{x - 4} {top:.1f}h8M{x - 4} {bottom:.1f}h8"
        f"M{x - 3} {top + 6:.1f}L{x} {top:.1f}L{x + 3} {top + 6:.1f}"
        f"M{x - 3} {bottom - 6:.1f}L{x} {bottom:.1f}L{x + 3} {bottom - 6:.1f}"
    )
    drawn = [path(d, stroke=STOP if is_over else INK, class_="c-stop-s" if is_over else "c-axis")]
    middle = (top + bottom) / 2
    for i, line in enumerate(lines):
        y = middle + 4.5 + (i - (len(lines) - 1) / 2) * 16
        colour = STOP if is_over else (INK if i == 0 else INK_2)
        class_ = ("c-stop" if is_over else "") + (" c-bold" if i == 0 else " c-soft")
        anchor = "start" if side > 0 else "end"
        drawn.append(text(x + side * 8, y, line, anchor=anchor, fill=colour, bold=i == 0, class_=class_.strip()))
    return SafeString("".join(drawn))


def _callouts(result: Json, option: Json, right: float, floor: float, height: float) -> SafeString:
    """What the machine is and what it draws, pointed at the front view."""
    power, memory = resource_of(option, "power"), option["memory"]
    has_memory = span(result, memory.get("total")) and span(result, memory.get("usable"))
    notes = [(0.75, machine_of(option), _used(result, memory) if has_memory else "")]
    if power and span(result, power.get("required")):
        unit = result["quantities"][power["required"]]["unit"]
        notes.append((0.25, _("%(power)s at peak") % {"power": amount(typical(result, power["required"]), unit)}, ""))
    drawn = []
    for share, first, second in notes:
        y, x = floor - height + height * share, right + 104
        drawn.append(path(f"M{right - 24:.1f} {y:.1f}H{x - 6:.1f}", width=0.9))
        drawn.append(element("circle", cx=right - 24, cy=y, r=2.6, fill=INK, class_="c-ink"))
        drawn.append(text(x, y + 4.5, first, bold=True, class_="c-bold"))
        if second:
            drawn.append(soft(x, y + 20.5, second))
    return SafeString("".join(drawn))


def _used(result: Json, memory: Json) -> str:
    gib = 2.0**30
    return _("%(used)s of %(limit)s per GPU") % {
        "used": decimal(typical(result, memory["total"]) / gib),
        "limit": amount(typical(result, memory["usable"]), "gib"),
    }
