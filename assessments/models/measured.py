"""What was really measured after delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from assessments.models.assessment import Assessment

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class MeasuredQuerySet(models.QuerySet["Measured"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Measurements of assessments that this reader may see."""
        return self.filter(assessment__in=Assessment.objects.visible_to(viewer))


class Measured(models.Model):
    """One measurement on delivered hardware, to be set against the prediction."""

    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="measurements")
    configuration = models.JSONField(_("configuration"))
    peak_gib = models.FloatField(_("peak memory, GiB"), null=True, blank=True)
    tokens_per_s = models.FloatField(_("tokens per second and GPU"), null=True, blank=True)
    step_s = models.FloatField(_("seconds per step"), null=True, blank=True)
    utilisation = models.FloatField(_("utilisation, share"), null=True, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MeasuredQuerySet.as_manager()

    class Meta:
        verbose_name = _("field measurement")
        verbose_name_plural = _("field measurements")

    def __str__(self) -> str:
        return f"measurement {self.pk} of {self.assessment_id}"
