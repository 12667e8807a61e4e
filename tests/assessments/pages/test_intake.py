"""The intake's pages: nothing typed is lost, errors are found, a draft is one reader's, two sendings are one."""

import json
import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assessments.models import Draft, Inquiry
from portal.accounts.doors import ensure_organization, person_for
from tests.assessments.intake.answers import COMPLETE

pytestmark = pytest.mark.django_db

RU = {"HTTP_ACCEPT_LANGUAGE": "ru"}
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
}


def begin(client: Client) -> Draft:
    """A new draft of this browser."""
    response = client.post(reverse("pages:draft_new"))
    draft = Draft.objects.latest("created_at")
    assert response["Location"] == reverse("pages:draft", args=[draft.pk])
    return draft


def url(draft: Draft, key: str) -> str:
    return reverse("pages:step", args=[draft.pk, key])


def base_in(page: Any) -> str:
    """The hidden field of a shown page."""
    found = re.search(r'name="base" id="base" value="([^"]*)"', page.content.decode())
    assert found is not None
    return found[1].replace("&quot;", '"')


def complete(client: Client) -> Draft:
    """A draft with every answer."""
    draft = begin(client)
    draft.answers = COMPLETE
    draft.save()
    return draft


def test_a_draft_begins_without_an_account_and_says_until_when_it_is_kept(client: Client) -> None:
    draft = begin(client)
    cookie = client.cookies["sizewright_draft"]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 90 * 24 * 3600
    page = client.get(reverse("pages:draft", args=[draft.pk]), **RU)
    assert "Черновик сохранён в" in page.content.decode()
    assert "хранится до" in page.content.decode()


def test_half_a_step_survives_going_back_to_the_sections(client: Client) -> None:
    draft = begin(client)
    response = client.post(url(draft, "dataset"), {"volume": "сорок", "epochs": "2", "go": "list"})
    assert response["Location"] == reverse("pages:draft", args=[draft.pk])
    page = client.get(url(draft, "dataset"))
    assert 'value="сорок"' in page.content.decode()
    draft.refresh_from_db()
    assert draft.answers["dataset"] == {"volume": "сорок", "epochs": "2"}


def test_an_invalid_step_keeps_what_was_typed_and_leads_to_the_field(client: Client) -> None:
    draft = begin(client)
    page = client.post(
        url(draft, "dataset"), {"volume": "40", "volume_unit": "gb", "epochs": "3,2,.2", "go": "next"}, **RU
    )
    text = page.content.decode()
    assert re.search(r"<title>Ошибка: Датасет – ", text)
    assert re.search(r'<div class="error-summary" role="alert" tabindex="-1"[^>]* autofocus>', text)
    assert '<a href="#id_epochs">' in text
    assert 'value="3,2,.2"' in text
    assert 'aria-invalid="true"' in text
    draft.refresh_from_db()
    assert draft.answers["dataset"]["epochs"] == "3,2,.2"


def test_the_error_of_a_radio_group_leads_to_its_first_option(client: Client) -> None:
    draft = begin(client)
    text = client.post(url(draft, "strategy"), {"go": "next"}).content.decode()
    assert '<a href="#id_method_0">' in text
    assert 'id="id_method_0"' in text


def test_a_page_that_is_just_opened_shows_no_error(client: Client) -> None:
    draft = begin(client)
    assert "error-summary" not in client.get(url(draft, "strategy")).content.decode()


@pytest.mark.parametrize("typed", ["1 500,5", "1\u00a0500,5", "1\u202f500.5", "1,500.5"])
def test_the_form_reads_a_comma_and_every_space_in_both_languages(client: Client, typed: str) -> None:
    draft = begin(client)
    for language in ("ru", "en"):
        client.post(
            url(draft, "dataset"), {"volume": "1", "epochs": typed, "go": "list"}, HTTP_ACCEPT_LANGUAGE=language
        )
        page = client.get(url(draft, "dataset"), HTTP_ACCEPT_LANGUAGE=language)
        expected = {"ru": "Поняли как 1\u202f500,5", "en": "Read as 1,500.5"}[language]
        assert expected in page.content.decode()


def test_htmx_saves_one_change_and_says_how_it_was_read(client: Client) -> None:
    draft = begin(client)
    part = client.post(
        url(draft, "dataset"),
        {"volume": "40", "volume_unit": "gb", "base": "{}"},
        HTTP_HX_REQUEST="true",
        HTTP_HX_TRIGGER_NAME="volume",
    )
    text = part.content.decode()
    assert "<html" not in text
    assert "Read as 40\u00a0GB" in text
    assert 'id="saved"' in text
    draft.refresh_from_db()
    assert draft.answers["dataset"] == {"volume": "40", "volume_unit": "gb"}


