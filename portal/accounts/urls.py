"""Sign-in, sign-out and the staff's second factor: those of allauth's addresses that we offer."""

from allauth.account import views
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path

from portal.accounts import doors

urlpatterns: list[URLPattern | URLResolver] = [
    path("login/", doors.CodeDoor.as_view(), name="account_login"),
    path("login/", doors.CodeDoor.as_view(), name="account_request_login_code"),
    path("login/code/", views.confirm_login_code, name="account_confirm_login_code"),
    path("staff/", doors.StaffDoor.as_view(), name="staff_login"),
    path("logout/", views.logout, name="account_logout"),
    path("inactive/", views.account_inactive, name="account_inactive"),
    path("reauthenticate/", views.reauthenticate, name="account_reauthenticate"),
    path("password/", views.password_change, name="account_change_password"),
    path("2fa/", include("allauth.mfa.urls")),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    urlpatterns += [
        path("sso/", include("allauth.socialaccount.urls")),
        path("", include("allauth.socialaccount.providers.openid_connect.urls")),
    ]
