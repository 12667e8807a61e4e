"""The doctor names what needs a person, and its exit code says whether anything does."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from portal.outbox.models import OutboxMessage
from portal.outbox.sweep import sweep
from tests.factories import AssessmentFactory, SizingRunFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_cache")]


def doctor(capsys) -> tuple[int, list[str]]:
    """Exit code and lines."""
    code = 0
    try:
        call_command("doctor")
    except SystemExit as end:
        code = int(end.code or 0)
    return code, capsys.readouterr().out.splitlines()


def test_a_portal_that_works_needs_nobody(capsys):
    sweep()
    OutboxMessage.objects.create(name="x", next_try_at=timezone.now())
    assert doctor(capsys) == (
        0,
        [
            "database  ok",
            "broker    ok",
            "worker    ok, last sweep 0 s ago",
            "outbox    1 waiting, 0 late, 0 retried, 0 given up",
            "runs      0 unfinished, 0 stuck, 0 retried, 0 failed",
        ],
    )


def test_a_silent_worker_is_named(capsys):
    code, lines = doctor(capsys)
    assert code == 1
    assert "worker    silent, never swept" in lines


def test_given_up_and_late_messages_need_a_person_and_retried_ones_do_not(capsys):
    sweep()
    retried = OutboxMessage.objects.create(name="mail", tries=2, last_error="down", next_try_at=timezone.now())
    code, lines = doctor(capsys)
    assert code == 0
    assert lines[4].split("tries")[0].strip() == f"retried   mail #{retried.pk} 2"
    OutboxMessage.objects.create(name="task", tries=6, last_error="OSError: no space\nmore", next_try_at=None)
    OutboxMessage.objects.create(name="lost", next_try_at=timezone.now() - timedelta(minutes=5))
    code, lines = doctor(capsys)
    assert code == 1
    assert "outbox    2 waiting, 1 late, 1 retried, 1 given up" in lines
    assert any(line.strip().startswith("given up  task") and line.endswith(": OSError: no space") for line in lines)
    assert "          try again: http://127.0.0.1:8000/admin/outbox/outboxmessage/" in lines


def test_a_run_that_no_message_will_finish_is_stuck(capsys, time_machine):
    run = SizingRunFactory()
    OutboxMessage.objects.create(
        name="size", unique_key=f"size:{run.pk}", next_try_at=timezone.now() + timedelta(minutes=5)
    )
    time_machine.move_to(timezone.now() + timedelta(minutes=2))
    sweep()
    assert doctor(capsys)[0] == 0
    OutboxMessage.objects.all().delete()
    code, lines = doctor(capsys)
    assert code == 1
    assert f"          stuck     {run.assessment.inquiry.number} r1, run {run.pk}: queued, 0 tries" in lines


def test_a_failed_run_and_a_result_without_its_document_are_named(capsys, time_machine):
    failed = SizingRunFactory(error_code="MemoryError", tries=6)
    unprinted = AssessmentFactory(sized=True).run
    unprinted.step = "rendering"
    unprinted.save()
    time_machine.move_to(timezone.now() + timedelta(minutes=2))
    sweep()
    code, lines = doctor(capsys)
    assert code == 1
    assert "runs      0 unfinished, 1 stuck, 0 retried, 1 failed" in lines
    assert f"          failed    {failed.assessment.inquiry.number} r1, run {failed.pk}: MemoryError, 6 tries" in lines
    number = unprinted.assessment.inquiry.number
    assert f"          unprinted {number} r1, run {unprinted.pk}: rendering, 0 tries" in lines
