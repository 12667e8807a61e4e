"""Addresses of the product's pages."""

from django.urls import include, path

urlpatterns = [path("", include("assessments.pages.urls"))]
