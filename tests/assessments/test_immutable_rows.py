"""What was written stays as it was written, in code and in the database."""

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from assessments.models import Assessment, Event, ServerChoice, SizingRun
from assessments.models.immutable import ImmutableError
from tests.factories import AssessmentFactory, InquiryFactory, IntakeFactory, ServerChoiceFactory

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


@pytest.mark.postgresql
def test_the_database_refuses_to_change_a_finished_result_or_an_approved_pick():
    assessment = AssessmentFactory(sized=True)
    choice = ServerChoiceFactory(assessment=assessment)
    Assessment.objects.filter(pk=assessment.pk).update(status="approved", approved_at=timezone.now())
    with pytest.raises(DatabaseError, match="finished run"), transaction.atomic():
        SizingRun.objects.filter(pk=assessment.run_id).update(result={})
    with pytest.raises(DatabaseError, match="picks"), transaction.atomic():
        ServerChoice.objects.filter(pk=choice.pk).update(quantity=9)
    with pytest.raises(DatabaseError, match="approved assessment"), transaction.atomic():
        Assessment.objects.filter(pk=assessment.pk).update(summary="Other words.")
    SizingRun.objects.filter(pk=assessment.run_id).update(step="done")
    Assessment.objects.filter(pk=assessment.pk).update(status="superseded")
