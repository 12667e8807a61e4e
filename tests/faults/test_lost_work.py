"""A worker that dies in the middle, or a broker that forgets: one result, one document, one mail all the same."""

import pytest

from portal import processes
from tests.faults.scene import assert_everything_once, rows, submit, until
from tests.stack import Stack

pytestmark = pytest.mark.processes

SIZING = "SELECT number FROM assessments_inquiry WHERE state = 'sizing'"
RENDERING = (
    "SELECT id FROM outbox_outboxmessage WHERE name = 'assessments.render_document' AND leased_until IS NOT NULL"
)


def test_a_worker_killed_in_the_middle_of_sizing_costs_nothing_but_time(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = submit(own_stack)
    own_stack.worker.start()
    assert until(own_stack, SIZING) == [number]
    own_stack.worker.kill()
    assert rows(own_stack, "SELECT id FROM assessments_sizingrun WHERE finished_at IS NOT NULL") == []
    own_stack.worker.start()
    assert_everything_once(own_stack, number)


def test_a_worker_killed_while_it_makes_the_document_costs_nothing_but_time(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = submit(own_stack)
    own_stack.worker.start()
    until(own_stack, RENDERING)
    own_stack.worker.kill()
    assert rows(own_stack, "SELECT id FROM assessments_document") == []
    own_stack.worker.start()
    assert_everything_once(own_stack, number)


def test_a_worker_that_is_asked_to_end_finishes_what_it_has_begun(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = submit(own_stack)
    own_stack.worker.start()
    until(own_stack, RENDERING)
    own_stack.worker.stop(patience_s=30)
    assert rows(own_stack, "SELECT language FROM assessments_document") == ["en"]
    own_stack.worker.start()
    assert_everything_once(own_stack, number)
    assert rows(own_stack, "SELECT tries FROM assessments_sizingrun") == [1]


def test_a_broker_that_forgets_everything_is_made_good_by_the_sweep(own_stack: Stack) -> None:
    own_stack.worker.stop()
    number = submit(own_stack)
    own_stack.wipe_broker()
    own_stack.worker.start()
    assert_everything_once(own_stack, number)


def test_a_submission_while_the_broker_is_down_is_done_when_it_is_back(own_stack: Stack) -> None:
    assert own_stack.broker is not None
    own_stack.broker.stop()
    number = submit(own_stack)
    own_stack.broker.start()
    assert_everything_once(own_stack, number)


def test_a_second_scheduler_doubles_nothing(own_stack: Stack) -> None:
    values = own_stack.environment | {"BEAT_SCHEDULE": str(own_stack.folder / "second-schedule")}
    second = processes.scheduler(values, own_stack.log)
    second.start()
    try:
        numbers = [submit(own_stack) for _ in range(2)]
        own_stack.wipe_broker()
        for number in numbers:
            until(own_stack, f"SELECT state FROM assessments_inquiry WHERE number = '{number}' AND state = 'in_review'")
        until(own_stack, "SELECT id FROM outbox_outboxmessage", lambda found: not found)
        assert second.is_running
        assert rows(own_stack, "SELECT count(*) FROM assessments_document") == [2]
        identities = [mail["Message-ID"] for mail in own_stack.mails(to="customer@example.org")]
        assert len(identities) == len(set(identities)) == 4
    finally:
        second.stop()
