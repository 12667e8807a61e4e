"""The task class of the project: holds the message's lease while the work runs, strikes it out or notes the failure."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery import Task
from celery.exceptions import Ignore
from django.conf import settings
from django.db import DatabaseError, connection

from portal.metrics import task_timed

log = structlog.get_logger(__name__)


class OutboxTask(Task):
    """A task that is called with `outbox_id` runs under that message's lease; others run as they are.

    given_up: name of the task that is told, with the same arguments and `error`, after the last try failed
    """

    abstract = True
    given_up: str | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        outbox_id = kwargs.get("outbox_id")
        with structlog.contextvars.bound_contextvars(task=self.name, **self._origin()):
            if outbox_id is None:
                with task_timed(self.name):
                    return super().__call__(*args, **kwargs)
            return self._run_leased(outbox_id, args, kwargs)

    def _origin(self) -> dict[str, str]:
        """The id of the HTTP request that wanted this, as it came with the message."""
        request_id = (getattr(self.request, "headers", None) or {}).get("request_id") or self.request.get("request_id")
        return {"request_id": request_id} if request_id else {}

    def _run_leased(self, outbox_id: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from portal.outbox import queue

        if not queue.begin(outbox_id):
            log.info("task skipped: done, given up or in another worker's hands", outbox_id=outbox_id)
            return None
        try:
            with _kept_lease(outbox_id), task_timed(self.name):
                result = super().__call__(*args, **kwargs)
        except Exception as error:
            log.exception("task failed", outbox_id=outbox_id)
            queue.failed(outbox_id, error=f"{type(error).__name__}: {error}")
            if self.request.called_directly:
                raise
            raise Ignore(str(error)) from error  # the outbox tries again, not the broker
        queue.done(outbox_id)
        return result


@contextmanager
def _kept_lease(outbox_id: int) -> Iterator[None]:
    """Extend the lease from a thread beside the work, so that a long step is not taken for a dead worker."""
    if connection.in_atomic_block:  # called inside a test's transaction: another thread would not see the row
        yield
        return
    finished = threading.Event()
    thread = threading.Thread(target=_extend_until, args=(finished, outbox_id), name="outbox-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _extend_until(finished: threading.Event, outbox_id: int) -> None:
    from portal.outbox import queue

    try:
        while not finished.wait(settings.OUTBOX_EXTEND_S):
            try:
                queue.extend(outbox_id)
            except DatabaseError as error:
                log.warning("lease not extended", outbox_id=outbox_id, error=str(error))
                connection.close()
    finally:
        connection.close()
