"""Two people in the same second, on a database with row locks: one wins, the other is told, nothing is doubled."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from assessments import workflow
from assessments.intake.submission import Submission
from assessments.models import Assessment, Event, Inquiry, State
from assessments.services import inquiries, reviews
from catalog.snapshot import current_version
from portal.accounts.models import User
from portal.accounts.viewer import Viewer
from portal.outbox.models import OutboxMessage
from tests.factories import TASK, AssessmentFactory, ServerChoiceFactory, approver, customer, viewer_of

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db(transaction=True, serialized_rollback=True)]


@pytest.fixture(autouse=True)
def _row_locks() -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no row locks: its writers wait for each other")


def at_once(*steps: Callable[[], Any]) -> list[Any]:
    """Run steps in threads that start together; a refusal is returned, not raised."""
    barrier = Barrier(len(steps))

    def run(step: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return step()
        except workflow.WorkflowError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(steps)) as pool:
        return list(pool.map(run, steps))


def in_review() -> Assessment:
    assessment = AssessmentFactory(sized=True, summary="Two cards do it.")
    Inquiry.objects.filter(pk=assessment.inquiry_id).update(state=State.IN_REVIEW)
    ServerChoiceFactory(assessment=assessment)
    return assessment


def test_of_two_approvals_one_wins_and_the_other_learns_by_whom_and_when():
    assessment = in_review()
    viewers = [viewer_of(approver(name="Anna Weber")), viewer_of(approver(name="Pavel Orlov"))]
    results = at_once(
        *(
            lambda by=by: reviews.assessment_approve(
                inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, reason="Checked."
            )
            for by in viewers
        )
    )
    refusals = [result for result in results if isinstance(result, workflow.Conflict)]
    assert len(refusals) == 1
    winner = Assessment.objects.get(pk=assessment.pk).approved_by
    assert winner is not None
    assert winner.name in str(refusals[0])
    assert Event.objects.filter(verb="approve").count() == 1
    assert OutboxMessage.objects.filter(name="assessments.render_document").count() == 2


def test_of_an_approval_and_a_rejection_one_wins():
    assessment = in_review()
    by = viewer_of(approver())
    results = at_once(
        lambda: reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, reason="Checked."
        ),
        lambda: reviews.inquiry_reject(inquiry_id=assessment.inquiry_id, reason="No data.", by=by),
    )
    assert sum(isinstance(result, workflow.WorkflowError) for result in results) == 1
    assert Event.objects.exclude(after="").count() == 1
    inquiry = Inquiry.objects.get()
    assert (inquiry.state == State.APPROVED) == (Assessment.objects.get().status == Assessment.Status.APPROVED)


def test_of_two_summaries_written_at_once_none_is_lost_silently():
    assessment = in_review()
    by = viewer_of(approver())
    results = at_once(
        *(
            lambda text=text: reviews.assessment_describe(
                inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, summary=text
            )
            for text in ("first", "second")
        )
    )
    assert sum(isinstance(result, workflow.Conflict) for result in results) == 1
    kept = next(result for result in results if isinstance(result, Assessment))
    assert Assessment.objects.get().summary == kept.summary


def test_identical_posts_of_many_programs_make_one_request(loaded_catalog):
    current_version()
    user = customer()
    organization = user.memberships.get().organization

    def create() -> tuple[Inquiry, bool]:
        return inquiries.inquiry_create(
            submission=Submission(task=TASK, context={}),
            language="en",
            by=Viewer.of(User.objects.get(pk=user.pk)),
            organization=organization,
            idempotency_key="crm-7",
        )

    made = at_once(*[create] * 12)
    assert len({inquiry.pk for inquiry, _is_new in made}) == 1
    assert sum(is_new for _inquiry, is_new in made) == 1
    assert Inquiry.objects.count() == 1
    assert Event.objects.filter(verb="submit").count() == 1
