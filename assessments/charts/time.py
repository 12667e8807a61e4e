"""Time of one cycle against the number of GPUs, with the wanted and the latest time."""

from dataclasses import dataclass
from math import log2

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments.charts.hatches import hatches
from assessments.charts.places import Box, place
from assessments.charts.reading import (
    WIDTHS,
    Cut,
    Json,
    cycle_time,
    latest_h,
    legend_names,
    option_title,
    span,
    wanted_h,
)
from assessments.charts.svg import (
    GOOD,
    INK,
    INK_2,
    LINE,
    PAPER,
    STOP,
    element,
    figure,
    path,
    rect,
    soft,
    text,
    text_width,
)
from assessments.wording import amount, decimal, option_letter

BOLD = 1.2  # bold letters are this much wider
DASHES = ("", "7 4", "2 3", "10 3 2 3", "1 4", "14 5")


@dataclass(frozen=True, slots=True)
class Point:
    """One machine of a curve: GPUs, time [h], whether memory holds it."""

    gpus: int
    low: float
    typical: float
    high: float
    does_fit: bool


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the plot lies and how values map into it."""

    left: float
    right: float
    top: float
    bottom: float
    first: float
    last: float
    top_h: float

    @property
    def box(self) -> Box:
        """The plot as a box."""
        return Box(self.left, self.top, self.right - self.left, self.bottom - self.top)

    def x(self, gpus: float) -> float:
        """Position of a GPU count; doubling is one step."""
        if self.last == self.first:
            return (self.left + self.right) / 2
        return (
            self.left
            + 14
            + (log2(gpus) - log2(self.first)) / (log2(self.last) - log2(self.first)) * (self.right - self.left - 28)
        )

    def y(self, hours: float) -> float:
        """Position of a time; not clipped."""
        return self.bottom - hours / self.top_h * (self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of the legend: which curve, where its line starts [units of the drawing]."""

    order: int
    x: float
    y: float
    text: str


def time_curve(result: Json, *, cut: Cut = "wide", name: str = "time") -> SafeString:
    """Curves per GPU type with their ranges; what memory does not hold is a hatched zone."""
    rows = result.get("curves") or []
    curves = list(zip(legend_names(rows), (_points(result, row) for row in rows), strict=True))
    curves = [(label, points) for label, points in curves if any(p.does_fit for p in points)]
    if not curves:
        return SafeString("")
    name = f"{name}-{cut}"
    legend = _legend([label for label, _points in curves], WIDTHS[cut])
    frame = _frame(result, [points for _label, points in curves], legend[-1].y, cut)
    fitting = [p.gpus for _label, points in curves for p in points if p.does_fit]
    drawn = [_zone(frame, min(fitting), name), _axes(frame, cut)]
    for i, (_label, points) in enumerate(curves):
        drawn.append(_curve(frame, [p for p in points if p.does_fit], DASHES[i % len(DASHES)], name))
    targets, taken = _targets(result, frame)
    drawn += [targets, _named(legend), _options(result, frame, taken)]
    clip = element(
        "clipPath",
        rect(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top),
        id=f"{name}-plot",
    )
    desc = "; ".join(
        f"{option_title(option)}: {amount([time.low, time.typical, time.high], 'h')}"
        for option in result["options"]
        if (time := cycle_time(result, option))
    )
    return figure(
        hatches(name, "reserve"),
        element("defs", clip),
        *drawn,
        width=WIDTHS[cut],
        height=frame.bottom + 46,
        title=_("Time of a cycle by number of GPUs"),
        desc=desc,
        class_=cut,
    )


def _points(result: Json, curve: Json) -> list[Point]:
    """Points up to four times the largest option; what lies beyond only squeezes the rest."""
    points = []
    most = 4 * max((option["gpus"] for option in result["options"]), default=1 << 30)
    for row in curve["points"]:
        time = span(result, row["time"])
        if time and row["gpus"] <= most:
            points.append(Point(row["gpus"], time.low, time.typical, time.high, row["fit"] != "does_not_fit"))
    return sorted(points, key=lambda p: p.gpus)


