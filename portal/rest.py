"""How programs are recognised, limited and told what went wrong."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView, exception_handler

from portal.accounts.models import ApiToken
from portal.accounts.viewer import Viewer

USE_NOTED_EVERY = timedelta(minutes=1)


class Program(AnonymousUser):
    """Stands where DRF expects a user when a token acts; it holds no Django permission."""

    is_authenticated = True  # type: ignore[assignment]  # a constant in place of the property


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer sw_…`; sets the request's viewer to that of the token."""

    def authenticate(self, request: Request) -> tuple[Program, ApiToken] | None:
        scheme, _space, raw = get_authorization_header(request).decode("latin-1").partition(" ")
        if scheme.lower() != "bearer":
            return None
        token = ApiToken.objects.by_secret(raw.strip())
        if token is None:
            raise AuthenticationFailed(_("The token is unknown or revoked."))
        now = timezone.now()
        if token.last_used_at is None or now - token.last_used_at > USE_NOTED_EVERY:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        request._request.viewer = Viewer.of_token(token)  # type: ignore[attr-defined]
        return Program(), token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself
    """The token in the API's schema."""

    target_class = "portal.rest.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class TokenThrottle(SimpleRateThrottle):
    """One allowance per token; people in a browser are limited by the pages."""

    scope = "token"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        if not isinstance(request.auth, ApiToken):
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}


def problem_details(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: RFC 9457 problem details, with the errors of fields by their path."""
    response = exception_handler(error, context)
    if response is None:
        return None
    body: dict[str, Any] = {"status": response.status_code, "title": response.status_text}
    if isinstance(error, ValidationError):
        body["errors"] = response.data
    elif isinstance(response.data, dict) and "detail" in response.data:
        body["detail"] = str(response.data["detail"])
        body["code"] = getattr(response.data["detail"], "code", "error")
    response.data = body
    response.content_type = "application/problem+json"
    return response
