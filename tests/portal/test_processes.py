"""The portal's processes together: what is wanted happens, also when a worker dies or the broker forgets."""

import time

import pytest

from tests.stack import Stack

pytestmark = pytest.mark.processes

STANDING = """
import json
from assessments.models import Document, Inquiry, SizingRun
from portal.outbox.models import OutboxMessage
print(json.dumps({
    "states": sorted(Inquiry.objects.values_list("state", flat=True)),
    "runs": SizingRun.objects.count(),
    "documents": Document.objects.count(),
    "waiting": OutboxMessage.objects.count(),
}))
"""


def wait_until_quiet(stack: Stack, seconds: float = 120) -> dict[str, object]:
    """The standing of the request once nothing is left to do."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        standing = stack.python(STANDING)
        if standing["states"] and standing["waiting"] == 0:
            return standing
        time.sleep(0.5)
    pytest.fail(f"not done after {seconds} s: {standing}\n{stack.output()[-4000:]}")


def test_a_worker_killed_at_work_costs_nothing_but_time(own_stack):
    own_stack.manage("sample_request")
    time.sleep(0.5)
    own_stack.worker.kill()
    own_stack.worker.start()
    assert wait_until_quiet(own_stack) == {"states": ["in_review"], "runs": 1, "documents": 1, "waiting": 0}
    ids = [mail["Message-ID"] for mail in own_stack.mails()]
    assert len(ids) == len(set(ids))


def test_a_broker_that_forgets_everything_costs_nothing_but_time(own_stack):
    own_stack.worker.stop()
    own_stack.manage("sample_request")
    own_stack.wipe_broker()
    own_stack.worker.start()
    assert wait_until_quiet(own_stack) == {"states": ["in_review"], "runs": 1, "documents": 1, "waiting": 0}


def test_a_submission_while_the_broker_is_down_is_done_when_it_is_back(own_stack):
    assert own_stack.broker is not None
    own_stack.broker.stop()
    own_stack.manage("sample_request")
    own_stack.broker.start()
    assert wait_until_quiet(own_stack) == {"states": ["in_review"], "runs": 1, "documents": 1, "waiting": 0}
