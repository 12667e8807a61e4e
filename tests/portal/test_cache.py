"""Pages that count how often they are asked still answer when the counter is away."""

import pytest
from django.test import Client
from django.urls import reverse

from portal.cache import LenientRedisCache


@pytest.fixture
def away() -> LenientRedisCache:
    return LenientRedisCache("redis://127.0.0.1:1/0", {})


def test_an_unreachable_cache_finds_nothing_and_forgets(away):
    away.set("a", 1)
    assert away.get("a") is None
    assert away.get("a", 7) == 7
    assert away.add("lock", True) is True
    assert away.delete("lock") is False
    assert away.incr("count") == 1


@pytest.mark.django_db
def test_sign_in_answers_while_the_cache_is_away(settings):
    settings.CACHES = {"default": {"BACKEND": "portal.cache.LenientRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}}
    response = Client().post(reverse("account_login"), {"email": "anna@example.org"})
    assert response["Location"] == reverse("account_confirm_login_code")
