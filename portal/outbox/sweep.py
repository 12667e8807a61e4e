"""Finds what was lost between here and a worker, and sends it again."""

from celery import shared_task
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from portal.outbox import heartbeat, queue
from portal.outbox.models import OutboxMessage

BATCH = 500


@shared_task(name="portal.outbox.sweep", ignore_result=True)
def sweep() -> int:
    """Publish every message whose time has come; messages whose last worker died are given up.

    Returns how many were handed to the broker.
    """
    heartbeat.beat()
    published = 0
    for message_id in list(OutboxMessage.objects.due(timezone.now()).values_list("pk", flat=True)[:BATCH]):
        if _lost_for_good(message_id):
            continue
        try:
            published += queue.publish(message_id)
        except OperationalError:
            return published  # broker down: the next sweep goes on
    return published


@transaction.atomic
def _lost_for_good(message_id: int) -> bool:
    """Give up a message whose workers died on every try it had."""
    message = (
        OutboxMessage.objects.select_for_update()
        .filter(pk=message_id, next_try_at__lte=timezone.now(), leased_until__isnull=False)
        .first()
    )
    if message is None or message.tries < settings.OUTBOX_TRIES:
        return False
    message.last_error = message.last_error or "The worker died during the work."
    queue.give_up(message)
    return True
