"""What the catalog does in the background."""

from __future__ import annotations

from celery import shared_task

from catalog.importing import import_apply, import_check, import_fail


@shared_task(name="catalog.check_import", given_up="catalog.import_failed", ignore_result=True, time_limit=600)
def check_import(*, import_id: int, outbox_id: int) -> None:
    """Look at every row of a file."""
    import_check(import_id)


@shared_task(name="catalog.apply_import", given_up="catalog.import_failed", ignore_result=True, time_limit=600)
def apply_import(*, import_id: int, outbox_id: int) -> None:
    """Write a confirmed file."""
    import_apply(import_id)


@shared_task(name="catalog.import_failed", ignore_result=True, time_limit=60)
def import_failed(*, import_id: int, outbox_id: int, error: str) -> None:
    """The last try failed."""
    import_fail(import_id)
