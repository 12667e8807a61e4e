"""Pages for what went wrong: the title block with the code and one way onward."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the browser sent what we cannot read."""
    return _page(request, 400, _("The address or the form is damaged"), _("Go back and try again."))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: known, but not allowed."""
    return _page(request, 403, _("Your role may not do this"), _("Ask the owner of your organisation, or go back."))


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: also the answer for what belongs to somebody else."""
    return _page(request, 404, _("No such page, or it is not yours"), _("Check which address you signed in with."))


def gone(request: HttpRequest) -> HttpResponse:
    """410: a link that has expired."""
    return _page(request, 410, _("The link has expired"), _("Ask its author for a new one."))


def too_many(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """429: too often."""
    return _page(request, 429, _("Too often"), _("Wait a minute and try again."))


def server_error(request: HttpRequest) -> HttpResponse:
    """500: ours; drawn without the database, because that may be what failed."""
    return _page(
        request,
        500,
        _("A fault on our side"),
        _("Your answers are safe."),
        case=getattr(request, "id", ""),
        template="web/error_bare.html",
    )


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 of a form whose session ended: what was typed is still in the browser."""
    return _page(
        request,
        403,
        _("Your session ended"),
        _("What you typed is kept: go back, reload the page and send it again."),
    )


def _page(
    request: HttpRequest, code: int, heading: str, text: str, *, case: str = "", template: str = "web/error.html"
) -> HttpResponse:
    context = {"code": code, "heading": heading, "text": text, "case": case}
    return render(request, template, context, status=code)
