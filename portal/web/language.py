"""The language switch: remembered in a cookie, and in the profile of those who signed in."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

YEAR = 365 * 24 * 3600


@require_POST
def switch(request: HttpRequest) -> HttpResponse:
    """Answer with the page one came from, in the other language."""
    there = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(there, allowed_hosts={request.get_host()}, require_https=request.is_secure()):
        there = "/"
    response = HttpResponseRedirect(there)
    language = request.POST.get("language")
    if language in dict(settings.LANGUAGES):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=YEAR,
            samesite="Lax",
            secure=settings.LANGUAGE_COOKIE_SECURE,
        )
        if request.user.is_authenticated:
            request.user.language = language
            request.user.save(update_fields=["language"])
    return response
