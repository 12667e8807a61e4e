"""Colleagues join by an owner's invitation and the one door; nobody else does, and an owner always stays."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from portal.accounts.models import Invitation, Membership, Organization, User, token_hash
from portal.outbox.models import OutboxMessage
from tests.factories import MembershipFactory, OrganizationFactory, customer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]

COLLEAGUE = "colleague@example.org"


@pytest.fixture
def team() -> Organization:
    return OrganizationFactory(name="Vector")


@pytest.fixture
def owner(team) -> User:
    return customer(team, email="owner@example.org", name="Anna", language="en")


@pytest.fixture
def member(team) -> User:
    return MembershipFactory(organization=team, role="member", user__email="member@example.org").user


def browser(user: User | None = None) -> Client:
    client = Client(headers={"accept-language": "en"})
    if user:
        client.force_login(user)
    return client


def invite(user: User, organization: Organization, email: str = COLLEAGUE):
    return browser(user).post(reverse("web:invite", args=[organization.pk]), {"email": email})


def mailed(pattern: str, to: str = COLLEAGUE) -> str:
    message = OutboxMessage.objects.filter(kind="mail", payload__to=[to]).latest("pk")
    found = re.search(pattern, message.payload["text"])
    assert found, message.payload["text"]
    return found.group(1)


def link() -> str:
    return mailed(r"(/invitation/[^/\s]+/)")


def enter_code(client: Client, address: str):
    return client.post(address, {"code": mailed(r"\b(\d{6})\b")})


def test_an_invited_new_address_joins_through_the_code_and_founds_nothing(owner, team):
    assert invite(owner, team)["Location"] == reverse("web:organization")
    client = browser()
    page = client.get(link())
    assert "Invitation to Vector" in page.content.decode()
    answer = client.post(link())
    assert answer["Location"].startswith(reverse("account_confirm_login_code"))
    assert enter_code(client, answer["Location"])["Location"] == reverse("web:organization")
    membership = Membership.objects.get(user__email=COLLEAGUE)
    assert (membership.organization, membership.role) == (team, "member")
    assert Organization.objects.count() == 1


def test_a_signed_in_person_joins_at_once_and_keeps_the_own_organisation(owner, team):
    colleague = customer(email=COLLEAGUE)
    invite(owner, team)
    browser(colleague).post(link())
    assert colleague.memberships.count() == 2
    assert Invitation.objects.get().accepted_at is not None


def test_only_the_hash_of_the_link_is_kept(owner, team):
    invite(owner, team)
    raw = link().split("/")[2]
    assert Invitation.objects.get().token_sha256 == token_hash(raw)
    assert len(raw) >= 43


def test_the_link_works_once_and_until_it_expires(owner, team, time_machine):
    invite(owner, team)
    address = link()
    time_machine.move_to(timezone.now() + timedelta(days=14, seconds=1))
    assert browser().get(address).status_code == 404
    time_machine.move_to(timezone.now() - timedelta(days=7))
    browser(customer(email=COLLEAGUE)).post(address)
    assert browser().get(address).status_code == 404


def test_somebody_else_who_holds_the_link_does_not_join(owner, team):
    invite(owner, team)
    other = customer(email="other@example.org")
    page = browser(other).post(link())
    assert "The invitation is for colleague@example.org; you are signed in as other@example.org." in (
        page.content.decode()
    )
    assert not Membership.objects.filter(user=other, organization=team).exists()


def test_a_second_invitation_replaces_the_first(owner, team):
    invite(owner, team)
    first = link()
    invite(owner, team)
    assert browser().get(first).status_code == 404
    assert Invitation.objects.count() == 1


def test_whoever_belongs_already_is_not_invited(owner, member, team):
    page = invite(owner, team, "Member@Example.org")
    assert "This person belongs to the organisation already." in page.content.decode()
    assert not Invitation.objects.exists()
    assert not OutboxMessage.objects.exists()


def test_a_wrong_address_is_said_at_the_field(owner, team):
    page = invite(owner, team, "nobody")
    assert "Check the address: name@example.com" in page.content.decode()


def test_members_may_not_invite_and_strangers_find_nothing(member, team):
    assert invite(member, team).status_code == 403
    assert invite(customer(), team).status_code == 404
    assert not Invitation.objects.exists()


def test_the_letter_speaks_the_language_of_a_known_person(owner, team):
    customer(email=COLLEAGUE, language="ru")
    invite(owner, team)
    message = OutboxMessage.objects.get(kind="mail").payload
    assert message["subject"] == "Приглашение в организацию «Vector»"


def test_a_withdrawn_invitation_opens_nothing(owner, member, team):
    invite(owner, team)
    address, invitation = link(), Invitation.objects.get()
    refused = browser(member).post(reverse("web:invitation_withdraw", args=[invitation.pk]))
    assert refused.status_code == 403
    browser(owner).post(reverse("web:invitation_withdraw", args=[invitation.pk]))
    assert browser().get(address).status_code == 404


def test_who_is_removed_sees_the_requests_no_longer(owner, member, team):
    membership = member.memberships.get()
    browser(owner).post(reverse("web:member_remove", args=[membership.pk]))
    assert not member.memberships.exists()
    assert "owner@example.org" not in browser(member).get(reverse("web:organization")).content.decode()


def test_a_member_may_leave_and_remove_nobody_else(owner, member):
    theirs = owner.memberships.get()
    assert browser(member).post(reverse("web:member_remove", args=[theirs.pk])).status_code == 403
    browser(member).post(reverse("web:member_remove", args=[member.memberships.get().pk]))
    assert not member.memberships.exists()
    assert owner.memberships.exists()


@pytest.mark.parametrize(("address", "body"), [("web:member_remove", {}), ("web:member_role", {"role": "member"})])
def test_the_last_owner_stays(owner, member, address, body):
    client = browser(owner)
    client.post(reverse(address, args=[owner.memberships.get().pk]), body)
    assert owner.memberships.get().role == "owner"
    page = client.get(reverse("web:organization")).content.decode()
    assert "An organisation needs an owner: make somebody else the owner first." in page


def test_an_owner_hands_the_role_on(owner, member):
    browser(owner).post(reverse("web:member_role", args=[member.memberships.get().pk]), {"role": "owner"})
    browser(owner).post(reverse("web:member_role", args=[owner.memberships.get().pk]), {"role": "member"})
    assert (owner.memberships.get().role, member.memberships.get().role) == ("member", "owner")


def test_a_stranger_changes_no_role(owner, member):
    membership = member.memberships.get()
    answer = browser(customer()).post(reverse("web:member_role", args=[membership.pk]), {"role": "owner"})
    assert answer.status_code == 404
    membership.refresh_from_db()
    assert membership.role == "member"


def test_members_see_people_and_no_buttons_of_owners(owner, member):
    page = browser(member).get(reverse("web:organization")).content.decode()
    assert "owner@example.org" in page
    assert reverse("web:member_role", args=[owner.memberships.get().pk]) not in page
    assert "Invite" not in page
