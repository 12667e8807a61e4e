"""Downloads of an assessment: the PDF and the result itself; and the check that a document is ours."""

import json

from django.conf import settings
from django.contrib import messages
from django.db.models import Q
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from assessments import selectors
from assessments.models import Assessment, Document, Inquiry
from assessments.services.documents import document_request
from portal.accounts.http import ReaderRequest

CHECK_DIGITS = 12
"""As many digits of a check sum as somebody must type; fewer could be guessed."""


@require_GET
def pdf(request: ReaderRequest, number: str, kind: str, language: str) -> FileResponse:
    """The newest PDF of this kind and language that the reader may have; `?revision=` asks for an earlier one."""
    inquiry = get_object_or_404(Inquiry.objects.visible_to(request.viewer), number=number)
    documents = Document.objects.visible_to(request.viewer).filter(
        assessment__inquiry=inquiry, kind=kind, language=language
    )
    revision = request.GET.get("revision", "")
    if revision.isdecimal():
        documents = documents.filter(assessment__revision=int(revision))
    document = documents.select_related("assessment").order_by("-assessment__revision", "-pk").first()
    if document is None:
        raise Http404
    return pdf_response(document, number=inquiry.number, revision=document.assessment.revision)


def pdf_response(document: Document, *, number: str, revision: int) -> FileResponse:
    """A PDF under a name that tells it apart from its sisters."""
    response = FileResponse(
        document.file.open("rb"),
        filename=f"{number}-r{revision}-{document.language}.pdf",
        content_type="application/pdf",
    )
    response["Cache-Control"] = "private, no-cache"
    return response


@require_GET
def pending(request: ReaderRequest, number: str) -> HttpResponse:
    """The line "the PDF is being made", asked for every three seconds; reloads the page once there is one."""
    inquiry = get_object_or_404(Inquiry.objects.visible_to(request.viewer), number=number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    documents = selectors.documents_of(assessment, request.viewer) if assessment else []
    if documents and request.htmx:
        return HttpResponseClientRefresh()
    return render(request, "assessment/result_actions.html#pending", {"number": inquiry.number, "documents": documents})


@require_POST
def request_language(request: ReaderRequest, number: str) -> HttpResponse:
    """Have the PDF made in the other language; it appears on the page when it is ready."""
    inquiry = get_object_or_404(Inquiry.objects.visible_to(request.viewer), number=number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    language = request.POST.get("language", "")
    if assessment is not None and language in dict(settings.LANGUAGES):
        document_request(assessment_id=assessment.pk, language=language, by=request.viewer)
        messages.info(request, _("The PDF is being made; reload the page in a few seconds."))
    return HttpResponseRedirect(reverse("pages:request", args=[number]))


@require_GET
def result_json(request: ReaderRequest, number: str) -> HttpResponse:
    """The result as the engine gave it, in the format result/1; `?revision=` asks for an earlier one."""
    inquiry = get_object_or_404(Inquiry.objects.visible_to(request.viewer), number=number)
    revision = request.GET.get("revision", "")
    assessment = (
        Assessment.objects.visible_to(request.viewer).filter(inquiry=inquiry, revision=int(revision)).first()
        if revision.isdecimal()
        else selectors.published_assessment(inquiry, request.viewer)
    )
    run = selectors.shown_run(assessment, request.viewer) if assessment else None
    if assessment is None or run is None or run.result is None:
        raise Http404
    return result_response(run.result, number=inquiry.number, revision=assessment.revision)


def result_response(result: object, *, number: str, revision: int) -> HttpResponse:
    """result/1 as a file."""
    response = HttpResponse(json.dumps(result, ensure_ascii=False, indent=1), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{number}-r{revision}.json"'
    response["Cache-Control"] = "private, no-cache"
    return response


def issued_document(*, number: str, check_sum: str) -> Document | None:
    """The document of that request whose file, or whose result as printed on its cover, has this check sum.

    Whoever knows both holds the document, so no right is asked for; nothing about the request is told.
    """
    typed = "".join(check_sum.lower().split())
    if len(typed) < CHECK_DIGITS:
        return None
    return (
        Document.objects.filter(assessment__inquiry__number=number.strip().upper())
        .filter(Q(sha256__startswith=typed) | Q(result_sha256__startswith=typed))
        .select_related("assessment")
        .order_by("-assessment__revision", "-pk")
        .first()
    )


def is_in_force(document: Document) -> bool:
    """Whether no later revision has been released."""
    released = Assessment.objects.filter(inquiry=document.assessment.inquiry_id, released_at__isnull=False)
    return not released.filter(revision__gt=document.assessment.revision).exists()
