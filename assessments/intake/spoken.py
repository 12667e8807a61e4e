"""Typed amounts said back, exactly: “Read as 1,500.5 …”."""

from decimal import Decimal

from assessments.wording.amounts import amount, step_of
from assessments.wording.numbers import NBSP, decimal

WORDED = {
    "params": ("params", 1.0),
    "tokens": ("tokens", 1.0),
    "samples": ("samples", 1.0),
    "context": ("tokens", 1.0),
    "bytes": ("bytes", 1.0),
    "hours": ("h", 1.0),
    "kw": ("w", 1e3),
    "gbit_s": ("bit_s", 1e9),
    "mm": ("mm", 1.0),
    "kg": ("kg", 1.0),
    "celsius": ("c", 1.0),
    "share": ("share", 1.0),
    "years": ("years", 1.0),
    "months": ("months", 1.0),
    "units": ("units", 1.0),
    "seconds": ("h", 1 / 3600),
}
MOST_DECIMALS = 4


def spoken(value: float | list[float | int], kind: str, unit: str = "") -> str:
    """A value in base units (or [low, high]) with the unit that a reader expects, without rounding what was typed.

    unit: abbreviation printed after a number of pixels; a bare count has none
    """
    if kind not in WORDED:
        numbers = value if isinstance(value, list) else [value]
        text = "–".join(decimal(number, _decimals(number)) for number in numbers)
        return f"{text}{NBSP}{unit}" if kind == "px" and unit else text
    word, factor = WORDED[kind]
    scaled = [number * factor for number in (value if isinstance(value, list) else [value])]
    divisor = step_of(scaled[-1], word)[1]
    return amount(scaled, word, decimals=max(_decimals(number / divisor) for number in scaled))


def _decimals(number: float) -> int:
    """Decimals that are needed to show a number as it is."""
    exponent = Decimal(repr(round(float(number), MOST_DECIMALS))).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
