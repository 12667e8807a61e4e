"""What all steps share: companions of a question, conditions, and answers as task/1 values."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.forms.renderers import TemplatesSetting
from django.forms.utils import ErrorDict
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property

from assessments.intake.questions import UNKNOWN, Question, Words

type Raw = Mapping[str, str | list[str]]
type Answers = Mapping[str, Raw]


class IntakeRenderer(TemplatesSetting):
    """Questions with help and “read as”; the rest is the portal's own."""

    form_template_name = "components/form.html"
    field_template_name = "intake/field.html"


class StepForm(forms.Form):
    """One page of the intake; built from raw answers, so that what was typed is shown again, also when it is wrong.

    is_checked: False shows no error, for a page that was just opened
    """

    default_renderer = IntakeRenderer
    use_required_attribute = False
    is_multipart_form = False
    groups: tuple[tuple[Words, tuple[str, ...]], ...] = ()
    raw_extras: frozenset[str] = frozenset()

    def __init__(self, raw: Raw | None = None, *, is_checked: bool = True) -> None:
        data = MultiValueDict(
            {name: value if isinstance(value, list) else [value] for name, value in (raw or {}).items()}
        )
        super().__init__(data)
        self.typed = data
        for name, field in list(self.fields.items()):
            if isinstance(field, Question):
                self.fields |= {f"{name}_{suffix}": companion for suffix, companion in field.companions()}
        self.is_checked = is_checked
        self.remarks: dict[str, Mapping[str, Any]] = {}
        self.conflicts: dict[str, str] = {}
        self.problems: Mapping[str, Any] = {}

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
        return self.applies(other) and not set(values).isdisjoint(self.typed.getlist(other))

    def is_unknown(self, name: str) -> bool:
        """Whether “don't know” was chosen."""
        return bool(self.data.get(f"{name}_unknown")) or self.data.get(name) == UNKNOWN

    def full_clean(self) -> None:
        """Django's, and for a page that was just opened the errors are set aside."""
        super().full_clean()
        if not self.is_checked:
            self.problems, self._errors = self.errors, ErrorDict()

    def clean(self) -> dict[str, Any]:
        """Every answer as its task/1 value; what does not apply is left out."""
        answers: dict[str, Any] = {}
        for name, field in self.questions():
            if not self.applies(name):
                self.errors.pop(name, None)
            elif name not in self.errors:
                try:
                    answers[name] = field.answer(
                        self.cleaned_data.get(name),
                        unit=self.data.get(f"{name}_unit") or "",
                        is_unknown=self.is_unknown(name),
                    )
                    field.check(answers[name])
                except ValidationError as error:
                    self.add_error(name, error)
        return answers

    @cached_property
    def answered(self) -> dict[str, Any]:
        """The valid answers by name, also when others are wrong."""
        self.is_valid()
        wrong = {*self.errors, *self.problems}
        return {name: value for name, value in self.cleaned_data.items() if value is not None and name not in wrong}

    def understood(self, name: str) -> Mapping[str, Any]:
        """How a typed text was read, or why it could not be: tone and text."""
        field = self.fields[name]
        if isinstance(field, Question) and name in self.answered:
            text = field.read_back(self.answered[name])
            return {"tone": "", "text": text} if text else {}
        problems = self.problems.get(name)
        if problems and self.data.get(name):
            return {"tone": "stop", "text": str(problems[0])}
        return {}

    def shown(self) -> Iterator[tuple[str, Question, str]]:
        """Name, field and spoken answer of every question that was answered."""
        for name, field in self.questions():
            if name in self.answered:
                yield name, field, field.spoken(self.answered[name])

    def main_fields(self) -> list[BoundField]:
        """Questions outside of the folded groups."""
        grouped = {name for _title, names in self.groups for name in names}
        return [self[name] for name, _field in self.questions() if name not in grouped]

    def folded(self) -> Iterator[tuple[Words, list[BoundField], bool]]:
        """Title, questions and whether it is unfolded, for each group of details."""
        for title, names in self.groups:
            is_open = any(
                self.typed.getlist(name) or self.data.get(f"{name}_unknown") or name in self.errors for name in names
            )
            yield title, [self[name] for name in names], is_open

    @classmethod
    def raw_names(cls) -> tuple[frozenset[str], frozenset[str]]:
        """Names that a posted page may have, and those that are lists."""
        names: set[str] = set(cls.raw_extras)
        lists: set[str] = set()
        for name, field in cls.base_fields.items():
            if isinstance(field, Question):
                names |= {name, *(f"{name}_{suffix}" for suffix, _companion in field.companions())}
                if isinstance(field, forms.MultipleChoiceField):
                    lists.add(name)
        return frozenset(names), frozenset(lists)