def _legend(names: list[str], width: float) -> list[Entry]:
    """Names of the curves above the plot, in as many lines as they need."""
    entries: list[Entry] = []
    x, y = 2.0, 8.0
    for i, name in enumerate(names):
        needed = 28 + text_width(name) * BOLD
        if entries and x + needed > width:
            x, y = 2.0, y + 18
        entries.append(Entry(i, x, y, name))
        x += needed + 20
    return entries


def _frame(result: Json, curves: list[list[Point]], legend_end: float, cut: Cut) -> Frame:
    gpus = [p.gpus for points in curves for p in points]
    times = [t.high for option in result["options"] if (t := cycle_time(result, option))]
    targets = [t for t in (wanted_h(result), latest_h(result)) if t]
    # the highest thing that decides sets the scale; a curve that climbs far above is cut off
    top_h = max([*times, *(t * 1.1 for t in targets)], default=0.0) or max(p.typical for c in curves for p in c)
    width = WIDTHS[cut]
    top = legend_end + 44  # the legend, then the title of the axis
    return Frame(
        left=44,
        right=width - 10,
        top=top,
        bottom=top + (270 if cut == "wide" else 240),
        first=min(gpus),
        last=max(gpus),
        top_h=top_h * 1.05,
    )


def _zone(frame: Frame, first_fitting: int, name: str) -> SafeString:
    """GPU counts that no type can work with: the model does not fit in memory."""
    if first_fitting <= frame.first:
        return SafeString("")
    right = frame.x(first_fitting) - 10
    label = _("does not fit in memory")
    cx, cy = (frame.left + right) / 2, (frame.top + frame.bottom) / 2
    half = text_width(label) / 2 + 6
    return SafeString(
        rect(frame.left, frame.top, right - frame.left, frame.bottom - frame.top, fill=f"url(#{name}-reserve)")
        + rect(cx - 9, cy - half, 18, 2 * half, fill=PAPER, class_="c-paper")
        + text(
            cx + 4.5,
            cy,
            label,
            anchor="middle",
            fill=INK_2,
            class_="c-soft",
            transform=f"rotate(-90 {cx + 4.5:.1f} {cy:.1f})",
        )
    )


def _unit(frame: Frame) -> tuple[float, str]:
    """Hours of one unit of the time axis, and its title."""
    if frame.top_h <= 3:
        return 1 / 60, _("minutes per cycle")
    if frame.top_h <= 72:
        return 1.0, _("hours per cycle")
    if frame.top_h <= 24 * 400:
        return 24.0, _("days per cycle")
    return 730.5, _("months per cycle")


def _axes(frame: Frame, cut: Cut) -> SafeString:
    hours, title = _unit(frame)
    most = frame.top_h / hours
    step = next((s for s in (0.1, 0.2, 0.5, 1, 2, 5, 7, 10, 14, 20, 30, 50, 100, 200, 500) if most / s <= 6), 1000.0)
    drawn = [soft(2, frame.top - 14, title)]
    for i in range(int(most / step) + 1):
        y = frame.y(i * step * hours)
        drawn.append(path(f"M{frame.left} {y:.1f}H{frame.right}", stroke=LINE, class_="c-grid"))
        drawn.append(soft(frame.left - 7, y + 4.5, decimal(i * step, 0 if step >= 1 else 1), anchor="end"))
    gpus, taken = frame.first, -100.0
    while gpus <= frame.last:
        x = frame.x(gpus)
        if x - taken > 30:
            drawn.append(path(f"M{x:.1f} {frame.bottom}v5"))
            drawn.append(soft(x, frame.bottom + 20, decimal(gpus), anchor="middle"))
            taken = x
        gpus *= 2
    drawn.append(soft(frame.right, frame.bottom + 40, _("number of GPUs"), anchor="end"))
    drawn.append(path(f"M{frame.left} {frame.top}V{frame.bottom}H{frame.right}"))
    return SafeString("".join(drawn))


