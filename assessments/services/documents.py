"""Asking for a document in the other language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from assessments.models import Assessment, Document, SizingRun
from assessments.pipeline.runs import render_queue
from assessments.selectors import shown_run

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


@transaction.atomic
def document_request(*, assessment_id: int, language: str, by: Viewer) -> bool:
    """Queue the automatic document of a revision in another language; False while there is no result to print.

    Raises Assessment.DoesNotExist if the revision is not theirs to see.
    """
    assessment = Assessment.objects.visible_to(by).get(pk=assessment_id)
    run = shown_run(assessment, by)
    if run is None or run.finished_at is None:
        return False
    is_approved = assessment.approved_at is not None and run.pk == assessment.run_id
    kind = (
        Document.Kind.APPROVED if is_approved and (by.sees_all or assessment.released_at) else Document.Kind.AUTOMATIC
    )
    if not Document.objects.filter(run=run, kind=kind, language=language).exists():
        SizingRun.objects.filter(pk=run.pk, error_code="document_failed").update(error_code="")
        render_queue(run, kind=kind, language=language)
    return True
