"""Check your answers, say who you are, send."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from assessments.intake.drafts import contact_save
from assessments.intake.overview import sections_of
from assessments.intake.submission import CONTACT, Incomplete
from assessments.models import Draft
from assessments.pages.intake_draft import open_draft
from assessments.services import inquiries
from assessments.workflow import WorkflowError
from portal.accounts.doors import code_start
from portal.accounts.http import ReaderRequest
from portal.accounts.models import PortalSettings

SENDING = "draft_being_sent"


class ContactForm(forms.Form):
    """Who sends, and their consent."""

    email = forms.EmailField(
        label=_("E-mail"),
        help_text=_("We send a code and a link to the result. No password is needed."),
        error_messages={
            "required": _("Check the address: name@example.com"),
            "invalid": _("Check the address: name@example.com"),
        },
        widget=forms.EmailInput(attrs={"autocomplete": "email", "inputmode": "email"}),
    )
    consent = forms.BooleanField(
        label=_("I agree to the processing of this request’s data"),
        error_messages={"required": _("We cannot process the request without consent")},
    )
    website = forms.CharField(required=False, widget=forms.TextInput(attrs={"tabindex": "-1", "autocomplete": "off"}))

    use_required_attribute = False

    def __init__(self, *args: Any, is_known: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_known:
            del self.fields["email"]


@require_safe
@open_draft
def check(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """All answers with what we assume and what deserves a look."""
    return _shown(request, draft, _form(request, draft))


@require_http_methods(["GET", "HEAD", "POST"])
@open_draft
def submit(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """Send: at once for a signed-in person, after an e-mailed code for everybody else."""
    if request.method != "POST":
        # Back from the code page: what was sent before it is carried out once.
        if request.viewer.user is not None and request.session.get(SENDING) == str(draft.pk):
            return _sent(request, draft)
        return HttpResponseRedirect(reverse("pages:draft_check", args=[draft.pk]))
    form = ContactForm(request.POST, is_known=request.viewer.user is not None)
    sections = sections_of(draft.answers)
    if not form.is_valid() or form.cleaned_data["website"] or not all(section.is_valid for section in sections):
        return _shown(request, draft, form, is_checked=True)
    contact = {
        "email": request.viewer.user.email if request.viewer.user is not None else form.cleaned_data["email"],
        "consent_version": PortalSettings.load().consent_version,
        "consent_at": timezone.now().isoformat(timespec="seconds"),
    }
    request.session[SENDING] = str(draft.pk)
    draft = contact_save(draft_id=draft.pk, contact=contact, by=request.viewer)
    if request.viewer.user is not None:
        return _sent(request, draft)
    try:
        return code_start(
            request,
            email=contact["email"],
            organization=str(draft.answers.get("business", {}).get("organization", "")),
            next_url=reverse("pages:submit", args=[draft.pk]),
        )
    except ValidationError as error:
        form.add_error(None, error)
        return _shown(request, draft, form, is_checked=True)


def _sent(request: ReaderRequest, draft: Draft) -> HttpResponse:
    try:
        inquiry = inquiries.draft_submit(draft_id=draft.pk, by=request.viewer)
    except Incomplete:
        return _shown(request, draft, _form(request, draft), is_checked=True)
    except WorkflowError as error:
        form = ContactForm({"consent": "on"}, is_known=True)
        form.add_error(None, str(error))
        return _shown(request, draft, form, is_checked=True)
    return HttpResponseRedirect(reverse("pages:request", args=[inquiry.number]))


def _form(request: ReaderRequest, draft: Draft) -> ContactForm:
    known = draft.answers.get(CONTACT, {})
    return ContactForm(initial={"email": known.get("email", "")}, is_known=request.viewer.user is not None)


def _shown(request: ReaderRequest, draft: Draft, form: ContactForm, *, is_checked: bool = False) -> HttpResponse:
    sections = sections_of(draft.answers)
    answers = [answer for section in sections for answer in section.answers]
    missing = [(section, answer) for section in sections for answer in section.answers if answer.error]
    context = {
        "draft": draft,
        "sections": sections,
        "form": form,
        "n_assumed": sum(bool(answer.assumption) for answer in answers),
        "n_remarks": sum(answer.remark is not None for answer in answers),
        "missing": missing,
        "n_errors": len(missing) + len(form.errors),
        "is_checked": is_checked,
        "promise": PortalSettings.load().answer_promise,
    }
    return render(request, "intake/check.html", context)
