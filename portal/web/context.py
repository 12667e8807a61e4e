"""What every page shows besides its own content."""

from django.http import HttpRequest

from portal.accounts.models import PortalSettings


def shell(request: HttpRequest) -> dict[str, object]:
    """The seller for the masthead and the footer."""
    return {"seller": PortalSettings.current()}
