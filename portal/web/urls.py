"""Addresses of the shell: start page, explanations, profile."""

from django.urls import path

from portal.web import language, pages, profile

app_name = "web"
urlpatterns = [
    path("", pages.start, name="start"),
    path("language/", language.switch, name="language"),
    path("method/", pages.method, name="method"),
    path("sample/", pages.sample, name="sample"),
    path("sample/sample-<str:language>.pdf", pages.sample_document, name="sample_document"),
    path("privacy/", pages.privacy, name="privacy"),
    path("accessibility/", pages.accessibility, name="accessibility"),
    path("check/", pages.check, name="check"),
    path("seller-logo/", pages.seller_logo, name="seller_logo"),
    path("components/", pages.components, name="components"),
    path("profile/", profile.profile, name="profile"),
    path("organization/", profile.organization, name="organization"),
]
