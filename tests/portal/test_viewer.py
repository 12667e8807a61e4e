"""What a reader may see of people, organisations and tokens."""

import pytest
from django.contrib.auth.models import Group

from portal.accounts.models import ApiToken, Membership, Organization, PortalSettings, User, token_hash
from portal.accounts.roles import ROLES
from portal.accounts.viewer import Viewer

pytestmark = pytest.mark.django_db


@pytest.fixture
def anna() -> User:
    user = User.objects.create_user("anna@a.example")
    Membership.objects.create(user=user, organization=Organization.objects.create(name="A"), role="owner")
    return user


@pytest.fixture
def boris() -> User:
    user = User.objects.create_user("boris@b.example")
    Membership.objects.create(user=user, organization=Organization.objects.create(name="B"), role="owner")
    return user


def staff(role: str) -> User:
    user = User.objects.create_user(f"{role.replace(' ', '-')}@seller.example", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


def test_a_customer_sees_their_own_organisation_and_people_alone(anna, boris):
    viewer = Viewer.of(anna)
    assert [o.name for o in Organization.objects.visible_to(viewer)] == ["A"]
    assert list(User.objects.visible_to(viewer)) == [anna]
    assert [m.user for m in Membership.objects.visible_to(viewer)] == [anna]


@pytest.mark.parametrize("viewer", [Viewer.anonymous(), Viewer.anonymous(draft_cookies=["x"])])
def test_a_stranger_sees_nobody(anna, viewer):
    for model in (User, Organization, Membership, ApiToken, PortalSettings):
        assert not model.objects.visible_to(viewer).exists()


@pytest.mark.parametrize("role", ["engineer", "approver", "manager"])
def test_staff_who_read_requests_see_every_organisation(anna, boris, role):
    assert Organization.objects.visible_to(Viewer.of(staff(role))).count() == 2


def test_a_catalog_keeper_sees_no_customers(anna):
    viewer = Viewer.of(staff("catalog keeper"))
    assert not viewer.sees_all
    assert not Organization.objects.visible_to(viewer).exists()


def test_a_customer_in_a_staff_group_by_mistake_holds_no_staff_right(anna):
    anna.groups.add(Group.objects.get(name="engineer"))
    assert not Viewer.of(User.objects.get(pk=anna.pk)).has_perm("assessments.review_inquiry")


def test_a_token_sees_its_organisation_and_the_integration_sees_all(anna, boris):
    own, _raw = ApiToken.issue(organization=anna.memberships.get().organization, name="crm", scopes=["read"])
    whole, _raw = ApiToken.issue(organization=None, name="integration", scopes=["read"])
    assert [o.name for o in Organization.objects.visible_to(Viewer.of_token(own))] == ["A"]
    assert Organization.objects.visible_to(Viewer.of_token(whole)).count() == 2


def test_a_token_is_kept_as_a_hash_and_ends_when_revoked():
    token, raw = ApiToken.issue(organization=None, name="crm", scopes=["read"])
    assert ApiToken.objects.by_secret(raw) == token
    assert raw not in str(ApiToken.objects.filter(pk=token.pk).values())
    ApiToken.objects.update(revoked_at="2026-12-01T00:00Z")
    assert ApiToken.objects.by_secret(raw) is None


def test_a_share_link_makes_a_stranger_its_reader_and_leaves_a_person_one(anna):
    stranger = Viewer.anonymous().with_share("raw")
    assert (stranger.kind, stranger.share_tokens) == ("share", {token_hash("raw")})
    person = Viewer.of(anna).with_share("raw")
    assert (person.kind, person.user) == ("user", anna)


def test_an_address_is_one_person_in_any_spelling():
    User.objects.create_user(" Anna@Example.ORG ")
    assert User.objects.get().email == "anna@example.org"
    assert User.objects.get_by_natural_key("ANNA@example.org").email == "anna@example.org"


def test_every_role_holds_exactly_its_permissions():
    for role, permissions in ROLES.items():
        held = {f"{p.content_type.app_label}.{p.codename}" for p in Group.objects.get(name=role).permissions.all()}
        assert held == set(permissions), role


def test_approving_is_not_reviewing():
    assert "assessments.approve_inquiry" not in ROLES["engineer"]
    assert "assessments.review_inquiry" not in ROLES["approver"]


def test_the_settings_are_one_row_with_history():
    row = PortalSettings.load()
    row.seller_name = "Rack & Co"
    row.save()
    assert PortalSettings.load().seller_name == "Rack & Co"
    assert PortalSettings.objects.count() == 1
    assert [past.seller_name for past in row.history.order_by("history_id")] == ["Sizewright", "Rack & Co"]
