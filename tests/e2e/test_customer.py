"""What customers do around an assessment: leave and return, read, try, share, download, with and without script."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.test_main_job import answer, code_of, latest
from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.walk]

ADDRESS = re.compile(r"/requests/SW-\d{4}-\d+/$")
SHIFTS = """window.shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
PRESSES = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A request with a finished assessment, and the cookies of whoever sent it."""

    address: str
    state: Any
    shifts: float
    complaints: list[str]

    @property
    def number(self) -> str:
        return self.address.rstrip("/").rpartition("/")[2]


def begin(page: Page) -> str:
    """The address of a new draft."""
    page.goto("/")
    page.get_by_role("button", name="Start the assessment").first.click()
    page.wait_for_url("**/drafts/*/")
    return page.url


def finish_answers(page: Page, draft: str) -> None:
    """Every step after the first."""
    answer(
        page, draft, "model", checks=["described_by=name", "inputs=text"], preset="llama-3.1-8b", context_tokens="4096"
    )
    answer(page, draft, "dataset", checks=["profile=continuous_text"], volume="2", volume_unit="gb", epochs="2")
    answer(page, draft, "cycle", wanted="24", latest="72")
    answer(page, draft, "horizon", checks=["use=platform"])
    answer(page, draft, "business", purpose="Answers from our regulations.", organization="Return & Co")
    answer(page, draft, "facility", checks=["place=server_room", "cooling=air"], rack_kw="15")


def submit(page: Page, stack: Stack, draft: str, email: str) -> str:
    """Send the draft, prove the address with the code, arrive at the request."""
    page.goto(f"{draft}check/")
    page.locator("[name=email]").fill(email)
    page.locator("[name=consent]").check()
    page.get_by_role("button", name="Submit for assessment").click()
    page.locator("[name=code]").fill(code_of(latest(stack, email, "code")))
    page.locator("main button[type=submit]").first.click()
    page.wait_for_url(ADDRESS)
    return page.url


@pytest.fixture(scope="module")
def submitted(browser: Browser, stack: Stack) -> Submitted:
    """A customer who began, closed the page, came back, submitted and watched until the result stood there."""
    context = browser.new_context(base_url=stack.url, locale="en-GB")
    context.add_init_script(SHIFTS)
    first = context.new_page()
    draft = begin(first)
    answer(first, draft, "strategy", checks=["method=lora", "objective=loss"])
    first.close()
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto("/")
    page.goto(f"{draft}strategy/")
    assert page.locator("[name=method][value=lora]").is_checked()
    finish_answers(page, draft)
    address = submit(page, stack, draft, "return@walk.example")
    expect(page.locator("#options")).to_be_visible(timeout=60_000)
    shifts = page.evaluate("window.shifts")
    state = context.storage_state()
    context.close()
    return Submitted(address=address, state=state, shifts=shifts, complaints=complaints)


@pytest.fixture
def member(browser: Browser, stack: Stack, submitted: Submitted) -> Iterator[BrowserContext]:
    """The customer's browser, another day."""
    context = browser.new_context(base_url=stack.url, locale="en-GB", storage_state=submitted.state)
    yield context
    context.close()


def test_the_way_to_the_result_neither_jumps_nor_complains(submitted: Submitted) -> None:
    assert submitted.shifts < 0.01
    assert submitted.complaints == []


def test_a_shared_link_shows_the_result_until_it_is_taken_back(
    member: BrowserContext, browser: Browser, stack: Stack, submitted: Submitted
) -> None:
    page = member.new_page()
    page.goto(submitted.address)
    page.locator("#share select").select_option("7")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("#address").input_value()
    colleague = browser.new_context(base_url=stack.url, locale="ru-RU", viewport={"width": 390, "height": 844})
    reader = colleague.new_page()
    reader.goto(link)
    expect(reader.locator("#options")).to_be_visible()
    assert Axe().run(reader).response["violations"] == []
    assert not reader.evaluate(WIDER)
    assert colleague.request.get(submitted.address).status == 404
    page.get_by_role("link", name="Back to the assessment").click()
    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_text("The link no longer works.")).to_be_visible()
    assert colleague.request.get(link).status == 404
    colleague.close()


