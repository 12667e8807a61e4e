"""The conversation with the engineer: writing, and fetching what was attached."""

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from assessments import workflow
from assessments.models import Message
from assessments.pages.refused import refused_keep
from assessments.pages.requests import visible_inquiry
from assessments.services.messages import message_post
from portal.accounts.http import ReaderRequest


@require_POST
def post(request: ReaderRequest, number: str) -> HttpResponse:
    """Write to the engineer; while a question is open this answers it."""
    inquiry = visible_inquiry(request, number)
    try:
        message_post(
            inquiry_id=inquiry.pk,
            body=request.POST.get("body", ""),
            file=request.FILES.get("file"),
            by=request.viewer,
        )
    except workflow.WorkflowError as refusal:
        refused_keep(request, number=number, body=request.POST.get("body", ""), error=str(refusal))
    else:
        messages.success(request, _("Sent."))
    return HttpResponseRedirect(reverse("pages:request", args=[number]) + "#conversation")


@require_GET
def attachment(request: ReaderRequest, number: str, message_id: int) -> FileResponse:
    """What somebody attached: always a download, never shown inline."""
    inquiry = visible_inquiry(request, number)
    message = get_object_or_404(Message.objects.visible_to(request.viewer), inquiry=inquiry, pk=message_id)
    if not message.file:
        raise Http404
    response = FileResponse(
        message.file.open("rb"),
        as_attachment=True,
        filename=(message.file.name or "").rpartition("/")[2],
        content_type="application/octet-stream",
    )
    response["Cache-Control"] = "private, no-store"
    return response
