"""What the customer asked for, revision by revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from assessments.models.immutable import ImmutableModel, ImmutableQuerySet
from assessments.models.inquiry import Inquiry

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class IntakeQuerySet(ImmutableQuerySet["Intake"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Intakes of one's own organisation's requests; staff see all, a share link none."""
        if viewer.sees_all:
            return self
        return self.filter(inquiry__organization__in=viewer.organizations)


class Intake(ImmutableModel):
    """One revision of the answers: the task that is sized and the context that a person reads."""

    inquiry = models.ForeignKey(Inquiry, on_delete=models.PROTECT, related_name="intakes")
    revision = models.PositiveIntegerField(_("revision"))
    draft = models.OneToOneField("assessments.Draft", null=True, on_delete=models.PROTECT, related_name="intake")
    task = models.JSONField(_("task"))
    answers = models.JSONField(_("answers as typed"), null=True)
    context = models.JSONField(
        _("context"), default=dict, help_text=_("Business task, contact, consent: not part of the task.")
    )
    schema = models.CharField(max_length=16)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    objects = IntakeQuerySet.as_manager()

    class Meta:
        verbose_name = _("intake")
        verbose_name_plural = _("intakes")
        ordering = ("inquiry", "revision")
        constraints = (models.UniqueConstraint(fields=("inquiry", "revision"), name="intake_revision"),)

    def __str__(self) -> str:
        return f"{self.inquiry_id}/{self.revision}"
