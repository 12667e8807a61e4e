"""A customer's requests: the list, one request while it is computed, and its assessment."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from assessments import selectors, workflow
from assessments.models import Assessment, Draft, Inquiry, Intake, Message, PublicState
from assessments.pages.differences import answers_changed, figures_moved
from assessments.pages.published import published
from assessments.pages.refused import refused_take
from assessments.pages.result import aim_of, result_page
from assessments.pages.shown import Shown, shown
from assessments.services import inquiries
from assessments.services.revisions import revision_draft
from assessments.services.shares import DAYS
from assessments.wording import task_title
from portal.accounts.http import ReaderRequest

PAGE_SIZE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One line of the list; title and aim come from what the customer said, not from the engineers' work."""

    inquiry: Inquiry
    title: str
    aim: str


@require_GET
@login_required
def request_list(request: ReaderRequest) -> HttpResponse:
    """The requests of the reader's organisations, newest first, and drafts that were not sent."""
    viewer = request.viewer
    rows = Inquiry.objects.visible_to(viewer).select_related("organization").order_by("-submitted_at")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "listed": _listed(page),
        "drafts": Draft.objects.visible_to(viewer).open().select_related("inquiry").order_by("-updated_at"),
        "shows_organization": viewer.sees_all or len(viewer.organizations) > 1,
    }
    return render(request, "assessment/list.html", context)


def _listed(inquiries_of_page: Iterable[Inquiry]) -> list[Listed]:
    rows = list(inquiries_of_page)
    newest = {i.inquiry_id: i.task for i in Intake.objects.filter(inquiry__in=rows).order_by("revision")}
    return [
        Listed(
            inquiry=inquiry,
            title=task_title(newest[inquiry.pk]) if inquiry.pk in newest else inquiry.number,
            aim=aim_of(newest[inquiry.pk]) if inquiry.pk in newest else "",
        )
        for inquiry in rows
    ]


@require_GET
def request_detail(request: ReaderRequest, number: str) -> HttpResponse:
    """Progress until there is a result, then the assessment."""
    inquiry = visible_inquiry(request, number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    if assessment is None:
        raise Http404
    return _detail(request, shown(inquiry, assessment, request.viewer))


@require_GET
def revision_detail(request: ReaderRequest, number: str, revision: int) -> HttpResponse:
    """An earlier revision, as it was."""
    inquiry = visible_inquiry(request, number)
    visible = Assessment.objects.visible_to(request.viewer).select_related("intake", "approved_by")
    assessment = get_object_or_404(visible, inquiry=inquiry, revision=revision)
    return _detail(request, shown(inquiry, assessment, request.viewer))


@require_GET
def progress_part(request: ReaderRequest, number: str) -> HttpResponse:
    """The list of steps alone, asked for every two seconds; tells the page to reload once there is a result."""
    inquiry = visible_inquiry(request, number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    if assessment is None:
        raise Http404
    page = shown(inquiry, assessment, request.viewer)
    if request.htmx and (page.has_result or inquiry.public_state != PublicState.CALCULATING):
        return HttpResponseClientRefresh()
    return render(request, "assessment/request.html#progress", {"shown": page})


@require_POST
def retry(request: ReaderRequest, number: str) -> HttpResponse:
    """Queue a failed calculation again."""
    inquiry = visible_inquiry(request, number)
    try:
        inquiries.inquiry_retry(inquiry_id=inquiry.pk, by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
    return HttpResponseRedirect(reverse("pages:request", args=[number]))


@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: ReaderRequest, number: str) -> HttpResponse:
    """Ask once, then take the request back."""
    inquiry = visible_inquiry(request, number)
    if request.method != "POST":
        return render(request, "assessment/withdraw.html", {"inquiry": inquiry})
    try:
        inquiries.inquiry_withdraw(inquiry_id=inquiry.pk, by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
    return HttpResponseRedirect(reverse("pages:request", args=[number]))


@require_POST
def change(request: ReaderRequest, number: str) -> HttpResponse:
    """Open the answers again: as the next revision where that is possible, else as a new request."""
    inquiry = visible_inquiry(request, number)
    try:
        draft = revision_draft(inquiry_id=inquiry.pk, as_new="as_new" in request.POST, by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
        return HttpResponseRedirect(reverse("pages:request", args=[number]))
    return HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))


def visible_inquiry(request: ReaderRequest, number: str) -> Inquiry:
    """The request of this number, or 404 for whoever may not know about it."""
    visible = Inquiry.objects.visible_to(request.viewer).select_related("organization", "contact")
    return get_object_or_404(visible, number=number)


def _detail(request: ReaderRequest, page: Shown) -> HttpResponse:
    conversation = Message.objects.visible_to(request.viewer).filter(inquiry=page.inquiry).select_related("author")
    context: dict[str, object] = {
        "shown": page,
        "conversation": conversation,
        "refused": refused_take(request, page.inquiry.number),
        "share_days": DAYS,
        "is_member": page.inquiry.organization_id in request.viewer.organizations,
    }
    if page.run is None or page.run.result is None:
        return render(request, "assessment/request.html", context)
    engineer = published(page.assessment, page.run, page.viewer)
    context |= {
        "engineer": engineer,
        "result": result_page(page.run.result, page.run.task, reasons_given=engineer.reasons if engineer else None),
    }
    previous = _previous(request, page)
    if previous is not None and previous.run is not None and previous.run.result is not None:
        context |= {
            "since": previous.assessment.revision,
            "answers_changed": answers_changed(previous.assessment.intake.task, page.assessment.intake.task),
            "figures_moved": figures_moved(previous.run.result, page.run.result),
        }
    return render(request, "assessment/result.html", context)


def _previous(request: ReaderRequest, page: Shown) -> Shown | None:
    """The revision before the one shown, as this reader may see it."""
    earlier = [revision for revision in page.revisions if revision.revision < page.assessment.revision]
    return shown(page.inquiry, earlier[0], request.viewer) if earlier else None
