"""One door by e-mail for customers, one by password for staff; neither tells who has an account."""

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.contrib.auth.models import Group
from django.core import mail
from django.test import Client
from django.urls import reverse

from portal.accounts.models import Membership, Organization, User
from portal.outbox.models import OutboxMessage

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]

PASSWORD = "correct horse battery staple"


def mailed_code() -> str:
    """The code in the newest e-mail of the outbox."""
    message = OutboxMessage.objects.filter(kind="mail").latest("pk")
    found = re.search(r"\b\d{6}\b", message.payload["text"])
    assert found, message.payload["text"]
    return found.group()


def ask_for_code(client: Client, email: str):
    return client.post(reverse("account_login"), {"email": email})


def enter_code(client: Client, code: str):
    return client.post(reverse("account_confirm_login_code"), {"code": code})


@pytest.fixture
def engineer() -> User:
    user = User.objects.create_user("engineer@example.org", PASSWORD, is_staff=True)
    user.groups.add(Group.objects.get(name="engineer"))
    return user


def test_a_new_address_gets_a_code_and_founds_an_organisation(client):
    ask_for_code(client, "Anna@Example.ORG")
    assert not Organization.objects.exists()
    response = enter_code(client, mailed_code())
    assert response.status_code == 302
    assert response["Location"] == "/requests/"
    membership = Membership.objects.get()
    assert (membership.user.email, membership.role) == ("anna@example.org", "owner")
    assert membership.organization.founded_by == "signup"
    assert not membership.user.has_usable_password()


def test_a_known_and_a_new_address_see_the_same(client):
    User.objects.create_user("known@example.org")
    answers = []
    for email in ("known@example.org", "fresh@example.org"):
        response = ask_for_code(Client(), email)
        other = Client()
        page = ask_for_code(other, email)
        shown = other.get(page["Location"]).content.decode().replace(email, "X")
        answers.append((response.status_code, response["Location"], re.sub(r"[A-Za-z0-9]{64}", "", shown)))
    assert answers[0] == answers[1]
    assert OutboxMessage.objects.filter(kind="mail").count() == 4


def test_signing_in_again_founds_nothing(client):
    for _ in range(2):
        fresh = Client()
        ask_for_code(fresh, "anna@example.org")
        enter_code(fresh, mailed_code())
    assert Organization.objects.count() == 1


def test_nobody_joins_an_organisation_by_the_domain_of_the_address():
    for email in ("anna@corp.example", "boris@corp.example"):
        fresh = Client()
        ask_for_code(fresh, email)
        enter_code(fresh, mailed_code())
    assert Organization.objects.count() == 2


def test_a_wrong_code_signs_nobody_in(client):
    ask_for_code(client, "anna@example.org")
    wrong = f"{(int(mailed_code()) + 1) % 1_000_000:06d}"
    assert enter_code(client, wrong).status_code == 200
    assert "_auth_user_id" not in client.session


def test_five_wrong_codes_end_the_attempt(client):
    ask_for_code(client, "anna@example.org")
    code = mailed_code()
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    for _ in range(5):
        enter_code(client, wrong)
    enter_code(client, code)
    assert "_auth_user_id" not in client.session


def test_codes_for_one_address_are_limited(client):
    for _ in range(8):
        ask_for_code(Client(), "anna@example.org")
    assert OutboxMessage.objects.filter(kind="mail").count() == 5


def test_a_barred_person_gets_no_code_and_sees_the_same_page(client):
    User.objects.create_user("barred@example.org", is_active=False)
    response = ask_for_code(client, "barred@example.org")
    assert response["Location"] == reverse("account_confirm_login_code")
    assert not OutboxMessage.objects.exists()


def test_the_code_mail_is_in_the_readers_language(client):
    client.post(reverse("account_login"), {"email": "anna@example.org"}, headers={"accept-language": "ru"})
    mailed = OutboxMessage.objects.get().payload
    assert mailed["subject"].startswith("Код для входа: ")
    assert "Действует 15 минут. Не запрашивали – ничего не делайте." in mailed["text"]
    assert '<html lang="ru">' in mailed["html"]


def test_staff_are_not_signed_in_by_a_code(client, engineer):
    ask_for_code(client, engineer.email)
    response = enter_code(client, mailed_code())
    assert response["Location"] == reverse("staff_login")
    assert "_auth_user_id" not in client.session


def test_staff_sign_in_with_a_password_and_reach_the_desk(client, engineer):
    response = client.post(reverse("staff_login"), {"login": engineer.email, "password": PASSWORD})
    assert response["Location"] == reverse("admin:index")
    assert client.get(reverse("admin:index")).status_code == 200


def test_the_admins_own_sign_in_leads_to_the_staffs_door(client):
    response = client.get("/admin/")
    assert response["Location"] == "/admin/login/?next=/admin/"
    assert client.get(response["Location"])["Location"] == "/account/staff/?next=/admin/"


def test_without_a_second_factor_the_desk_stays_closed_where_one_is_asked(client, engineer, settings):
    settings.STAFF_SECOND_FACTOR = True
    client.post(reverse("staff_login"), {"login": engineer.email, "password": PASSWORD})
    response = client.get("/admin/")
    assert response["Location"] == reverse("mfa_activate_totp") + "?next=%2Fadmin%2F"
    again = client.get(response["Location"])
    assert again["Location"].startswith(reverse("account_reauthenticate"))
    client.post(again["Location"], {"password": PASSWORD})
    assert client.get(reverse("mfa_activate_totp")).status_code == 200


def test_with_a_second_factor_the_password_alone_signs_nobody_in(client, engineer, settings):
    settings.STAFF_SECOND_FACTOR = True
    secret = "JBSWY3DPEHPK3PXP"
    TOTP.activate(engineer, secret)
    response = client.post(reverse("staff_login"), {"login": engineer.email, "password": PASSWORD})
    assert response["Location"] == reverse("mfa_authenticate")
    assert "_auth_user_id" not in client.session
    counter = next(iter(yield_hotp_counters_from_time()))
    client.post(response["Location"], {"code": format_hotp_value(hotp_value(secret, counter))})
    assert client.get("/admin/").status_code == 200
    assert Authenticator.objects.filter(user=engineer).count() >= 1


def test_a_customer_has_no_way_in_by_password(client):
    User.objects.create_user("anna@example.org")
    response = client.post(reverse("staff_login"), {"login": "anna@example.org", "password": ""})
    assert response.status_code == 200
    assert "_auth_user_id" not in client.session


def test_a_change_of_roles_ends_the_sessions(client, engineer):
    client.force_login(engineer)
    engineer.is_staff = False
    engineer.save()
    assert client.get("/admin/").status_code == 302


def test_the_code_mail_leaves_through_the_outbox(client, django_capture_on_commit_callbacks):
    ask_for_code(client, "anna@example.org")
    assert mail.outbox == []
    assert OutboxMessage.objects.get().name == "portal.outbox.mail_send"
