"""E-mail as outbox rows: rendered by the caller, kept with a stable Message-ID, sent by a task."""

import base64
import uuid
from collections.abc import Sequence
from email.utils import parseaddr
from typing import Any

from celery import shared_task
from django.conf import settings
from django.core.mail import EmailMultiAlternatives

from portal.outbox import queue
from portal.outbox.models import OutboxMessage


def mail_add(
    *,
    to: Sequence[str],
    subject: str,
    text: str,
    html: str = "",
    reply_to: Sequence[str] = (),
    attachments: Sequence[tuple[str, bytes, str]] = (),
    headers: dict[str, str] | None = None,
    unique_key: str | None = None,
    message_id: str | None = None,
    lane: str = OutboxMessage.Queue.LIVE,
) -> OutboxMessage:
    """Write a rendered e-mail; it goes out after the surrounding transaction, always under one Message-ID.

    attachments: (file name, content, media type)
    message_id: what makes the Message-ID when the same event may ask twice; by default a new one
    """
    _name, address = parseaddr(settings.DEFAULT_FROM_EMAIL)
    domain = address.rpartition("@")[2]
    return queue.add(
        "portal.outbox.mail_send",
        kind=OutboxMessage.Kind.MAIL,
        queue=lane,
        unique_key=unique_key,
        to=list(to),
        subject=" ".join(subject.split()),
        text=text,
        html=html,
        reply_to=list(reply_to),
        attachments=[[name, base64.b64encode(content).decode(), kind] for name, content, kind in attachments],
        headers=(headers or {}) | {"Message-ID": f"<{message_id or uuid.uuid4().hex}@{domain}>"},
    )


@shared_task(name="portal.outbox.mail_send", ignore_result=True, time_limit=60)
def mail_send(*, outbox_id: int, **mail: Any) -> None:
    """Hand one e-mail to the mailer; a failure is tried again by the outbox."""
    message = EmailMultiAlternatives(
        subject=mail["subject"],
        body=mail["text"],
        to=mail["to"],
        reply_to=mail["reply_to"],
        headers=mail["headers"],
    )
    if mail["html"]:
        message.attach_alternative(mail["html"], "text/html")
    for name, content, kind in mail["attachments"]:
        message.attach(name, base64.b64decode(content), kind)
    message.send()
    queue.done(outbox_id)
