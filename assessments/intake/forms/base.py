"""What all steps share: companions of a question, conditions, and answers as task/1 values."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import TemplatesSetting
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from assessments.intake.fields import UNKNOWN, Question, Words

type Raw = Mapping[str, str | list[str]]
type Answers = Mapping[str, Raw]


class IntakeRenderer(TemplatesSetting):
    """Questions with help and “read as”; the rest is the portal's own."""

    form_template_name = "components/form.html"
    field_template_name = "intake/field.html"


class StepForm(forms.Form):
    """One page of the intake; built from raw answers, so that what was typed is shown again, also when it is wrong."""

    default_renderer = IntakeRenderer
    use_required_attribute = False
    groups: tuple[tuple[Words, tuple[str, ...]], ...] = ()
    needed_together: Mapping[str, tuple[str, ...]] = {}

    def __init__(self, raw: Raw | None = None) -> None:
        data = MultiValueDict({name: value if isinstance(value, list) else [value] for name, value in (raw or {}).items()})
        super().__init__(data)
        for name, field in list(self.fields.items()):
            if isinstance(field, Question):
                self.fields |= {f"{name}_{suffix}": companion for suffix, companion in field.companions()}
        self.remarks: dict[str, dict[str, Any]] = {}

    def questions(self) -> Iterator[tuple[str, Question]]:
        """Name and field of every question, without the companions."""
        for name, field in self.fields.items():
            if isinstance(field, Question):
                yield name, field

    def applies(self, name: str) -> bool:
        """False for a question that hangs on another one that was answered otherwise."""
        field = self.fields[name]
        condition = field.ask.when if isinstance(field, Question) else None
        if condition is None:
            return True
        other, values = condition
        return self.applies(other) and not values.isdisjoint(self.data.getlist(other))

    def is_unknown(self, name: str) -> bool:
        """Whether “don't know” was chosen."""
        return bool(self.data.get(f"{name}_unknown")) or self.data.get(name) == UNKNOWN

    def clean(self) -> dict[str, Any]:
        """Every answer as its task/1 value; what does not apply is left out."""
        answers: dict[str, Any] = {}
        for name, field in self.questions():
            if name in self.errors and not self.applies(name):
                del self.errors[name]
            if name in self.errors or not self.applies(name):
                continue
            try:
                answers[name] = field.answer(
                    self.cleaned_data.get(name), unit=self.data.get(f"{name}_unit") or "", is_unknown=self.is_unknown(name)
                )
            except ValidationError as error:
                self.add_error(name, error)
                continue
            if answers[name] is None and field.ask.is_needed:
                self.add_error(name, ValidationError(self._missing(field), code="required"))
        return answers

    def _missing(self, field: Question) -> str:
        can_say_so = getattr(field, "may_be_unknown", False) or UNKNOWN in dict(getattr(field, "choices", ()))
        return _("Answer or tick “Don’t know”") if can_say_so else _("Answer this question")

    def values(self) -> dict[str, Any]:
        """The valid answers by name, also when others are wrong."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if name in self.fields and value is not None}
