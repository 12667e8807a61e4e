"""Read-only links: made and taken back by members, opened by whoever holds one."""

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from assessments import workflow
from assessments.models import Assessment, ShareLink
from assessments.pages.documents import pdf_response, result_response
from assessments.pages.published import published
from assessments.pages.requests import visible_inquiry
from assessments.pages.result import result_page
from assessments.pages.shown import Shown, shown
from assessments.services.shares import share_create, share_revoke
from portal.accounts.http import ReaderRequest
from portal.accounts.models import token_hash
from portal.accounts.viewer import Viewer
from portal.limits import limited


@require_POST
@limited("shares")
def create(request: ReaderRequest, number: str, revision: int) -> HttpResponse:
    """Make a link and show it once: only its hash is kept."""
    inquiry = visible_inquiry(request, number)
    visible = Assessment.objects.visible_to(request.viewer).filter(inquiry=inquiry)
    assessment = get_object_or_404(visible, revision=revision)
    try:
        link, raw = share_create(assessment_id=assessment.pk, days=int(request.POST.get("days", "")), by=request.viewer)
    except workflow.WorkflowError as refusal:
        messages.error(request, str(refusal))
        return HttpResponseRedirect(reverse("pages:request", args=[number]))
    except ValueError:
        return HttpResponseRedirect(reverse("pages:request", args=[number]) + "#share")
    address = request.build_absolute_uri(reverse("pages:shared", args=[raw]))
    context = {"inquiry": inquiry, "assessment": assessment, "link": link, "address": address}
    response = render(request, "assessment/share_made.html", context)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def revoke(request: ReaderRequest, number: str, link_id: int) -> HttpResponse:
    """Take a link back at once."""
    inquiry = visible_inquiry(request, number)
    link = get_object_or_404(ShareLink.objects.visible_to(request.viewer), pk=link_id, assessment__inquiry=inquiry)
    share_revoke(link_id=link.pk, by=request.viewer)
    messages.success(request, _("The link no longer works."))
    return HttpResponseRedirect(reverse("pages:request", args=[number]) + "#share")


@require_GET
@limited("shares", methods=("GET",))
def shared(request: ReaderRequest, raw: str) -> HttpResponse:
    """The revision that the link was made for; it leads nowhere else."""
    page = _shown_by(raw)
    if page.run is None or page.run.result is None:
        raise Http404
    released = Assessment.objects.filter(inquiry=page.inquiry, released_at__isnull=False)
    engineer = published(page.assessment, page.run, page.viewer)
    context: dict[str, object] = {
        "shown": page,
        "raw": raw,
        "engineer": engineer,
        "result": result_page(page.run.result, page.run.task, reasons_given=engineer.reasons if engineer else None),
        "has_newer": released.filter(revision__gt=page.assessment.revision).exists(),
    }
    return _private(render(request, "assessment/shared.html", context))


@require_GET
@limited("shares", methods=("GET",))
def shared_pdf(_request: ReaderRequest, raw: str, kind: str, language: str) -> HttpResponseBase:
    """The PDF of the shared revision."""
    page = _shown_by(raw)
    document = next((d for d in page.documents if (d.kind, d.language) == (kind, language)), None)
    if document is None:
        raise Http404
    return _private(pdf_response(document, number=page.inquiry.number, revision=page.assessment.revision))


@require_GET
@limited("shares", methods=("GET",))
def shared_json(_request: ReaderRequest, raw: str) -> HttpResponseBase:
    """The result of the shared revision."""
    page = _shown_by(raw)
    if page.run is None or page.run.result is None:
        raise Http404
    return _private(result_response(page.run.result, number=page.inquiry.number, revision=page.assessment.revision))


def _shown_by(raw: str) -> Shown:
    """What a link shows, seen as its holder alone: being signed in adds nothing here."""
    viewer = Viewer.anonymous().with_share(raw)
    valid = ShareLink.objects.filter(revoked_at=None, expires_at__gt=timezone.now())
    link = get_object_or_404(valid, token_sha256=token_hash(raw))
    visible = Assessment.objects.visible_to(viewer).select_related("inquiry__organization", "intake", "approved_by")
    assessment = get_object_or_404(visible, pk=link.assessment_id)
    return shown(assessment.inquiry, assessment, viewer)


def _private[R: HttpResponseBase](response: R) -> R:
    """The address is the secret: keep it from search engines, caches and the sites that the page links to."""
    response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = "private, no-store"
    response["Referrer-Policy"] = "no-referrer"
    return response
