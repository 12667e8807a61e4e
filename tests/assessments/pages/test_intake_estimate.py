"""The rough estimate comes from the engine, for any state of the answers."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.assessments.intake.answers import COMPLETE
from tests.assessments.pages.test_intake import begin, complete, url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded_catalog")]


def test_before_the_first_answer_it_says_when_it_begins(client: Client) -> None:
    draft = begin(client)
    text = client.get(reverse("pages:draft_estimate", args=[draft.pk])).content.decode()
    assert "The first numbers appear after the first answers." in text


def test_one_answer_is_enough(client: Client) -> None:
    draft = begin(client)
    draft.answers = {"strategy": {"method": "lora"}}
    draft.save()
    text = client.get(reverse("pages:draft_estimate", args=[draft.pk]), HTTP_HX_REQUEST="true").content.decode()
    assert "<html" not in text
    assert "Memory per GPU" in text
    assert 'id="estimate-short"' in text


def test_it_leads_to_the_answer_that_narrows_it(client: Client) -> None:
    draft = complete(client)
    text = client.get(reverse("pages:draft_estimate", args=[draft.pk]), HTTP_HX_REQUEST="true").content.decode()
    assert f'href="{url(draft, "dataset")}#id_tokens_group"' in text


def test_contradicting_answers_are_said_to_contradict(client: Client) -> None:
    draft = begin(client)
    draft.answers = {**COMPLETE, "cycle": {"wanted": "14", "wanted_unit": "d", "latest": "1", "latest_unit": "h"}}
    draft.save()
    text = client.get(reverse("pages:draft_estimate", args=[draft.pk])).content.decode()
    assert "These answers contradict each other" in text


def test_a_saved_change_tells_the_panel(client: Client) -> None:
    draft = begin(client)
    response = client.post(url(draft, "strategy"), {"method": "full", "base": "{}"}, HTTP_HX_REQUEST="true")
    assert "draft-saved" in response["HX-Trigger-After-Settle"]
