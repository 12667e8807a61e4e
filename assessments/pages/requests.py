"""A customer's requests: the list, one request while it is computed, and its assessment."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import HttpResponseClientRefresh

from assessments import selectors, workflow
from assessments.models import Assessment, Draft, Inquiry, PublicState
from assessments.pages.heading import stamp_of, status_line
from assessments.pages.progress import progress
from assessments.pages.result import result_page
from assessments.services import inquiries

PAGE_SIZE = 25


@require_GET
@login_required
def request_list(request: HttpRequest) -> HttpResponse:
    """The requests of the reader's organisations, newest first, and drafts that were not sent."""
    viewer = request.viewer
    rows = Inquiry.objects.visible_to(viewer).select_related("organization").order_by("-submitted_at")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    drafts = Draft.objects.visible_to(viewer).open().filter(inquiry=None).order_by("-updated_at")
    return render(request, "assessment/list.html", {"page": page, "drafts": drafts, "shows_organization": _is_wide(viewer)})


@require_GET
def request_detail(request: HttpRequest, number: str) -> HttpResponse:
    """Progress until there is a result, then the assessment."""
    inquiry = _inquiry(request, number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    return _detail(request, inquiry, assessment)


@require_GET
def revision_detail(request: HttpRequest, number: str, revision: int) -> HttpResponse:
    """An earlier revision, as it was."""
    inquiry = _inquiry(request, number)
    visible = Assessment.objects.visible_to(request.viewer).select_related("intake", "approved_by")
    return _detail(request, inquiry, get_object_or_404(visible, inquiry=inquiry, revision=revision))


@require_GET
def progress_part(request: HttpRequest, number: str) -> HttpResponse:
    """The list of steps alone, asked for every two seconds; tells the page to reload once there is a result."""
    inquiry = _inquiry(request, number)
    context = _progress_context(request, inquiry, selectors.published_assessment(inquiry, request.viewer))
    if request.htmx and (context["progress"].is_ready or inquiry.public_state != PublicState.CALCULATING):
        return HttpResponseClientRefresh()
    return render(request, "assessment/request.html#progress", context)


@require_POST
def retry(request: HttpRequest, number: str) -> HttpResponse:
    """Queue a failed calculation again."""
    inquiry = _inquiry(request, number)
    try:
        inquiries.inquiry_retry(inquiry_id=inquiry.pk, by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
    return HttpResponseRedirect(reverse("pages:request", args=[number]))


def withdraw(request: HttpRequest, number: str) -> HttpResponse:
    """Ask once, then take the request back."""
    inquiry = _inquiry(request, number)
    if "withdraw" not in _verbs(request, inquiry):
        return HttpResponseRedirect(reverse("pages:request", args=[number]))
    if request.method != "POST":
        return render(request, "assessment/withdraw.html", {"inquiry": inquiry})
    try:
        inquiries.inquiry_withdraw(inquiry_id=inquiry.pk, by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
    return HttpResponseRedirect(reverse("pages:request", args=[number]))


def _inquiry(request: HttpRequest, number: str) -> Inquiry:
    visible = Inquiry.objects.visible_to(request.viewer).select_related("organization", "contact")
    return get_object_or_404(visible, number=number)


def _verbs(request: HttpRequest, inquiry: Inquiry) -> set[str]:
    """What the customer's side may offer; staff act at their desk."""
    return {t.verb for t in workflow.available(inquiry, request.viewer)}


def _is_wide(viewer: object) -> bool:
    """Whether the list mixes organisations, so that each row must name its own."""
    return viewer.sees_all or len(viewer.organizations) > 1


def _progress_context(request: HttpRequest, inquiry: Inquiry, assessment: Assessment | None) -> dict[str, object]:
    run = selectors.shown_run(assessment, request.viewer) if assessment else None
    documents = selectors.documents_of(assessment, request.viewer) if assessment else []
    return {
        "inquiry": inquiry,
        "assessment": assessment,
        "run": run,
        "documents": documents,
        "progress": progress(inquiry, run, has_document=bool(documents)),
        "status_line": status_line(inquiry),
        "usual": selectors.usual_duration(),
        "verbs": _verbs(request, inquiry),
    }


def _detail(request: HttpRequest, inquiry: Inquiry, assessment: Assessment | None) -> HttpResponse:
    if assessment is None:
        raise Http404
    context = _progress_context(request, inquiry, assessment)
    run = context["run"]
    revisions = Assessment.objects.visible_to(request.viewer).filter(inquiry=inquiry).order_by("-revision")
    documents = context["documents"]
    made = {document.language for document in documents}
    context |= {
        "stamp": stamp_of(inquiry, assessment),
        "revisions": list(revisions),
        "missing_languages": [code for code in dict(settings.LANGUAGES) if documents and code not in made],
    }
    if assessment.released_at is not None:
        context |= {"summary": assessment.summary, "summary_language": assessment.language}
    if run is None or run.result is None:
        return render(request, "assessment/request.html", context)
    context["result"] = result_page(run.result, run.task)
    return render(request, "assessment/result.html", context)
