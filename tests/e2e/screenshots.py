"""Take pictures of every customer page: `python -m tests.e2e.screenshots [FOLDER]`, by default screenshots/."""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.conftest import CHROMIUM_NAMES
from tests.stack import Stack

SIZES = {"desktop": (1440, 900), "phone": (390, 844)}
LANGUAGES = ("ru", "en")
SCHEMES = ("light", "dark")
SIGN_IN = """
import json
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from portal.accounts.demo import CUSTOMER
from portal.accounts.models import User
user = User.objects.get(email=CUSTOMER)
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
print(json.dumps([settings.SESSION_COOKIE_NAME, session.session_key]))
"""
DRAFT = """
import json
from portal.accounts.demo import CUSTOMER
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from assessments.intake.drafts import draft_create
draft, _token = draft_create(by=Viewer.of(User.objects.get(email=CUSTOMER)), language="ru")
print(json.dumps(str(draft.pk)))
"""
READY = """
import json
from assessments.models import Document, Inquiry
print(json.dumps([Document.objects.exists(), Inquiry.objects.values_list("number", flat=True).first()]))
"""
PUBLIC = {
    "start": "/",
    "method": "/method/",
    "sample": "/sample/",
    "privacy": "/privacy/",
    "accessibility": "/accessibility/",
    "check": "/check/?number=SW-2026-0001&hash=short",
    "catalog": "/catalog/",
    "sign-in": "/account/login/",
    "missing": "/no-such-page/",
}
STEPS = ("strategy", "model", "dataset", "cycle", "horizon", "business", "facility", "check")
SECONDS_TO_WAIT = 180


def pages(number: str, draft: str) -> dict[str, str]:
    """Every page by the name of its picture."""
    intake = {f"intake-{step}": f"/drafts/{draft}/{step}/" for step in STEPS}
    own = {
        "requests": "/requests/",
        "request": f"/requests/{number}/",
        "withdraw": f"/requests/{number}/withdraw/",
        "what-if": f"/requests/{number}/what-if/",
        "profile": "/profile/",
        "organization": "/organization/",
        "components": "/components/",
        "intake": f"/drafts/{draft}/",
    }
    return PUBLIC | own | intake


def profiles(browser: Browser, stack: Stack, cookie: tuple[str, str]) -> Iterator[tuple[str, BrowserContext]]:
    """Signed-in browsers in every size, language and scheme."""
    for size, (width, height) in SIZES.items():
        for language in LANGUAGES:
            for scheme in SCHEMES:
                context = browser.new_context(
                    base_url=stack.url,
                    viewport={"width": width, "height": height},
                    locale=language,
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                context.add_cookies([{"name": cookie[0], "value": cookie[1], "url": stack.url}])
                yield f"{language}-{size}-{scheme}", context
                context.close()


def wait_for_result(stack: Stack) -> str:
    """The number of the sample request once its document is there."""
    for _second in range(SECONDS_TO_WAIT):
        is_ready, number = stack.python(READY)
        if is_ready:
            return str(number)
        time.sleep(1)
    raise SystemExit("The worker made no document: see the log in the stack's folder.")


def main(folder: Path) -> None:
    """Start a portal of its own, walk through every page, stop it."""
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)
    if chromium is None:
        raise SystemExit("No Chromium on PATH; set CHROMIUM.")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        stack = Stack.start(Path(place))
        try:
            stack.manage("sample_request")
            number, draft = wait_for_result(stack), stack.python(DRAFT)
            name, value = stack.python(SIGN_IN)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                for profile, context in profiles(browser, stack, (name, value)):
                    page = context.new_page()
                    for title, path in pages(number, draft).items():
                        page.goto(path)
                        page.screenshot(path=folder / f"{title}-{profile}.png", full_page=True)
                    sys.stdout.write(f"{profile}: {json.dumps(len(pages(number, draft)))} pages\n")
                browser.close()
        finally:
            stack.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