def test_two_windows_lose_nothing(client: Client) -> None:
    draft = begin(client)
    base = base_in(client.get(url(draft, "cycle")))
    client.post(url(draft, "cycle"), {"wanted": "14", "wanted_unit": "d", "base": base, "go": "list"})
    other = client.post(
        url(draft, "cycle"), {"wanted": "7", "wanted_unit": "d", "latest": "28", "base": base, "go": "next"}
    )
    text = other.content.decode()
    assert "There is another version of this page" in text
    assert 'name="wanted" value="7"' in text
    assert "It says: “14”" in text
    draft.refresh_from_db()
    assert draft.answers["cycle"] == {"wanted": "14", "wanted_unit": "d", "latest": "28"}
    client.post(
        url(draft, "cycle"), {"wanted": "7", "wanted_unit": "d", "latest": "28", "base": base_in(other), "go": "list"}
    )
    draft.refresh_from_db()
    assert draft.answers["cycle"]["wanted"] == "7"


def test_two_tabs_of_one_browser_are_two_drafts(client: Client) -> None:
    first, second = begin(client), begin(client)
    client.post(url(first, "cycle"), {"wanted": "14", "go": "list"})
    client.post(url(second, "cycle"), {"wanted": "7", "go": "list"})
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.answers["cycle"]["wanted"], second.answers["cycle"]["wanted"]) == ("14", "7")
    assert client.get(reverse("pages:draft", args=[first.pk])).status_code == 200


@pytest.mark.parametrize("name", ["draft", "draft_check", "submit", "draft_delete"])
def test_another_browser_never_sees_a_draft(client: Client, name: str) -> None:
    draft = begin(client)
    assert Client().get(reverse(f"pages:{name}", args=[draft.pk])).status_code == 404
    assert Client().post(url(draft, "cycle"), {"wanted": "1"}).status_code == 404
    draft.refresh_from_db()
    assert draft.answers == {}


def test_a_new_upload_replaces_the_old_one(client: Client) -> None:
    draft = begin(client)
    for name, layers in (("first.json", 32), ("second.json", 16)):
        upload = SimpleUploadedFile(
            name, json.dumps(LLAMA | {"num_hidden_layers": layers}).encode(), content_type="application/json"
        )
        client.post(
            url(draft, "model"),
            {
                "described_by": "config",
                "config_file": upload,
                "base": base_in(client.get(url(draft, "model"))),
                "go": "next",
            },
        )
    text = client.get(url(draft, "model")).content.decode()
    assert "second.json" in text
    assert "first.json" not in text
    assert "layers: 16" in text
    client.post(url(draft, "model"), {"described_by": "config", "config_text": json.dumps(LLAMA), "go": "list"})
    assert "second.json" in client.get(url(draft, "model")).content.decode()
    draft.refresh_from_db()
    assert json.loads(draft.answers["model"]["config_text"])["num_hidden_layers"] == 16


def test_a_draft_is_deleted_at_once(client: Client) -> None:
    draft = begin(client)
    where = reverse("pages:draft_delete", args=[draft.pk])
    assert client.get(where).status_code == 200
    assert Draft.objects.filter(pk=draft.pk).exists()
    client.post(where)
    assert not Draft.objects.filter(pk=draft.pk).exists()
    assert client.get(reverse("pages:draft", args=[draft.pk])).status_code == 404


def test_the_check_page_marks_assumptions_and_remarks(client: Client) -> None:
    draft = complete(client)
    draft.answers = {**COMPLETE, "model": {**COMPLETE["model"], "context_tokens": "256k"}}
    draft.save()
    text = client.get(reverse("pages:draft_check", args=[draft.pk]), **RU).content.decode()
    assert "2 значения мы взяли сами" in text
    assert "1 замечание не мешает отправить" in text
    assert "Контекст длиннее, чем знает модель." in text


def test_sending_needs_every_answer_an_address_and_consent(client: Client) -> None:
    draft = begin(client)
    text = client.post(reverse("pages:submit", args=[draft.pk]), **RU).content.decode()
    assert "<title>Ошибка: Проверьте ответы" in text
    assert f'href="{url(draft, "strategy")}?check#id_method_0"' in text
    assert 'href="#id_email"' in text
    assert 'href="#id_consent"' in text
    assert Inquiry.objects.count() == 0


