"""Memory of one GPU: the bar of each option against what is usable, and training beside inference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments.charts.hatches import FILLS as PART_FILLS
from assessments.charts.hatches import LIGHT, ORDER, block, hatches
from assessments.charts.reading import (
    WIDTHS,
    Cut,
    Json,
    gib_ticks,
    gib_word,
    option_title,
    part_of,
    typical,
)
from assessments.charts.svg import (
    EDGE,
    INK,
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
    words,
)
from assessments.wording import CASES, PARTS, decimal, machine_of, option_letter

GIB = 2.0**30

type Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: parts in GiB by name; limit and capacity in GiB, None where there is none."""

    letter: str = ""
    label: str
    parts: Mapping[str, float]
    limit: float | None = None
    capacity: float | None = None

    @property
    def used(self) -> float:
        """Sum of the parts [GiB]."""
        return sum(self.parts.values())


def option_bar(result: Json, option: Json) -> Bar:
    """The memory bar of an option, typical values at the named moment."""
    memory = option["memory"]
    return Bar(
        letter=option_letter(option["key"]),
        label=machine_of(option),
        parts={part_of(name): typical(result, name) / GIB for name in memory["parts"]},
        limit=typical(result, memory.get("usable")) / GIB,
        capacity=typical(result, memory.get("capacity")) / GIB,
    )


def memory_bars(result: Json, *, cut: Cut = "wide", name: str = "memory") -> SafeString:
    """A bar per option on one scale, with usable limit and reserve; empty where the result has no option."""
    bars = [option_bar(result, option) for option in result["options"]]
    if not any(bar.used for bar in bars):
        return SafeString("")
    desc = "; ".join(
        _("%(option)s uses %(used)s of %(limit)s GiB")
        % {"option": option_title(option), "used": decimal(bar.used), "limit": decimal(bar.limit or 0)}
        for option, bar in zip(result["options"], bars, strict=True)
    )
    return draw_bars(bars, cut=cut, name=f"{name}-{cut}", title=_("Memory of one GPU by parts"), desc=desc)


def draw_bars(bars: Sequence[Bar], *, cut: Cut, name: str, title: str, desc: str) -> SafeString:
    """Bars with label, dimension line and limit on one zero-based scale."""
    width = WIDTHS[cut]
    height = {"wide": 44, "narrow": 36, "print": 32}[cut]
    top = 30 if cut != "narrow" else 46
    gap = {"wide": 50, "narrow": 66, "print": 46}[cut]
    axis = max(max(bar.used, bar.capacity or 0) for bar in bars) * 1.02
    scale = (width - 12) / axis if axis else 1.0
    floor = top + len(bars) * (height + gap) - gap + 16
    drawn = [_ticks(axis, scale, floor)]
    for i, bar in enumerate(bars):
        drawn.append(_grid(axis, scale, top + i * (height + gap), height))
        drawn.append(_bar(bar, top + i * (height + gap), height, scale, width, cut, name))
    return figure(
        hatches(name, *ORDER, "reserve", "over"),
        *drawn,
        width=width,
        height=floor + 22,
        title=title,
        desc=desc,
        class_=cut,
    )


def _ticks(axis: float, scale: float, floor: float) -> SafeString:
    """Numbers of the memory axis."""
    drawn = []
    for value in gib_ticks(axis):
        label = f"{decimal(value)} {gib_word()}" if value == 0 else decimal(value)
        drawn.append(soft(1 + value * scale, floor + 15, label, anchor="start" if value == 0 else "middle"))
    return SafeString("".join(drawn))


def _grid(axis: float, scale: float, y: float, height: float) -> SafeString:
    """Hairlines behind one bar only, so that none runs through the words between the bars."""
    d = "".join(f"M{1 + value * scale:.1f} {y - 5}v{height + 10}" for value in gib_ticks(axis))
    return path(d, stroke=LINE, class_="c-grid")


def _bar(bar: Bar, y: float, height: float, scale: float, width: float, cut: Cut, name: str) -> SafeString:
    def at(value: float) -> float:
        return 1 + value * scale

    label = [element("tspan", words(bar.letter), font_weight="600", class_="c-bold"), words("  ")] if bar.letter else []
    heading = SafeString("".join([*label, words(bar.label)]))
    drawn = [text(1, y - (9 if cut != "narrow" else 26), heading, size=14 if cut == "wide" else 13)]
    if bar.limit is not None and bar.capacity is not None:
        drawn += _limits(bar, at, y, height, width, cut, name)
    x = 0.0
    for part in ORDER:
        value = bar.parts.get(part, 0.0)
        if value <= 0:
            continue
        drawn.append(block(name, part, at(x), y, value * scale, height))
        drawn.append(_part_label(part, value, at(x), value * scale, y + height / 2 + 4.5))
        x += value
    if bar.limit is not None:
        if bar.used > bar.limit:
            over = rect(
                at(bar.limit), y, (bar.used - bar.limit) * scale, height, fill=f"url(#{name}-over)", stroke=STOP
            )
            drawn.append(over)
        drawn.append(path(f"M{at(bar.limit):.1f} {y - 5}V{y + height + 5}", width=2.5))
    drawn.append(_dimension(bar.used, at, y + height + 12))
    return SafeString("".join(drawn))


