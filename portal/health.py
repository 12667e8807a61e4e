"""Whether this process is alive, and whether the portal as a whole can do its work."""

from datetime import timedelta

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import OperationalError

from portal.outbox import heartbeat
from portal.outbox.models import OutboxMessage


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while this process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """200 with every part "ok", 503 with what is wrong; names no address and no figure of customers."""
    parts = {"database": database(), "broker": broker(), "worker": worker()}
    parts["outbox"] = outbox() if parts["database"] == "ok" else "unknown"
    return JsonResponse(parts, status=200 if set(parts.values()) == {"ok"} else 503)


def database() -> str:
    """Whether the database answers."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"


def broker() -> str:
    """Whether the broker takes a connection."""
    try:
        with current_app.connection_for_write() as connected:
            connected.ensure_connection(max_retries=1, timeout=2)
    except OperationalError:
        return "unreachable"
    return "ok"


def worker() -> str:
    """Silent when no worker has run the sweep lately: it, the scheduler or the broker is down."""
    return "ok" if heartbeat.is_alive() else "silent"


def outbox() -> str:
    """Behind when a message has waited twice as long past its time as a worker or the sweep should let it."""
    late = timezone.now() - timedelta(seconds=2 * (settings.OUTBOX_SWEEP_S + settings.OUTBOX_FIRST_DELAY_S))
    return "behind" if OutboxMessage.objects.due(late).exists() else "ok"
