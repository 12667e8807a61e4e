"""Celery's tasks of the pipeline: thin, idempotent, safe to run beside themselves."""

from __future__ import annotations

from celery import shared_task

from assessments.delivery import mail
from assessments.pipeline import rendering, runs
from portal.outbox.task import OutboxTask


@shared_task(name="assessments.run_sizing", base=OutboxTask)
def run_sizing(*, run_id: int, outbox_id: int) -> None:
    """Size one run; a run that has its result, or was given up, is left alone."""
    with OutboxTask.lease(outbox_id):
        run = runs.run_begin(run_id)
        if run is not None:
            result = runs.run_size(run)
            runs.run_progress(run, run.Step.SAVING, 60)
            runs.run_finish(run, result)


@shared_task(name="assessments.render_document", base=OutboxTask)
def render_document(*, run_id: int, kind: str, language: str, outbox_id: int) -> None:
    """Make one document of a finished run."""
    with OutboxTask.lease(outbox_id):
        rendering.document_render(run_id=run_id, kind=kind, language=language)


@shared_task(name="assessments.announce", base=OutboxTask)
def announce(*, event_id: int, outbox_id: int) -> None:
    """Write the mails that follow from an event into the outbox."""
    with OutboxTask.lease(outbox_id):
        mail.event_announce(event_id)
