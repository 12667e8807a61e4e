"""Addresses of the shell: start page, explanations, profile."""

from django.urls import path

from portal.web import language, organization, pages, profile

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
    path("profile/export.json", profile.export, name="profile_export"),
    path("profile/delete/", profile.delete, name="profile_delete"),
    path("organization/", organization.organization, name="organization"),
    path("organization/<int:organization_id>/invite/", organization.invite, name="invite"),
    path("organization/invitations/<int:invitation_id>/withdraw/", organization.withdraw, name="invitation_withdraw"),
    path("organization/people/<int:membership_id>/remove/", organization.remove, name="member_remove"),
    path("organization/people/<int:membership_id>/role/", organization.change_role, name="member_role"),
    path("invitation/<str:raw>/", organization.invitation, name="invitation"),
]
