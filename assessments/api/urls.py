"""Addresses of the API."""

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework.routers import SimpleRouter

from assessments.api.views import EstimateView, InquiryViewSet
from catalog.api import router as catalog_router

app_name = "api"
router = SimpleRouter()
router.register("inquiries", InquiryViewSet, basename="inquiry")

urlpatterns = [
    path("openapi.json", SpectacularJSONAPIView.as_view(api_version="1"), name="openapi"),
    path("estimate/", EstimateView.as_view(), name="estimate"),
    *router.urls,
    *catalog_router.urls,
]