@pytest.mark.usefixtures("empty_cache")
def test_an_anonymous_sender_is_asked_for_a_code(client: Client) -> None:
    draft = complete(client)
    where = reverse("pages:submit", args=[draft.pk])
    response = client.post(where, {"email": "new@example.com", "consent": "on"})
    assert response["Location"] == f"{reverse('account_confirm_login_code')}?next={where}"
    assert Inquiry.objects.count() == 0
    draft.refresh_from_db()
    assert draft.answers["submit"]["email"] == "new@example.com"


def test_a_robot_that_fills_the_hidden_field_sends_nothing(client: Client) -> None:
    draft = complete(client)
    client.post(reverse("pages:submit", args=[draft.pk]), {"email": "new@example.com", "consent": "on", "website": "x"})
    draft.refresh_from_db()
    assert "submit" not in draft.answers


@pytest.mark.usefixtures("empty_cache", "loaded_catalog")
def test_after_the_code_the_request_is_sent_by_itself(client: Client) -> None:
    draft = complete(client)
    where = reverse("pages:submit", args=[draft.pk])
    client.post(where, {"email": "new@example.com", "consent": "on"})
    person = person_for("new@example.com")
    assert person is not None
    ensure_organization(person, name="Example")
    client.force_login(person)
    response = client.get(where)
    assert response["Location"] == reverse("pages:request", args=[Inquiry.objects.get().number])


@pytest.mark.usefixtures("loaded_catalog")
def test_sending_twice_makes_one_request(client: Client) -> None:
    draft = complete(client)
    person = person_for("customer@example.com")
    assert person is not None
    ensure_organization(person, name="Example")
    client.force_login(person)
    where = reverse("pages:submit", args=[draft.pk])
    first = client.post(where, {"consent": "on"})
    again = client.post(where, {"consent": "on"})
    inquiry = Inquiry.objects.get()
    assert first["Location"] == again["Location"] == reverse("pages:request", args=[inquiry.number])
    assert client.get(url(draft, "cycle"))["Location"] == first["Location"]
    assert client.get(where)["Location"] == first["Location"]


def test_nothing_is_sent_by_opening_the_address(client: Client) -> None:
    draft = complete(client)
    person = person_for("customer@example.com")
    assert person is not None
    ensure_organization(person, name="Example")
    client.force_login(person)
    assert client.get(reverse("pages:submit", args=[draft.pk]))["Location"] == reverse(
        "pages:draft_check", args=[draft.pk]
    )
    assert Inquiry.objects.count() == 0


def test_an_unknown_step_or_scenario_is_not_found(client: Client) -> None:
    draft = begin(client)
    assert client.get(url(draft, "strategy-2")).status_code == 404
    assert client.get(url(draft, "budget")).status_code == 404
    assert client.get(reverse("pages:draft", args=[uuid4()])).status_code == 404


def test_a_second_scenario_is_added_and_asked_for(client: Client) -> None:
    draft = complete(client)
    response = client.post(reverse("pages:draft_scenario", args=[draft.pk]), {"do": "add"})
    assert response["Location"] == url(draft, "strategy-2")
    assert "Training strategy, scenario 2" in client.get(url(draft, "strategy-2")).content.decode()


def test_a_link_opens_the_draft_on_another_device(client: Client) -> None:
    draft = begin(client)
    text = client.get(reverse("pages:draft_link", args=[draft.pk])).content.decode()
    found = re.search(r'id="id_link" value="http://testserver([^"]+)"', text)
    assert found is not None
    other = Client()
    assert other.get(found[1])["Location"] == reverse("pages:draft", args=[draft.pk])
    assert other.get(reverse("pages:draft", args=[draft.pk])).status_code == 200
    assert Client().get(found[1][:-4] + "xxx/").status_code == 404


def test_what_was_typed_when_the_session_ended_is_saved_after_signing_in(client: Client) -> None:
    person = person_for("customer@example.com")
    assert person is not None
    draft = begin(Client())
    draft.owner = person
    draft.save()
    client.force_login(person)
    client.session.flush()
    response = client.post(url(draft, "cycle"), {"wanted": "14", "wanted_unit": "d", "base": "{}", "go": "next"})
    assert response["Location"] == f"{reverse('account_login')}?next={url(draft, 'cycle')}"
    draft.refresh_from_db()
    assert draft.answers == {}
    client.force_login(person)
    assert 'value="14"' in client.get(url(draft, "cycle")).content.decode()
    draft.refresh_from_db()
    assert draft.answers["cycle"] == {"wanted": "14", "wanted_unit": "d"}
