"""How much a program may ask."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from portal.accounts.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView


class TokenThrottle(SimpleRateThrottle):
    """One allowance per token; people in a browser are limited by the pages."""

    scope = "token"

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        if not isinstance(request.auth, ApiToken):
            return None
        return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}
