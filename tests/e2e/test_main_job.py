"""The whole job, as the people do it: a customer asks, a worker sizes, an engineer approves, the customer downloads."""

import io
import re
import time
from email.message import EmailMessage

import pypdf
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.walk]

CUSTOMER = "ml-lead@walk.example"
TEXT = "A support assistant that answers from our own regulations."
SUMMARY = "Two cards do it; keep one slot free for next year."


def answer(page: Page, draft: str, step: str, *, checks: list[str] = [], **fields: str) -> None:  # noqa: B006 – never changed
    """Fill one page of the intake and save it."""
    page.goto(f"{draft}{step}/")
    for choice in checks:
        name, _equals, value = choice.partition("=")
        page.locator(f"[name={name}][value={value}]").check()
    for name, value in fields.items():
        place = page.locator(f"[name={name}]")
        if place.evaluate("e => e.tagName") == "SELECT":
            place.select_option(value)
        else:
            place.fill(value)
    page.get_by_role("button", name="Save and continue").click()


def latest(stack: Stack, to: str, word: str) -> EmailMessage:
    """The newest mail to an address with a word in its subject or text; waits for the worker to send it."""
    for _second in range(60):
        for mail in reversed(stack.mails(to=to)):
            body = mail.get_body(("plain",))
            text = str(mail["Subject"]) + (body.get_content() if body else "")
            if word in text:
                return mail
        time.sleep(1)
    raise AssertionError(f"no mail to {to} with {word!r}: {[str(m['Subject']) for m in stack.mails(to=to)]}")


def code_of(mail: EmailMessage) -> str:
    """The sign-in code in a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    found = re.search(r"\b([A-Z0-9]{3,4}-?[A-Z0-9]{3,4})\b", body.get_content())
    assert found, body.get_content()
    return found[1]


def pdf_text(content: bytes) -> str:
    """The text of a PDF, on one line."""
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


def fill_and_submit(page: Page, stack: Stack) -> str:
    """From the start page to the address of the new request."""
    page.goto("/")
    page.get_by_role("button", name="Start the assessment").first.click()
    draft = page.url
    answer(page, draft, "strategy", checks=["method=lora", "objective=loss"])
    answer(
        page, draft, "model", checks=["described_by=name", "inputs=text"], preset="llama-3.1-8b", context_tokens="4096"
    )
    answer(
        page,
        draft,
        "dataset",
        checks=["text_language=en", "profile=continuous_text"],
        volume="2",
        volume_unit="gb",
        tokens="400M",
        epochs="2",
    )
    answer(page, draft, "cycle", wanted="24", latest="72")
    answer(page, draft, "horizon", checks=["use=platform", "operation=one_team"])
    answer(page, draft, "business", purpose=TEXT, organization="Walk & Sons")
    answer(page, draft, "facility", checks=["place=server_room", "cooling=air"], rack_kw="15")
    page.goto(f"{draft}check/")
    page.locator("[name=email]").fill(CUSTOMER)
    page.locator("[name=consent]").check()
    page.get_by_role("button", name="Submit for assessment").click()
    page.locator("[name=code]").fill(code_of(latest(stack, CUSTOMER, "code")))
    page.locator("main button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/requests/SW-\d{4}-\d+/$"))
    return page.url


def sign_in_staff(page: Page, stack: Stack, email: str) -> None:
    """Through the staff's door."""
    page.goto("/admin/")
    page.locator("[name=login]").fill(email)
    page.locator("[name=password]").fill(stack.password(email))
    page.locator("main button[type=submit]").click()
    page.wait_for_url(re.compile(r"/admin/$"))


def dialog(page: Page, name: str, **fields: str) -> None:
    """Open a dialog of the review desk by its button, fill it and send it."""
    page.get_by_role("link", name=name, exact=True).or_(page.locator("a", has_text=name)).first.click()
    box = page.locator("#modal-content")
    box.locator("form").wait_for()
    for field, value in fields.items():
        place = box.locator(f"[name={field}]")
        if place.evaluate("e => e.tagName") == "SELECT":
            place.select_option(value)
        elif place.get_attribute("type") == "checkbox":
            place.check(force=True)
        else:
            place.fill(value)
    box.locator("button[type=submit]").click()
    page.wait_for_load_state("networkidle")


