"""How much a program may ask."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from portal.accounts.models import ApiToken

if TYPE_CHECKING:
    from rest_framework.views import APIView


class TokenThrottle(SimpleRateThrottle):
    """One allowance per token, or per person where a browser's session asks."""

    scope = "token"

    def get_cache_key(self, request: Request, view: "APIView") -> str | None:
        if isinstance(request.auth, ApiToken):
            return self.cache_format % {"scope": self.scope, "ident": request.auth.pk}
        if request.user.pk is not None:
            return self.cache_format % {"scope": self.scope, "ident": f"user-{request.user.pk}"}
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}
