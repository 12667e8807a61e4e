"""The outbox: nothing wanted is lost, nothing runs beside itself, nothing is tried for ever."""

from datetime import timedelta

import pytest
import time_machine
from celery import current_app, shared_task
from django.core import mail
from django.db import transaction
from django.utils import timezone

from portal.outbox import queue
from portal.outbox.mail import mail_add
from portal.outbox.models import OutboxMessage
from portal.outbox.sweep import sweep

pytestmark = pytest.mark.django_db

DONE: list[dict[str, object]] = []


@shared_task(name="tests.note")
def note(*, outbox_id: int, **payload: object) -> None:
    DONE.append(payload)


@shared_task(name="tests.break", given_up="tests.note")
def break_down(*, outbox_id: int, **payload: object) -> None:
    raise OSError("disk full")


@pytest.fixture(autouse=True)
def _forget() -> None:
    DONE.clear()


def run(message: OutboxMessage) -> None:
    """What a worker does with the message."""
    current_app.tasks[message.name](**message.payload, outbox_id=message.pk)


def test_a_message_is_published_only_when_its_transaction_commits(django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=False) as callbacks, transaction.atomic():
        message = queue.add("tests.note", number=1)
    message.refresh_from_db()
    assert (message.sends, len(callbacks)) == (0, 1)
    callbacks[0]()
    message.refresh_from_db()
    assert message.sends == 1
    assert message.next_try_at > timezone.now()


def test_a_message_that_was_just_published_is_not_published_again():
    message = queue.add("tests.note")
    assert queue.publish(message.pk) is True
    assert queue.publish(message.pk) is False
    assert sweep() == 0


def test_work_that_ends_well_strikes_the_message_out():
    message = queue.add("tests.note", number=7)
    run(message)
    assert DONE == [{"number": 7}]
    assert not OutboxMessage.objects.exists()


def test_a_second_copy_from_the_broker_does_nothing():
    message = queue.add("tests.note")
    run(message)
    run(message)
    assert len(DONE) == 1


def test_a_copy_beside_a_running_worker_does_nothing():
    message = queue.add("tests.note")
    assert queue.begin(message.pk) is True
    run(message)
    assert DONE == []
    assert OutboxMessage.objects.get().tries == 1


def test_the_work_of_a_killed_worker_is_taken_over_after_its_lease(settings):
    message = queue.add("tests.note")
    queue.begin(message.pk)
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.OUTBOX_LEASE_S + 1), tick=False):
        assert sweep() == 1
        run(message)
    assert len(DONE) == 1


def test_an_extended_lease_is_not_taken_over(settings):
    message = queue.add("tests.note")
    queue.begin(message.pk)
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.OUTBOX_LEASE_S - 1), tick=False):
        queue.extend(message.pk)
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.OUTBOX_LEASE_S + 1), tick=False):
        assert sweep() == 0


def test_a_message_lost_in_the_broker_is_sent_again_with_growing_pauses(settings):
    message = queue.add("tests.note")
    queue.publish(message.pk)
    start = timezone.now()
    for seconds, expected in ((19, 0), (21, 1), (50, 0), (62, 1)):
        with time_machine.travel(start + timedelta(seconds=seconds), tick=False):
            assert sweep() == expected, seconds
    assert OutboxMessage.objects.get().tries == 0


def test_a_failure_keeps_its_reason_and_the_time_of_the_next_try(settings):
    message = queue.add("tests.break", number=1)
    with pytest.raises(Exception, match="disk full"):
        run(message)
    message.refresh_from_db()
    assert message.last_error == "OSError: disk full"
    assert message.leased_until is None
    assert timedelta(seconds=19) < message.next_try_at - timezone.now() < timedelta(seconds=20)


def test_the_last_failure_gives_the_message_up_and_tells_the_heir(settings):
    settings.OUTBOX_TRIES = 1
    message = queue.add("tests.break", number=1)
    with pytest.raises(Exception, match="disk full"):
        run(message)
    given_up, heir = OutboxMessage.objects.order_by("pk")
    assert given_up.next_try_at is None
    assert heir.name == "tests.note"
    assert heir.payload == {"number": 1, "error": "OSError: disk full"}


def test_a_message_that_kills_every_worker_is_given_up(settings):
    settings.OUTBOX_TRIES = 1
    message = queue.add("tests.break", number=1)
    queue.begin(message.pk)
    with time_machine.travel(timezone.now() + timedelta(seconds=settings.OUTBOX_LEASE_S + 1), tick=False):
        sweep()
    message.refresh_from_db()
    assert message.next_try_at is None
    assert message.last_error == "The worker died during the work."
    assert OutboxMessage.objects.filter(name="tests.note").count() == 1


def test_one_key_makes_one_message():
    first = queue.add("tests.note", unique_key="size 1")
    assert queue.add("tests.note", unique_key="size 1") == first
    assert OutboxMessage.objects.count() == 1


def test_adding_a_given_up_message_again_revives_it():
    message = queue.add("tests.note", unique_key="size 1")
    OutboxMessage.objects.update(next_try_at=None, tries=6)
    queue.add("tests.note", unique_key="size 1")
    message.refresh_from_db()
    assert (message.tries, message.next_try_at is None) == (0, False)


def test_an_email_keeps_its_message_id_over_all_tries():
    message = mail_add(to=["anna@example.org"], subject="Код:\n 123", text="Текст", html="<p>Текст</p>")
    wanted = message.payload["headers"]["Message-ID"]
    queue.begin(message.pk)
    OutboxMessage.objects.update(leased_until=None)
    run(message)
    assert [sent.message()["Message-ID"] for sent in mail.outbox] == [wanted]
    assert mail.outbox[0].subject == "Код: 123"
    assert mail.outbox[0].alternatives[0].content == "<p>Текст</p>"
    assert not OutboxMessage.objects.exists()


def test_every_name_in_the_outbox_is_a_registered_task():
    assert {"portal.outbox.mail_send", "portal.outbox.sweep"} <= set(current_app.tasks)
