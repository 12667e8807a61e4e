"""The shell: every explanatory page in both languages, under the strict content policy."""

import gzip
import json
import re
from importlib import resources
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from assessments.sizing import ENGINE_VERSION
from tests.factories import customer

pytestmark = pytest.mark.django_db

PUBLIC = ["web:start", "web:method", "web:sample", "web:privacy", "web:accessibility", "web:check"]
CYRILLIC = re.compile(r"[А-Яа-яЁё]")


def in_language(language: str) -> Client:
    """A browser that prefers one language."""
    return Client(headers={"accept-language": language})


def visible_text(html: str) -> str:
    """What a reader sees: without tags, scripts, and the switch to the other language."""
    html = re.sub(r"<(script|style|title|svg)[^>]*>.*?</\1>", " ", html, flags=re.DOTALL)
    html = re.sub(r'<(button|span)[^>]* lang="\w+"[^>]*>.*?</\1>', " ", html, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", html)


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.parametrize("language", ["ru", "en"])
def test_public_pages_answer_without_an_account(name, language):
    response = in_language(language).get(reverse(name))
    assert response.status_code == 200
    assert f'<html lang="{language}"' in response.content.decode()


@pytest.mark.parametrize("name", PUBLIC)
def test_english_pages_hold_no_russian(name):
    assert not CYRILLIC.search(visible_text(in_language("en").get(reverse(name)).content.decode()))


@pytest.mark.parametrize("name", PUBLIC)
def test_pages_need_no_inline_script_or_style(name):
    html = in_language("en").get(reverse(name)).content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", html)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", html)
    assert not re.search(r'(?:src|href)="https?://', html)


def test_policy_forbids_inline_and_foreign_code():
    policy = Client().get(reverse("web:start"))["Content-Security-Policy"]
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    assert "default-src 'none'" in policy


def test_language_switch_is_remembered_in_browser_and_profile():
    user = customer(language="en")
    client = in_language("en")
    client.force_login(user)
    response = client.post(reverse("web:language"), {"language": "ru", "next": "/method/"})
    assert response.url == "/method/"
    user.refresh_from_db()
    assert user.language == "ru"
    assert '<html lang="ru"' in client.get("/method/").content.decode()


def test_language_switch_does_not_lead_away():
    response = Client().post(reverse("web:language"), {"language": "ru", "next": "https://elsewhere.example/"})
    assert response.url == "/"


def test_missing_page_says_so_in_the_readers_language(settings):
    settings.DEBUG = False
    response = in_language("ru").get("/nowhere/")
    assert response.status_code == 404
    assert "Страницы нет, или она не ваша" in response.content.decode()


def test_sample_was_made_by_the_present_engine():
    result = json.loads(resources.files("portal.web").joinpath("sample", "result.json").read_text(encoding="utf-8"))
    assert result["schema"] == "result/1"
    assert result["engine"] == ENGINE_VERSION
    assert len(result["options"]) > 1


@pytest.mark.parametrize("language", ["ru", "en"])
def test_sample_pdf_can_be_fetched(language):
    response = Client().get(reverse("web:sample_document", args=[language]))
    assert response["Content-Type"] == "application/pdf"
    assert response.content.startswith(b"%PDF-")


def test_start_page_stays_under_its_weight():
    """HTML, styles and core fonts, compressed as they travel; a cold visit may take 120 kB."""
    static = Path(__file__).parents[3] / "portal" / "static"
    styles = ["tokens", "base", "components", "pages/start"]
    texts = [in_language("ru").get(reverse("web:start")).content]
    texts += [(static / "css" / f"{name}.css").read_bytes() for name in styles]
    texts.append((static / "img" / "icons.svg").read_bytes())
    weight = sum(len(gzip.compress(text)) for text in texts)
    weight += sum(file.stat().st_size for file in (static / "fonts").glob("*.woff2") if "extra" not in file.name)
    assert weight < 120_000
