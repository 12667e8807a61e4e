"""What people type, as numbers in base units; what can be read in two ways is refused, never guessed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

type Value = float | int | list[float | int]

SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
ABOUT = re.compile(r"^(?:≈|~|около|примерно|about|approx\.?)\s*", re.IGNORECASE)
FROM_TO = re.compile(r"^(?:от|from)\s+(?P<low>.+?)\s+(?:до|to)\s+(?P<high>.+)$", re.IGNORECASE)
DASH = re.compile(r"^(?P<low>\d.*?)\s*(?:–|—|…|\.{2,3}|-)\s*(?P<high>\d.*)$")
EXPERTS = re.compile(r"^(?P<experts>\d{1,4})\s*[xхX×Х]\s*(?P<each>\d.*)$")
NUMBER = re.compile(
    r"^(?P<digits>[\d.,][\d., ]*?)(?:e(?P<exponent>[+-]?\d{1,2}))?\s*(?P<suffix>[^\d\s.,].*)?$", re.IGNORECASE
)

SPACED = re.compile(r"^\d{1,3}(?: \d{3})+(?:[.,]\d+)?$")
ENGLISH = re.compile(r"^\d{1,3}(?:,\d{3})+\.\d+$")
GERMAN = re.compile(r"^\d{1,3}(?:\.\d{3})+,\d+$")
GROUPED = re.compile(r"^\d{1,3}(?:,\d{3}){2,}$|^\d{1,3}(?:\.\d{3}){2,}$")
PLAIN = re.compile(r"^\d*[.,]\d+$|^\d+$")
TWO_WAYS = re.compile(r"^(?P<whole>[1-9]\d{0,2})[.,](?P<rest>\d{3})$")

# Layers between the experts are shared: Mixtral 8x7B has 46.7 of 56 billion, 8x22B 141 of 176 (model cards).
SHARED_LOW = Decimal("0.8")

COUNTS = {
    "k": 3, "к": 3, "тыс": 3, "thousand": 3,
    "m": 6, "м": 6, "mln": 6, "млн": 6, "million": 6,
    "b": 9, "в": 9, "bn": 9, "g": 9, "млрд": 9, "billion": 9,
    "t": 12, "tn": 12, "трлн": 12, "trillion": 12,
}  # fmt: skip
POWERS = {suffix: Decimal(10) ** power for suffix, power in COUNTS.items()}
LETTERS = (("", 0), ("k", 1), ("m", 2), ("g", 3), ("t", 4), ("p", 5))
CYRILLIC = {"": "", "k": "к", "m": "м", "g": "г", "t": "т", "p": "п"}


def _byte_units() -> dict[str, Decimal]:
    units: dict[str, Decimal] = {"байт": Decimal(1), "bytes": Decimal(1)}
    for letter, power in LETTERS:
        units[letter + "b"] = units[CYRILLIC[letter] + "б"] = Decimal(1000) ** power
        if letter:
            units[letter + "ib"] = units[CYRILLIC[letter] + "иб"] = Decimal(1024) ** power
            units[letter] = units[CYRILLIC[letter]] = Decimal(1000) ** power
    return units


def _each(factor: str, names: str) -> dict[str, Decimal]:
    return dict.fromkeys(names.split(), Decimal(factor))


HOURS = (
    _each("1", "h hr hrs hour hours ч час часа часов")
    | _each("24", "d day days д дн день дня дней сут сутки суток")
    | _each("168", "w wk week weeks нед неделя недели недель")
    | _each("730", "mo month months мес месяц месяца месяцев")
)
# A UPS is rated in kVA; 0.9 is the power factor its nameplate usually takes.
KILOWATTS = _each("1", "kw квт") | _each("0.001", "w вт") | _each("1000", "mw мвт") | _each("0.9", "kva ква")
GBIT_S = (
    _each("1", "gbit/s gbps gb/s гбит/с гбит gbit g")
    | _each("0.001", "mbit/s mbps мбит/с мбит mbit")
    | _each("8", "гб/с gbyte/s")
)
LENGTHS = _each("1", "mm мм") | _each("10", "cm см") | _each("1000", "m м")
MASSES = _each("1", "kg кг") | _each("1000", "t т")
SHARES = _each("0.01", "% percent")

NOUNS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "params": frozenset(["params", "parameters", "параметров", "параметра", "параметр"]),
        "tokens": frozenset(["tokens", "token", "токенов", "токена", "токен"]),
        "samples": frozenset(
            ["samples", "sample", "pairs", "rows", "images", "примеров", "примера", "пар", "строк", "изображений"]
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of amount: its suffixes with the factor to the base unit, and the factor without one."""

    units: Mapping[str, Decimal]
    bare: Decimal = Decimal(1)
    nouns: frozenset[str] = frozenset()
    experts: bool = False
    binary_k: bool = False


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "params": Kind(units=POWERS, nouns=NOUNS["params"], experts=True),
        "tokens": Kind(units=POWERS, nouns=NOUNS["tokens"]),
        "samples": Kind(units=POWERS, nouns=NOUNS["samples"]),
        "context": Kind(units=POWERS, nouns=NOUNS["tokens"], binary_k=True),
        "count": Kind(units={}),
        "years": Kind(units=_each("1", "y yr year years год года лет")),
        "months": Kind(units=_each("1", "mo month months мес месяц месяца месяцев")),
        "units": Kind(units=_each("1", "u юнит юнита юнитов")),
        "bytes": Kind(units=_byte_units()),
        "hours": Kind(units=HOURS),
        "kw": Kind(units=KILOWATTS),
        "gbit_s": Kind(units=GBIT_S),
        "mm": Kind(units=LENGTHS),
        "kg": Kind(units=MASSES),
        "celsius": Kind(units=_each("1", "c с °c °с °")),
        "share": Kind(units=SHARES, bare=Decimal("0.01")),
        "px": Kind(units=_each("1", "px пикс пикселей")),
        "seconds": Kind(units=_each("1", "s с sec сек")),
    }
)


