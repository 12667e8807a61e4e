"""One run of the sizing engine over one input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.models.assessment import Assessment

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class SizingRunQuerySet(models.QuerySet["SizingRun"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Runs: staff all, others the published one of each assessment they may see."""
        if viewer.sees_all:
            return self
        visible = Assessment.objects.visible_to(viewer)
        return self.filter(
            models.Q(pk__in=visible.filter(released_at=None).values("first_run"))
            | models.Q(pk__in=visible.filter(released_at__isnull=False).values("run"))
        )

    def without_result(self) -> Self:
        """For lists: the result tree stays in the database."""
        return self.defer("result", "overrides", "setups", "task")

    def unfinished(self) -> Self:
        return self.filter(finished_at=None, error_code="")


class SizingRun(models.Model):
    """What went into the engine, how far it is, and what came out."""

    class Step(models.TextChoices):
        QUEUED = "queued", pgettext_lazy("step", "In the queue")
        LOADING = "loading", pgettext_lazy("step", "Reading the task")
        SIZING = "sizing", pgettext_lazy("step", "Sizing")
        SAVING = "saving", pgettext_lazy("step", "Saving the result")
        RENDERING = "rendering", pgettext_lazy("step", "Making the document")
        DONE = "done", pgettext_lazy("step", "Ready")

    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="runs")
    input_sha256 = models.CharField(max_length=64, editable=False)
    task = models.JSONField(help_text=_("The task after the adjustments."))
    overrides = models.JSONField(default=dict)
    setups = models.JSONField(default=dict)
    catalog_version = models.ForeignKey("catalog.CatalogVersion", on_delete=models.PROTECT, related_name="+")
    engine = models.CharField(max_length=32)
    calibration = models.CharField(max_length=64)
    step = models.CharField(_("step"), max_length=10, choices=Step, default=Step.QUEUED)
    percent = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    tries = models.PositiveIntegerField(_("tries"), default=0)
    started_at = models.DateTimeField(_("started"), null=True)
    finished_at = models.DateTimeField(_("finished"), null=True)
    result = models.JSONField(null=True)
    error_code = models.CharField(_("error"), max_length=64, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = SizingRunQuerySet.as_manager()

    class Meta:
        verbose_name = _("sizing run")
        verbose_name_plural = _("sizing runs")
        ordering = ("assessment", "id")
        constraints = (models.UniqueConstraint(fields=("assessment", "input_sha256"), name="run_once_per_input"),)

    def __str__(self) -> str:
        return f"run {self.pk} of {self.assessment_id}"
