"""All addresses of the portal."""

import importlib

from django.contrib import admin
from django.urls import URLResolver, include, path
from django.views.generic import RedirectView

from portal import health


def _present(*modules: str) -> list[URLResolver]:
    """The rooms that can be imported already."""
    found = []
    for prefix, module in zip(("catalog/", "", ""), modules, strict=True):
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        found.append(path(prefix, include(module)))
    return found


urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/login/", RedirectView.as_view(pattern_name="staff_login", query_string=True)),
    path("admin/", admin.site.urls),
    path("account/", include("portal.accounts.urls")),
    *_present("catalog.urls", "portal.web.urls", "assessments.urls"),
]
handler400 = "portal.web.errors.bad_request"
handler403 = "portal.web.errors.forbidden"
handler404 = "portal.web.errors.not_found"
handler500 = "portal.web.errors.server_error"
