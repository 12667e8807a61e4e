"""What every answer carries, and what health says."""

import json
import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from portal.accounts.models import User
from portal.outbox.models import OutboxMessage
from portal.outbox.sweep import sweep

pytestmark = pytest.mark.django_db


def policy(response) -> dict[str, list[str]]:
    parts = (part.split() for part in response["Content-Security-Policy"].split("; "))
    return {name: values for name, *values in parts}


def test_a_customers_page_has_the_strict_policy(client):
    sources = policy(client.get(reverse("account_login")))
    assert sources["default-src"] == ["'none'"]
    assert sources["script-src"] == sources["style-src"] == ["'self'"]
    assert sources["frame-ancestors"] == ["'none'"]


def test_only_the_admin_may_evaluate_and_style_inline(client):
    client.force_login(User.objects.create_superuser("root@example.org"))
    sources = policy(client.get("/admin/"))
    assert sources["script-src"] == ["'self'", "'unsafe-eval'"]
    assert sources["style-src"] == ["'self'", "'unsafe-inline'"]


def test_a_request_keeps_the_proxys_id_or_gets_one(client):
    assert client.get("/healthz", headers={"x-request-id": "edge-12345678"})["X-Request-ID"] == "edge-12345678"
    for wrong in ("", "a b", "x" * 41, "<script>"):
        assert re.fullmatch(r"[0-9a-f]{32}", client.get("/healthz", headers={"x-request-id": wrong})["X-Request-ID"])


def test_alive_says_ok_and_touches_nothing(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/healthz").content == b"ok\n"


def test_ready_when_database_broker_worker_and_outbox_are(client):
    sweep()
    response = client.get("/readyz")
    assert (response.status_code, json.loads(response.content)) == (
        200,
        {"database": "ok", "broker": "ok", "worker": "ok", "outbox": "ok"},
    )


def test_not_ready_when_the_outbox_is_behind(client):
    OutboxMessage.objects.create(name="x", next_try_at=timezone.now() - timedelta(minutes=5))
    response = client.get("/readyz")
    assert (response.status_code, json.loads(response.content)["outbox"]) == (503, "behind")


@pytest.mark.usefixtures("empty_cache")
def test_not_ready_when_no_worker_has_swept_for_a_minute(client, time_machine):
    assert client.get("/readyz").json()["worker"] == "silent"
    sweep()
    assert client.get("/readyz").json()["worker"] == "ok"
    time_machine.move_to(timezone.now() + timedelta(seconds=61))
    response = client.get("/readyz")
    assert (response.status_code, response.json()["worker"]) == (503, "silent")


def test_a_given_up_message_does_not_make_the_portal_unready(client):
    sweep()
    OutboxMessage.objects.create(name="x", next_try_at=None)
    assert client.get("/readyz").status_code == 200


def test_cookies_are_not_for_scripts(client):
    response = client.get(reverse("account_login"))
    assert response.cookies["csrftoken"]["httponly"] is True


@pytest.mark.parametrize("zone", ["Asia/Vladivostok", ""])
def test_times_are_shown_in_the_readers_own_zone(client, zone, rf):
    from portal.middleware import ReaderMiddleware

    seen = []
    request = rf.get("/")
    request.user = User.objects.create_user("anna@example.org", time_zone=zone)
    ReaderMiddleware(lambda _request: seen.append(timezone.get_current_timezone_name()))(request)
    assert seen == [zone or "Europe/Moscow"]
