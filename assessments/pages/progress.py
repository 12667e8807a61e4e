"""How far a request is, as a list of steps that people understand."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from assessments.models import Inquiry, SizingRun, State

# after this long without news the page says that it takes longer than usual
OVERDUE = timedelta(seconds=60)
TIME_AND_NETWORK_FROM = 50
"""Percent of a run from which the layout is settled and time, network and storage are computed."""

LABELS: tuple[str | Promise, ...] = (
    _("Answers checked"),
    _("Memory and layout over GPUs"),
    _("Time, network and storage"),
    _("PDF document"),
    _("Engineer’s review"),
)
DONE, NOW, NEXT = "done", "now", "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressStep:
    """One line of the list: state is done, now or next."""

    label: str | Promise
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Everything the progress part of the page shows; percent is of the run."""

    steps: tuple[ProgressStep, ...]
    percent: int
    is_ready: bool
    is_failed: bool
    is_retrying: bool
    is_late: bool


def progress(inquiry: Inquiry, run: SizingRun | None, *, has_document: bool) -> Progress:
    """Where the request stands; the run is that of the revision shown."""
    current = _current(run, has_document=has_document)
    is_failed = inquiry.state == State.FAILED
    since = (run.started_at or run.created_at) if run else inquiry.submitted_at
    return Progress(
        steps=tuple(
            ProgressStep(label=label, state=DONE if place < current else NOW if place == current else NEXT)
            for place, label in enumerate(LABELS)
        ),
        percent=run.percent if run else 0,
        is_ready=run is not None and run.finished_at is not None and run.result is not None,
        is_failed=is_failed,
        is_retrying=not is_failed and run is not None and run.tries > 1,
        is_late=not is_failed and timezone.now() - since > OVERDUE,
    )


def _current(run: SizingRun | None, *, has_document: bool) -> int:
    """Place of the step that is being worked on."""
    if run is None or run.step in (SizingRun.Step.QUEUED, SizingRun.Step.LOADING):
        return 1
    if run.finished_at is not None:
        return 4 if has_document else 3
    if run.step == SizingRun.Step.SIZING:
        return 2 if run.percent >= TIME_AND_NETWORK_FROM else 1
    return 2 if run.step == SizingRun.Step.SAVING else 3
