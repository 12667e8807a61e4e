"""A customer's request for an assessment."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class State(models.TextChoices):
    """Where a request stands; only `assessments.workflow` moves it."""

    SUBMITTED = "submitted", pgettext_lazy("request state", "Submitted")
    SIZING = "sizing", pgettext_lazy("request state", "Sizing")
    FAILED = "failed", pgettext_lazy("request state", "Sizing failed")
    IN_REVIEW = "in_review", pgettext_lazy("request state", "In review")
    NEEDS_INFO = "needs_info", pgettext_lazy("request state", "Waiting for the customer")
    APPROVED = "approved", pgettext_lazy("request state", "Approved")
    RELEASED = "released", pgettext_lazy("request state", "Released")
    PROPOSAL = "proposal", pgettext_lazy("request state", "Proposal")
    WON = "won", pgettext_lazy("request state", "Won")
    LOST = "lost", pgettext_lazy("request state", "Lost")
    REJECTED = "rejected", pgettext_lazy("request state", "Rejected")
    WITHDRAWN = "withdrawn", pgettext_lazy("request state", "Withdrawn")


class PublicState(models.TextChoices):
    """The five words that a customer sees."""

    CALCULATING = "calculating", pgettext_lazy("public state", "Calculating")
    WITH_ENGINEER = "with_engineer", pgettext_lazy("public state", "With the engineer")
    WAITING_FOR_YOU = "waiting_for_you", pgettext_lazy("public state", "Waiting for you")
    APPROVED = "approved", pgettext_lazy("public state", "Approved")
    CLOSED = "closed", pgettext_lazy("public state", "Closed")


PUBLIC_STATE_OF = {
    State.SUBMITTED: PublicState.CALCULATING,
    State.SIZING: PublicState.CALCULATING,
    State.FAILED: PublicState.CALCULATING,
    State.IN_REVIEW: PublicState.WITH_ENGINEER,
    State.APPROVED: PublicState.WITH_ENGINEER,
    State.NEEDS_INFO: PublicState.WAITING_FOR_YOU,
    State.RELEASED: PublicState.APPROVED,
    State.PROPOSAL: PublicState.APPROVED,
    State.WON: PublicState.APPROVED,
    State.LOST: PublicState.APPROVED,
    State.REJECTED: PublicState.CLOSED,
    State.WITHDRAWN: PublicState.CLOSED,
}


class Priority(models.IntegerChoices):
    LOW = 1, pgettext_lazy("priority", "Low")
    NORMAL = 2, pgettext_lazy("priority", "Normal")
    HIGH = 3, pgettext_lazy("priority", "High")


class InquiryQuerySet(models.QuerySet["Inquiry"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Requests this reader may know about; everything else answers 404."""
        if viewer.sees_all:
            return self
        mine = Q(organization__in=viewer.organizations)
        if viewer.share_tokens:
            now = timezone.now()
            mine |= Q(
                pk__in=self.model._default_manager.filter(
                    assessments__share_links__token_sha256__in=viewer.share_tokens,
                    assessments__share_links__revoked_at=None,
                    assessments__share_links__expires_at__gt=now,
                ).values("pk")
            )
        return self.filter(mine)

    def overdue(self, at: datetime) -> Self:
        """Requests whose decision was due before `at` and is not waiting for the customer."""
        return self.filter(due_at__lt=at, state__in=(State.SUBMITTED, State.SIZING, State.FAILED, State.IN_REVIEW))


class Inquiry(models.Model):
    """What people call a request: one training task of one organisation, through all its revisions."""

    number = models.CharField(_("number"), max_length=20, unique=True, editable=False)
    organization = models.ForeignKey(
        "accounts.Organization", verbose_name=_("organisation"), on_delete=models.PROTECT, related_name="inquiries"
    )
    contact = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("contact"),
        null=True,
        on_delete=models.SET_NULL,
        related_name="inquiries",
    )
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    state = models.CharField(_("state"), max_length=12, choices=State, editable=False)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("assignee"),
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="assigned_inquiries",
    )
    priority = models.PositiveSmallIntegerField(_("priority"), choices=Priority, default=Priority.NORMAL)
    due_at = models.DateTimeField(_("due"), null=True, blank=True)
    waiting_since = models.DateTimeField(_("waiting since"), null=True, blank=True, editable=False)
    version = models.PositiveIntegerField(default=0, editable=False)
    idempotency_key = models.CharField(max_length=255, null=True, blank=True, editable=False)  # noqa: DJ001 – null keeps the constraint free

    strategy = models.CharField(_("strategy"), max_length=16, blank=True, editable=False)
    model_class = models.CharField(_("class of model"), max_length=16, blank=True, editable=False)
    params = models.FloatField(_("parameters"), null=True, editable=False)
    accelerator = models.CharField(_("accelerator"), max_length=64, blank=True, editable=False)
    gpus_low = models.PositiveIntegerField(_("GPUs, at least"), null=True, editable=False)
    gpus_high = models.PositiveIntegerField(_("GPUs, at most"), null=True, editable=False)
    kw = models.FloatField(_("power, kW"), null=True, editable=False)
    worst_severity = models.PositiveSmallIntegerField(_("worst finding"), default=0, editable=False)
    findings_count = models.PositiveIntegerField(_("findings"), default=0, editable=False)
    search_text = models.TextField(blank=True, editable=False)
    submitted_at = models.DateTimeField(_("submitted"), editable=False)
    released_at = models.DateTimeField(_("released"), null=True, editable=False)
    closed_reason = models.TextField(_("reason of closing"), blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InquiryQuerySet.as_manager()

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        ordering = ("-submitted_at",)
        permissions = (
            ("review_inquiry", _("Can review requests")),
            ("approve_inquiry", _("Can approve requests")),
            ("manage_pipeline", _("Can manage the pipeline")),
        )
        constraints = (
            models.CheckConstraint(condition=Q(state__in=State.values), name="inquiry_state_known"),
            models.UniqueConstraint(fields=("organization", "idempotency_key"), name="inquiry_idempotency"),
        )
        indexes = (
            models.Index(fields=("state", "due_at"), name="inquiry_state_due"),
            models.Index(fields=("assignee", "state"), name="inquiry_assignee_state"),
            models.Index(fields=("organization", "-submitted_at"), name="inquiry_organization"),
            models.Index(fields=("state", "worst_severity"), name="inquiry_state_severity"),
            models.Index(fields=("-submitted_at",), name="inquiry_submitted"),
        )

    def __str__(self) -> str:
        return self.number

    @property
    def public_state(self) -> PublicState:
        """The word that the customer sees for this state."""
        return PUBLIC_STATE_OF[State(self.state)]


class InquirySequence(models.Model):
    """The last number given to a request in a year; its row lock makes numbers unique and without gaps."""

    year = models.PositiveSmallIntegerField(unique=True)
    last = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"

    @classmethod
    @transaction.atomic
    def next_number(cls, year: int) -> str:
        """The next free number of the year, such as `SW-2026-0042`; free again if the transaction around it fails."""
        cls.objects.get_or_create(year=year)
        sequence = cls.objects.select_for_update().get(year=year)
        sequence.last += 1
        sequence.save(update_fields=["last"])
        return f"SW-{year}-{sequence.last:04d}"
