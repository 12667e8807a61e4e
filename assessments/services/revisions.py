"""Changing the answers of a request, or copying them into a new one: both begin as a draft."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments import workflow
from assessments.models import Draft, Inquiry, Intake

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

KEPT = timedelta(days=90)
CONTACT = "submit"  # page of a draft's answers that holds address and consent: asked anew


@transaction.atomic
def revision_draft(*, inquiry_id: int, as_new: bool, by: Viewer) -> Draft:
    """A draft with the newest answers of a request; one that is open already is handed out again.

    as_new: the draft becomes a request of its own. Raises Inquiry.DoesNotExist if the request is not theirs, NotAllowed
    for somebody who is not of its organisation, WrongState or Conflict where it cannot be revised.
    """
    inquiry = Inquiry.objects.visible_to(by).get(pk=inquiry_id)
    if inquiry.organization_id not in by.organizations or by.user is None:
        raise workflow.NotAllowed(_("Your role may not do this."))
    if not as_new:
        workflow.check(inquiry, "revise", by=by)
        open_one = Draft.objects.visible_to(by).open().filter(inquiry=inquiry).first()
        if open_one is not None:
            return open_one
    intake = Intake.objects.visible_to(by).filter(inquiry=inquiry).order_by("-revision").first()
    answers = dict(intake.answers or {}) if intake is not None else {}
    return Draft.objects.create(
        owner=by.user,
        inquiry=None if as_new else inquiry,
        answers={page: raw for page, raw in answers.items() if page != CONTACT},
        language=inquiry.language,
        expires_at=timezone.now() + KEPT,
    )
