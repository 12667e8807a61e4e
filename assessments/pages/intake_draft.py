"""A draft of this reader: found by cookie or owner, and the headers of its pages."""

import json
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.cache import patch_cache_control

from assessments.intake.drafts import KEPT, fingerprint
from assessments.intake.forms import Raw
from assessments.models import Draft, Inquiry
from portal.accounts.http import ReaderRequest

MOST_TOKENS = 20


def draft_of(request: ReaderRequest, draft_id: UUID) -> Draft:
    """The reader's draft, sent or not; anybody else's answers 404."""
    return get_object_or_404(Draft.objects.visible_to(request.viewer), pk=draft_id)


def open_draft(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view an unsent draft of the reader; one that was sent leads to its request."""

    @wraps(view)
    def of_reader(request: ReaderRequest, draft_id: UUID, **kwargs: Any) -> HttpResponse:
        draft = draft_of(request, draft_id)
        if draft.submitted_at is not None:
            return sent(request, draft)
        response = view(request, draft, **kwargs)
        patch_cache_control(response, private=True, no_cache=True)
        return response

    return of_reader


def sent(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """The way to the request that a draft became; without the right to see it, to sign-in."""
    inquiry = Inquiry.objects.visible_to(request.viewer).filter(intakes__draft=draft).first()
    if inquiry is not None:
        return HttpResponseRedirect(reverse("pages:request", args=[inquiry.number]))
    return HttpResponseRedirect(f"{reverse('account_login')}?next={reverse('pages:requests')}")


def remember(request: ReaderRequest, response: HttpResponse, token: str) -> None:
    """Add a draft's token to the cookie; the oldest ones make room."""
    tokens = [*request.COOKIES.get(settings.DRAFT_COOKIE_NAME, "").split(), token][-MOST_TOKENS:]
    response.set_cookie(
        settings.DRAFT_COOKIE_NAME,
        " ".join(tokens),
        max_age=int(KEPT.total_seconds()),
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def base_of(raw: Raw) -> str:
    """The page as this window sees it, for the hidden field that the merge compares with."""
    return json.dumps({name: fingerprint(value) for name, value in raw.items()}, ensure_ascii=False, sort_keys=True)


def read_base(text: str) -> Raw:
    """The hidden field; what cannot be read counts as an empty page."""
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(found, Mapping):
        return {}
    return {name: value for name, value in found.items() if isinstance(name, str) and isinstance(value, str | list)}
