"""Quantities: a range with unit, derivation and origin under a stable id, and the ledger that collects them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

type Origin = Literal["answer", "assumption", "computed", "pinned"]
type Input = str | float | int

SIGNIFICANT_DIGITS = 6
ARITHMETIC = "arithmetic"


class Span(NamedTuple):
    """Low, typical and high of one value."""

    low: float
    typical: float
    high: float

    def scaled(self, factor: float) -> Span:
        """Every bound times a factor that is not negative."""
        return Span(self.low * factor, self.typical * factor, self.high * factor)

    def plus(self, other: Span) -> Span:
        """Sum, bound by bound (fully correlated, so never too narrow)."""
        return Span(self.low + other.low, self.typical + other.typical, self.high + other.high)

    def times(self, other: Span) -> Span:
        """Product of two spans that are not negative."""
        return Span(self.low * other.low, self.typical * other.typical, self.high * other.high)

    def over(self, other: Span) -> Span:
        """Quotient of two positive spans: the low divides by the high."""
        return Span(self.low / other.high, self.typical / other.typical, self.high / other.low)

    def minus(self, other: Span) -> Span:
        """What other leaves of this span; may be negative."""
        return Span(self.low - other.high, self.typical - other.typical, self.high - other.low)

    def at_least(self, floor: float) -> Span:
        """Every bound raised to a floor."""
        return Span(max(self.low, floor), max(self.typical, floor), max(self.high, floor))


def exactly(value: float) -> Span:
    """A value without a range."""
    return Span(value, value, value)


def envelope(spans: Iterable[Span]) -> Span:
    """The span that holds all the given ones; its typical is the middle one of theirs."""
    rows = list(spans)
    typical = sorted(row.typical for row in rows)[(len(rows) - 1) // 2]
    return Span(min(row.low for row in rows), typical, max(row.high for row in rows))


def combined(typical: float, factors: Sequence[Span]) -> Span:
    """Range of a product of independent factors: their widths in logarithms add as squares.

    factors: spans whose ratio to their own typical is the relative range; their typical values are not multiplied
    """
    above = math.sqrt(sum(math.log(f.high / f.typical) ** 2 for f in factors if f.typical > 0 and f.high > 0))
    below = math.sqrt(sum(math.log(f.typical / f.low) ** 2 for f in factors if f.typical > 0 and f.low > 0))
    return Span(typical * math.exp(-below), typical, typical * math.exp(above))


def rounded(value: float) -> float | int:
    """A finite number with 6 significant digits; whole numbers come back as int."""
    if not math.isfinite(value):
        raise ArithmeticError(f"not a finite number: {value!r}")
    short = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    return int(short) if short.is_integer() and abs(short) < 2**63 else short


def rounded_parts(parts: Sequence[float], total: float) -> list[float | int]:
    """Parts rounded by largest remainder so that they sum to the rounded total.

    parts: values that are not negative and sum to total
    """
    whole = float(rounded(total))
    if whole <= 0:
        return [0 for _ in parts]
    quantum = 10.0 ** (math.floor(math.log10(whole)) - SIGNIFICANT_DIGITS + 1)
    scale = whole / total if total > 0 else 0.0
    exact = [part * scale / quantum for part in parts]
    units = [math.floor(value) for value in exact]
    missing = round(whole / quantum) - sum(units)
    order = sorted(range(len(parts)), key=lambda i: (units[i] - exact[i], i))
    for i in order[:missing]:
        units[i] += 1
    return [rounded(unit * quantum) for unit in units]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """One number of a result: value, unit and where it comes from."""

    value: Span
    unit: str
    formula: str
    inputs: tuple[Input, ...]
    source: str
    origin: Origin
    engine_value: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A quantity that an engineer may pin, with the bounds of what is sensible."""

    id: str
    unit: str
    low: float
    high: float


class KnobOutOfBounds(ValueError):
    """A pinned value lies outside its knob's bounds."""

    def __init__(self, *, knob: Knob, given: float) -> None:
        super().__init__(f"{knob.id} takes {knob.low:g} to {knob.high:g} {knob.unit}, given {given!r}")
        self.knob = knob
        self.given = given


