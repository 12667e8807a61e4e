"""One cell of a table file as text, and the value it stands for."""

from __future__ import annotations

import re
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _

from catalog.sources import sources_from_text, sources_text

SPACES = str.maketrans("", "", " \u00a0\u202f\u2009")
NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?")
YES, NO = frozenset({"1", "true", "yes", "да"}), frozenset({"0", "false", "no", "нет"})
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class CellError(ValueError):
    """A cell that cannot be read, in words for the person who sent the file."""


def number(text: str) -> float:
    """A number with a dot or a decimal comma, spaces between groups of digits allowed.

    Raises CellError for anything else, such as "1,5,0" or "8 GB".
    """
    plain = text.translate(SPACES).replace("\u2212", "-")
    if not NUMBER.fullmatch(plain):
        raise CellError(_("“%(text)s” is not a number.") % {"text": text})
    return float(plain.replace(",", "."))


def field_value(model: type[models.Model], column: str, text: str) -> Any:
    """The value of a column of this model; an empty cell means not stated.

    Raises CellError.
    """
    field = model._meta.get_field(column)
    if not isinstance(field, models.Field):
        raise CellError(_("There is no such column."))
    text = unguarded(text.strip())
    if isinstance(field, models.JSONField):
        try:
            return sources_from_text(text)
        except ValueError as error:
            raise CellError(_("“%(text)s” does not read “figure: document, document”.") % {"text": error}) from error
    if text == "":
        return None if field.null else field.get_default()
    if isinstance(field, models.BooleanField):
        if text.casefold() in YES | NO:
            return text.casefold() in YES
        raise CellError(_("“%(text)s” is neither yes nor no.") % {"text": text})
    if isinstance(field, models.FloatField):
        return number(text)
    if isinstance(field, models.IntegerField):
        value = number(text)
        if value != int(value):
            raise CellError(_("“%(text)s” is not a whole number.") % {"text": text})
        return int(value)
    try:
        return field.to_python(text)
    except ValidationError as error:
        raise CellError(" ".join(error.messages)) from error


def cell_text(value: Any) -> str:
    """How a value stands in a file: numbers with a dot and without a useless fraction, unknown as nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, dict):
        return sources_text(value)
    return str(value)


def guarded(text: str) -> str:
    """Text that a spreadsheet will not run as a formula: an apostrophe stands before it; numbers stay numbers."""
    if text.startswith(FORMULA_STARTS) and not NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def unguarded(text: str) -> str:
    """Undo `guarded`."""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_STARTS) else text
