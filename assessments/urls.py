"""Addresses of the product: pages for people, the API for programs."""

from django.urls import include, path

urlpatterns = [path("api/v1/", include("assessments.api.urls")), path("", include("assessments.pages.urls"))]
