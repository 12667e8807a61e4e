"""What a member of staff must have shown in this session before the review desk opens."""

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.http import HttpRequest

from portal.accounts.models import User

STRONG_METHODS = {"password", "socialaccount", "mfa"}


def strong_methods(request: HttpRequest, user: User) -> set[str]:
    """By which methods, other than a mailed code, this session was proved to be the person's."""
    return STRONG_METHODS & {record.get("method") for record in get_authentication_records(request, user)}


def missing_step(request: HttpRequest, user: User) -> str | None:
    """Name of the URL where the second factor is set up or shown; None when nothing is missing.

    A mailed code alone never signs staff in (the adapter's pre_login), so the password needs no second look here.
    """
    if not settings.STAFF_SECOND_FACTOR:
        return None
    methods = strong_methods(request, user)
    if "socialaccount" in methods or "mfa" in methods:
        return None
    return "mfa_reauthenticate" if Authenticator.objects.filter(user=user).exists() else "mfa_activate_totp"