def approve_and_release(page: Page, stack: Stack, number: str) -> None:
    """What the engineer does: take, choose servers, summarise, approve, release."""
    sign_in_staff(page, stack, "engineer@example.org")
    page.goto("/admin/assessments/inquiry/")
    page.get_by_role("link", name=number).click()
    dialog(page, "Take")
    expect(page.get_by_text("You work on this request now.")).to_be_visible()
    for option in stack.python(
        "import json; from assessments.models import Assessment; "
        f"a = Assessment.objects.get(inquiry__number='{number}'); "
        "keys = [o['key'] for o in a.run.result['options'] if o['requirement'] and o['fit'] != 'does_not_fit']; "
        "print(json.dumps(keys))"
    ):
        page.locator("a", has_text="Choose a server").first.click()
        box = page.locator("#modal-content")
        box.locator("[name=option]").select_option(option)
        label = box.locator(f"[name=option] option[value={option}]").inner_text()
        group = box.locator(f"[name=server] optgroup[label='{label}'] option").first
        box.locator("[name=server]").select_option(group.get_attribute("value") or "")
        box.locator("[name=reason]").fill("In stock.")
        box.locator("[name=internal_note]").fill("Ask for the spare fan.")
        box.locator("button[type=submit]").click()
        expect(page.get_by_text("The choice is kept.")).to_be_visible()
    dialog(page, "Write the summary", summary=SUMMARY)
    dialog(page, "Approve", reason="Checked against our runs.", findings="on", language="on")
    expect(page.get_by_text("Approved; the documents are being made.")).to_be_visible()
    dialog(page, "Release to the customer")
    expect(page.get_by_text("Released; the customer gets a mail.")).to_be_visible()


def download(page: Page, address: str) -> bytes:
    """A document by its address, waiting for the worker to make it."""
    for _second in range(60):
        response = page.request.get(address)
        if response.ok and response.headers["content-type"].startswith("application/pdf"):
            return response.body()
        time.sleep(1)
    raise AssertionError(f"{address} was not made")


def test_a_request_goes_from_the_start_page_to_the_approved_document(
    page: Page, stack: Stack, browser: Browser, context: BrowserContext
) -> None:
    problems: list[str] = []
    page.on(
        "console",
        lambda message: problems.append(f"{message.text} {message.location}") if message.type == "error" else None,
    )
    address = fill_and_submit(page, stack)
    number = address.rstrip("/").rpartition("/")[2]
    expect(page.get_by_text("Automatic, not reviewed by an engineer").first).to_be_visible(timeout=60_000)
    automatic = pdf_text(download(page, f"{address}documents/automatic-en.pdf"))
    assert number in automatic
    assert "Llama 3.1 8B" in automatic
    assert "not a quote" in automatic
    latest(stack, CUSTOMER, number)

    staff = browser.new_context(base_url=stack.url, locale="en-GB")
    approve_and_release(staff.new_page(), stack, number)
    staff.close()

    approved = pdf_text(download(page, f"{address}documents/approved-en.pdf"))
    assert SUMMARY in approved
    assert "Demo engineer" in approved
    assert "Ask for the spare fan." not in approved
    russian = pdf_text(download(page, f"{address}documents/approved-ru.pdf"))
    assert "Согласовано" in russian
    page.goto(address)
    expect(page.get_by_text("Approved by").first).to_be_visible()
    expect(page.get_by_text(SUMMARY).first).to_be_visible()
    assert "Ask for the spare fan." not in page.content()
    assert problems == []


def test_another_browser_sees_nothing_of_it(stack: Stack, browser: Browser, page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Start the assessment").first.click()
    draft = page.url
    stranger = browser.new_context(base_url=stack.url, locale="en-GB")
    assert stranger.request.get(draft).status == 404
    stranger.close()
