"""Numbers as people write them: separators of the language, decimals that the magnitude deserves."""

from decimal import ROUND_HALF_UP, Decimal
from math import floor, log10

from django.utils.translation import get_language

NBSP = "\u00a0"
NARROW = "\u202f"


def is_russian() -> bool:
    """Whether the active language writes a decimal comma and a space before the per cent sign."""
    return (get_language() or "en").startswith("ru")


def rounded(value: float, decimals: int) -> Decimal:
    """Half away from zero, as a reader with a pencil rounds."""
    return Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def decimal(value: float, decimals: int = 0) -> str:
    """A number in the active language: 12,345.6 or 12 345,6; a true minus sign."""
    number = rounded(value, decimals)
    text = f"{abs(number):,.{decimals}f}"
    if is_russian():
        text = text.replace(",", NARROW).replace(".", ",")
    return f"−{text}" if number < 0 else text


def decimals_for(value: float) -> int:
    """Decimals in running text: whole from 10 on, one digit from 1 on, two digits below 1."""
    size = abs(value)
    if size == 0 or size >= 10:
        return 0
    if size >= 1:
        return 0 if float(value).is_integer() else 1
    return min(-floor(log10(size)) + 1, 6)


def to_sum(values: list[float], total: float, decimals: int = 1) -> list[Decimal]:
    """Parts rounded by largest remainder, so that what is printed sums to the printed total."""
    unit = Decimal(1).scaleb(-decimals)
    floors = [Decimal(repr(float(v))).quantize(unit, rounding="ROUND_FLOOR") for v in values]
    missing = int((rounded(total, decimals) - sum(floors, Decimal(0))) / unit)
    by_remainder = sorted(range(len(values)), key=lambda i: (floors[i] - Decimal(repr(float(values[i]))), i))
    # far-off totals (parts that do not belong together) are left alone rather than hidden
    if 0 <= missing <= len(values):
        for i in by_remainder[:missing]:
            floors[i] += unit
    return floors
