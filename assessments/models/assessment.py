"""An assessment: one revision of the answer, what engineers changed in it, and the servers they chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.models.immutable import ImmutableModel, ImmutableQuerySet
from assessments.models.inquiry import Inquiry
from assessments.models.intake import Intake

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class AssessmentQuerySet(models.QuerySet["Assessment"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Revisions that this reader may see: staff all, others what is published of their own requests.

        A share link shows the one revision that it was made for.
        """
        if viewer.sees_all:
            return self
        mine = Q(inquiry__organization__in=viewer.organizations)
        if viewer.share_tokens:
            shared = self.model._default_manager.filter(
                share_links__token_sha256__in=viewer.share_tokens,
                share_links__revoked_at=None,
                share_links__expires_at__gt=timezone.now(),
            )
            mine |= Q(pk__in=shared.values("pk"))
        return self.filter(mine).published()

    def published(self) -> Self:
        """Revisions that exist outside: made by the customer's own answers, or released."""
        return self.filter(Q(is_reopened=False) | Q(released_at__isnull=False))

    def working(self) -> Self:
        return self.filter(status=Assessment.Status.WORKING)


class Assessment(models.Model):
    """One revision of the answer to a request; what was approved never changes."""

    class Status(models.TextChoices):
        WORKING = "working", pgettext_lazy("assessment", "Working")
        APPROVED = "approved", pgettext_lazy("assessment", "Approved")
        SUPERSEDED = "superseded", pgettext_lazy("assessment", "Superseded")

    inquiry = models.ForeignKey(Inquiry, on_delete=models.PROTECT, related_name="assessments")
    revision = models.PositiveIntegerField(_("revision"))
    intake = models.ForeignKey(Intake, on_delete=models.PROTECT, related_name="assessments")
    is_reopened = models.BooleanField(
        default=False, editable=False, help_text=_("Made by an engineer; invisible outside until it is released.")
    )
    first_run = models.ForeignKey(
        "assessments.SizingRun", null=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    run = models.ForeignKey(
        "assessments.SizingRun", null=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    catalog_version = models.ForeignKey(
        "catalog.CatalogVersion", null=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.WORKING, editable=False)
    summary = models.TextField(_("summary"), blank=True)
    remarks = models.JSONField(_("remarks"), default=dict, blank=True, help_text=_("Section of the document: text."))
    language = models.CharField(_("language of the texts"), max_length=2, choices=settings.LANGUAGES)
    checklist = models.JSONField(_("checklist"), default=dict, blank=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", editable=False
    )
    approved_at = models.DateTimeField(null=True, editable=False)
    released_at = models.DateTimeField(null=True, editable=False)
    result_sha256 = models.CharField(max_length=64, blank=True, editable=False)
    version = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = AssessmentQuerySet.as_manager()

    class Meta:
        verbose_name = _("assessment")
        verbose_name_plural = _("assessments")
        ordering = ("inquiry", "revision")
        constraints = (
            models.UniqueConstraint(fields=("inquiry", "revision"), name="assessment_revision"),
            models.UniqueConstraint(fields=("inquiry",), condition=Q(status="working"), name="assessment_one_working"),
        )

    def __str__(self) -> str:
        return f"{self.inquiry_id}/{self.revision}"


class AdjustmentQuerySet(ImmutableQuerySet["Adjustment"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Adjustments are the engineers' own; nobody else reads the rows."""
        return self if viewer.sees_all else self.none()


class Adjustment(ImmutableModel):
    """A change that an engineer made to the input of an assessment, with the reason."""

    class Kind(models.TextChoices):
        ANSWER = "answer", pgettext_lazy("adjustment", "Answer")
        KNOB = "knob", pgettext_lazy("adjustment", "Pinned value")
        OPTION = "option", pgettext_lazy("adjustment", "Option")
        TEXT = "text", pgettext_lazy("adjustment", "Text")

    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="adjustments")
    kind = models.CharField(max_length=8, choices=Kind)
    target = models.CharField(max_length=255, help_text=_("Path of the task, id of the knob, or key of the option."))
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    reason = models.TextField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    undoes = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="undone_by")
    carried_from = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="carried_to")
    dropped = models.BooleanField(default=False)

    objects = AdjustmentQuerySet.as_manager()

    class Meta:
        verbose_name = _("adjustment")
        verbose_name_plural = _("adjustments")
        ordering = ("assessment", "id")

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


class ServerChoiceQuerySet(models.QuerySet["ServerChoice"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Picks: staff all, others those of released assessments."""
        if viewer.sees_all:
            return self
        return self.filter(assessment__in=Assessment.objects.visible_to(viewer).filter(released_at__isnull=False))


class ServerChoice(models.Model):
    """The catalog server picked for one option, or "none, because"."""

    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="server_choices")
    option_key = models.CharField(_("option"), max_length=32)
    setup = models.JSONField(help_text=_("Accelerator, GPUs, servers and link of the option when it was picked."))
    server = models.ForeignKey(
        "catalog.Server", verbose_name=_("server"), null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    reason = models.TextField(_("reason"), blank=True, help_text=_("Why no server of the catalog is offered."))
    quantity = models.PositiveIntegerField(_("quantity"), default=1)
    fit = models.JSONField(_("fit report"), default=dict)
    reason_if_unfit = models.TextField(_("reason for an unfit server"), blank=True)
    internal_note = models.TextField(_("internal note"), blank=True)
    specification = models.JSONField(null=True, editable=False, help_text=_("The server's data as it was at approval."))
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ServerChoiceQuerySet.as_manager()

    class Meta:
        verbose_name = _("server choice")
        verbose_name_plural = _("server choices")
        ordering = ("assessment", "option_key")
        constraints = (
            models.UniqueConstraint(fields=("assessment", "option_key"), name="server_choice_per_option"),
            models.CheckConstraint(
                condition=Q(server__isnull=False) | ~Q(reason=""), name="server_choice_server_or_reason"
            ),
        )

    def __str__(self) -> str:
        return f"{self.option_key}: {self.server_id or 'none'}"
