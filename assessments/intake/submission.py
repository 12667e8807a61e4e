"""The gate before a request: complete and valid answers, or all that is missing."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assessments.intake.answers_to_task import answers_to_task, place_of
from assessments.intake.forms import Answers, StepForm
from assessments.intake.messages import message_of
from assessments.intake.steps import Page, pages_of
from assessments.sizing import TaskErrors, TrainingTask, parse_task

CONTACT = "submit"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """One answer that keeps the request from being sent."""

    page: Page
    field: str
    message: str


class Incomplete(ValueError):
    """Answers are missing or wrong."""

    def __init__(self, errors: tuple[FieldError, ...]) -> None:
        super().__init__("; ".join(f"{error.page.key}.{error.field}: {error.message}" for error in errors))
        self.errors = errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What a draft says: the task in canonical form, and the words around it."""

    task: dict[str, Any]
    context: dict[str, Any]


def check_answers(answers: Answers) -> Submission:
    """Task and context of complete answers; raises Incomplete with everything that is missing or wrong."""
    errors = tuple(error for page, form in checked_forms(answers) for error in errors_of(page, form))
    if errors:
        raise Incomplete(errors)
    return Submission(task=parse_task(answers_to_task(answers)).canonical(), context=context_of(answers))


def errors_of(page: Page, form: StepForm) -> Iterator[FieldError]:
    """One error per field of a form."""
    for name, messages in form.errors.items():
        yield FieldError(page=page, field=name, message=str(messages[0]))


def checked_forms(answers: Answers) -> list[tuple[Page, StepForm]]:
    """Every page's form, with the contradictions that only the whole task shows added to their fields."""
    forms = [(page, page.form(answers)) for page in pages_of(answers)]
    _task, problems = parsed(answers)
    by_key = {page.key: form for page, form in forms}
    for error in problems.errors if problems else ():
        place = place_of(error.path)
        if place is not None and not by_key[place[0]].errors.get(place[1]):
            by_key[place[0]].add_error(place[1], message_of(error))
    return forms


def parsed(answers: Answers) -> tuple[TrainingTask | None, TaskErrors | None]:
    """The task of the answers, or what is wrong with it."""
    try:
        return parse_task(answers_to_task(answers)), None
    except TaskErrors as problems:
        return None, problems


def context_of(answers: Answers) -> dict[str, Any]:
    """What is not in the task: words, people, consent."""
    business = {name: value for name, value in answers.get("business", {}).items() if isinstance(value, str)}
    contact = answers.get(CONTACT, {})
    return {
        "business_task": business.get("purpose", "").strip(),
        "organization": business.get("organization", "").strip(),
        "contact_name": business.get("contact_name", "").strip(),
        "email": contact.get("email", ""),
        "consent": {"version": contact.get("consent_version", ""), "at": contact.get("consent_at", "")},
    }
