"""How often one address on the net may do what costs us work: one decorator, one table of rates in the settings."""

import functools
from collections.abc import Callable
from typing import Any

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

type View = Callable[..., HttpResponseBase]


class TooOften(Exception):
    """The reader did something more often than its rate allows; `portal.middleware` answers 429."""

    def __init__(self, name: str, *, wait_s: int) -> None:
        super().__init__(f"{name}: wait {wait_s} s")
        self.wait_s = wait_s


def limited(name: str, *, methods: tuple[str, ...] = ("POST",)) -> Callable[[View], View]:
    """Count the view's requests by these methods under the rate `settings.LIMITS[name]`.

    Raises TooOften before the view has done anything.
    """

    def around(view: View) -> View:
        @functools.wraps(view)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if request.method in methods:
                count(name, request)
            return view(request, *args, **kwargs)

        return counted

    return around


def count(name: str, request: HttpRequest) -> None:
    """Count one more by this reader's address in the present window; raises TooOften beyond the rate."""
    rate = settings.LIMITS[name]
    now = int(timezone.now().timestamp())
    window = now // rate.seconds
    key = f"limit:{name}:{get_adapter().get_client_ip(request)}:{window}"
    cache.add(key, 0, timeout=rate.seconds)
    if cache.incr(key) > rate.times:
        raise TooOften(name, wait_s=(window + 1) * rate.seconds - now)
