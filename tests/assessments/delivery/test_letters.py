"""Which mail follows from which event, to whom, in which language."""

import pytest

from assessments import workflow
from assessments.delivery.mail import event_announce
from assessments.models import Event, State
from assessments.services.messages import message_post
from portal.accounts.viewer import Viewer
from portal.outbox.models import OutboxMessage
from tests.factories import InquiryFactory, customer, engineer, viewer_of

pytestmark = pytest.mark.django_db


def letters() -> list[tuple[str, str]]:
    """Address and subject of every mail that the events so far lead to."""
    OutboxMessage.objects.filter(kind="mail").delete()
    for event in Event.objects.all():
        event_announce(event.pk)
    rows = OutboxMessage.objects.filter(kind="mail").values_list("payload", flat=True)
    return sorted((row["to"][0], row["subject"]) for row in rows)


def inquiry_of(person, **fields):
    return InquiryFactory(contact=person, organization=person.memberships.get().organization, **fields)


def test_a_question_goes_to_the_customer_in_the_language_of_the_request():
    person = customer(email="ml@example.com")
    inquiry = inquiry_of(person, state=State.IN_REVIEW, language="ru")
    workflow.ask(inquiry.pk, by=viewer_of(engineer()), reason="Сколько токенов?")
    [(address, subject)] = letters()
    assert address == "ml@example.com"
    assert inquiry.number in subject
    assert "Вопрос" in subject


def test_a_failure_that_nobody_took_reaches_every_engineer():
    engineer(email="a@seller.example")
    engineer(email="b@seller.example")
    inquiry = inquiry_of(customer(), state=State.SIZING)
    workflow.fail(inquiry.pk, by=Viewer.system())
    assert [address for address, _subject in letters()] == ["a@seller.example", "b@seller.example"]


def test_a_message_of_the_customer_goes_to_the_engineer():
    person, colleague = customer(), engineer(email="a@seller.example")
    inquiry = inquiry_of(person, state=State.IN_REVIEW, assignee=colleague)
    message_post(inquiry_id=inquiry.pk, body="Here is the table.", by=viewer_of(person))
    assert [address for address, _subject in letters()] == ["a@seller.example"]


def test_a_message_of_the_engineer_goes_to_the_customer():
    person, colleague = customer(email="ml@example.com"), engineer()
    inquiry = inquiry_of(person, state=State.IN_REVIEW, assignee=colleague)
    message_post(inquiry_id=inquiry.pk, body="Thank you.", by=viewer_of(colleague))
    assert [address for address, _subject in letters()] == ["ml@example.com"]


def test_an_internal_note_is_mailed_to_nobody():
    colleague = engineer()
    inquiry = inquiry_of(customer(), state=State.IN_REVIEW)
    message_post(inquiry_id=inquiry.pk, body="Check the rack.", by=viewer_of(colleague), audience="internal")
    assert letters() == []


def test_announcing_twice_keeps_one_mail_per_event_and_person():
    inquiry = inquiry_of(customer(), state=State.IN_REVIEW)
    workflow.ask(inquiry.pk, by=viewer_of(engineer()), reason="How many tokens?")
    event = Event.objects.get()
    event_announce(event.pk)
    event_announce(event.pk)
    assert OutboxMessage.objects.filter(kind="mail").count() == 1


def test_a_submission_is_confirmed_to_whoever_sent_it():
    person = customer(email="ml@example.com")
    workflow.submit(
        organization=person.memberships.get().organization, contact=person, language="en", by=viewer_of(person)
    )
    assert [address for address, _subject in letters()] == ["ml@example.com"]
