"""Erasing: texts, files and names go; numbers, states and hashes stay, so that a released document can be verified."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from celery import shared_task
from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.core.files.storage import default_storage
from django.db import connection, models, transaction
from django.db.models import F, Max, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments import workflow
from assessments.models import (
    Adjustment,
    Assessment,
    Document,
    Draft,
    Event,
    Inquiry,
    Intake,
    Message,
    ServerChoice,
    ShareLink,
    SizingRun,
    State,
    WebhookEndpoint,
)
from portal.accounts.models import ApiToken, Invitation, Membership, Organization, PortalSettings, User
from portal.accounts.viewer import Viewer
from portal.outbox import queue as outbox
from portal.outbox.models import OutboxMessage

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

ERASED = "–"
IN_WORK = (State.SUBMITTED, State.SIZING, State.IN_REVIEW, State.APPROVED)
RETENTION_BATCH = 200


class NotErasable(workflow.WorkflowError):
    """The account cannot be deleted as things stand; the message says what to do first."""


class StillAtWork(RuntimeError):
    """A worker still makes something of an erased request; the outbox comes back later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What deleting an account means: organisations that go with it, those that stay, and what stands against it."""

    erased: tuple[Organization, ...]
    kept: tuple[Organization, ...]
    requests: int
    obstacle: str | _StrPromise


def account_plan(user: User) -> Plan:
    """What would happen; an organisation goes when nobody else belongs to it."""
    erased, kept, obstacle = [], [], _("Accounts of staff are closed by the administrator.") if user.is_staff else ""
    for membership in user.memberships.select_related("organization").order_by("pk"):
        others = membership.organization.memberships.exclude(pk=membership.pk)
        if not others.exists():
            erased.append(membership.organization)
            continue
        kept.append(membership.organization)
        is_owner = membership.role == Membership.Role.OWNER
        if is_owner and not others.filter(role=Membership.Role.OWNER).exists():
            obstacle = _("An organisation needs an owner: make somebody else the owner first.")
    requests = Inquiry.objects.filter(organization__in=erased).count()
    return Plan(erased=tuple(erased), kept=tuple(kept), requests=requests, obstacle=obstacle)


@transaction.atomic
def account_erase(user: User) -> None:
    """Delete an account: the person becomes a number, organisations of theirs alone are erased with their requests.

    Raises NotErasable for staff and for the last owner of an organisation that others belong to.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    list(Organization.objects.select_for_update().filter(memberships__user=user).order_by("pk"))
    plan = account_plan(user)
    if plan.obstacle:
        raise NotErasable(plan.obstacle)
    gone = [organization.pk for organization in plan.erased]
    for inquiry in Inquiry.objects.filter(organization__in=gone):
        if inquiry.state in workflow.TRANSITIONS["withdraw"].sources:
            workflow.withdraw(inquiry.pk, by=Viewer.of(user))
    inquiries_erase(list(Inquiry.objects.filter(organization__in=gone).values_list("pk", flat=True)))
    _leave(user)
    for model in (ApiToken, Invitation, WebhookEndpoint):
        model._default_manager.filter(organization__in=gone).delete()
    _forget_organizations(gone)
    _forget_person(user)


@transaction.atomic
def inquiries_erase(inquiry_ids: Collection[int]) -> None:
    """Take texts, files and names out of these requests and record that it was done. Safe to repeat."""
    files: list[str] = []
    for pk in inquiry_ids:
        inquiry = workflow.lock(pk)
        with _rows_unlocked():
            files += _texts_erase(inquiry)
        workflow.record(inquiry, "erase", by=Viewer.system())
    if inquiry_ids:
        outbox.add("assessments.erase_files", inquiry_ids=sorted(inquiry_ids), names=files)


@shared_task(name="assessments.erase_files", ignore_result=True, time_limit=120)
def erase_files(*, inquiry_ids: list[int], names: list[str], outbox_id: int) -> None:
    """Delete files from the storage, also those of a document that was just being made."""
    runs = SizingRun.objects.filter(assessment__inquiry__in=inquiry_ids).values_list("pk", flat=True)
    running = Q(pk=None)
    for run in runs:
        running |= Q(unique_key=f"size:{run}") | Q(unique_key__startswith=f"render:{run}:")
    if OutboxMessage.objects.waiting().filter(running).exists():
        raise StillAtWork("a worker still makes a document of an erased request")
    with transaction.atomic(), _rows_unlocked():
        late = _files_forget(inquiry_ids)
    for name in [*names, *late]:
        default_storage.delete(name)


@shared_task(name="assessments.retention", ignore_result=True, time_limit=120)
def retention() -> int:
    """Erase requests in which nothing has happened for as long as the settings keep them. Returns how many."""
    due = list(retention_due().values_list("pk", flat=True)[:RETENTION_BATCH])
    inquiries_erase(due)
    return len(due)


def retention_due() -> models.QuerySet[Inquiry]:
    """Requests without work to do whose last step is older than the settings keep them; 0 days keep for ever."""
    days = PortalSettings.load().retention_days
    if not days:
        return Inquiry.objects.none()
    return (
        Inquiry.objects.exclude(state__in=IN_WORK)
        .exclude(events__verb="erase")
        .annotate(last_event_at=Max("events__created_at"))
        .filter(last_event_at__lt=timezone.now() - timedelta(days=days))
        .order_by("pk")
    )


