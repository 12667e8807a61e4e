"""A range as a dimension line: the signature of the product."""

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments.charts.svg import EDGE, INK, LINE, element, figure, path

WIDTH, HEIGHT = 208, 16


def dimension(low: float, typical: float, high: float, *, axis: float | None = None) -> SafeString:
    """Low, typical, high on a zero-based line; the words beside it carry the meaning.

    axis: the value at the right end; by default a little beyond high
    """
    end = axis or high * 1.15 or 1.0

    def at(value: float) -> float:
        return 6 + min(max(value / end, 0.0), 1.0) * (WIDTH - 12)

    a, b, c = at(low), at(typical), at(high)
    drawn = [path(f"M3 8H{WIDTH - 3}", stroke=LINE, class_="c-grid")]
    if c - a > 14:
        ends = f"M{a:.1f} 2V14M{c:.1f} 2V14M{a:.1f} 8H{c:.1f}"
        arrows = f"M{a + 6:.1f} 5L{a:.1f} 8L{a + 6:.1f} 11M{c - 6:.1f} 5L{c:.1f} 8L{c - 6:.1f} 11"
        drawn.append(path(ends + arrows, width=1.5, class_="c-line"))
    drawn.append(element("circle", cx=b, cy=8, r=4, fill=INK, class_="c-ink"))
    return figure(
        *drawn, width=WIDTH, height=HEIGHT, title=_("Range as a dimension line"), class_="dimension", is_decoration=True
    )


def narrowing(
    now: tuple[float, float, float], then: tuple[float, float, float], *, axis: float | None = None
) -> SafeString:
    """The range now (thin) and once one answer is known (thick), on one scale."""
    width = 176
    end = axis or max(now[2], then[2]) * 1.05 or 1.0

    def line(values: tuple[float, float, float], y: float, colour: str, class_: str, thick: float) -> SafeString:
        low, high = (3 + max(v, 0.0) / end * (width - 6) for v in (values[0], values[2]))
        ticks = f"M{low:.1f} {y}H{high:.1f}M{low:.1f} {y - 5}V{y + 5}M{high:.1f} {y - 5}V{y + 5}"
        return path(ticks, stroke=colour, width=thick, class_=class_)

    return figure(
        path(f"M3 9H{width - 3}M3 25H{width - 3}", stroke=LINE, class_="c-grid"),
        line(now, 9, EDGE, "c-edge", 1.5),
        line(then, 25, INK, "c-axis", 2.5),
        width=width,
        height=34,
        title=_("Range now and once this is known"),
        class_="narrowing",
        is_decoration=True,
    )
