"""Addresses of the API."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.routers import SimpleRouter

from assessments.api.views import EstimateView, InquiryViewSet
from catalog.api import router as catalog_router
from portal.rest import schema as token_schema

__all__ = ["token_schema", "urlpatterns"]  # importing it registers the token in the OpenAPI description

app_name = "api"
router = SimpleRouter()
router.register("inquiries", InquiryViewSet, basename="inquiry")

urlpatterns = [
    path("openapi.json", SpectacularJSONAPIView.as_view(api_version="1"), name="openapi"),
    path("estimate/", EstimateView.as_view(), name="estimate"),
    *router.urls,
    *catalog_router.urls,
]