@contextmanager
def _rows_unlocked() -> Iterator[None]:
    """Let this transaction, and no other, change rows that never change; `assessments/migrations/0002` asks for it."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('sizewright.erase', 'on', true)")
        yield
        cursor.execute("SELECT set_config('sizewright.erase', 'off', true)")


def _rows[M: models.Model](model: type[M]) -> models.QuerySet[M]:
    """All rows of a model, past the queryset that forbids changes."""
    return models.QuerySet(model)


def _texts_erase(inquiry: Inquiry) -> list[str]:
    """Empty every text of a request; returns the files that hang on it."""
    files = [name for name in Message.objects.filter(inquiry=inquiry).values_list("file", flat=True) if name]
    files += _files_forget([inquiry.pk])
    for intake in _rows(Intake).filter(inquiry=inquiry):
        consent = {"consent": intake.context["consent"]} if "consent" in intake.context else {}
        _rows(Intake).filter(pk=intake.pk).update(context=consent, answers=None)
    Draft.objects.filter(Q(intake__inquiry=inquiry) | Q(inquiry=inquiry)).update(
        answers={}, token_sha256="", owner=None
    )
    Draft.objects.open().filter(inquiry=inquiry, intake=None).delete()
    Message.objects.filter(inquiry=inquiry).update(body=ERASED, file="")
    _rows(Event).filter(inquiry=inquiry).exclude(reason="").update(reason=ERASED)
    work = Assessment.objects.filter(inquiry=inquiry)
    work.update(summary="", remarks={})
    _rows(Adjustment).filter(assessment__in=work).update(reason=ERASED)
    _rows(Adjustment).filter(assessment__in=work, kind=Adjustment.Kind.TEXT).update(before=None, after=None)
    choices = ServerChoice.objects.filter(assessment__in=work)
    choices.exclude(reason="").update(reason=ERASED)
    choices.update(reason_if_unfit="", internal_note="")
    ShareLink.objects.filter(assessment__in=work, revoked_at=None).update(revoked_at=timezone.now())
    Inquiry.objects.filter(pk=inquiry.pk).update(
        contact=None, search_text=inquiry.number.casefold(), closed_reason="", idempotency_key=None
    )
    for run in SizingRun.objects.filter(assessment__in=work).values_list("pk", flat=True):
        of_run = Q(unique_key=f"size:{run}") | Q(unique_key__startswith=f"render:{run}:")
        OutboxMessage.objects.filter(of_run, leased_until=None).delete()
    return files


def _files_forget(inquiry_ids: Collection[int]) -> list[str]:
    """Take the files off the documents' rows, whose hashes stay; returns their names in the storage."""
    documents = _rows(Document).filter(assessment__inquiry__in=inquiry_ids).exclude(file="")
    names = list(documents.values_list("file", flat=True))
    documents.update(file="")
    return names


def _leave(user: User) -> None:
    """Take the person out of what stays with an organisation: an owner becomes the contact of their requests."""
    user_drafts = Draft.objects.filter(owner=user)
    user_drafts.open().filter(intake=None).delete()
    user_drafts.update(owner=None, token_sha256="")
    with _rows_unlocked():
        for intake in _rows(Intake).filter(Q(author=user) | Q(context__email=user.email)).select_related("inquiry"):
            name = str(intake.context.get("contact_name", "")).casefold()
            context = {key: value for key, value in intake.context.items() if key not in {"contact_name", "email"}}
            answers = _without_person(intake.answers)
            _rows(Intake).filter(pk=intake.pk).update(context=context, answers=answers)
            if intake.draft_id is not None:
                Draft.objects.filter(pk=intake.draft_id).update(answers=answers or {})
            if name:
                text = intake.inquiry.search_text.replace(name, "")
                Inquiry.objects.filter(pk=intake.inquiry_id).update(search_text=text)
    for membership in user.memberships.all():
        owners = Membership.objects.filter(organization=membership.organization_id, role=Membership.Role.OWNER)
        heir = owners.exclude(user=user).order_by("pk").values_list("user", flat=True).first()
        Inquiry.objects.filter(organization=membership.organization_id, contact=user).update(contact=heir)
    Inquiry.objects.filter(contact=user).update(contact=None)
    user.memberships.all().delete()


def _without_person(answers: dict[str, dict[str, object]] | None) -> dict[str, dict[str, object]] | None:
    """Answers as typed without who typed them."""
    if answers is None:
        return None
    business = {name: value for name, value in answers.get("business", {}).items() if name != "contact_name"}
    return {key: value for key, value in answers.items() if key != "submit"} | (
        {"business": business} if "business" in answers else {}
    )


def _forget_organizations(organization_ids: Collection[int]) -> None:
    Organization.objects.filter(pk__in=organization_ids).update(name=ERASED)
    Organization.history.filter(id__in=organization_ids).delete()
    _forget_log(Organization, organization_ids)


def _forget_person(user: User) -> None:
    """What is left of a person is a number, to which events go on pointing; nobody can sign in as it."""
    OutboxMessage.objects.filter(kind=OutboxMessage.Kind.MAIL, payload__to=[user.email]).delete()
    Invitation.objects.filter(email=user.email).delete()
    for model in (EmailAddress, Authenticator, SocialAccount):
        model._default_manager.filter(user=user).delete()
    user.groups.clear()
    user.user_permissions.clear()
    User.objects.filter(pk=user.pk).update(
        email=f"erased-{user.pk}@erased.invalid",
        name=ERASED,
        language="",
        time_zone="",
        is_active=False,
        password=make_password(None),
        session_epoch=F("session_epoch") + 1,
    )
    User.history.filter(id=user.pk).delete()
    _forget_log(User, [user.pk])


def _forget_log(model: type[models.Model], ids: Collection[int]) -> None:
    """The admin's own log repeats names."""
    kind = ContentType.objects.get_for_model(model)
    LogEntry.objects.filter(content_type=kind, object_id__in=[str(pk) for pk in ids]).delete()