class Ledger:
    """Collects the quantities of one sizing; a pinned knob replaces the computed value on its way in."""

    def __init__(self, overrides: Mapping[str, float]) -> None:
        self.quantities: dict[str, Quantity] = {}
        self.knobs: dict[str, Knob] = {}
        self.overrides = overrides

    def add(
        self,
        id: str,  # noqa: A002 – the contract calls it ID
        value: Span | float,
        *,
        unit: str,
        formula: str,
        inputs: Sequence[Input] = (),
        source: str = ARITHMETIC,
        origin: Origin = "computed",
        bounds: tuple[float, float] | None = None,
    ) -> Span:
        """Store a quantity and return the value that everything downstream has to use.

        bounds: makes the quantity a knob; a pinned value outside of them raises KnobOutOfBounds
        """
        span = value if isinstance(value, Span) else exactly(float(value))
        engine_value = None
        if bounds is not None:
            knob = Knob(id=id, unit=unit, low=bounds[0], high=bounds[1])
            self.knobs[id] = knob
            if id in self.overrides:
                given = float(self.overrides[id])
                if not knob.low <= given <= knob.high:
                    raise KnobOutOfBounds(knob=knob, given=given)
                span, engine_value, origin = exactly(given), span, "pinned"
        self.quantities[id] = Quantity(
            value=span,
            unit=unit,
            formula=formula,
            inputs=tuple(inputs),
            source=source,
            origin=origin,
            engine_value=engine_value,
        )
        return span

    def pinned(self, id: str) -> bool:  # noqa: A002 – the contract calls it ID
        """Whether an override replaced this quantity."""
        quantity = self.quantities.get(id)
        return quantity is not None and quantity.origin == "pinned"

    def typical(self, id: str) -> float:  # noqa: A002 – the contract calls it ID
        """Typical value of a stored quantity."""
        return self.quantities[id].value.typical

    def add_parts(self, ids: Sequence[str], total_id: str) -> None:
        """Make the typical values of parts sum exactly to the typical of their total, at six digits."""
        total = self.quantities[total_id].value
        values = rounded_parts([self.quantities[id_].value.typical for id_ in ids], total.typical)
        for id_, typical in zip(ids, values, strict=True):
            old = self.quantities[id_]
            span = Span(min(old.value.low, typical), float(typical), max(old.value.high, typical))
            self.quantities[id_] = Quantity(
                value=span, unit=old.unit, formula=old.formula, inputs=old.inputs, source=old.source, origin=old.origin
            )

    def copy(self, source: str, target: str) -> None:
        """Repeat a quantity under another prefix; inputs of the same prefix follow."""
        for id_, quantity in list(self.quantities.items()):
            if id_.startswith(f"{source}."):
                inputs = tuple(
                    target + item[len(source) :] if isinstance(item, str) and item.startswith(f"{source}.") else item
                    for item in quantity.inputs
                )
                self.quantities[target + id_[len(source) :]] = replace(quantity, inputs=inputs)

    def as_result(self) -> dict[str, object]:
        """Every quantity as plain JSON, rounded to six significant digits."""
        return {id_: _as_json(quantity) for id_, quantity in self.quantities.items()}

    def scope(self, option: str, scenario: str = "") -> Scope:
        """The same ledger under an option and, where there are several, a scenario."""
        return Scope(ledger=self, prefix=".".join(part for part in (option, scenario) if part), task=scenario)

    def knobs_as_result(self) -> list[dict[str, object]]:
        """Every knob as plain JSON."""
        return [
            {"id": k.id, "unit": k.unit, "low": rounded(k.low), "high": rounded(k.high)} for k in self.knobs.values()
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A ledger seen from one option or scenario.

    Ids are local names; an input ".time.step" is local too, "^model.params" belongs to the scenario of `task`.
    """

    ledger: Ledger
    prefix: str
    task: str = ""

    def id(self, name: str) -> str:
        """The full id of a local name."""
        return f"{self.prefix}.{name}" if self.prefix else name

    def add(
        self,
        name: str,
        value: Span | float,
        *,
        unit: str,
        formula: str,
        inputs: Sequence[Input] = (),
        source: str = ARITHMETIC,
        origin: Origin = "computed",
        bounds: tuple[float, float] | None = None,
    ) -> Span:
        """As Ledger.add; an input ".time.step" means the local quantity time.step."""
        full = [self._full(item) for item in inputs]
        return self.ledger.add(
            self.id(name), value, unit=unit, formula=formula, inputs=full, source=source, origin=origin, bounds=bounds
        )

    def _full(self, item: Input) -> Input:
        if isinstance(item, str) and item.startswith("."):
            return self.id(item[1:])
        if isinstance(item, str) and item.startswith("^"):
            return f"{self.task}.{item[1:]}" if self.task else item[1:]
        return item

    def value(self, name: str) -> Span:
        """The stored value of a local name."""
        return self.ledger.quantities[self.id(name)].value


def _as_json(quantity: Quantity) -> dict[str, object]:
    row: dict[str, object] = {
        "v": [rounded(bound) for bound in quantity.value],
        "unit": quantity.unit,
        "origin": quantity.origin,
        "formula": quantity.formula,
        "inputs": [item if isinstance(item, str) else rounded(item) for item in quantity.inputs],
        "source": quantity.source,
    }
    if quantity.engine_value is not None:
        row["engine_v"] = [rounded(bound) for bound in quantity.engine_value]
    return row
