"""The HTTP request as our middleware leaves it, for type checks."""

from typing import TYPE_CHECKING

from django.http import HttpRequest

if TYPE_CHECKING:
    from django_htmx.middleware import HtmxDetails

    from portal.accounts.viewer import Viewer


class ReaderRequest(HttpRequest):
    """A request that knows who reads and whether htmx asks; `id` stands in the logs."""

    viewer: "Viewer"
    htmx: "HtmxDetails"
    id: str


def reader_of(request: HttpRequest) -> "Viewer":
    """Who reads, where a signature that is not ours says plain `HttpRequest` (the admin, DRF)."""
    viewer: Viewer = request.viewer  # type: ignore[attr-defined]  # set by portal.middleware
    return viewer
