"""SVG elements as safe strings: every attribute and text is escaped here and nowhere else."""

from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

INK = "#15202b"
INK_2 = "#43515e"
LINE = "#cdd6dd"
EDGE = "#6b7a87"
PAPER = "#ffffff"
SUNKEN = "#e6ebef"
STOP = "#a8201a"
GOOD = "#1f6b3a"
WARN = "#8a4b00"
FONT = "Sizewright Data, IBM Plex Sans Condensed, sans-serif"
SIZE = 13.0

type Attribute = str | float | int | None


def _value(value: str | float | int) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return conditional_escape(str(value))


def element(name: str, *children: SafeString, **attributes: Attribute) -> SafeString:
    """One element; `class_` and `text_anchor` become class and text-anchor; None leaves an attribute out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(conditional_escape(child) for child in children)
    markup = f"<{name}{written}>{inside}</{name}>" if inside else f"<{name}{written}/>"
    return mark_safe(markup)  # noqa: S308 – built from escaped parts only


def words(value: object) -> SafeString:
    """Text content."""
    return SafeString(conditional_escape(value if isinstance(value, SafeString) else str(value)))


def text(
    x: float,
    y: float,
    content: object,
    *,
    anchor: str = "start",
    fill: str = INK,
    bold: bool = False,
    size: float = SIZE,
    class_: str = "",
    transform: str | None = None,
) -> SafeString:
    """A label on its baseline."""
    return element(
        "text",
        words(content),
        x=float(x),
        y=float(y),
        font_size=size,
        text_anchor=anchor,
        font_family=FONT,
        font_weight="600" if bold else None,
        fill=fill,
        class_=f"c-text {class_}".strip(),
        transform=transform,
    )


def soft(x: float, y: float, content: object, *, anchor: str = "start", size: float = SIZE) -> SafeString:
    """A label of secondary weight."""
    return text(x, y, content, anchor=anchor, fill=INK_2, class_="c-soft", size=size)


def rect(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    fill: str = "none",
    stroke: str | None = None,
    stroke_width: float | None = None,
    dash: str | None = None,
    class_: str | None = None,
) -> SafeString:
    """A box; never of negative size."""
    return element(
        "rect",
        x=float(x),
        y=float(y),
        width=max(float(width), 0.0),
        height=max(float(height), 0.0),
        fill=fill,
        stroke=stroke,
        stroke_width=stroke_width,
        stroke_dasharray=dash,
        class_=class_,
    )


def path(
    d: str,
    *,
    stroke: str | None = INK,
    width: float = 1.0,
    fill: str = "none",
    dash: str | None = None,
    class_: str = "c-axis",
    opacity: float | None = None,
) -> SafeString:
    """A path of numbers that we computed ourselves."""
    return element(
        "path",
        d=d,
        fill=fill,
        fill_opacity=None if opacity is None else str(opacity),
        stroke=stroke,
        stroke_width=width if stroke else None,
        stroke_dasharray=dash,
        class_=class_,
    )


def text_width(content: str, size: float = SIZE) -> float:
    """Width of a label in the condensed cut, a little generous [units of the drawing]."""
    return len(content) * size * 0.49


def figure(
    *children: SafeString,
    width: float,
    height: float,
    title: str,
    desc: str = "",
    class_: str = "",
    is_decoration: bool = False,
) -> SafeString:
    """The root element with its text alternatives; a decoration repeats words that stand beside it."""
    return element(
        "svg",
        element("title", words(title)),
        *([element("desc", words(desc))] if desc else []),
        *children,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        xmlns="http://www.w3.org/2000/svg",
        role=None if is_decoration else "img",
        aria_label=None if is_decoration else title,
        aria_hidden="true" if is_decoration else None,
        class_=class_ or None,
    )
