"""The start page and the pages that explain."""

import mimetypes
from typing import Any

from django import forms
from django.conf import settings
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from assessments.models import Draft
from assessments.pages.documents import CHECK_DIGITS, is_in_force, issued_document
from portal.accounts.http import ReaderRequest
from portal.accounts.models import PortalSettings
from portal.web.samples import accuracy, sample_page, sample_pdf


@require_GET
def start(request: ReaderRequest) -> HttpResponse:
    """What one gets, what is needed, a real sample, and the button."""
    drafts = Draft.objects.visible_to(request.viewer).open().order_by("-updated_at")
    context = {
        "sample": sample_page(),
        "sample_pdf": sample_pdf(get_language() or "en"),
        "open_draft": drafts.first(),
    }
    return render(request, "web/start.html", context)


@require_GET
def sample(request: ReaderRequest) -> HttpResponse:
    """A whole assessment, as a customer sees it."""
    context = {"result": sample_page(), "sample_pdf": sample_pdf(get_language() or "en"), "is_sample": True}
    return render(request, "web/sample.html", context)


@require_GET
def sample_document(_request: ReaderRequest, language: str) -> HttpResponse:
    """The sample as PDF."""
    document = sample_pdf(language) if language in dict(settings.LANGUAGES) else None
    if document is None:
        raise Http404
    response = HttpResponse(document.content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="sizewright-sample-{language}.pdf"'
    response["Cache-Control"] = "public, max-age=3600"
    return response


@require_GET
def method(request: ReaderRequest) -> HttpResponse:
    """How we calculate."""
    return render(request, "web/method.html", {"accuracy": accuracy()})


@require_GET
def privacy(request: ReaderRequest) -> HttpResponse:
    """What is kept, for how long, and the seller's terms."""
    return render(request, "web/privacy.html")


@require_GET
def accessibility(request: ReaderRequest) -> HttpResponse:
    """What to expect, and whom to tell."""
    return render(request, "web/accessibility.html")


class CheckForm(forms.Form):
    """Number and check sum, as printed on the cover."""

    number = forms.CharField(label=gettext_lazy("Number of the request"), max_length=20)
    hash = forms.CharField(
        label=gettext_lazy("Check sum"),
        max_length=80,
        min_length=CHECK_DIGITS,
        error_messages={"min_length": gettext_lazy("Enter at least %(limit_value)d digits of the check sum")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["number"].help_text = _("For example SW-2026-0042.")
        self.fields["hash"].help_text = _(
            "SHA-256 of the title block or of the file; the first %(n)d digits are enough."
        ) % {"n": CHECK_DIGITS}


@require_GET
def check(request: ReaderRequest) -> HttpResponse:
    """Whether a document is ours, by number and check sum."""
    form = CheckForm(request.GET or None)
    outcome = None
    if form.is_bound and form.is_valid():
        outcome = _outcome(form.cleaned_data["number"], form.cleaned_data["hash"])
    return render(request, "web/check.html", {"form": form, "outcome": outcome})


def _outcome(number: str, check_sum: str) -> dict[str, str]:
    document = issued_document(number=number, check_sum=check_sum)
    if document is None:
        return {
            "tone": "stop",
            "title": _("We issued no such document"),
            "text": _("Number and check sum do not belong together. Compare them with the title block again."),
        }
    about = _("%(kind)s, revision %(n)d, pages: %(pages)d.") % {
        "kind": document.get_kind_display(),
        "n": document.assessment.revision,
        "pages": document.pages,
    }
    if not is_in_force(document):
        about += " " + _("A later revision has been released since.")
    return {"tone": "pass", "title": _("The document is authentic"), "text": about}


@require_GET
def seller_logo(_request: ReaderRequest) -> FileResponse:
    """The seller's logo; uploads are not served otherwise."""
    logo = PortalSettings.load().seller_logo
    if not logo:
        raise Http404
    kind = mimetypes.guess_type(logo.name or "")[0] or "application/octet-stream"
    response = FileResponse(logo.open("rb"), content_type=kind)
    response["Cache-Control"] = "public, max-age=3600"
    return response


@require_GET
def components(request: ReaderRequest) -> HttpResponse:
    """Every component on one page; for those who build and test, so not in production."""
    if not (settings.DEBUG or request.user.is_staff):
        raise Http404
    form = CheckForm({"number": "", "hash": "12"})
    return render(request, "web/components.html", {"result": sample_page(), "form": form})