def _curve(frame: Frame, points: list[Point], dash: str, name: str) -> SafeString:
    def line(values: list[tuple[int, float]]) -> str:
        return "L".join(f"{frame.x(gpus):.1f} {frame.y(hours):.1f}" for gpus, hours in values)

    upper = [(p.gpus, p.high) for p in points]
    lower = [(p.gpus, p.low) for p in reversed(points)]
    band = path(f"M{line(upper + lower)}Z", stroke=None, fill=INK, opacity=0.1, class_="c-band")
    middle = path(f"M{line([(p.gpus, p.typical) for p in points])}", width=2.2, dash=dash or None, class_="c-line")
    return element("g", band, middle, clip_path=f"url(#{name}-plot)")


def _targets(result: Json, frame: Frame) -> tuple[SafeString, list[Box]]:
    """Lines of the wanted and the latest time, named inside the plot at the left; where the names stand."""
    drawn: list[SafeString] = []
    taken: list[Box] = []
    lines = (
        (wanted_h(result), GOOD, "c-target", None, _("wanted: %(time)s")),
        (latest_h(result), STOP, "c-max", "2 4", _("latest: %(time)s")),
    )
    for hours, colour, class_, dash, label in lines:
        if not hours or hours > frame.top_h:
            continue
        y = frame.y(hours)
        drawn.append(path(f"M{frame.left} {y:.1f}H{frame.right}", stroke=colour, width=2, dash=dash, class_=class_))
        said = label % {"time": amount(hours, "h")}
        width = text_width(said) * BOLD + 8
        above = Box(frame.left + 6, y - 21, width, 18)
        box = place(above, [(0, 0), (0, 24), (width + 6, 0), (width + 6, 24), (0, 44), (0, 64)], taken, frame.box)
        taken.append(box)
        drawn.append(rect(box.x, box.y, box.width, box.height, fill=PAPER, class_="c-paper"))
        drawn.append(text(box.x + 4, box.y + 13.5, said, fill=colour, bold=True, class_=f"{class_}-t"))
    return SafeString("".join(drawn)), taken


def _named(legend: list[Entry]) -> SafeString:
    drawn = []
    for row in legend:
        sample = path("M0 0H22", width=2.2, dash=DASHES[row.order % len(DASHES)] or None, class_="c-line")
        drawn.append(element("g", sample, transform=f"translate({row.x:.1f} {row.y:.1f})"))
        drawn.append(text(row.x + 28, row.y + 4.5, row.text, bold=True))
    return SafeString("".join(drawn))


def _options(result: Json, frame: Frame, taken: list[Box]) -> SafeString:
    """Letters and times of the options; one that would cover another stands aside, tied to its point."""
    # ties lie under all letters, so that none is struck through
    ties: list[SafeString] = []
    drawn: list[SafeString] = []
    taken = list(taken)
    for option in result["options"]:
        time = cycle_time(result, option)
        if not time or not frame.first <= option["gpus"] <= frame.last or time.typical > frame.top_h:
            continue
        x, y = frame.x(option["gpus"]), frame.y(time.typical)
        said = amount(time.typical, "h")
        width = 28 + text_width(said) * BOLD
        moves = [(dx, dy) for dy in (0, -28, 28, -56, 56, -84) for dx in (0, 11 - width, 28, -width - 17)]
        box = place(Box(x - 11, y - 11, width, 22), moves, taken, frame.box)
        taken.append(box)
        cx, cy = box.x + 11, box.y + 11
        if (cx, cy) != (x, y):
            ties.append(path(f"M{x:.1f} {y:.1f}L{cx:.1f} {cy:.1f}"))
            ties.append(element("circle", cx=x, cy=y, r=3.5, fill=INK, class_="c-dot"))
        drawn.append(rect(box.x, box.y, box.width, box.height, fill=PAPER, class_="c-paper"))
        drawn.append(rect(box.x, box.y, 22, 22, fill=PAPER, stroke=INK, stroke_width=2, class_="c-paper c-axis"))
        letter = option_letter(option["key"])
        drawn.append(text(cx, cy + 5, letter, anchor="middle", bold=True, size=14, class_="c-bold"))
        drawn.append(text(cx + 15, cy + 4.5, said, bold=True, class_="c-bold"))
    return SafeString("".join(ties + drawn))
