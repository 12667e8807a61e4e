"""One's own data."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import MembershipFactory, OrganizationFactory, customer

pytestmark = pytest.mark.django_db


def test_profile_keeps_name_and_language():
    user = customer(name="A. Orlova", language="en")
    client = Client()
    client.force_login(user)
    response = client.post(reverse("web:profile"), {"name": "Анна Орлова", "language": "ru"})
    assert response.status_code == 302
    user.refresh_from_db()
    assert (user.name, user.language) == ("Анна Орлова", "ru")


def test_profile_asks_strangers_to_sign_in():
    response = Client().get(reverse("web:profile"))
    assert response.status_code == 302
    assert response.url.startswith(reverse("account_login"))


def test_organisation_page_names_colleagues_only():
    organization = OrganizationFactory()
    user = customer(organization)
    MembershipFactory(organization=organization, user__email="colleague@example.com", user__name="")
    customer(email="stranger@example.com", name="")
    client = Client()
    client.force_login(user)
    html = client.get(reverse("web:organization")).content.decode()
    assert "colleague@example.com" in html
    assert "stranger@example.com" not in html
