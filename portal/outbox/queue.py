"""Write a message with the change that wants it, hand it to the broker, and strike it out when it is done."""

from datetime import timedelta
from typing import Any

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from portal.outbox.models import OutboxMessage

log = structlog.get_logger(__name__)


@transaction.atomic
def add(
    name: str,
    /,
    *,
    kind: str = OutboxMessage.Kind.TASK,
    queue: str = OutboxMessage.Queue.LIVE,
    unique_key: str | None = None,
    **payload: object,
) -> OutboxMessage:
    """Write the message; it is published when the surrounding transaction commits.

    name: the registered task that does the work; it is called with the payload and `outbox_id`
    unique_key: a message that waits under this key is returned in place of a second one, and revived if given up
    """
    fields = {
        "kind": kind,
        "name": name,
        "payload": payload,
        "queue": queue,
        "request_id": str(structlog.contextvars.get_contextvars().get("request_id", "")),
        "next_try_at": timezone.now(),
    }
    message = _waiting_under(unique_key, fields) if unique_key else OutboxMessage.objects.create(**fields)
    transaction.on_commit(lambda: publish(message.pk), robust=True)  # broker down? the row stays
    return message


def _waiting_under(unique_key: str, fields: dict[str, Any]) -> OutboxMessage:
    """The message of a key, revived if given up; a new one where the old is being struck out beside us."""
    while True:
        message, is_new = OutboxMessage.objects.get_or_create(unique_key=unique_key, defaults=fields)
        if is_new:
            return message
        held = OutboxMessage.objects.select_for_update().filter(pk=message.pk).first()
        if held is not None:
            if revive(held.pk):
                held.refresh_from_db()
            return held


def publish(message_id: int) -> bool:
    """Hand one due message to the broker; False if it is not due or another publisher had it."""
    now = timezone.now()
    message = OutboxMessage.objects.filter(pk=message_id, next_try_at__lte=now).first()
    if message is None:
        return False
    claimed = OutboxMessage.objects.filter(pk=message_id, sends=message.sends, next_try_at__lte=now).update(
        sends=F("sends") + 1, next_try_at=now + delay_after(message.sends)
    )
    if not claimed:
        return False
    current_app.send_task(
        message.name,
        kwargs=message.payload | {"outbox_id": message.pk},
        queue=message.queue,
        headers={"request_id": message.request_id},
    )
    return True


def begin(message_id: int) -> bool:
    """Take the message into work under a lease; False if it is done, given up or in another worker's hands."""
    now = timezone.now()
    until = now + timedelta(seconds=settings.OUTBOX_LEASE_S)
    return bool(
        OutboxMessage.objects.filter(
            Q(leased_until=None) | Q(leased_until__lt=now), pk=message_id, next_try_at__isnull=False
        ).update(tries=F("tries") + 1, sends=0, leased_until=until, next_try_at=until)
    )


def extend(message_id: int) -> None:
    """Keep the lease of a message that is still being worked on."""
    until = timezone.now() + timedelta(seconds=settings.OUTBOX_LEASE_S)
    OutboxMessage.objects.filter(pk=message_id, leased_until__isnull=False).update(
        leased_until=until, next_try_at=until
    )


def done(message_id: int) -> None:
    """Strike the message out: the row goes, and with it the wish."""
    OutboxMessage.objects.filter(pk=message_id).delete()


@transaction.atomic
def failed(message_id: int, *, error: str) -> None:
    """Note why a try failed and when the next one is; after the last one the message is given up."""
    message = OutboxMessage.objects.select_for_update().filter(pk=message_id).first()
    if message is None:
        return
    message.last_error = error
    message.leased_until = None
    if message.tries >= settings.OUTBOX_TRIES:
        give_up(message)
    else:
        message.next_try_at = timezone.now() + delay_after(message.tries - 1)
        message.save(update_fields=["last_error", "leased_until", "next_try_at"])


def give_up(message: OutboxMessage) -> None:
    """Stop trying; the task's `given_up` task, where it names one, is told with the same arguments."""
    message.next_try_at = None
    message.leased_until = None
    message.save(update_fields=["last_error", "leased_until", "next_try_at"])
    log.error("outbox message given up", name=message.name, outbox_id=message.pk, tries=message.tries)
    heir = getattr(current_app.tasks.get(message.name), "given_up", None)
    if heir:
        add(heir, queue=message.queue, **message.payload, error=message.last_error)


def revive(message_id: int) -> bool:
    """Try a message again that was given up; False if it is still being tried."""
    return bool(
        OutboxMessage.objects.filter(pk=message_id, next_try_at=None).update(
            next_try_at=timezone.now(), tries=0, sends=0, leased_until=None
        )
    )


def delay_after(times: int) -> timedelta:
    """How long to wait after so many vain attempts; doubles each time up to the longest."""
    seconds: Any = min(settings.OUTBOX_FIRST_DELAY_S * 2 ** min(times, 30), settings.OUTBOX_LONGEST_DELAY_S)
    return timedelta(seconds=seconds)
