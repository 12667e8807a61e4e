"""The two doors: one by an e-mailed code for customers, one by password for staff."""

from typing import Any

from allauth.account.forms import RequestLoginCodeForm
from allauth.account.internal.flows.login_by_code import LoginCodeVerificationProcess
from allauth.account.views import LoginView, RequestLoginCodeView
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Membership, Organization, User, folded

ORGANIZATION_KEY = "organization_to_found"


class CodeForm(RequestLoginCodeForm):
    """Asks for the address; an unknown one gets a person silently, so that both see the same page and get a code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = _("Your e-mail")
        self.fields["email"].help_text = _("We send a code. No password is needed.")

    def clean_email(self) -> str:
        self._user: User | None
        email: str = super().clean_email()
        if self._user is None:
            self._user = person_for(email)
        return email


class CodeDoor(RequestLoginCodeView):
    """The customers' door: an address, then a code."""

    form_class = CodeForm
    template_name = "account/login.html"


class StaffDoor(LoginView):
    """The staff's door: address and password, then the second factor where one is set up."""

    template_name = "account/staff_login.html"


@transaction.atomic
def person_for(email: str) -> User | None:
    """The active person of an address, made on first use; None if the person is barred."""
    user, is_new = User.objects.get_or_create(
        email=folded(email), defaults={"language": (translation.get_language() or "")[:2]}
    )
    if is_new:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user if user.is_active else None


@transaction.atomic
def ensure_organization(user: User, *, name: str = "") -> None:
    """Found an organisation for a customer who has none; nobody joins one by the domain of an address."""
    if user.is_staff or user.memberships.exists():
        return
    organization = Organization.objects.create(
        name=name.strip() or user.email, founded_by=Organization.FoundedBy.SIGNUP
    )
    Membership.objects.create(user=user, organization=organization, role=Membership.Role.OWNER)


def code_start(request: HttpRequest, *, email: str, organization: str, next_url: str) -> HttpResponse:
    """Mail a code to the address, known or new, and answer with the way to the page where it is typed.

    organization: the name of the organisation that a new address founds
    next_url: where the person goes on after the code; a path of this site
    Raises ValidationError under `email` when the address is malformed or codes are asked for too often.
    """
    form = CodeForm({"email": email})
    if not form.is_valid():
        raise ValidationError(form.errors.as_data())
    request.session[ORGANIZATION_KEY] = organization
    LoginCodeVerificationProcess.initiate(request=request, user=form._user, email=form.cleaned_data["email"])
    query = QueryDict(mutable=True)
    query[REDIRECT_FIELD_NAME] = next_url
    return HttpResponseRedirect(f"{reverse('account_confirm_login_code')}?{query.urlencode(safe='/')}")
