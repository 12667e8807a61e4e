"""The language switch: remembered in a cookie, and in the profile of those who signed in."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST


@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    """Answer with the page one came from, in the other language."""
    there = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(
        there, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        there = "/"
    response = HttpResponseRedirect(there)
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        remember(response, language)
        if request.user.is_authenticated:
            request.user.language = language
            request.user.save(update_fields=["language"])
    return response


def remember(response: HttpResponse, language: str) -> None:
    """Keep the language in this browser."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        samesite="Lax",
        secure=settings.LANGUAGE_COOKIE_SECURE,
    )
