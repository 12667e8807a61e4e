"""Kinds of answers of task/1: open numbers, open enums, sets; each reports one error code with its parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from pydantic import BeforeValidator, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

type Unknown = Literal["unknown"]
type OpenNumber = float | tuple[float, float] | Unknown | None
type OpenChoice = str | tuple[str, ...] | None

UNKNOWN: Unknown = "unknown"
LONGEST_TEXT = 120
LONGEST_ECHO = 60


def echo(value: object) -> str:
    """What was given, short enough for a message."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 10**LONGEST_ECHO:
        return f"{'-' if value < 0 else ''}1e{len(format(abs(value) >> 1, 'b')) * 3 // 10}+"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= LONGEST_ECHO else text[: LONGEST_ECHO - 1] + "…"


def check_number(value: Any, *, low: float, high: float, whole: bool = False) -> float:
    """A finite number within bounds; booleans and texts are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("not_a_number", "not a number", {"example": f"{max(low, 1):g}", "given": echo(value)})
    # an int compares exactly with a float bound, however long it is
    if (isinstance(value, float) and not math.isfinite(value)) or not low <= value <= high:
        raise PydanticCustomError("out_of_range", "out of range", {"low": low, "high": high, "given": echo(value)})
    number = float(value)
    if whole and not number.is_integer():
        raise PydanticCustomError("not_whole", "not a whole number", {"given": echo(value)})
    return number


def check_open_number(value: Any, *, low: float, high: float, whole: bool = False) -> OpenNumber:
    """One number, a range [low, high], "unknown" or nothing."""
    if value is None:
        return None
    if value == UNKNOWN:
        return UNKNOWN
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise PydanticCustomError("wrong_shape", "not a range", {"expected": "[low, high]"})
        first, last = (check_number(item, low=low, high=high, whole=whole) for item in value)
        if first > last:
            raise PydanticCustomError("range_reversed", "low above high", {"low": first, "high": last})
        return first if first == last else (first, last)
    return check_number(value, low=low, high=high, whole=whole)


def check_choice(value: Any, *, allowed: tuple[str, ...], several: bool) -> OpenChoice:
    """One of the allowed values, "unknown", nothing, or a list of the candidates that are still open."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        if not value or len(value) > len(allowed):
            raise PydanticCustomError("wrong_shape", "wrong length", {"expected": f"1 to {len(allowed)} values"})
        chosen = tuple(dict.fromkeys(_one_of(item, allowed) for item in value))
        if several:
            return tuple(item for item in allowed if item in chosen)
        return chosen[0] if len(chosen) == 1 else chosen
    if several:
        raise PydanticCustomError("wrong_shape", "not a list", {"expected": "list"})
    return value if value == UNKNOWN else _one_of(value, allowed)


def check_text(value: Any) -> str:
    """A short text without control characters."""
    if not isinstance(value, str):
        raise PydanticCustomError("wrong_shape", "not a text", {"expected": "text"})
    if len(value) > LONGEST_TEXT:
        raise PydanticCustomError("too_long", "too long", {"limit": LONGEST_TEXT, "given": len(value)})
    if not value.isprintable():
        raise PydanticCustomError("wrong_shape", "control characters", {"expected": "text"})
    return value


def check_texts(value: Any, *, most: int) -> tuple[str, ...]:
    """A set of short texts, in the given order."""
    if not isinstance(value, list | tuple):
        raise PydanticCustomError("wrong_shape", "not a list", {"expected": "list"})
    if len(value) > most:
        raise PydanticCustomError("too_many", "too many", {"limit": most, "given": len(value)})
    return tuple(dict.fromkeys(check_text(item) for item in value))


def check_flag(value: Any, *, may_be_unknown: bool) -> bool | Unknown | None:
    """True, false, nothing, or "unknown" where that is an answer."""
    if value is None or isinstance(value, bool):
        return value
    if may_be_unknown and value == UNKNOWN:
        return UNKNOWN
    raise PydanticCustomError("not_one_of", "not a flag", {"allowed": ["true", "false"], "given": echo(value)})


@dataclass(frozen=True, slots=True)
class Checked:
    """Annotation of a field: the function that reads it, and what JSON Schema says of it."""

    check: Callable[[Any], Any]
    schema: dict[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Pydantic reads the field through `check` alone."""
        return core_schema.no_info_plain_validator_function(self.check)

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The schema as committed."""
        return self.schema


def number(low: float, high: float, *, whole: bool = False) -> Checked:
    """An open number within bounds."""
    one = {"type": "integer" if whole else "number", "minimum": low, "maximum": high}
    pair = {"type": "array", "items": one, "minItems": 2, "maxItems": 2}
    return Checked(
        partial(check_open_number, low=low, high=high, whole=whole),
        {"anyOf": [one, pair, {"const": UNKNOWN}, {"type": "null"}]},
    )


def plain_number(low: float, high: float, *, whole: bool = False) -> Checked:
    """A number that is not open: an index, a step."""
    one = {"type": "integer" if whole else "number", "minimum": low, "maximum": high}
    return Checked(
        _optional(partial(check_number, low=low, high=high, whole=whole)), {"anyOf": [one, {"type": "null"}]}
    )


def choice(*allowed: str) -> Checked:
    """An open enum."""
    values = {"type": "array", "items": {"enum": list(allowed)}, "minItems": 1, "maxItems": len(allowed)}
    schema = {"anyOf": [{"enum": [*allowed, UNKNOWN]}, values, {"type": "null"}]}
    return Checked(partial(check_choice, allowed=allowed, several=False), schema)


def choices(*allowed: str) -> Checked:
    """A set of values."""
    schema = {"anyOf": [{"type": "array", "items": {"enum": list(allowed)}, "minItems": 1}, {"type": "null"}]}
    return Checked(partial(check_choice, allowed=allowed, several=True), schema)


def flag(*, may_be_unknown: bool = False) -> Checked:
    """A yes or no."""
    unknown = [{"const": UNKNOWN}] if may_be_unknown else []
    schema = {"anyOf": [{"type": "boolean"}, {"type": "null"}, *unknown]}
    return Checked(partial(check_flag, may_be_unknown=may_be_unknown), schema)


def text() -> Checked:
    """A short text."""
    return Checked(_optional(check_text), {"anyOf": [{"type": "string", "maxLength": LONGEST_TEXT}, {"type": "null"}]})


def texts(most: int) -> Checked:
    """A set of short texts."""
    item = {"type": "string", "maxLength": LONGEST_TEXT}
    schema = {"anyOf": [{"type": "array", "items": item, "maxItems": most}, {"type": "null"}]}
    return Checked(_optional(partial(check_texts, most=most), empty=()), schema)


def rows(most: int, *, least: int = 0) -> BeforeValidator:
    """A list of objects with a limit on its length; pydantic reads the objects."""

    def check(value: Any) -> Any:
        if value is None and not least:
            return ()
        if not isinstance(value, list | tuple):
            raise PydanticCustomError(
                "required" if value is None else "wrong_shape", "not a list", {"expected": "list"}
            )
        if len(value) > most:
            raise PydanticCustomError("too_many", "too many", {"limit": most, "given": len(value)})
        if len(value) < least:
            raise PydanticCustomError("required", "required", {})
        return value

    return BeforeValidator(check)


def _one_of(value: Any, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise PydanticCustomError("not_one_of", "not allowed", {"allowed": list(allowed), "given": echo(value)})
    return value


def _optional(check: Callable[[Any], Any], *, empty: Any = None) -> Callable[[Any], Any]:
    def checked(value: Any) -> Any:
        return empty if value is None else check(value)

    return checked
