"""The intake in a real browser: with and without script, on a lost connection, by keyboard, without jumps."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.assessments.pages.test_intake import LLAMA
from tests.stack import Stack

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser

SHIFTS = """() => { window.shifts = 0; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift" }); }"""
STEPS = ("strategy", "model", "dataset", "cycle", "horizon", "facility", "business")


def begin(page: "Page") -> str:
    """The address of a new draft."""
    page.goto("/")
    page.locator("form[action$='/drafts/new/'] button").first.click()
    page.wait_for_url("**/drafts/*/")
    return page.url


def saved(page: "Page", change: str) -> None:
    """Leave the field that was just typed and wait until the change arrived."""
    with page.expect_response(lambda response: response.request.method == "POST" and response.ok):
        page.locator(change).press("Tab")


def test_a_change_is_kept_without_pressing_save(page: "Page") -> None:
    draft = begin(page)
    page.goto(f"{draft}dataset/")
    page.fill("#id_volume", "40,5")
    saved(page, "#id_volume")
    page.get_by_text("Read as 40.5\u00a0GB").wait_for()
    page.goto(draft)
    page.goto(f"{draft}dataset/")
    assert page.input_value("#id_volume") == "40,5"


def test_a_lost_connection_is_said_and_made_good(page: "Page", context: "BrowserContext") -> None:
    draft = begin(page)
    page.goto(f"{draft}dataset/")
    context.set_offline(True)
    page.fill("#id_volume", "40")
    page.locator("#id_volume").press("Tab")
    page.get_by_text("Not saved, retrying.").wait_for()
    assert page.input_value("#id_volume") == "40"
    context.set_offline(False)
    page.locator("#saved").get_by_text("Draft saved at").wait_for(timeout=15_000)
    page.reload()
    assert page.input_value("#id_volume") == "40"


def test_an_uploaded_config_is_read_at_once_and_replaced_by_the_next(page: "Page", tmp_path: Path) -> None:
    draft = begin(page)
    page.goto(f"{draft}model/")
    page.check("input[name=described_by][value=config]")
    for name, layers in (("first.json", 32), ("second.json", 16)):
        file = tmp_path / name
        file.write_text(json.dumps(LLAMA | {"num_hidden_layers": layers}))
        page.set_input_files("#id_config_file", file)
        page.get_by_text(f"Last file: {name}").wait_for()
        assert json.loads(page.input_value("#id_config_text"))["num_hidden_layers"] == layers
    page.get_by_text("layers: 16").wait_for()


def test_the_estimate_follows_without_a_jump(page: "Page") -> None:
    draft = begin(page)
    page.goto(f"{draft}strategy/")
    page.check("input[name=method][value=full]")
    page.locator("#estimate dl.measures").wait_for()
    page.evaluate(SHIFTS)
    for method in ("lora", "full", "from_scratch", "full", "qlora") * 2:
        with page.expect_response("**/estimate/"):
            page.check(f"input[name=method][value={method}]")
        page.wait_for_timeout(100)
    assert page.evaluate("window.shifts") < 0.01
    assert page.evaluate("document.activeElement.value") == "qlora"


def test_an_error_takes_the_focus_and_leads_to_its_field(page: "Page") -> None:
    draft = begin(page)
    page.goto(f"{draft}strategy/")
    page.get_by_role("button", name="Save and continue").click()
    page.locator(".error-summary:focus").wait_for()
    assert page.title().startswith("Error: ")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#id_method_0:focus").wait_for()


def test_the_back_button_brings_back_what_was_typed(page: "Page") -> None:
    draft = begin(page)
    page.goto(f"{draft}cycle/")
    page.fill("#id_wanted", "two")
    page.get_by_role("button", name="Save and return to the sections").click()
    page.wait_for_url(draft)
    page.go_back()
    assert page.input_value("#id_wanted") == "two"
    page.reload()
    assert page.input_value("#id_wanted") == "two"


@pytest.mark.parametrize("width", [1440, 390])
def test_every_step_is_free_of_accessibility_violations_and_console_errors(
    browser: "Browser", stack: Stack, width: int
) -> None:
    context = browser.new_context(base_url=stack.url, locale="ru-RU", viewport={"width": width, "height": 900})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    draft = begin(page)
    for step in ("", *(f"{step}/" for step in STEPS), "check/", "import/", "link/", "delete/"):
        page.goto(f"{draft}{step}")
        found = Axe().run(page).response["violations"]
        assert [(violation["id"], step) for violation in found] == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), step
    context.close()
    assert complaints == []


def test_the_intake_is_answered_without_script(browser: "Browser", stack: Stack) -> None:
    context = browser.new_context(base_url=stack.url, locale="en-GB", java_script_enabled=False)
    page = context.new_page()
    draft = begin(page)
    page.goto(f"{draft}strategy/")
    go = page.get_by_role("button", name="Save and continue")
    page.check("input[name=method][value=lora]")
    page.fill("#id_lora_rank", "16")
    go.click()
    page.check("input[name=described_by][value=name]")
    page.fill("#id_preset", "Llama 3.1 8B")
    go.click()
    page.fill("#id_volume", "40")
    page.check("#id_tokens_unknown")
    page.get_by_text("We derive it from the volume. To find out").wait_for()
    go.click()
    page.check("#id_wanted_unknown")
    go.click()
    page.check("input[name=use][value=one_off]")
    go.click()
    go.click()
    page.fill("#id_organization", "Example")
    go.click()
    assert page.url == f"{draft}check/"
    page.fill("#id_email", "without.script@example.com")
    page.check("#id_consent")
    page.get_by_role("button", name="Submit for assessment").click()
    assert "/account/" in page.url
    context.close()
