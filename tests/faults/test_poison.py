"""A request that cannot be sized ends visibly, never holds the others up, and goes on once its cause is gone."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.processes import ROOT
from tests.faults.scene import assert_rows_once, connected, rows, submit, until
from tests.stack import Stack

pytestmark = pytest.mark.processes

RETRY = """
import json
from assessments.models import Inquiry
from assessments.services.inquiries import inquiry_retry
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
by = Viewer.of(User.objects.get(email="customer@example.org"))
print(json.dumps(inquiry_retry(inquiry_id=Inquiry.objects.get(number="{}").pk, by=by).state))
"""


@pytest.fixture
def impatient_stack(tmp_path: Path) -> Iterator[Stack]:
    """A portal that gives up after two tries, at once."""
    running = Stack.start(tmp_path, own_broker=True, environment={"OUTBOX_TRIES": "2", "OUTBOX_FIRST_DELAY_S": "1"})
    yield running
    running.stop()


def doctor(stack: Stack) -> tuple[int, str]:
    """Exit code and words of the doctor."""
    ended = subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=ROOT,
        env=stack.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout


def test_a_poisoned_request_fails_visibly_holds_nobody_up_and_can_be_retried(impatient_stack: Stack) -> None:
    stack = impatient_stack
    stack.worker.stop()
    poisoned = submit(stack)
    with connected(stack) as connection:
        good = connection.execute("SELECT task FROM assessments_sizingrun").fetchone()[0]
        connection.execute("""UPDATE assessments_sizingrun SET task = '{"schema": "task/1"}'""")
    healthy = submit(stack)
    stack.worker.start()
    until(stack, f"SELECT state FROM assessments_inquiry WHERE number = '{healthy}' AND state = 'in_review'")
    until(stack, f"SELECT state FROM assessments_inquiry WHERE number = '{poisoned}' AND state = 'failed'")
    assert rows(stack, "SELECT error_code FROM assessments_sizingrun WHERE error_code <> ''") == ["TaskErrors"]
    code, words = doctor(stack)
    assert code == 1
    assert f"failed    {poisoned} r1" in words
    assert "1 given up" in words

    with connected(stack) as connection:
        text = good if isinstance(good, str) else json.dumps(good)
        mark = "%s::jsonb" if stack.database else "?"
        connection.execute(f"UPDATE assessments_sizingrun SET task = {mark} WHERE error_code <> ''", (text,))
    assert stack.python(RETRY.format(poisoned)) == "submitted"
    until(stack, f"SELECT state FROM assessments_inquiry WHERE number = '{poisoned}' AND state = 'in_review'")
    until(stack, "SELECT id FROM outbox_outboxmessage", lambda found: not found)
    assert rows(stack, "SELECT count(*) FROM assessments_document") == [2]
    assert_rows_once(stack, healthy)
    assert doctor(stack)[0] == 0
