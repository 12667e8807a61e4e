"""The conversation: what customers and engineers write to each other, and notes that stay inside."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from django.core.files import File
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments import workflow
from assessments.models import Inquiry, Message, State

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

MOST_BYTES = 10 * 1024 * 1024
SIGNATURES = {".pdf": (b"%PDF-",), ".png": (b"\x89PNG\r\n\x1a\n",), ".csv": ()}


class FileRefused(workflow.WorkflowError):
    """The file is of another kind, or too large."""


def file_check(file: File[bytes]) -> None:
    """Take PDF, PNG and CSV up to 10 MB, by name and content; anything else is refused."""
    suffix = PurePath(file.name or "").suffix.lower()
    if suffix not in SIGNATURES or (file.size or 0) > MOST_BYTES:
        raise FileRefused(_("Only PDF, PNG or CSV up to 10 MB can be attached."))
    head = file.read(8)
    file.seek(0)
    known = SIGNATURES[suffix]
    if known and not head.startswith(known):
        raise FileRefused(_("The content of the file is not what its name says."))
    if not known and b"\0" in head:
        raise FileRefused(_("The content of the file is not what its name says."))


@transaction.atomic
def message_post(
    *,
    inquiry_id: int,
    body: str,
    by: Viewer,
    file: File[bytes] | None = None,
    audience: str = Message.Audience.CUSTOMER,
) -> Message:
    """Write into the conversation of a request one may see; a customer's words answer what was asked.

    Raises Inquiry.DoesNotExist if it is not theirs, NotAllowed for an internal note by somebody outside the staff.
    """
    inquiry = workflow.lock(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk)
    is_staff = by.has_perm("assessments.review_inquiry") or by.has_perm("assessments.manage_pipeline")
    is_member = inquiry.organization_id in by.organizations
    if not (is_staff or is_member) or (audience == Message.Audience.INTERNAL and not is_staff):
        raise workflow.NotAllowed(_("Your role may not do this."))
    if not body.strip():
        raise workflow.ReasonRequired(_("Write something first."))
    if file is not None:
        file_check(file)
    message = Message.objects.create(
        inquiry=inquiry, author=by.user, audience=audience, body=body, file=file or "", path=""
    )
    workflow.record(inquiry, "message", by=by, is_public=audience == Message.Audience.CUSTOMER, message=message.pk)
    if is_member and inquiry.state == State.NEEDS_INFO:
        Message.objects.open_questions().filter(inquiry=inquiry).update(answered_by=message, answered_at=timezone.now())
        workflow.answer(inquiry.pk, by=by)
    return message


@transaction.atomic
def question_take_back(*, inquiry_id: int, reason: str, by: Viewer) -> Inquiry:
    """The engineer no longer needs an answer: the request is in review again."""
    if not reason.strip():
        raise workflow.ReasonRequired(_("Give a reason: it is kept with the request."))
    inquiry = workflow.answer(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by)
    workflow.record(inquiry, "take_back", by=by, reason=reason)
    Message.objects.open_questions().filter(inquiry=inquiry).update(answered_at=timezone.now())
    return inquiry
