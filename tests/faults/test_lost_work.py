"""A worker that dies in the middle, or a broker that forgets: one result, one document, one mail all the same."""

import sqlite3
import time
from typing import Any

import psycopg
import pytest

from tests.stack import Stack

pytestmark = pytest.mark.processes

SUBMIT = """
import json
from assessments.intake.submission import Submission
from assessments.services.inquiries import inquiry_create, organization_of
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from tests.factories import TASK
by = Viewer.of(User.objects.get(email="customer@example.org"))
inquiry = inquiry_create(
    submission=Submission(task=TASK, context={}), language="en", by=by,
    organization=organization_of(by), idempotency_key=None,
)
print(json.dumps(inquiry.number))
"""
STATE = """
import json
from assessments.models import Document, Event, Inquiry, SizingRun
from portal.outbox.models import OutboxMessage
inquiry = Inquiry.objects.get(number="{number}")
runs = SizingRun.objects.filter(assessment__inquiry=inquiry)
print(json.dumps({{
    "state": inquiry.state,
    "runs": runs.count(),
    "finished": runs.filter(finished_at__isnull=False).count(),
    "steps": list(runs.values_list("step", flat=True)),
    "tries": list(runs.values_list("tries", flat=True)),
    "documents": Document.objects.filter(assessment__inquiry=inquiry).count(),
    "verbs": list(Event.objects.filter(inquiry=inquiry).values_list("verb", flat=True)),
    "outbox": OutboxMessage.objects.count(),
}}))
"""


def state(stack: Stack, number: str) -> dict[str, Any]:
    """What the database says of a request."""
    found: dict[str, Any] = stack.python(STATE.format(number=number))
    return found


def settled(stack: Stack, number: str, seconds: int = 120) -> dict[str, Any]:
    """The request's state once nothing is left to do."""
    deadline = time.monotonic() + seconds
    found = state(stack, number)
    while time.monotonic() < deadline:
        if found["documents"] and not found["outbox"]:
            return found
        time.sleep(1)
        found = state(stack, number)
    raise AssertionError(f"not settled after {seconds} s: {found}\n{stack.output()[-4000:]}")


def assert_everything_once(stack: Stack, number: str, found: dict[str, Any]) -> None:
    """One run, one document, one event and one mail of each kind."""
    assert found["state"] == "in_review"
    assert (found["runs"], found["finished"], found["documents"]) == (1, 1, 1)
    assert found["verbs"] == ["submit", "start", "finish", "ready"]
    identities = [mail["Message-ID"] for mail in stack.mails(to="customer@example.org")]
    assert len(identities) == len(set(identities)) == 2


def until_sizing(stack: Stack, number: str) -> None:
    """Wait, looking straight into the database, until the worker has begun."""
    question = f"SELECT state FROM assessments_inquiry WHERE number = '{number}'"
    deadline = time.monotonic() + 60
    with psycopg.connect(stack.database) if stack.database else sqlite3.connect(stack.folder / "db.sqlite3") as rows:
        while time.monotonic() < deadline:
            if rows.execute(question).fetchone() == ("sizing",):
                return
            rows.commit()
            time.sleep(0.005)
    raise AssertionError("the worker never began")


def test_a_worker_killed_in_the_middle_of_sizing_costs_nothing_but_time(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = own_stack.python(SUBMIT)
    own_stack.worker.start()
    until_sizing(own_stack, number)
    own_stack.worker.kill()
    assert state(own_stack, number)["finished"] == 0
    own_stack.worker.start()
    assert_everything_once(own_stack, number, settled(own_stack, number))


def test_a_broker_that_forgets_everything_is_made_good_by_the_sweep(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = own_stack.python(SUBMIT)
    own_stack.wipe_broker()
    own_stack.worker.start()
    assert_everything_once(own_stack, number, settled(own_stack, number))


def test_a_submission_while_the_broker_is_down_is_done_when_it_is_back(own_stack: Stack) -> None:
    assert own_stack.broker is not None
    own_stack.broker.stop()
    number = own_stack.python(SUBMIT)
    own_stack.broker.start()
    assert_everything_once(own_stack, number, settled(own_stack, number))
