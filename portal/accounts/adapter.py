"""How allauth speaks to us: mail through the outbox, staff only by their own door, an organisation at first sign-in."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.stagekit import clear_login
from allauth.core import context as allauth_context
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.accounts import doors, invitations, staff_door
from portal.accounts.models import PortalSettings, User
from portal.outbox.mail import mail_add

INVITATION_KEY = "invitation_to_accept"


class AccountAdapter(DefaultAccountAdapter):
    """Sign-in by e-mail."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Render now, in the reader's language, and leave the sending to the outbox."""
        request = allauth_context.request
        full = {"email": email, "site_url": settings.SITE_URL, "seller": PortalSettings.load()} | context
        full["minutes"] = settings.ACCOUNT_LOGIN_BY_CODE_TIMEOUT // 60
        with transaction.atomic():
            mail_add(
                to=[email],
                subject=render_to_string(f"{template_prefix}_subject.txt", full, request).strip(),
                text=render_to_string(f"{template_prefix}_message.txt", full, request).strip() + "\n",
                html=render_to_string(f"{template_prefix}_message.html", full, request),
            )

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """There is no sign-up page: the door makes a person of a new address."""
        return False

    def pre_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse | None:
        """Send staff who came by a code to their own door; the code proved the address, so nothing is given away."""
        response: HttpResponse | None = super().pre_login(request, user, **kwargs)
        if response is None and user.is_staff and not staff_door.strong_methods(request, user):
            clear_login(request)
            messages.info(request, _("Staff sign in with a password."))
            return HttpResponseRedirect(reverse("staff_login"))
        return response

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        invitation = request.session.pop(INVITATION_KEY, "")
        if invitation:
            invitations.invitation_accept(invitation, user)
        doors.ensure_organization(user, name=request.session.pop(doors.ORGANIZATION_KEY, ""))
        response: HttpResponse = super().post_login(request, user, **kwargs)
        return response

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Staff go to the review desk, customers to their requests."""
        if isinstance(request.user, User) and request.user.is_staff:
            return reverse("admin:index")
        return settings.LOGIN_REDIRECT_URL


class SocialAdapter(DefaultSocialAccountAdapter):
    """Single sign-on, where the settings name a provider."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        """A new address that the provider vouches for becomes a person."""
        return True
