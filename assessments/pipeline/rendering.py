"""Making the PDF of a run and keeping it."""

from __future__ import annotations

from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction

from assessments import workflow
from assessments.documents.render import render_pdf
from assessments.models import Assessment, Document, SizingRun, State
from assessments.pipeline.document_data import document_context
from portal.accounts.viewer import Viewer


def document_render(*, run_id: int, kind: str, language: str) -> Document:
    """The document of a run, kind and language; made once, found again afterwards."""
    made = Document.objects.filter(run=run_id, kind=kind, language=language).first()
    if made is not None:
        return made
    run = SizingRun.objects.select_related("assessment__inquiry__organization", "assessment__intake").get(pk=run_id)
    rendered = render_pdf(document_context(run, kind=kind, language=language))
    document = Document(
        assessment=run.assessment,
        run=run,
        kind=kind,
        language=language,
        sha256=rendered.sha256,
        result_sha256=rendered.result_sha256,
        pages=rendered.pages,
        size=len(rendered.content),
    )
    document.file.save(f"{kind}-{language}.pdf", ContentFile(rendered.content), save=False)
    try:
        document_keep(document)
    except IntegrityError:  # the same task beside this one was faster; path and bytes are the same
        return Document.objects.get(run=run_id, kind=kind, language=language)
    return document


@transaction.atomic
def document_keep(document: Document) -> None:
    """Insert the row of a stored file, and tell that it is ready, once."""
    assessment: Assessment = document.assessment
    inquiry = workflow.lock(assessment.inquiry_id)
    document.save(force_insert=True)
    if document.kind == Document.Kind.AUTOMATIC and document.language == inquiry.language:
        SizingRun.objects.filter(pk=document.run_id).update(step=SizingRun.Step.DONE, percent=100, error_code="")
        if assessment.status == Assessment.Status.WORKING and inquiry.state != State.WITHDRAWN:
            workflow.record(inquiry, "ready", by=Viewer.system(), is_public=True, document=document.pk)
