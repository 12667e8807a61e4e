"""What a customer does with a request: submit, change, withdraw, try again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments import workflow
from assessments.intake.submission import Submission, check_answers
from assessments.models import Assessment, Draft, Inquiry, Intake, Message, SizingRun
from assessments.pipeline.runs import run_queue, run_request
from portal.accounts.models import Organization

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class NoOrganization(workflow.WorkflowError):
    """A person without an organisation cannot send a request."""


class KeyReused(workflow.WorkflowError):
    """An idempotency key came with another task than before."""


@transaction.atomic
def draft_submit(*, draft_id: UUID, by: Viewer) -> Inquiry:
    """Turn a complete draft into a request, or into a new revision of its request, and send it to sizing.

    A second call returns the same request. Raises Draft.DoesNotExist if the draft is not theirs, Incomplete with
    the answers that are missing or wrong, WorkflowError if the request may not be revised now.
    """
    draft = Draft.objects.visible_to(by).select_for_update(of=("self",)).get(pk=draft_id)
    sent = Inquiry.objects.filter(intakes__draft=draft).first()
    if sent is not None:
        return sent
    submission = check_answers(draft.answers)
    if draft.inquiry_id is None:
        inquiry = workflow.submit(organization=organization_of(by), contact=by.user, language=draft.language, by=by)
    else:
        if not Inquiry.objects.visible_to(by).filter(pk=draft.inquiry_id).exists():
            raise Draft.DoesNotExist
        inquiry = workflow.revise(draft.inquiry_id, by=by)
        Message.objects.open_questions().filter(inquiry=inquiry).update(answered_at=timezone.now())
    intake = intake_store(inquiry, submission, by=by, draft=draft)
    run_request(assessment_open(inquiry, intake))
    draft.submitted_at = timezone.now()
    draft.owner = draft.owner or by.user
    draft.save(update_fields=["submitted_at", "owner", "updated_at"])
    return inquiry


@transaction.atomic
def inquiry_create(
    *, submission: Submission, language: str, by: Viewer, organization: Organization, idempotency_key: str | None
) -> tuple[Inquiry, bool]:
    """A request from a program: checked data instead of a draft. Returns the request and whether it is new.

    The same key returns the same request; the same key with another task raises KeyReused.
    """
    if idempotency_key:
        Organization.objects.select_for_update().get(pk=organization.pk)  # equal keys wait for each other
        known = Inquiry.objects.filter(organization=organization, idempotency_key=idempotency_key).first()
        if known is not None:
            if known.intakes.earliest("revision").task != submission.task:
                raise KeyReused(_("This Idempotency-Key was used for another task."))
            return known, False
    inquiry = workflow.submit(
        organization=organization, contact=by.user, language=language, by=by, idempotency_key=idempotency_key
    )
    intake = intake_store(inquiry, submission, by=by)
    run_request(assessment_open(inquiry, intake))
    return inquiry, True


def organization_of(by: Viewer) -> Organization:
    """The organisation for which this reader sends requests: the token's, or the first one that they joined."""
    if by.token is not None and by.token.organization is not None:
        return by.token.organization
    if by.user is not None:
        membership = by.user.memberships.select_related("organization").order_by("pk").first()
        if membership is not None:
            return membership.organization
    raise NoOrganization(_("You belong to no organisation yet; open the link in the mail that invited you."))


def intake_store(inquiry: Inquiry, submission: Submission, *, by: Viewer, draft: Draft | None = None) -> Intake:
    """Keep a revision of the answers; `unique(draft)` makes a double click one."""
    last = inquiry.intakes.aggregate(last=Max("revision"))["last"] or 0
    return Intake.objects.create(
        inquiry=inquiry,
        revision=last + 1,
        draft=draft,
        task=submission.task,
        answers=draft.answers if draft is not None else None,
        context=submission.context,
        schema=submission.task["schema"],
        author=by.user,
    )


def assessment_open(inquiry: Inquiry, intake: Intake, *, is_reopened: bool = False) -> Assessment:
    """The one working assessment of a request on these answers; the working one before is superseded at once."""
    Assessment.objects.filter(inquiry=inquiry).working().update(status=Assessment.Status.SUPERSEDED)
    last = inquiry.assessments.aggregate(last=Max("revision"))["last"] or 0
    return Assessment.objects.create(
        inquiry=inquiry, revision=last + 1, intake=intake, is_reopened=is_reopened, language=inquiry.language
    )


def inquiry_withdraw(*, inquiry_id: int, by: Viewer, reason: str = "") -> Inquiry:
    """The customer takes a request back. Raises Inquiry.DoesNotExist if it is not theirs."""
    inquiry = Inquiry.objects.visible_to(by).get(pk=inquiry_id)
    return workflow.withdraw(inquiry.pk, by=by, reason=reason)


@transaction.atomic
def inquiry_retry(*, inquiry_id: int, by: Viewer) -> Inquiry:
    """Size a failed request again, with all tries before it. Raises Inquiry.DoesNotExist if it is not theirs."""
    inquiry = workflow.retry(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by)
    working = Assessment.objects.filter(inquiry=inquiry).working().get()
    run_queue(SizingRun.objects.get(assessment=working, pk=working.run_id or 0))
    return inquiry
