"""Coming back to a draft: on another device by a link, and after a session that ended in the middle of a page."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe
from django_htmx.http import HttpResponseClientRedirect

from assessments.intake.drafts import KEPT, draft_save, typed_of
from assessments.intake.steps import page_of
from assessments.models import Draft
from assessments.pages.intake_draft import open_draft, read_base, remember
from portal.accounts.http import ReaderRequest
from portal.accounts.models import token_hash

SALT = "draft-link"
TYPED = "typed_in_a_draft"
LONGEST_KEPT = 20_000


@require_safe
@open_draft
def link(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """The link that opens this draft on another device; only the browser that began it can make one."""
    token = _token_of(request, draft)
    address = (
        request.build_absolute_uri(reverse("pages:draft_continue", args=[signing.dumps(token, salt=SALT)]))
        if token
        else ""
    )
    return render(request, "intake/link.html", {"draft": draft, "address": address})


@require_safe
def go_on(request: ReaderRequest, signed: str) -> HttpResponse:
    """Open the draft of a link on this device; an old or altered link answers 404."""
    try:
        token: str = signing.loads(signed, salt=SALT, max_age=KEPT)
    except signing.BadSignature:
        raise Http404 from None
    draft = Draft.objects.in_force().filter(token_sha256=token_hash(token)).first()
    if draft is None:
        raise Http404
    response = HttpResponseRedirect(reverse("pages:draft", args=[draft.pk]))
    remember(request, response, token)
    return response


def _token_of(request: ReaderRequest, draft: Draft) -> str:
    """The draft's own token among the browser's cookies."""
    tokens = request.COOKIES.get(settings.DRAFT_COOKIE_NAME, "").split()
    return next((token for token in tokens if token_hash(token) == draft.token_sha256), "")


def is_after_session(request: ReaderRequest) -> bool:
    """Whether this browser had a session that is gone, so that its owner may just have to sign in again."""
    is_stale = settings.SESSION_COOKIE_NAME in request.COOKIES and request.session.session_key is None
    return request.viewer.user is None and is_stale


def keep_and_sign_in(request: ReaderRequest, draft_id: UUID, key: str) -> HttpResponse:
    """Keep a posted page in the new session and lead to sign-in; `take_back` saves it once the owner is known."""
    fields = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    if sum(len(value) for values in fields.values() for value in values) <= LONGEST_KEPT:
        request.session[TYPED] = {"draft": str(draft_id), "key": key, "fields": fields}
    messages.info(request, _("Your session ended. What you typed is kept: sign in and go on."))
    address = f"{reverse('account_login')}?next={reverse('pages:step', args=[draft_id, key])}"
    return HttpResponseClientRedirect(address) if request.htmx else HttpResponseRedirect(address)


def take_back(request: ReaderRequest, draft: Draft, key: str) -> Draft:
    """Save what was typed before the session ended, now that the owner has signed in again."""
    kept: dict[str, Any] = request.session.get(TYPED, {})
    page = page_of(key, draft.answers)
    if page is None or (kept.get("draft"), kept.get("key")) != (str(draft.pk), key):
        return draft
    del request.session[TYPED]
    fields: dict[str, list[str]] = kept["fields"]
    names, lists = page.step.form_class.raw_names()
    return draft_save(
        draft_id=draft.pk,
        key=key,
        typed=typed_of(fields, names=names, lists=lists),
        base=read_base(fields.get("base", [""])[-1]),
        by=request.viewer,
    ).draft
