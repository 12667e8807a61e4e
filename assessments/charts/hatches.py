"""Hatches: hue says the family of a memory part, lightness and hatch say the part."""

from django.utils.safestring import SafeString

from assessments.charts.svg import EDGE, PAPER, STOP, element, path, rect, words

FILLS = {
    "weights": "#123f73",
    "gradients": "#2f74b5",
    "optimizer": "#a9cbea",
    "activations": "#7a6400",
    "logits": "#e3d480",
    "overhead": "#6b7783",
}
EDGES = {
    "weights": ("state", "#1d5a99"),
    "gradients": ("state", "#1d5a99"),
    "optimizer": ("state", "#1d5a99"),
    "activations": ("step", "#7a6400"),
    "logits": ("step", "#7a6400"),
    "overhead": ("overhead", "#6b7783"),
}
LIGHT = frozenset({"optimizer", "logits"})  # parts that carry dark labels
ORDER = tuple(FILLS)


def _pattern(name: str, size: float, content: SafeString, turned: bool = False) -> SafeString:
    return element(
        "pattern",
        content,
        id=name,
        width=size,
        height=size,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)" if turned else None,
    )


def _line(d: str, colour: str, width: float, class_: str) -> SafeString:
    return path(d, stroke=colour, width=width, class_=class_)


def hatches(prefix: str, *names: str) -> SafeString:
    """Definitions of the named hatches (parts, `reserve`, `over`) under ids that begin with the figure's name."""
    made = {
        "gradients": lambda n: _pattern(n, 6, _line("M0 0V6", PAPER, 1.6, "h-paper"), turned=True),
        "optimizer": lambda n: _pattern(n, 7, element("circle", cx=2, cy=2, r=1, fill="#1d5a99", class_="h-dot")),
        "activations": lambda n: _pattern(n, 5, _line("M2.5 0V5", PAPER, 1.4, "h-paper")),
        "logits": lambda n: _pattern(n, 6, _line("M0 0L6 6M6 0L0 6", "#7a6400", 0.8, "h-step")),
        "overhead": lambda n: _pattern(n, 5, _line("M0 2.5H5", PAPER, 1.0, "h-paper")),
        "reserve": lambda n: _pattern(n, 7, _line("M0 0V7", EDGE, 1.0, "h-ink"), turned=True),
        "over": lambda n: _pattern(n, 6, _line("M0 0V6", STOP, 2.4, "c-stop-s"), turned=True),
    }
    return element("defs", *(made[name](f"{prefix}-{name}") for name in names if name in made))


def block(prefix: str, part: str, x: float, y: float, width: float, height: float) -> SafeString:
    """One part of a memory bar: fill, hatch, edge."""
    edge, colour = EDGES[part]
    width = max(width, 1.0)
    boxes = [rect(x, y, width, height, fill=FILLS[part], class_=f"m-{part}")]
    if part != "weights":
        boxes.append(rect(x, y, width, height, fill=f"url(#{prefix}-{part})"))
    boxes.append(rect(x, y, width, height, stroke=colour, class_=f"e-{edge}"))
    return SafeString("".join(boxes))


def swatch(part: str, title: str, name: str = "swatch") -> SafeString:
    """The sample of a part beside its name in a table or key.

    name: what the ids begin with, one per place where the same part is sampled
    """
    prefix = f"{name}-{part}"
    if part in FILLS:
        inside = [hatches(prefix, part), block(prefix, part, 0.5, 0.5, 21, 15)]
    elif part == "reserve":
        inside = [
            hatches(prefix, "reserve"),
            rect(0.5, 0.5, 21, 15, fill=f"url(#{prefix}-reserve)", stroke=EDGE, class_="c-edge"),
        ]
    else:
        inside = [rect(0.5, 0.5, 21, 15, fill=PAPER, stroke=EDGE, class_="c-paper c-edge")]
    return element(
        "svg",
        element("title", words(title)),
        *inside,
        viewBox="0 0 22 16",
        xmlns="http://www.w3.org/2000/svg",
        class_="swatch",
        aria_hidden="true",
    )
