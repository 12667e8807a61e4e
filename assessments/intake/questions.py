"""A question: a form field that knows why it is asked, what it turns into, and what is taken instead of an answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from assessments.sizing.defaults import default

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from assessments.intake.forms.base import StepForm

type Words = str | _StrPromise

UNKNOWN = "unknown"
DONT_KNOW = gettext_lazy("Don’t know")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a question means beyond its label.

    path: place of the answer in its part of task/1 (scenario or task); empty = context of the request
    when: (field of the same step, values that make this question apply)
    is_needed: an answer or “don't know” is needed before the request can be sent
    assumed: what we take instead of an unknown answer; %(value)s in it is the engine's own default
    default: name of that default
    """

    path: str = ""
    why: Words = ""
    becomes: Words = ""
    when: tuple[str, tuple[str, ...]] | None = None
    is_needed: bool = False
    assumed: Words = ""
    default: str = ""


def only_if(field: str, *values: str) -> tuple[str, tuple[str, ...]]:
    """The condition of a question that hangs on another one."""
    return field, values


class QuestionBoundField(BoundField):
    """What the template shows around the control."""

    @property
    def step_form(self) -> "StepForm":
        """The form, which is always a step's."""
        return cast("StepForm", self.form)

    @property
    def ask(self) -> Ask:
        """Why we ask, what it turns into."""
        return cast("Question", self.field).ask

    @property
    def unit_field(self) -> BoundField | None:
        """The select of units."""
        return self._companion("unit")

    @property
    def unknown_field(self) -> BoundField | None:
        """The tick box “don't know”."""
        return self._companion("unknown")

    @property
    def condition(self) -> str:
        """The condition as the style sheet spells it: method=lora|qlora."""
        when = self.ask.when
        return f"{when[0]}={'|'.join(when[1])}" if when else ""

    @property
    def assumption(self) -> str:
        """What is taken while the answer is unknown."""
        return cast("Question", self.field).assumption()

    @property
    def understood(self) -> Mapping[str, Any]:
        """How the typed text was read, or why it was not: {tone, text}."""
        return self.step_form.understood(self.name) if self.step_form.applies(self.name) else {}

    @property
    def remark(self) -> Mapping[str, Any] | None:
        """A remark that does not block."""
        return self.step_form.remarks.get(self.name)

    @property
    def theirs(self) -> str:
        """What another window wrote here meanwhile."""
        return self.step_form.conflicts.get(self.name, "")

    @property
    def aria_describedby(self) -> str | None:
        """Hint, error, and the line that says how the text was read."""
        known = super().aria_describedby
        return f"{known} {self.auto_id}_live" if known else f"{self.auto_id}_live"

    def _companion(self, kind: str) -> BoundField | None:
        name = f"{self.name}_{kind}"
        return self.form[name] if name in self.form.fields else None


class Question(forms.Field):
    """Base of all questions; never required in Django's sense, because “don't know” is an answer."""

    bound_field_class = QuestionBoundField

    def __init__(self, *, ask: Ask, **kwargs: Any) -> None:
        kwargs["required"] = False
        super().__init__(**kwargs)
        self.ask = ask

    def companions(self) -> Iterator[tuple[str, forms.Field]]:
        """Fields that are drawn with this one: suffix of the name and field."""
        yield from ()

    def assumption(self) -> str:
        """What is taken instead of an unknown answer, with the engine's figure."""
        text = str(self.ask.assumed)
        return text % {"value": self.spoken(default(self.ask.default).typical)} if self.ask.default else text

    def spoken(self, value: Any) -> str:
        """An answer as people read it."""
        return str(value)

    def read_back(self, value: Any) -> str:
        """How the typed text was understood; empty where it is plain to see."""
        return ""

    def answer(self, raw: Any, *, unit: str, is_unknown: bool) -> Any:
        """The task/1 value of what was typed, None if nothing was; raises ValidationError."""
        raise NotImplementedError

    def check(self, value: Any) -> None:
        """Raise ValidationError if an answer is needed and there is none."""
        if value is None and self.ask.is_needed:
            can_say_so = getattr(self, "may_be_unknown", False)
            text = _("Answer or tick “Don’t know”") if can_say_so else _("Answer this question")
            raise ValidationError(text, code="required")
