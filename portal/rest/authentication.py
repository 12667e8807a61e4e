"""How programs are recognised: a bearer token becomes the request's viewer."""

from datetime import timedelta

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

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
        request._request.viewer = Viewer.of_token(token)  # type: ignore[attr-defined]  # read as ReaderRequest by views
        return Program(), token

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