def test_other_numbers_are_tried_without_touching_the_request(member: BrowserContext, submitted: Submitted) -> None:
    page = member.new_page()
    before = member.request.get(f"{submitted.address}result.json").json()
    page.goto(submitted.address)
    page.get_by_role("link", name="Try other numbers").click()
    expect(page.get_by_role("heading", name="As in the request")).to_be_visible()
    card = page.locator("[name=accelerator]")
    card.focus()
    card.select_option(label="H100 SXM5 80\u00a0GB")
    expect(page.locator("#outcome .error-summary")).to_contain_text("say how many of them")
    expect(card).to_be_focused()
    page.locator("[name=gpus]").fill("4")
    page.locator("[name=gpus]").press("Tab")
    expect(page.get_by_role("heading", name="With these numbers")).to_be_visible()
    expect(page.locator("#outcome .compare")).to_contain_text("4 × H100 SXM5")
    assert page.evaluate("document.activeElement !== document.body")
    assert member.request.get(f"{submitted.address}result.json").json() == before


def test_the_result_is_downloaded_as_json(member: BrowserContext, submitted: Submitted) -> None:
    page = member.new_page()
    page.goto(submitted.address)
    with page.expect_download() as started:
        page.get_by_role("link", name="JSON").click()
    assert started.value.suggested_filename == f"{submitted.number}-r1.json"
    result = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert result["schema"] == "result/1"
    assert [option["key"] for option in result["options"]]


def test_a_chosen_language_is_remembered(member: BrowserContext, browser: Browser, submitted: Submitted) -> None:
    page = member.new_page()
    page.goto(submitted.address)
    page.get_by_role("button", name="Русский", exact=True).click()
    expect(page.get_by_role("heading", name="Память одного GPU")).to_be_visible()
    assert page.url.endswith(submitted.address.rpartition("/requests/")[2])
    page.close()
    later = member.new_page()
    later.goto("/requests/")
    assert later.locator("html").get_attribute("lang") == "ru"
    later.get_by_role("button", name="English", exact=True).click()
    assert later.locator("html").get_attribute("lang") == "en"


def tab_to(page: Page, text: str) -> None:
    """Press Tab until the focused link or button says `text`."""
    for _press in range(PRESSES):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").strip().startswith(text):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError(f"no focus on {text!r} after {PRESSES} presses")


def test_a_result_is_reached_and_downloaded_by_keyboard_alone(member: BrowserContext, submitted: Submitted) -> None:
    page = member.new_page()
    page.goto("/requests/")
    tab_to(page, "Skip to content")
    page.keyboard.press("Enter")
    title = page.locator(f"a[href='/requests/{submitted.number}/']").first.inner_text().strip()
    tab_to(page, title)
    page.keyboard.press("Enter")
    page.wait_for_url(ADDRESS)
    tab_to(page, "JSON")
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    assert started.value.suggested_filename.endswith(".json")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_around_the_result_are_accessible_on_a_narrow_window(
    browser: Browser, stack: Stack, submitted: Submitted, scheme: Any
) -> None:
    context = browser.new_context(
        base_url=stack.url,
        locale="ru-RU",
        color_scheme=scheme,
        storage_state=submitted.state,
        viewport={"width": 320, "height": 700},
    )
    page = context.new_page()
    for path in ("/requests/", submitted.address, f"{submitted.address}what-if/", f"{submitted.address}withdraw/"):
        page.goto(path)
        assert [(violation["id"], path) for violation in Axe().run(page).response["violations"]] == []
        page.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
        assert not page.evaluate(WIDER), path
    context.close()


def test_the_code_page_and_an_ended_session_are_accessible(page: Page, context: BrowserContext) -> None:
    page.goto("/account/login/")
    page.locator("main input[type=email]").fill("nobody@walk.example")
    page.locator("main button[type=submit]").first.click()
    expect(page.locator("[name=code]")).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    context.clear_cookies()
    page.locator("main button[type=submit]").first.click()
    expect(page.get_by_role("heading", name="Your session ended")).to_be_visible()
    assert Axe().run(page).response["violations"] == []


def test_a_customer_without_script_gets_a_result(browser: Browser, stack: Stack) -> None:
    context = browser.new_context(base_url=stack.url, locale="en-GB", java_script_enabled=False)
    page = context.new_page()
    draft = begin(page)
    answer(page, draft, "strategy", checks=["method=lora", "objective=loss"])
    finish_answers(page, draft)
    submit(page, stack, draft, "plain@walk.example")
    for _second in range(60):
        if page.locator("#options").count():
            break
        time.sleep(1)
        page.reload()
    expect(page.get_by_text("Automatic, not reviewed by an engineer").first).to_be_visible()
    page.locator("#options .why-link").first.click()
    assert "#q-" in page.url
    expect(page.locator(f"#{page.url.partition('#')[2]}")).to_be_visible()
    context.close()
