"""The PDF of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.models.assessment import Assessment
from assessments.models.immutable import ImmutableModel, ImmutableQuerySet
from assessments.models.run import SizingRun

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


def document_path(document: Document, filename: str) -> str:
    """Where the file lies in the storage; never a public address."""
    return f"documents/{document.assessment_id}/{document.run_id}/{filename}"


class DocumentQuerySet(ImmutableQuerySet["Document"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Documents: staff all; others the automatic one of the first run, the approved one once it is released."""
        if viewer.sees_all:
            return self.exclude(file="")  # erased: the row and its hashes stay
        visible = Assessment.objects.visible_to(viewer)
        return self.exclude(file="").filter(
            Q(kind=Document.Kind.AUTOMATIC, assessment__in=visible, run=F("assessment__first_run"))
            | Q(
                kind=Document.Kind.APPROVED,
                assessment__in=visible.filter(released_at__isnull=False),
                run=F("assessment__run"),
            )
        )


class Document(ImmutableModel):
    """One rendered PDF: automatic or approved, in one language."""

    class Kind(models.TextChoices):
        AUTOMATIC = "automatic", pgettext_lazy("document", "Automatic")
        APPROVED = "approved", pgettext_lazy("document", "Approved")

    assessment = models.ForeignKey(Assessment, on_delete=models.PROTECT, related_name="documents")
    run = models.ForeignKey(SizingRun, on_delete=models.PROTECT, related_name="documents")
    kind = models.CharField(_("kind"), max_length=10, choices=Kind)
    language = models.CharField(_("language"), max_length=2, choices=settings.LANGUAGES)
    file = models.FileField(upload_to=document_path)
    sha256 = models.CharField(max_length=64, db_index=True, help_text=_("Of the file."))
    result_sha256 = models.CharField(
        max_length=64, db_index=True, help_text=_("Of the attached result, as on the cover.")
    )
    pages = models.PositiveSmallIntegerField(_("pages"))
    size = models.PositiveIntegerField(_("size, bytes"))

    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        ordering = ("assessment", "kind", "language")
        constraints = (models.UniqueConstraint(fields=("run", "kind", "language"), name="document_once"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.language} of {self.assessment_id}"
