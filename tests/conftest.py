"""What every test may ask for: a broker of its own, the portal's processes, a browser."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import redis
from django.apps import apps
from django.conf import settings as portal_settings
from django.core.cache import cache, caches
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model
from django.utils import translation
from pytest_django import Settings

from portal import processes
from portal.celery import app
from portal.env import Rate
from tests.stack import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# Playwright keeps an event loop in the thread of the test, in which Django would refuse the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """SQLite has no row locks and no triggers to test."""
    if connection.vendor == "postgresql":
        return
    for item in items:
        if item.get_closest_marker("postgresql"):
            item.add_marker(pytest.mark.skip(reason="needs PostgreSQL (TEST_DATABASE_URL, or one on localhost)"))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a skipped test is a failure: a promise that nobody checked."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("Tests were skipped; in CI nothing may be.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def _broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A broker and cache for the session: the Redis that REDIS_URL names, or one of our own from the wheel."""
    if os.environ.get("REDIS_URL"):
        yield
        server = redis.Redis.from_url(os.environ["REDIS_URL"])
        for key in server.scan_iter(f"*{portal_settings.ENV.redis_prefix}*"):
            server.delete(key)
        return
    port = processes.free_port()
    broker = processes.broker(port, tmp_path_factory.mktemp("broker"), os.environ)
    broker.start()
    processes.wait_for_port(port, broker)
    address = f"redis://127.0.0.1:{port}/0"
    caches.settings["default"]["LOCATION"] = address
    with suppress(AttributeError):  # nobody has used it yet
        del caches["default"]
    app.conf.broker_url = address
    yield
    broker.stop()


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Path, settings: Settings) -> None:
    """Files that a test writes go into its own folder."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture(autouse=True)
def _rates_of_their_own(settings: Settings) -> None:
    """The whole session comes from one address; a test of a limit sets its own rate."""
    settings.LIMITS = dict.fromkeys(settings.LIMITS, Rate(times=1_000_000, seconds=86_400))


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    """Every test starts in English, whatever language the pages of the one before were read in."""
    with translation.override("en"):
        yield


@pytest.fixture
def empty_cache() -> None:
    """A cache without the counts of other tests' rate limits."""
    cache.clear()


@pytest.fixture(scope="session")
def _catalog_rows() -> dict[type[Model], list[Model]]:
    """The catalog's rows by model, once they were loaded; filled by the first test that needs them."""
    return {}


@pytest.fixture
def loaded_catalog(db: None, _catalog_rows: dict[type[Model], list[Model]]) -> None:
    """The committed catalog in the test's database; loading takes seconds, so later tests get copies of the rows."""
    models = [model for model in apps.get_app_config("catalog").get_models() if "Historical" not in model.__name__]
    if not _catalog_rows:
        call_command("load_catalog", verbosity=0)
        _catalog_rows.update({model: list(model._default_manager.all()) for model in models})
        return
    with connection.constraint_checks_disabled(), connection.cursor() as cursor:
        for model in models:
            model._default_manager.bulk_create(_catalog_rows[model])
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The portal's processes, shared by the tests of this session; they must not break it for one another."""
    running = Stack.start(tmp_path_factory.mktemp("stack"))
    yield running
    running.stop()


@pytest.fixture
def own_stack(tmp_path: Path) -> Iterator[Stack]:
    """The portal's processes for one test, which may stop, kill and wipe them."""
    running = Stack.start(tmp_path, own_broker=True)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Chromium of this machine; a missing one skips the test, never in CI."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if path is None:
        reason = f"no Chromium on PATH (looked for {', '.join(CHROMIUM_NAMES)}; or set CHROMIUM)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def context(browser: "Browser", stack: Stack) -> "Iterator[BrowserContext]":
    """A fresh browser profile on the shared stack, in English; its pages may use paths alone."""
    fresh = browser.new_context(base_url=stack.url, locale="en-GB")
    fresh.set_default_timeout(30_000)
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: "BrowserContext") -> "Page":
    """One page of a fresh profile."""
    return context.new_page()
