"""A served portal: DEBUG off, static files under hashed names, secure cookies, error pages of its own."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path, reverse
from django.utils import translation

from assessments.models import Draft
from portal import urls
from portal.accounts.models import User
from portal.env import ROOT
from portal.web import errors

HASHED = re.compile(r"\.[0-9a-f]{12}\.(css|js|woff2|svg)$")
SERVED = {
    "DEBUG": "false",
    "SECRET_KEY": "k" * 60,
    "ALLOWED_HOSTS": "sizing.example.com",
    "SITE_URL": "https://sizing.example.com",
    "DATABASE_URL": "postgresql://app@db:5432/sizewright",
    "REDIS_URL": "redis://cache:6379/0",
    "MAIL_URL": "smtp://mail.example.com",
}
ASKED = [
    "DEBUG",
    "SECURE_SSL_REDIRECT",
    "SECURE_HSTS_SECONDS",
    "SECURE_HSTS_INCLUDE_SUBDOMAINS",
    "SESSION_COOKIE_SECURE",
    "CSRF_COOKIE_SECURE",
    "LANGUAGE_COOKIE_SECURE",
    "SESSION_COOKIE_HTTPONLY",
    "CSRF_COOKIE_HTTPONLY",
]


def broken(_request: HttpRequest) -> HttpResponse:
    """A page with a fault."""
    raise RuntimeError("secret detail of the fault")


urlpatterns = [path("broken/", broken), *urls.urlpatterns]
handler400, handler403, handler404, handler500 = urls.handler400, urls.handler403, urls.handler404, urls.handler500


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Static files collected once under hashed names."""
    return tmp_path_factory.mktemp("staticfiles")


@pytest.fixture
def served(settings, collected):
    """The storage of a served portal, filled."""
    settings.DEBUG = False
    settings.STATIC_ROOT = collected
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    }
    if not (collected / "staticfiles.json").exists():
        call_command("collectstatic", interactive=False, verbosity=0)
    staticfiles_storage.hashed_files = staticfiles_storage.load_manifest()[0]
    return collected


def static_files(html: str) -> set[str]:
    """Static files that a page asks for, without the leading path."""
    return {found.partition("#")[0] for found in re.findall(r'(?:href|src)="/static/([^"]+)"', html)}


@pytest.mark.django_db
def test_pages_name_hashed_files_that_were_collected(served):
    client = Client(headers={"accept-language": "en"})
    client.post(reverse("pages:draft_new"))
    draft = Draft.objects.get()
    staff = Client()
    staff.force_login(User.objects.create_superuser("root@example.org"))
    pages = {
        "start": client.get(reverse("web:start")),
        "form": client.get(reverse("pages:step", args=[draft.pk, "dataset"])),
        "admin": staff.get(reverse("admin:index")),
    }
    for name, response in pages.items():
        assert response.status_code == 200, name
        files = static_files(response.content.decode())
        assert len(files) > 3, name
        assert [file for file in files if not HASHED.search(file)] == [], name
        assert [file for file in files if not (served / file).is_file()] == [], name


def test_styles_lead_to_hashed_fonts(served):
    styles = staticfiles_storage.stored_name("css/tokens.css")
    fonts = re.findall(r'url\("?([^")]+)"?\)', (served / styles).read_text(encoding="utf-8"))
    assert fonts
    for font in fonts:
        assert HASHED.search(font)
        assert (served / "css" / font).resolve().is_file()


def test_texts_are_compressed_ahead(served):
    name = staticfiles_storage.stored_name("css/components.css")
    assert (served / f"{name}.gz").stat().st_size < (served / name).stat().st_size / 2


def test_a_served_portal_is_for_https_only():
    script = (
        f"import json; from portal import settings as s; print(json.dumps({{n: getattr(s, n) for n in {ASKED!r}}}))"
    )
    output = subprocess.run(
        [sys.executable, "-c", script], env=SERVED | {"PATH": ""}, cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    found = json.loads(output)
    assert found.pop("DEBUG") is False
    assert found.pop("SECURE_HSTS_SECONDS") == 365 * 24 * 3600
    assert all(found.values()), found


@pytest.mark.django_db
def test_plain_http_is_sent_to_https_and_told_to_stay(settings):
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_HSTS_SECONDS = 60
    assert Client().get("/")["Location"] == "https://testserver/"
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/", secure=True)["Strict-Transport-Security"].startswith("max-age=60")


WORDS = {
    ("en", 404): ("No such page, or it is not yours", "Check which address you signed in with."),
    ("ru", 404): ("Страницы нет, или она не ваша", "Проверьте, с каким адресом вы вошли."),
    ("en", 500): ("A fault on our side", "Your answers are safe."),
    ("ru", 500): ("Сбой у нас", "Ответы сохранены."),
}


@pytest.mark.django_db
@pytest.mark.urls(__name__)
@pytest.mark.parametrize(("language", "code"), WORDS)
def test_error_pages_speak_the_readers_language_and_tell_no_detail(settings, language, code):
    settings.DEBUG = False
    client = Client(headers={"accept-language": language}, raise_request_exception=False)
    response = client.get("/broken/" if code == 500 else "/nowhere/")
    html = response.content.decode()
    assert response.status_code == code
    assert f'<html lang="{language}">' in html
    for words in WORDS[language, code]:
        assert words in html
    assert "secret detail" not in html
    assert "Traceback" not in html
    assert response["Content-Security-Policy"].startswith("default-src 'none'")


@pytest.mark.django_db
@pytest.mark.urls(__name__)
def test_a_fault_names_the_case_that_stands_in_the_log(settings):
    settings.DEBUG = False
    client = Client(headers={"accept-language": "en"}, raise_request_exception=False)
    response = client.get("/broken/")
    assert f"Case {response['X-Request-ID']}" in response.content.decode()


def test_the_page_of_a_fault_needs_no_database():
    with translation.override("en"):
        response = errors.server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert "A fault on our side" in response.content.decode()


@pytest.mark.django_db
def test_a_form_from_another_session_is_told_what_to_do(settings):
    settings.DEBUG = False
    client = Client(enforce_csrf_checks=True, headers={"accept-language": "ru"})
    response = client.post(reverse("pages:draft_new"))
    assert response.status_code == 403
    assert "Сеанс истёк" in response.content.decode()
