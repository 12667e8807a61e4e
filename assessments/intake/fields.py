"""The kinds of fields: what is typed comes back as a task/1 value, “unknown”, or a message that says what to do."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazystr
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from assessments.intake.questions import DONT_KNOW, UNKNOWN, Question, Words
from assessments.intake.spoken import spoken
from assessments.intake.values import Unreadable, Value, read

COUNT_UNITS: tuple[tuple[str, Words], ...] = (
    ("", pgettext_lazy("unit", "units")),
    ("k", pgettext_lazy("unit", "thousand")),
    ("m", pgettext_lazy("unit", "million")),
    ("b", pgettext_lazy("unit", "billion")),
    ("t", pgettext_lazy("unit", "trillion")),
)
UNITS: Mapping[str, tuple[tuple[str, Words], ...]] = {
    "params": COUNT_UNITS,
    "tokens": COUNT_UNITS,
    "samples": COUNT_UNITS,
    "bytes": (
        ("gb", pgettext_lazy("unit", "GB")),
        ("tb", pgettext_lazy("unit", "TB")),
        ("tib", pgettext_lazy("unit", "TiB")),
    ),
    "hours": (
        ("h", pgettext_lazy("unit", "hours")),
        ("d", pgettext_lazy("unit", "days")),
        ("w", pgettext_lazy("unit", "weeks")),
    ),
    "kw": (("kw", pgettext_lazy("unit", "kW")), ("kva", pgettext_lazy("unit", "kVA"))),
}
SUFFIXES: Mapping[str, Words] = {
    "params": gettext_lazy("k, M, B, T"),
    "tokens": gettext_lazy("k, M, B, T"),
    "samples": gettext_lazy("k, M, B, T"),
    "context": gettext_lazy("k, M"),
    "bytes": gettext_lazy("GB, TB, TiB"),
    "hours": gettext_lazy("h, days, weeks"),
    "kw": gettext_lazy("kW, kVA"),
    "gbit_s": gettext_lazy("Gbit/s"),
    "mm": gettext_lazy("mm, cm"),
    "kg": gettext_lazy("kg"),
    "celsius": gettext_lazy("°C"),
    "share": lazystr("%"),
    "px": gettext_lazy("px"),
    "seconds": gettext_lazy("s"),
}


class AmountField(Question, forms.CharField):
    """A number with its unit; a range “5–8” is fine."""

    def __init__(
        self,
        *,
        kind: str,
        low: float,
        high: float,
        example: Words,
        unit: Words = "",
        is_whole: bool = False,
        may_be_unknown: bool = True,
        **kwargs: Any,
    ) -> None:
        kwargs.setdefault(
            "widget", forms.TextInput(attrs={"inputmode": "text", "autocomplete": "off", "spellcheck": "false"})
        )
        super().__init__(max_length=120, **kwargs)
        self.kind = kind
        self.low = low
        self.high = high
        self.example = example
        self.unit = unit
        self.is_whole = is_whole
        self.may_be_unknown = may_be_unknown

    def companions(self) -> Iterator[tuple[str, forms.Field]]:
        """Unit and “don't know”."""
        if self.kind in UNITS and not self.unit:
            yield "unit", forms.ChoiceField(choices=UNITS[self.kind], required=False, label=gettext_lazy("Unit"))
        if self.may_be_unknown:
            yield "unknown", forms.BooleanField(required=False, label=DONT_KNOW)

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> Value | str | None:
        """Number or [low, high] in base units."""
        if is_unknown:
            return UNKNOWN
        if not raw:
            return None
        try:
            value = read(raw, self.kind, unit)
        except Unreadable as error:
            raise ValidationError(self._message(error), code=error.code) from None
        for number in value if isinstance(value, list) else [value]:
            if not self.low <= number <= self.high:
                raise ValidationError(
                    _("From %(low)s to %(high)s; you gave %(given)s")
                    % {"low": self.spoken(self.low), "high": self.spoken(self.high), "given": self.spoken(number)},
                    code="out_of_range",
                )
            if self.is_whole and number != int(number):
                raise ValidationError(
                    _("Enter a whole number, for example %(example)s") % {"example": self.example}, code="not_a_number"
                )
        return value

    def read_back(self, value: Any) -> str:
        """Number and unit in full."""
        return "" if value == UNKNOWN else _("Read as %(value)s") % {"value": self.spoken(value)}

    def spoken(self, value: Any) -> str:
        """Number and unit."""
        return str(DONT_KNOW) if value == UNKNOWN else spoken(value, self.kind, str(self.unit))

    def _message(self, error: Unreadable) -> str:
        if error.code == "ambiguous":
            return _("%(given)s can be read in two ways: write %(grouped)s or %(decimal)s") % error.params
        if error.code == "suffix_unknown" and self.kind in SUFFIXES:
            return _("“%(suffix)s” is not known; use %(allowed)s") % {**error.params, "allowed": SUFFIXES[self.kind]}
        return _("Enter a number, for example %(example)s") % {"example": self.example}


class OptionField(Question, forms.ChoiceField):
    """One of a few; radio buttons, or a select where the list is long."""

    def __init__(
        self,
        *,
        options: Sequence[tuple[str, Words] | tuple[str, Words, Words]],
        may_be_unknown: bool = True,
        is_long: bool = False,
        **kwargs: Any,
    ) -> None:
        choices = [(option[0], option[1]) for option in options]
        if may_be_unknown:
            choices.append((UNKNOWN, DONT_KNOW))
        if is_long:
            choices.insert(0, ("", gettext_lazy("Choose")))
        super().__init__(choices=choices, widget=forms.Select if is_long else forms.RadioSelect, **kwargs)
        self.hints = {option[0]: option[2] for option in options if len(option) == 3}
        self.may_be_unknown = may_be_unknown

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> str | bool | None:
        """The value; yes and no become true and false."""
        return {"yes": True, "no": False}.get(raw, raw or None)

    def spoken(self, value: Any) -> str:
        """The option's label."""
        key = {True: "yes", False: "no"}.get(value, value)
        return labels_of(self).get(key, str(key))


class OptionsField(Question, forms.MultipleChoiceField):
    """Any of a few."""

    def __init__(self, *, options: Sequence[tuple[str, Words]], **kwargs: Any) -> None:
        super().__init__(choices=options, widget=forms.CheckboxSelectMultiple, **kwargs)
        self.columns = True

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> list[str] | None:
        """The chosen values."""
        return list(raw) or None

    def spoken(self, value: Any) -> str:
        """The labels, one after another."""
        labels = labels_of(self)
        return ", ".join(labels.get(key, key) for key in value)


class WordsField(Question, forms.CharField):
    """Free text."""

    def __init__(self, *, rows: int = 0, suggestions: str = "", **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 120)
        attrs: dict[str, Any] = {"list": suggestions} if suggestions else {}
        super().__init__(
            widget=forms.Textarea(attrs={"rows": rows}) if rows else forms.TextInput(attrs=attrs), **kwargs
        )

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> Any:
        """The text."""
        return raw or None


def labels_of(field: forms.Field) -> dict[str, str]:
    """Labels of a field's choices by value; empty for a field without choices."""
    choices: Any = getattr(field, "choices", ())
    return {str(value): str(label) for value, label in choices}