class Unreadable(ValueError):
    """Typed text that is not one number: code (not_a_number, ambiguous, suffix_unknown) and parameters."""

    def __init__(self, code: str, **params: str) -> None:
        super().__init__(code, params)
        self.code = code
        self.params = params


def read(text: str, kind: str, unit: str = "") -> Value:
    """A number, or [low, high], in the base unit of the kind.

    unit: the unit chosen beside the field; one that was typed in the text wins
    """
    given = KINDS[kind]
    plain = ABOUT.sub("", SPACES.sub(" ", text).strip().replace("−", "-"))
    pair = FROM_TO.match(plain) or DASH.match(plain)
    if pair is None:
        low, high, _suffix = _one(plain, given, unit)
        return _json(low) if low == high else [_json(low), _json(high)]
    _low, high, suffix = _one(pair["high"], given, unit)
    low, _high, _suffix = _one(pair["low"], given, suffix or unit)
    if low > high:
        raise Unreadable("not_a_number")
    return _json(low) if low == high else [_json(low), _json(high)]


def _one(text: str, kind: Kind, unit: str) -> tuple[Decimal, Decimal, str]:
    """Low and high in base units, and the suffix that was typed."""
    experts = EXPERTS.match(text) if kind.experts else None
    if experts is not None:
        _low, each, suffix = _one(experts["each"], kind, unit)
        total = each * int(experts["experts"])
        return total * SHARED_LOW, total, suffix
    match = NUMBER.match(text)
    if match is None:
        raise Unreadable("not_a_number")
    number = digits(match["digits"].strip())
    if match["exponent"]:
        number *= Decimal(10) ** int(match["exponent"])
    suffix = _suffix(match["suffix"] or "", kind)
    factor = _factor(suffix or unit, kind, number)
    return number * factor, number * factor, suffix


def _suffix(text: str, kind: Kind) -> str:
    """The unit in what follows the digits, without dots and without the noun that is counted."""
    words = [word for word in text.casefold().replace(".", " ").split() if word not in kind.nouns]
    suffix = "".join(words)
    if suffix and suffix not in kind.units:
        raise Unreadable("suffix_unknown", suffix=text.strip())
    return suffix


def _factor(suffix: str, kind: Kind, number: Decimal) -> Decimal:
    if not suffix:
        return kind.bare
    # "8k" of context means 8,192; "100k" means 100,000.
    if kind.binary_k and suffix in {"k", "к"} and number == int(number) and int(number).bit_count() == 1:
        return Decimal(1024)
    return kind.units[suffix.casefold()]


def digits(text: str) -> Decimal:
    """“1 500,5”, “0,5”, “1,234,567.8” → a number; “3,2,.2” and “9.999” are refused."""
    if " " in text:
        if not SPACED.match(text):
            raise Unreadable("not_a_number")
        return Decimal(text.replace(" ", "").replace(",", "."))
    two_ways = TWO_WAYS.match(text)
    if two_ways is not None:
        whole, rest = two_ways["whole"], two_ways["rest"]
        raise Unreadable("ambiguous", given=text, grouped=whole + rest, decimal=f"{whole},{rest}0")
    if PLAIN.match(text):
        return Decimal(text.replace(",", "."))
    if ENGLISH.match(text):
        return Decimal(text.replace(",", ""))
    if GERMAN.match(text):
        return Decimal(text.replace(".", "").replace(",", "."))
    if GROUPED.match(text):
        return Decimal(text.replace(",", "").replace(".", ""))
    raise Unreadable("not_a_number")


def _json(number: Decimal) -> float | int:
    return int(number) if number == number.to_integral_value() else float(number)
