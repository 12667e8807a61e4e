"""Amounts: a value in its base unit becomes a number with the unit a reader expects."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments.wording.counts import NOUNS, plural
from assessments.wording.numbers import NBSP, decimal, decimals_for, is_russian, rounded

GIB = 2.0**30
HOURS_PER_MONTH = 730.5
HOURS_PER_YEAR = 8766.0

type Value = float | Sequence[float]
type Step = tuple[float, float, Callable[[str, float], str]]  # from this size on, divide by, write


def _unit(name: Callable[[], str]) -> Callable[[str, float], str]:
    """Number, no-break space, abbreviation."""
    return lambda number, _value: f"{number}{NBSP}{name()}"


def _percent(number: str, _value: float) -> str:
    return f"{number}{NBSP}%" if is_russian() else f"{number}%"


def _bare(number: str, _value: float) -> str:
    return number


def _scaled_words(word: Callable[[float], str], per_second: bool = False) -> tuple[Step, ...]:
    """Thousands as digits, then million, billion, trillion before the noun."""

    def with_noun(magnitude: Callable[[], str]) -> Callable[[str, float], str]:
        return lambda number, _value: f"{number}{NBSP}{magnitude()}{NBSP}{word(1e9)}".rstrip()

    def plain(number: str, value: float) -> str:
        return f"{number}{NBSP}{word(value)}".rstrip()

    million = 1e7 if per_second else 1e6
    return (
        (0, 1, plain),
        (million, 1e6, with_noun(lambda: pgettext("magnitude", "million"))),
        (1e9, 1e9, with_noun(lambda: pgettext("magnitude", "billion"))),
        (1e12, 1e12, with_noun(lambda: pgettext("magnitude", "trillion"))),
    )


def _bytes(suffix: Callable[[str], str]) -> tuple[Step, ...]:
    def named(name: str) -> Callable[[str, float], str]:
        return _unit(lambda: suffix(name))

    return (
        (0, 1, named("B")),
        (1e3, 1e3, named("kB")),
        (1e6, 1e6, named("MB")),
        (1e9, 1e9, named("GB")),
        (1e12, 1e12, named("TB")),
        (1e15, 1e15, named("PB")),
    )


def _si(letters: str, name: Callable[[str], str], base: float = 1.0) -> tuple[Step, ...]:
    return tuple(
        ((0.0 if i == 0 else base * 1000.0**i), base * 1000.0**i, _unit(lambda p=p: name(p)))  # type: ignore[misc]
        for i, p in enumerate(letters)
    )


def _byte_unit(name: str) -> str:
    return {
        "B": pgettext("unit", "B"),
        "kB": pgettext("unit", "kB"),
        "MB": pgettext("unit", "MB"),
        "GB": pgettext("unit", "GB"),
        "TB": pgettext("unit", "TB"),
        "PB": pgettext("unit", "PB"),
    }[name]


TIME_H: tuple[Step, ...] = (
    (0, 1 / 3.6e6, _unit(lambda: pgettext("unit", "ms"))),
    (1 / 3600, 1 / 3600, _unit(lambda: pgettext("unit", "s"))),
    (2 / 60, 1 / 60, _unit(lambda: pgettext("unit", "min"))),
    (2, 1, _unit(lambda: pgettext("unit", "h"))),
    (48, 24, lambda number, value: f"{number}{NBSP}{plural('days_short', value)}"),
    (24 * 92, HOURS_PER_MONTH, _unit(lambda: pgettext("unit", "months"))),
    (HOURS_PER_YEAR * 3, HOURS_PER_YEAR, lambda number, value: f"{number}{NBSP}{plural('years', value)}"),
)

STEPS: dict[str, tuple[Step, ...]] = {
    "gib": (
        (0, GIB, _unit(lambda: pgettext("unit", "GiB"))),
        (1e4 * GIB, GIB * 1024, _unit(lambda: pgettext("unit", "TiB"))),
    ),
    "bytes": _bytes(_byte_unit),
    "bytes_s": _bytes(lambda name: _("%(unit)s/s") % {"unit": _byte_unit(name)}),
    "bit_s": (
        (0, 1e6, _unit(lambda: pgettext("unit", "Mbit/s"))),
        (1e9, 1e9, _unit(lambda: pgettext("unit", "Gbit/s"))),
        (1e13, 1e12, _unit(lambda: pgettext("unit", "Tbit/s"))),
    ),
    "h": TIME_H,
    "w": (
        (0, 1, _unit(lambda: pgettext("unit", "W"))),
        (1e3, 1e3, _unit(lambda: pgettext("unit", "kW"))),
        (1e6, 1e6, _unit(lambda: pgettext("unit", "MW"))),
    ),
    "wh": ((0, 1e3, _unit(lambda: pgettext("unit", "kWh"))), (1e7, 1e6, _unit(lambda: pgettext("unit", "MWh")))),
    "tokens": _scaled_words(lambda value: plural("tokens", value)),
    "samples": _scaled_words(lambda value: plural("samples", value)),
    "params": _scaled_words(lambda value: plural("parameters", value)),
    "tokens_s": _scaled_words(lambda _value: pgettext("unit", "tokens/s"), per_second=True),
    "samples_s": _scaled_words(lambda _value: pgettext("unit", "samples/s"), per_second=True),
    "flops": _si(" kMGTPEZYRQ", lambda p: f"{p}FLOP".strip()),
    "flops_s": _si(" kMGTPEZ", lambda p: f"{p}FLOPS".strip()),
    "px": ((0, 1, _unit(lambda: pgettext("unit", "px"))),),
    "days": ((0, 1, lambda number, value: f"{number}{NBSP}{plural('days_short', value)}"),),
    "mm": ((0, 1, _unit(lambda: pgettext("unit", "mm"))),),
    "kg": ((0, 1, _unit(lambda: pgettext("unit", "kg"))), (1e4, 1e3, _unit(lambda: pgettext("unit", "t")))),
    "units": ((0, 1, _unit(lambda: "U")),),
    "c": ((0, 1, _unit(lambda: "°C")),),
    "btu_h": ((0, 1, _unit(lambda: pgettext("unit", "BTU/h"))),),
    "iops": _scaled_words(lambda _value: "IOPS", per_second=True),
    "share": ((0, 0.01, _percent),),
    "ratio": ((0, 1, lambda number, _value: f"{number}{NBSP}×" if is_russian() else f"{number}×"),),
    "count": _scaled_words(lambda _value: ""),
    "months": ((0, 1, _unit(lambda: pgettext("unit", "months"))),),
    "gpu_h": ((0, 1, _unit(lambda: pgettext("unit", "GPU-hours"))),),
    "bytes_per_param": ((0, 1, _unit(lambda: pgettext("unit", "bytes/parameter"))),),
    "bytes_per_token": ((0, 1, _unit(lambda: pgettext("unit", "bytes/token"))),),
    "flops_per_token": _si(" kMGTPE", lambda p: f"{p}FLOP".strip()),
}
# other spellings of a base unit: (unit of STEPS, factor)
ALIASES: dict[str, tuple[str, float]] = {
    "s": ("h", 1 / 3600),
    "kw": ("w", 1e3),
    "kwh": ("wh", 1e3),
    "gbit_s": ("bit_s", 1e9),
    "gb_s": ("bytes_s", 1e9),
    "gbps": ("bytes_s", 1e9),
    "flop": ("flops", 1.0),
    "flop_s": ("flops_s", 1.0),
    "flop_per_token": ("flops_per_token", 1.0),
    "1": ("count", 1.0),
    "": ("count", 1.0),
    "u": ("units", 1.0),
    "celsius": ("c", 1.0),
    "percent": ("share", 0.01),
    "multiple": ("ratio", 1.0),
    "gpu_hours": ("gpu_h", 1.0),
    "tokens_per_s": ("tokens_s", 1.0),
    "bytes_per_s": ("bytes_s", 1.0),
    "btu_per_h": ("btu_h", 1.0),
}
SMALLEST_GIB = 10 * 2.0**20  # below this memory is spoken of in bytes, kB, MB: bytes per parameter are no GiB
LONGEST = 2000  # a smaller scale may not make a number longer than this
WHOLE = frozenset({"gpus", "servers", "nodes", "drives", "ports", "slots", "units", "mm", "iops"})  # never a fraction


def step_of(value: float, unit: str) -> Step:
    """The scale in which a value of a base unit is written; a noun follows its number in the right form."""
    if unit not in STEPS:
        noun = unit if unit in NOUNS else ""
        return 0, 1, lambda number, shown: f"{number}{NBSP}{plural(noun, shown) if noun else unit}"
    found = STEPS[unit][0]
    for step in STEPS[unit]:
        # what rounds up to the next scale is written in it: 1,000 GB never appears
        if step[0] and abs(value) >= step[0] * 0.9995:
            found = step
    return found


def amount(value: Value | None, unit: str, *, decimals: int | None = None) -> str:
    """A value, or a range of [low, high] or [low, typical, high], in the active language with its unit.

    value: in the base unit; None = an en dash
    unit: a unit of result/1; `gib` = bytes shown in GiB
    decimals: fixed for columns that must sum; otherwise by magnitude
    """
    if value is None:
        return "–"
    unit, factor = ALIASES.get(unit, (unit, 1.0))
    ends = [value, value, value] if isinstance(value, int | float) else [value[0], value[len(value) // 2], value[-1]]
    low, middle, high = (float(v) * factor for v in ends)
    unit = unit if decimals is not None else _spoken_unit(high, unit)
    _from, divide, write = _scale(low, middle, high, unit) if decimals is None else step_of(high, unit)
    places = decimals
    if places is None:
        places = 0 if unit in WHOLE else _decimals(low / divide, high / divide)
        # kilowatts decide over feeds and racks: 14.3 kW, not 14
        if unit == "w" and divide > 1 and abs(high / divide) < 100:
            places = max(places, 1)
    first, last = decimal(low / divide, places), decimal(high / divide, places)
    text = last if first == last else f"{first}–{last}"
    return write(text, high / divide)


def _spoken_unit(value: float, unit: str) -> str:
    """The unit itself; bytes for what is far too small for GiB."""
    return "bytes" if unit == "gib" and 0 < abs(value) < SMALLEST_GIB else unit


def _scale(low: float, middle: float, high: float, unit: str) -> Step:
    """The scale of the high end, or a smaller one when in it the low end would read 0."""
    widest = step_of(high, unit)
    for end in (high, middle, low):
        found = step_of(end, unit)
        _from, divide, _write = found
        is_zero = low != 0 and not rounded(low / divide, _decimals(low / divide, high / divide))
        if not is_zero and abs(high / divide) < LONGEST:
            return found
    return widest


def number_in(value: float, unit: str, like: float) -> str:
    """The number alone, in the scale and with the decimals that another value of the same column has."""
    base, factor = ALIASES.get(unit, (unit, 1.0))
    _from, divide, _write = step_of(like * factor, _spoken_unit(like * factor, base))
    shown = amount(like, unit).split(NBSP)[0]
    places = len(shown.partition("," if is_russian() else ".")[2]) if base != "count" else 0
    return decimal(value * factor / divide, places)


def _decimals(low: float, high: float) -> int:
    """Decimals of a range: those of its high end, more when both ends would read the same."""
    places = decimals_for(high if abs(high) < 0.9995 or abs(high) >= 1 else 1.0)
    if low and low != high and places == 0 and high < 10:
        places = max(places, decimals_for(low) and 1)
    return places


def likely(values: Sequence[float], unit: str) -> str:
    """The typical value of a triple, in the scale of its range."""
    return amount(values[1], unit)


def shown_unit(name: str, unit: str) -> str:
    """GPU memory and RAM are written in GiB, everything else stored in GB and TB."""
    if unit == "bytes" and any(part in ("memory", "ram", "technique") for part in name.split(".")):
        return "gib"
    return unit


def quantity(q: Mapping[str, Any], name: str = "", *, decimals: int | None = None) -> str:
    """A quantity of result/1 as its range; ≈ before what rests on an assumption."""
    text = amount(q["v"], shown_unit(name, q["unit"]), decimals=decimals)
    return f"≈{NBSP}{text}" if q.get("origin") == "assumption" else text


def typical(q: Mapping[str, Any], name: str = "", *, decimals: int | None = None) -> str:
    """The likely value of a quantity alone."""
    return amount(q["v"][1], shown_unit(name, q["unit"]), decimals=decimals)


def counted(n: float, unit: str) -> str:
    """A counted phrase in the nominative: 8 GPUs, 2 servers, 3 assumptions."""
    return amount(n, unit)


def of_total(n: int, total: int) -> str:
    """3 of 12."""
    return _("%(n)d of %(total)d") % {"n": n, "total": total}
