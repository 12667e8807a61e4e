"""What every HTTP request gets: an id for the logs, a reader, a content policy, and the staff's door."""

import re
import uuid
import zoneinfo
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csp import ContentSecurityPolicyMiddleware
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import SimpleLazyObject

from portal.accounts import staff_door
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from portal.limits import TooOften
from portal.web import errors

type GetResponse = Callable[[HttpRequest], HttpResponse]

REQUEST_ID = re.compile(r"[A-Za-z0-9-]{8,40}")
ADMIN_PREFIX = "/admin/"


class RequestIdMiddleware:
    """Takes the proxy's X-Request-ID or makes one, binds it to every log line and returns it."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request.id = given if REQUEST_ID.fullmatch(given) else uuid.uuid4().hex  # type: ignore[attr-defined]  # read as ReaderRequest by views
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request.id)  # type: ignore[attr-defined]  # read as ReaderRequest by views
        response = self.get_response(request)
        response["X-Request-ID"] = request.id  # type: ignore[attr-defined]  # read as ReaderRequest by views
        return response


class ContentSecurityMiddleware(ContentSecurityPolicyMiddleware):
    """The strict policy everywhere, a wider one under /admin/ where the theme's scripts need it."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if request.path.startswith(ADMIN_PREFIX) and not hasattr(response, "_csp_config"):
            response._csp_config = settings.ADMIN_CSP  # type: ignore[attr-defined]  # as Django's own decorator sets it
        return super().process_response(request, response)


class ReaderMiddleware:
    """Sets `request.viewer`, and the signed-in person's own time zone."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.viewer = SimpleLazyObject(lambda: viewer_of(request))  # type: ignore[attr-defined]  # read as ReaderRequest by views
        with _own_time_zone(request):
            return self.get_response(request)


def viewer_of(request: HttpRequest) -> Viewer:
    """The reader that a session and cookies prove."""
    cookies = request.COOKIES.get(settings.DRAFT_COOKIE_NAME, "").split()
    if isinstance(request.user, User):
        return Viewer.of(request.user, draft_cookies=cookies)
    return Viewer.anonymous(draft_cookies=cookies)


class StaffDoorMiddleware:
    """Lets staff into /admin/ only by the staff's door: password (or single sign-on), and second factor where asked."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(ADMIN_PREFIX) and isinstance(request.user, User) and request.user.is_staff:
            step = staff_door.missing_step(request, request.user)
            if step:
                return HttpResponseRedirect(f"{reverse(step)}?{urlencode({'next': request.get_full_path()})}")
        return self.get_response(request)


class LimitsMiddleware:
    """Answers 429 where a view, or what it calls, found that the reader does this too often."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, TooOften):
            return None
        response = errors.too_many(request)
        response["Retry-After"] = str(exception.wait_s)
        return response


def _own_time_zone(request: HttpRequest) -> AbstractContextManager[None]:
    """The signed-in person's time zone for the time of the request; the portal's where they chose none."""
    name = request.user.time_zone if isinstance(request.user, User) else ""
    return timezone.override(zoneinfo.ZoneInfo(name)) if name else nullcontext()
