"""The API as a program uses it."""

import pytest
from django.test import Client

from assessments.models import Inquiry
from portal.accounts.models import ApiToken, Organization
from tests.factories import TASK, AssessmentFactory, engineer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _catalog(loaded_catalog):
    """Every run needs a version of the catalog."""


def program(scopes=("read", "submit")) -> Client:
    _token, secret = ApiToken.issue(organization=Organization.objects.create(name="CRM"), name="crm", scopes=[*scopes])
    return Client(headers={"authorization": f"Bearer {secret}"})


def post(client, body, key="crm-7"):
    headers = {"Idempotency-Key": key} if key else {}
    return client.post("/api/v1/inquiries/", body, content_type="application/json", headers=headers)


def test_a_task_becomes_a_request_and_the_same_key_the_same_one():
    client = program()
    first = post(client, {"task": TASK, "language": "en"})
    assert first.status_code == 201
    second = post(client, {"task": TASK, "language": "en"})
    assert (second.status_code, second.json()["number"]) == (200, first.json()["number"])
    assert Inquiry.objects.count() == 1


def test_the_same_key_with_another_task_is_refused():
    client = program()
    post(client, {"task": TASK})
    other = TASK | {"horizon": {"use": "one_off"}}
    refused = post(client, {"task": other})
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    assert Inquiry.objects.count() == 1


def test_a_wrong_task_names_each_field_by_its_path():
    client = program()
    task = {"schema": "task/1", "scenarios": [{"strategy": {"method": "magic"}, "model": {"params": -5}}]}
    refused = post(client, {"task": task})
    assert refused.status_code == 400
    assert {"scenarios[0].strategy.method", "scenarios[0].model.params"} <= set(refused.json()["errors"])
    assert not Inquiry.objects.exists()


def test_a_token_without_the_scope_cannot_submit():
    refused = post(program(scopes=["read"]), {"task": TASK})
    assert refused.status_code == 403
    assert not Inquiry.objects.exists()


def test_staff_without_an_organisation_are_told_so():
    client = Client()
    client.force_login(engineer())
    assert post(client, {"task": TASK}).status_code == 422


def test_an_estimate_stores_nothing_and_its_numbers_have_a_point():
    client = program()
    answer = client.post("/api/v1/estimate/", TASK, content_type="application/json", headers={"accept-language": "ru"})
    assert answer.status_code == 200
    assert answer.json()["options"]
    assert b'"v":[' in answer.content.replace(b" ", b"")
    assert not Inquiry.objects.exists()


def test_requests_of_another_organisation_do_not_exist():
    inquiry = AssessmentFactory(sized=True).inquiry
    client = program()
    assert client.get(f"/api/v1/inquiries/{inquiry.number}/").status_code == 404
    assert client.get("/api/v1/inquiries/").json()["results"] == []


def test_a_body_nested_too_deeply_is_refused_in_json():
    refused = program().post("/api/v1/estimate/", "[" * 100_000, content_type="application/json")
    assert refused.status_code == 400
    assert refused["Content-Type"] == "application/problem+json"
