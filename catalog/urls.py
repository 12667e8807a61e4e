"""Addresses of the public catalog."""

from django.urls import path

from catalog import views

app_name = "catalog"
urlpatterns = [
    path("", views.servers, name="servers"),
    path("servers/<slug:slug>/", views.server, name="server"),
    path("accelerators/", views.accelerators, name="accelerators"),
    path("accelerators/<slug:slug>/", views.accelerator, name="accelerator"),
]
