"""Celery's task of the intake: drafts go when their time has run out."""

from celery import shared_task

from assessments.intake.drafts import drafts_expire


@shared_task(name="assessments.drafts_expire", ignore_result=True, time_limit=60)
def expire_drafts() -> int:
    """Delete what has expired; two schedulers do no harm. Returns how many drafts went."""
    return drafts_expire()
