"""One request on a real portal: sent, watched straight in the database, and counted when nothing is left to do."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from tests.stack import Stack

CUSTOMER = "customer@example.org"
SUBMIT = f"""
import json
from assessments.intake.submission import Submission
from assessments.models import Inquiry
from assessments.services.inquiries import inquiry_create, organization_of
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from tests.factories import TASK
by = Viewer.of(User.objects.get(email="{CUSTOMER}"))
inquiry_create(
    submission=Submission(task=TASK, context={{}}), language="en", by=by,
    organization=organization_of(by), idempotency_key=None,
)
print(json.dumps(Inquiry.objects.latest("pk").number))
"""
OF_REQUEST = (
    "assessment_id IN (SELECT a.id FROM assessments_assessment a "
    "JOIN assessments_inquiry i ON i.id = inquiry_id WHERE number = '{}')"
)
ONCE = ["submit", "start", "finish", "ready"]


def submit(stack: Stack) -> str:
    """Send a request; returns its number."""
    number: str = stack.python(SUBMIT)
    return number


@contextmanager
def connected(stack: Stack) -> Iterator[Any]:
    """A connection past Django, which sees every commit of the portal's processes."""
    if stack.database:
        with psycopg.connect(stack.database, autocommit=True) as connection:
            yield connection
    else:
        with sqlite3.connect(stack.folder / "db.sqlite3", timeout=20, isolation_level=None) as connection:
            yield connection


def rows(stack: Stack, question: str) -> list[Any]:
    """The first column of what the database answers."""
    with connected(stack) as connection:
        return [row[0] for row in connection.execute(question).fetchall()]


def until(stack: Stack, question: str, is_met: Callable[[list[Any]], bool] = bool, *, seconds: int = 60) -> list[Any]:
    """Ask until the answer is as wanted, by default not empty; returns it."""
    deadline = time.monotonic() + seconds
    found: list[Any] = []
    with connected(stack) as connection:
        while time.monotonic() < deadline:
            found = [row[0] for row in connection.execute(question).fetchall()]
            if is_met(found):
                return found
            time.sleep(0.005)
    raise AssertionError(f"after {seconds} s {found} to: {question}\n{stack.output()[-4000:]}")


def state(stack: Stack, number: str) -> dict[str, Any]:
    """What the database says of a request."""
    of_request = OF_REQUEST.format(number)
    return {
        "state": rows(stack, f"SELECT state FROM assessments_inquiry WHERE number = '{number}'"),
        "finished": rows(stack, f"SELECT finished_at IS NOT NULL FROM assessments_sizingrun WHERE {of_request}"),
        "documents": rows(stack, f"SELECT language FROM assessments_document WHERE {of_request}"),
        "verbs": rows(
            stack,
            "SELECT verb FROM assessments_event JOIN assessments_inquiry i ON i.id = inquiry_id "
            f"WHERE number = '{number}' ORDER BY sequence",
        ),
        "outbox": rows(stack, "SELECT name FROM outbox_outboxmessage"),
    }


def settled(stack: Stack, number: str, seconds: int = 120) -> dict[str, Any]:
    """The request's state once it has its document and nothing is left to do."""
    deadline = time.monotonic() + seconds
    found = state(stack, number)
    while time.monotonic() < deadline:
        if found["documents"] and not found["outbox"]:
            return found
        time.sleep(0.2)
        found = state(stack, number)
    raise AssertionError(f"not settled after {seconds} s: {found}\n{stack.output()[-4000:]}")


def assert_rows_once(stack: Stack, number: str) -> None:
    """One result, one document and one event of each kind."""
    found = settled(stack, number)
    expected = {"state": ["in_review"], "finished": [True], "documents": ["en"], "verbs": ONCE, "outbox": []}
    assert found == expected, found


def assert_everything_once(stack: Stack, number: str) -> None:
    """One result, one document, one event and one mail of each kind."""
    assert_rows_once(stack, number)
    mails = [(str(mail["Message-ID"]), str(mail["Subject"])) for mail in stack.mails(to=CUSTOMER)]
    assert len(mails) == len(set(mails)) == 2, mails
