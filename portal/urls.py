"""All addresses of the portal."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from portal import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("admin/login/", RedirectView.as_view(pattern_name="staff_login", query_string=True)),
    path("admin/", admin.site.urls),
    path("account/", include("portal.accounts.urls")),
    path("catalog/", include("catalog.urls")),
    path("", include("portal.web.urls")),
    path("", include("assessments.urls")),
]
handler400 = "portal.web.errors.bad_request"
handler403 = "portal.web.errors.forbidden"
handler404 = "portal.web.errors.not_found"
handler429 = "portal.web.errors.too_many"  # asked for by allauth's limits
handler500 = "portal.web.errors.server_error"