def _limits(bar: Bar, at: Scale, y: float, height: float, width: float, cut: Cut, name: str) -> list[SafeString]:
    limit, capacity = bar.limit or 0.0, bar.capacity or 0.0
    free = limit - bar.used
    values = {"free": decimal(abs(free)), "limit": decimal(limit), "capacity": decimal(capacity), "unit": gib_word()}
    if free >= 0:
        tail = _("%(free)s free · limit %(limit)s of %(capacity)s %(unit)s") % values
    else:
        tail = _("%(free)s short · limit %(limit)s of %(capacity)s %(unit)s") % values
    note = soft(width - 8, y - 9, tail, anchor="end") if cut != "narrow" else soft(1, y - 9, tail)
    return [
        note,
        rect(at(0), y, at(capacity) - at(0), height, fill=PAPER, stroke=EDGE, class_="c-paper c-edge"),
        rect(
            at(limit), y, at(capacity) - at(limit), height, fill=f"url(#{name}-reserve)", stroke=EDGE, class_="c-edge"
        ),
    ]


def _part_label(part: str, value: float, x: float, width: float, baseline: float) -> SafeString:
    """Name and value inside a part, value alone where the name does not fit, nothing where neither does."""
    number = decimal(value) if value >= 10 else decimal(value, 1)
    for label in (f"{PARTS[part]} {number}", number):
        taken = text_width(label) + 10
        if taken > width:
            continue
        middle = x + width / 2
        if part == "weights":
            return text(middle, baseline, label, anchor="middle", fill=PAPER, bold=True, class_="c-on-dark")
        # a plate of the part's own colour keeps the label legible on the hatch
        plate = rect(middle - taken / 2, baseline - 14, taken, 19, fill=PART_FILLS[part], class_=f"m-{part}")
        is_light = part in LIGHT
        return SafeString(
            plate
            + text(
                middle,
                baseline,
                label,
                anchor="middle",
                fill=INK if is_light else PAPER,
                class_="" if is_light else "c-on-dark",
            )
        )
    return SafeString("")


def _dimension(used: float, at: Scale, y: float) -> SafeString:
    label = _("used %(amount)s") % {"amount": decimal(used) if used >= 10 else decimal(used, 1)}
    middle, taken = at(used / 2), text_width(label) + 8
    line = path(f"M{at(0):.1f} {y}H{at(used):.1f}M{at(0):.1f} {y - 4}V{y + 4}M{at(used):.1f} {y - 4}V{y + 4}")
    if taken > at(used) - at(0):
        return SafeString(line + text(at(used) + 6, y + 4.5, label))
    plate = rect(middle - taken / 2, y - 7, taken, 14, fill=PAPER, class_="c-paper")
    return SafeString(line + plate + text(middle, y + 4.5, label, anchor="middle"))


def comparison(result: Json, *, cut: Cut = "wide", name: str = "comparison") -> SafeString:
    """The whole model served, with adapters, and fully trained, on one scale: why training differs."""
    rows = [
        Bar(
            label=str(CASES.get(row["case"], row["case"])),
            parts={part_of(part): typical(result, part) / GIB for part in row["parts"]},
        )
        for row in result.get("comparison") or []
    ]
    rows = [row for row in rows if row.used > 0]
    if not rows:
        return SafeString("")
    name = f"{name}-{cut}"
    width = WIDTHS[cut]
    left, right = (150, 90) if cut != "narrow" else (0, 4)
    height, gap, top = 30, (20 if cut != "narrow" else 38), (10 if cut != "narrow" else 30)
    axis = max(row.used for row in rows) * 1.02
    scale = (width - left - right) / axis
    drawn: list[SafeString] = []
    for i, row in enumerate(rows):
        drawn.append(_comparison_row(row, top + i * (height + gap), left, width, height, scale, cut, name))
    floor = top + len(rows) * (height + gap) - gap + 8
    drawn.append(path(f"M{left + 1} {floor}H{width - right}"))
    for value in gib_ticks(axis, 5 if cut != "narrow" else 3):
        x = left + 1 + value * scale
        drawn.append(path(f"M{x:.1f} {floor}v5"))
        label = f"{decimal(value)} {gib_word()}" if value == 0 else decimal(value)
        drawn.append(soft(x, floor + 19, label, anchor="start" if value == 0 else "middle"))
    desc = "; ".join(f"{row.label}: {decimal(row.used)} {gib_word()}" for row in rows)
    return figure(
        hatches(name, *ORDER),
        *drawn,
        width=width,
        height=floor + 26,
        title=_("Memory of this model, served and trained"),
        desc=desc,
        class_=cut,
    )


def _comparison_row(
    row: Bar, y: float, left: float, width: float, height: float, scale: float, cut: Cut, name: str
) -> SafeString:
    total = f"{decimal(row.used) if row.used >= 10 else decimal(row.used, 1)} {gib_word()}"
    drawn = [text(0, y + height / 2 + 4.5 if cut != "narrow" else y - 8, row.label, size=14 if cut == "wide" else 13)]
    x = left + 1.0
    for part in ORDER:
        value = row.parts.get(part, 0.0)
        if value <= 0:
            continue
        drawn.append(block(name, part, x, y, value * scale, height))
        drawn.append(_part_label(part, value, x, value * scale, y + height / 2 + 4.5))
        x += value * scale
    if cut == "narrow":
        drawn.append(text(width - 4, y - 8, total, anchor="end", bold=True))
    else:
        drawn.append(text(x + 8, y + height / 2 + 4.5, total, bold=True))
    return SafeString("".join(drawn))
