"""Celery's tasks of the pipeline: thin, idempotent, safe to run beside themselves; the outbox tries them again."""

from __future__ import annotations

from celery import shared_task
from django.db import transaction

from assessments.delivery import mail
from assessments.models import SizingRun
from assessments.pipeline import rendering, runs
from portal.outbox import queue as outbox


@shared_task(name="assessments.run_sizing", given_up="assessments.sizing_failed", ignore_result=True, time_limit=120)
def run_sizing(*, run_id: int, outbox_id: int) -> None:
    """Size one run; a run that has its result is left alone."""
    run = runs.run_begin(run_id)
    if run is None:
        return
    result = runs.run_size(run)
    runs.run_progress(run, SizingRun.Step.SAVING, 60)
    runs.run_finish(run, result, outbox_id=outbox_id)


@shared_task(name="assessments.sizing_failed", ignore_result=True, time_limit=60)
def sizing_failed(*, run_id: int, outbox_id: int, error: str) -> None:
    """The last try of a run failed: show it."""
    runs.run_fail(run_id, code=error.partition(":")[0])


@shared_task(
    name="assessments.render_document", given_up="assessments.rendering_failed", ignore_result=True, time_limit=180
)
def render_document(*, run_id: int, document_kind: str, language: str, outbox_id: int) -> None:
    """Make one document of a finished run."""
    rendering.document_render(run_id=run_id, kind=document_kind, language=language)


@shared_task(name="assessments.rendering_failed", ignore_result=True, time_limit=60)
def rendering_failed(*, run_id: int, document_kind: str, language: str, outbox_id: int, error: str) -> None:
    """The last try of a document failed: the run says so and its result stays readable."""
    SizingRun.objects.filter(pk=run_id).update(error_code="document_failed")


@shared_task(name="assessments.announce", ignore_result=True, time_limit=60)
@transaction.atomic
def announce(*, event_id: int, outbox_id: int) -> None:
    """Write the mails that follow from an event into the outbox, and strike this message out with them."""
    mail.event_announce(event_id)
    outbox.done(outbox_id)
