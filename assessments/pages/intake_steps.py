"""One page per step: shown as typed, saved with every change, checked when it is left."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django_htmx.http import trigger_client_event

from assessments.intake.drafts import draft_save, typed_of
from assessments.intake.fields import labels_of
from assessments.intake.forms import Answers, Raw, StepForm
from assessments.intake.importers import ImportFailed, text_of
from assessments.intake.overview import sections_of
from assessments.intake.remarks import remarks_of
from assessments.intake.steps import Page, page_of
from assessments.intake.submission import checked_forms
from assessments.models import Draft
from assessments.pages.intake_draft import base_of, open_draft, read_base
from assessments.pages.intake_return import is_after_session, keep_and_sign_in, take_back
from assessments.sizing.architectures import PRESETS
from catalog.models import Accelerator
from portal.accounts.http import ReaderRequest

CONFIG = "config_file"


@require_http_methods(["GET", "HEAD", "POST"])
def step(request: ReaderRequest, draft_id: UUID, key: str) -> HttpResponse:
    """Show or save one page; a POST from htmx saves what is there and answers with what was understood."""
    is_mine = Draft.objects.visible_to(request.viewer).filter(pk=draft_id).exists()
    if request.method == "POST" and not is_mine and is_after_session(request):
        return keep_and_sign_in(request, draft_id, key)
    return _step(request, draft_id, key=key)


@open_draft
def _step(request: ReaderRequest, draft: Draft, key: str) -> HttpResponse:
    page = page_of(key, draft.answers)
    if page is None:
        raise Http404
    if request.method != "POST":
        draft = take_back(request, draft, key)
        form = page.form(draft.answers, is_checked="check" in request.GET)
        if form.is_checked:
            form = dict_of(draft.answers)[page.key]
        return shown(request, draft, page, form)
    return _saved(request, draft, page)


def _saved(request: ReaderRequest, draft: Draft, page: Page) -> HttpResponse:
    names, lists = page.step.form_class.raw_names()
    typed: dict[str, Any] = typed_of(dict(request.POST.lists()), names=names, lists=lists)
    # What the page does not carry back, such as the name of the last file, stays as it is.
    typed |= {
        name: value
        for name, value in draft.answers.get(page.key, {}).items()
        if name in page.step.form_class.raw_extras
    }
    upload = request.FILES.get(CONFIG)
    unread = ""
    if isinstance(upload, UploadedFile):
        try:
            typed |= {
                "config_text": text_of(upload.read()),
                "config_name": str(upload.name)[:120],
                "described_by": "config",
            }
        except ImportFailed as error:
            unread = str(error)
    saved = draft_save(
        draft_id=draft.pk, key=page.key, typed=typed, base=read_base(request.POST.get("base", "")), by=request.viewer
    )
    stored: Raw = saved.draft.answers[page.key]
    # Where two windows differ this one goes on showing its own text; the other's stands beside it.
    mine = {name: typed.get(name, "") for name in saved.conflicts}
    answers: Answers = {**saved.draft.answers, page.key: {**stored, **mine}}
    if request.htmx:
        form = page.form(answers, is_checked=False)
        response = shown(
            request,
            saved.draft,
            page,
            form,
            conflicts=saved.conflicts,
            stored=stored,
            part="live",
            is_uploaded=upload is not None,
            unread=unread,
        )
        return trigger_client_event(response, "draft-saved", after="settle")
    if request.POST.get("go") == "list" and not saved.conflicts:
        return HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))
    form = dict_of(answers)[page.key]
    if unread:
        form.add_error("config_file", unread)
    if form.errors or saved.conflicts:
        return shown(request, saved.draft, page, form, conflicts=saved.conflicts, stored=stored, unread=unread)
    if upload is not None:
        understood = form.understood("config_text").get("text", "")
        messages.success(
            request,
            _("%(name)s: %(understood)s. Go on if that is right.")
            % {"name": typed["config_name"], "understood": understood},
        )
        return HttpResponseRedirect(reverse("pages:step", args=[draft.pk, page.key]))
    return HttpResponseRedirect(_next(saved.draft, page))


def shown(
    request: ReaderRequest,
    draft: Draft,
    page: Page,
    form: StepForm,
    *,
    conflicts: Raw | None = None,
    stored: Raw | None = None,
    part: str = "",
    is_uploaded: bool = False,
    unread: str = "",
) -> HttpResponse:
    """The page, or only what htmx swaps."""
    form.remarks = {
        remark.field: remark.as_notice() for remark in remarks_of(draft.answers) if remark.page.key == page.key
    }
    form.conflicts = {name: _plain(form, name, value) for name, value in (conflicts or {}).items()}
    context = {
        "draft": draft,
        "page": page,
        "form": form,
        "base": base_of(stored if stored is not None else draft.answers.get(page.key, {})),
        "is_first_visit": not page.is_begun(draft.answers),
        "presets": PRESETS.values() if page.step.slug in ("model", "strategy") else (),
        "accelerators": Accelerator.objects.order_by("name") if page.step.slug == "facility" else (),
        "changed": form[request.htmx.trigger_name]
        if request.htmx and request.htmx.trigger_name in form.fields
        else None,
        "is_uploaded": is_uploaded,
        "unread": unread,
    }
    return render(request, f"intake/step.html#{part}" if part else "intake/step.html", context)


def dict_of(answers: Answers) -> dict[str, StepForm]:
    """The checked form of every page by key."""
    return {page.key: form for page, form in checked_forms(answers)}


def _plain(form: StepForm, name: str, value: str | list[str]) -> str:
    """What the other window wrote, in words."""
    choices = labels_of(form.fields[name]) if name in form.fields else {}
    values = value if isinstance(value, list) else [value]
    return ", ".join(choices.get(item, item) for item in values)[:200] or _("empty")


def _next(draft: Draft, page: Page) -> str:
    """The next page that lacks something, in order from this one; the check page when none does."""
    sections = sections_of(draft.answers)
    here = next(n for n, section in enumerate(sections) if section.page.key == page.key)
    for section in sections[here + 1 :] + sections[:here]:
        if not section.is_done:
            return reverse("pages:step", args=[draft.pk, section.page.key])
    return reverse("pages:draft_check", args=[draft.pk])
