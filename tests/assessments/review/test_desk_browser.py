"""The desk in a real browser: readable for everybody, in both languages, and worked by keyboard alone."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.e2e.test_main_job import sign_in_staff
from tests.stack import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

REQUEST = """
import json
from assessments.models import Inquiry
from assessments.intake.submission import Submission
from assessments.services import inquiries
from portal.accounts.demo import CUSTOMER
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from tests.factories import TASK
by = Viewer.of(User.objects.get(email=CUSTOMER))
made, _is_new = inquiries.inquiry_create(
    submission=Submission(task=TASK, context={"business_task": "A support assistant."}),
    language="en", by=by, organization=inquiries.organization_of(by), idempotency_key="desk",
)
print(json.dumps([made.pk, made.state]))
"""
STATE = "import json; from assessments.models import Inquiry; print(json.dumps(Inquiry.objects.get(pk={pk}).state))"


def in_review(stack: Stack) -> str:
    """The address of a request that the stack's worker has sized."""
    pk, state = stack.python(REQUEST)
    for _second in range(60):
        if state == "in_review":
            return f"/admin/assessments/inquiry/{pk}/change/"
        time.sleep(1)
        state = stack.python(STATE.format(pk=pk))
    raise AssertionError(f"the request is still {state}")


def serious(page: "Page") -> list[str]:
    """Violations that keep people out, of our own parts and the theme's."""
    found = Axe().run(page).response["violations"]
    return [
        f"{item['id']}: {node['html'][:160]}"
        for item in found
        if item["impact"] in {"serious", "critical"}
        for node in item["nodes"]
    ]


def picture(page: "Page", name: str) -> None:
    """A picture of the page, where somebody asked for them."""
    folder = os.environ.get("DESK_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize(("language", "locale"), [("en", "en-GB"), ("ru", "ru-RU")])
def test_axe_finds_nothing_serious_on_queue_review_and_adjustment(
    stack: Stack, browser: "Browser", language: str, locale: str
) -> None:
    address = in_review(stack)
    context = browser.new_context(base_url=stack.url, locale=locale, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    problems: list[str] = []
    page.on(
        "console",
        lambda message: problems.append(f"{message.text} {message.location}") if message.type == "error" else None,
    )
    sign_in_staff(page, stack, "engineer@example.org")
    found = {}
    for name, path in {
        "queue": "/admin/assessments/inquiry/",
        "review": address,
        "adjust": address.replace("/change/", "/adjust/"),
        "timeline": address.replace("/change/", "/history/"),
    }.items():
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.locator("html").get_attribute("lang") == language
        picture(page, f"{name}-{language}")
        found[name] = serious(page)
    context.close()
    assert problems == []
    assert found == {name: [] for name in found}


def test_a_number_opens_its_derivation_where_it_stands_by_keyboard(stack: Stack, page: "Page") -> None:
    address = in_review(stack)
    sign_in_staff(page, stack, "engineer@example.org")
    page.goto(address)
    number = page.locator("button.sw-number").first
    number.focus()
    page.keyboard.press("Enter")
    opened = page.locator(".sw-derivation:popover-open")
    opened.wait_for()
    picture(page, "derivation")
    assert opened.locator("strong").first.inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    assert not page.locator(".sw-derivation:popover-open").count()
    assert number.evaluate("e => e === document.activeElement")


def test_a_refused_dialog_keeps_what_was_typed(stack: Stack, page: "Page") -> None:
    address = in_review(stack)
    sign_in_staff(page, stack, "engineer@example.org")
    page.goto(address)
    page.locator("a", has_text="Write the summary").first.click()
    box = page.locator("#modal-content")
    box.locator("[name=summary]").fill("Two cards do it.")
    pk = address.split("/")[4]
    stack.python(
        "import json; from assessments.models import Assessment; from django.db.models import F; "
        f"print(json.dumps(Assessment.objects.filter(inquiry={pk}).update(version=F('version') + 1, summary='One.')))"
    )
    box.locator("button[type=submit]").click()
    box.get_by_text("The assessment was changed meanwhile").wait_for()
    picture(page, "conflict")
    assert box.locator("[name=summary]").input_value() == "Two cards do it."
    box.locator("button[type=submit]").click()
    page.get_by_text("The summary is kept.").wait_for()
