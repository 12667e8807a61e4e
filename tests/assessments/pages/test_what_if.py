"""Trying other numbers: the engine answers, the request stays as it is."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from assessments.models import SizingRun
from catalog.snapshot import current_version
from tests.assessments.pages.scenes import signed_in, sized
from tests.factories import customer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_catalog")]


def trying() -> tuple[Client, str]:
    """A member's browser and the what-if page of a request that was sized on the real catalog."""
    assessment = sized()
    SizingRun.objects.update(catalog_version=current_version())
    return signed_in(assessment.inquiry), reverse("pages:what_if", args=[assessment.inquiry.number])


def test_another_wanted_time_gives_another_answer_and_changes_nothing():
    browser, address = trying()
    before = json.dumps(list(SizingRun.objects.values("task", "result")), sort_keys=True)
    html = browser.get(address, {"days": "3"}).content.decode()
    assert "With these numbers" in html
    assert "not part of the request" in html
    assert json.dumps(list(SizingRun.objects.values("task", "result")), sort_keys=True) == before


def test_a_named_machine_stands_beside_the_options_found():
    browser, address = trying()
    tried = {"accelerator": "h100-sxm5-80gb", "gpus": "16"}
    html = browser.get(address, tried).content.decode()
    assert "16 × H100 SXM5 80\u00a0GB" in html
    assert "Your hardware" in html


def test_without_numbers_it_shows_the_request():
    browser, address = trying()
    assert "As in the request" in browser.get(address).content.decode()


def test_a_count_without_a_model_is_pointed_out():
    browser, address = trying()
    html = browser.get(address, {"gpus": "16"}).content.decode()
    assert "Choose the model too." in html
    assert "As in the request" in html


def test_htmx_gets_the_outcome_alone():
    browser, address = trying()
    html = browser.get(address, headers={"hx-request": "true"}).content.decode()
    assert html.lstrip().startswith('<section id="outcome"')


def test_strangers_may_not_try():
    _browser, address = trying()
    stranger = Client()
    stranger.force_login(customer())
    assert stranger.get(address).status_code == 404


def test_what_engineers_pinned_stays_pinned():
    browser, address = trying()
    run = SizingRun.objects.get()
    pinned = {"balanced.ram.required": 700 * 2.0**30}
    SizingRun.objects.filter(pk=run.pk).update(overrides=pinned)
    assert "700\u00a0GiB" in browser.get(address, {"days": "6.5"}).content.decode()


def test_an_error_beside_a_field_that_is_typed_in_does_not_take_the_focus():
    browser, address = trying()
    tried = {"accelerator": "h100-sxm5-80gb"}
    part = browser.get(address, tried, headers={"hx-request": "true"}).content.decode()
    assert "Say how many of them." in part or "say how many of them." in part
    assert "autofocus" not in part
    assert "autofocus" in browser.get(address, tried).content.decode()
