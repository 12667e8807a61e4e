"""What was written stays as it was written, in code and in the database."""

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError

from assessments.models import Event
from assessments.models.immutable import ImmutableError
from tests.factories import InquiryFactory, IntakeFactory

pytestmark = pytest.mark.django_db


def test_an_intake_cannot_be_changed_or_deleted_by_code():
    intake = IntakeFactory()
    intake.revision = 7
    with pytest.raises(ImmutableError):
        intake.save()
    with pytest.raises(ImmutableError):
        intake.delete()
    with pytest.raises(ImmutableError):
        type(intake).objects.update(revision=7)
    intake.refresh_from_db()
    assert intake.revision == 1


def test_the_database_itself_refuses_to_change_an_event_on_postgresql():
    event = Event.objects.create(inquiry=InquiryFactory(), sequence=1, verb="submit", actor_kind="system")
    with connection.cursor() as cursor:
        statement = "UPDATE assessments_event SET verb = 'approve'"
        if connection.vendor == "postgresql":
            with pytest.raises(DatabaseError, match="never change"), transaction.atomic():
                cursor.execute(statement)
        else:
            cursor.execute(statement)  # SQLite is the newcomer's database; the guard in code is what it has
    if connection.vendor == "postgresql":
        event.refresh_from_db()
        assert event.verb == "submit"
