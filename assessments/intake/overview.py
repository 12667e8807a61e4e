"""The task list and the check page: what was answered, what we take ourselves, what deserves a look."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from assessments.intake.forms import Answers, StepForm
from assessments.intake.questions import UNKNOWN
from assessments.intake.remarks import Remark, remarks_of
from assessments.intake.steps import Page
from assessments.intake.submission import checked_forms

SUMMARY_LENGTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One line of the check page."""

    name: str
    label: str
    text: str
    assumption: str = ""
    error: str = ""
    remark: Remark | None = None
    focus_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A page of the intake as the task list and the check page show it."""

    page: Page
    tone: str
    badge: str
    summary: str
    is_begun: bool
    is_valid: bool
    answers: tuple[Answer, ...]

    @property
    def is_done(self) -> bool:
        """Nothing is missing here."""
        return self.is_begun and self.is_valid


def sections_of(answers: Answers) -> list[Section]:
    """Every page with its state."""
    remarks = remarks_of(answers)
    return [_section(page, form, answers, remarks) for page, form in checked_forms(answers)]


def open_section(sections: list[Section]) -> Section | None:
    """Where the customer goes on."""
    return next((section for section in sections if not section.is_done), None)


def _section(page: Page, form: StepForm, answers: Answers, remarks: list[Remark]) -> Section:
    own = {remark.field: remark for remark in remarks if remark.page.key == page.key}
    lines = tuple(_lines(form, own))
    is_begun = page.is_begun(answers)
    has_unknown = any(line.assumption for line in lines)
    if not is_begun:
        tone, badge = "", _("Not started")
    elif form.errors:
        tone, badge = "stop", _("Needs an answer")
    elif own:
        tone, badge = "warn", _("Has a remark")
    elif has_unknown:
        tone, badge = "assumed", _("Has “don’t know”")
    else:
        tone, badge = "pass", _("Done")
    said = [line.text for line in lines if _says_something(line)][:SUMMARY_LENGTH]
    return Section(
        page=page,
        tone=tone,
        badge=badge,
        summary=", ".join(said) if said else str(page.step.lead),
        is_begun=is_begun,
        is_valid=not form.errors,
        answers=lines,
    )


def _says_something(line: Answer) -> bool:
    """A line that can be read without its label."""
    return (
        not line.error
        and not line.assumption
        and line.name != "described_by"
        and any(sign.isalpha() for sign in line.text)
    )


def _lines(form: StepForm, remarks: dict[str, Remark]) -> list[Answer]:
    spoken = {name: text for name, _field, text in form.shown()}
    lines = []
    for name, field in form.questions():
        error = str(form.errors[name][0]) if name in form.errors else ""
        if name not in spoken and not error:
            continue
        is_unknown = form.answered.get(name) == UNKNOWN
        bound = form[name]
        lines.append(
            Answer(
                name=name,
                label=str(field.label),
                text=spoken.get(name, str(form.data.get(name, ""))[:80]),
                assumption=field.assumption() if is_unknown else "",
                error=error,
                remark=remarks.get(name),
                focus_id=f"{bound.auto_id}_0" if bound.use_fieldset else str(bound.id_for_label),
            )
        )
    return lines
