"""The accounts with which a newcomer looks the portal over."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import Group
from django.db import transaction

from portal.accounts.models import Membership, Organization, User
from portal.accounts.roles import APPROVER, CATALOG_KEEPER, ENGINEER, MANAGER

CUSTOMER = "customer@example.org"
STAFF: dict[str, tuple[str, tuple[str, ...]]] = {
    "engineer@example.org": ("Demo engineer", (ENGINEER, APPROVER)),
    "manager@example.org": ("Demo manager", (MANAGER,)),
    "catalog@example.org": ("Demo catalog keeper", (CATALOG_KEEPER,)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPassword:
    """A password that is shown once."""

    email: str
    password: str


@transaction.atomic
def demo_ensure(*, renew_passwords: bool = False) -> list[NewPassword]:
    """Make the accounts that are missing; returns the passwords that were set now."""
    customer, is_new = User.objects.get_or_create(email=CUSTOMER, defaults={"name": "Demo customer"})
    if is_new:
        customer.set_unusable_password()
        customer.save(update_fields=["password"])
    if not customer.memberships.exists():
        organization = Organization.objects.create(name="Example Robotics", founded_by=Organization.FoundedBy.STAFF)
        Membership.objects.create(user=customer, organization=organization, role=Membership.Role.OWNER)
    shown = []
    for email, (name, roles) in STAFF.items():
        user, is_new = User.objects.get_or_create(email=email, defaults={"name": name, "is_staff": True})
        user.groups.add(*Group.objects.filter(name__in=roles))
        if is_new or renew_passwords:
            password = secrets.token_urlsafe(12)
            user.set_password(password)
            user.save(update_fields=["password"])
            shown.append(NewPassword(email=email, password=password))
    return shown
