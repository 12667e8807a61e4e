"""What people do with requests: once, in order, and never on what somebody else changed meanwhile."""

import pytest

from assessments import workflow
from assessments.intake.submission import Submission
from assessments.models import Assessment, Document, Event, Inquiry, Intake, Message, ServerChoice, SizingRun, State
from assessments.selectors import carried
from assessments.services import documents, inquiries, reviews
from portal.accounts.models import PortalSettings
from portal.outbox.models import OutboxMessage
from tests.factories import (
    TASK,
    AssessmentFactory,
    InquiryFactory,
    ServerChoiceFactory,
    SizingRunFactory,
    approver,
    customer,
    engineer,
    manager,
    result_of,
    viewer_of,
)

pytestmark = pytest.mark.django_db
SUBMISSION = Submission(task=TASK, context={"business_task": "A support assistant."})


@pytest.fixture(autouse=True)
def _catalog(loaded_catalog):
    """Every run needs a version of the catalog."""


def in_review(**assessment):
    made = AssessmentFactory(sized=True, summary="Two cards do it.", **assessment)
    Inquiry.objects.filter(pk=made.inquiry_id).update(state=State.IN_REVIEW)
    ServerChoiceFactory(assessment=made)
    return Assessment.objects.get(pk=made.pk)


def create(user, key=None):
    by = viewer_of(user)
    inquiry, _is_new = inquiries.inquiry_create(
        submission=SUBMISSION, language="en", by=by, organization=inquiries.organization_of(by), idempotency_key=key
    )
    return inquiry


def test_a_request_is_created_with_one_of_everything():
    inquiry = create(customer())
    assert inquiry.state == State.SUBMITTED
    assert Intake.objects.filter(inquiry=inquiry).count() == 1
    run = SizingRun.objects.get()
    assessment = Assessment.objects.get()
    assert (assessment.run_id, assessment.first_run_id, assessment.catalog_version_id) == (
        run.pk,
        run.pk,
        run.catalog_version_id,
    )
    assert sorted(OutboxMessage.objects.values_list("name", flat=True)) == [
        "assessments.announce",
        "assessments.run_sizing",
    ]


def test_the_same_key_returns_the_same_request():
    user = customer()
    assert create(user, key="crm-7") == create(user, key="crm-7")
    assert Inquiry.objects.count() == 1


def test_the_same_key_of_another_organisation_is_another_request():
    assert create(customer(), key="crm-7") != create(customer(), key="crm-7")


def test_numbers_of_a_year_follow_each_other():
    user = customer()
    first, second = create(user), create(user)
    assert int(second.number[-4:]) == int(first.number[-4:]) + 1


def test_a_stranger_cannot_withdraw_a_request():
    inquiry = create(customer())
    with pytest.raises(Inquiry.DoesNotExist):
        inquiries.inquiry_withdraw(inquiry_id=inquiry.pk, by=viewer_of(customer()))
    inquiry.refresh_from_db()
    assert inquiry.state == State.SUBMITTED


def test_a_failed_request_is_queued_again_with_all_its_tries():
    user = customer()
    inquiry = create(user)
    OutboxMessage.objects.all().delete()
    SizingRun.objects.update(error_code="crashed", tries=5)
    Inquiry.objects.filter(pk=inquiry.pk).update(state=State.FAILED)
    inquiries.inquiry_retry(inquiry_id=inquiry.pk, by=viewer_of(user))
    run = SizingRun.objects.get()
    assert (run.error_code, run.tries, run.step) == ("", 0, "queued")
    assert OutboxMessage.objects.filter(name="assessments.run_sizing").count() == 1


def test_approval_freezes_the_assessment_and_queues_both_documents():
    assessment = in_review()
    by = viewer_of(approver())
    reviews.assessment_approve(inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, reason="Checked.")
    assessment.refresh_from_db()
    assert assessment.status == Assessment.Status.APPROVED
    assert assessment.approved_by == by.user
    assert len(assessment.result_sha256) == 64
    rendered = OutboxMessage.objects.filter(name="assessments.render_document").values_list("payload", flat=True)
    assert sorted((payload["document_kind"], payload["language"]) for payload in rendered) == [
        ("approved", "en"),
        ("approved", "ru"),
    ]


def test_an_approval_of_an_older_version_is_a_conflict_and_changes_nothing():
    assessment = in_review()
    reviews.assessment_describe(
        inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(engineer()), summary="Three cards."
    )
    with pytest.raises(workflow.Conflict):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
        )
    assessment.refresh_from_db()
    assert (assessment.status, assessment.summary) == (Assessment.Status.WORKING, "Three cards.")
    assert not Event.objects.filter(verb="approve").exists()


def test_the_second_approver_is_told_who_was_first():
    assessment = in_review()
    first, second = approver(name="Anna Weber"), approver()
    reviews.assessment_approve(
        inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(first), reason="Checked."
    )
    with pytest.raises(workflow.Conflict, match="Anna Weber"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(second), reason="Checked."
        )
    assert Event.objects.filter(verb="approve").count() == 1


def test_nothing_is_approved_while_a_pick_is_open_or_stale():
    assessment = in_review()
    ServerChoice.objects.update(setup={"accelerator": "h100-sxm5-80gb", "gpus": 8, "servers": 1, "link": "nvswitch"})
    with pytest.raises(reviews.NotReady, match="another setup"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
        )
    ServerChoice.objects.all().delete()
    with pytest.raises(reviews.NotReady, match="No server is chosen"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
        )
    assessment.refresh_from_db()
    assert assessment.status == Assessment.Status.WORKING


def test_nothing_is_approved_before_the_run_is_finished():
    assessment = in_review()
    Assessment.objects.filter(pk=assessment.pk).update(run=SizingRunFactory(assessment=assessment))
    with pytest.raises(reviews.NotReady, match="not finished"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
        )


def test_four_eyes_keep_the_adjuster_from_approving():
    assessment = in_review()
    person = approver()
    assessment.adjustments.create(kind="knob", target="mfu", after=0.4, reason="measured", author=person)
    settings = PortalSettings.load()
    settings.four_eyes = True
    settings.save()
    with pytest.raises(reviews.NotReady, match="somebody else"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(person), reason="Checked."
        )
    reviews.assessment_approve(
        inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
    )


def test_releasing_supersedes_what_was_released_before():
    assessment = in_review()
    by = viewer_of(approver())
    for _round in range(2):
        working = reviews.working_assessment(Inquiry.objects.get(pk=assessment.inquiry_id))
        if not working.server_choices.exists():
            SizingRun.objects.filter(pk=working.run_id).update(
                result=result_of(), finished_at=assessment.run.finished_at
            )
            ServerChoiceFactory(assessment=working)
            Assessment.objects.filter(pk=working.pk).update(summary="Again.")
        working.refresh_from_db()
        reviews.assessment_approve(inquiry_id=working.inquiry_id, seen=working.version, by=by, reason="Checked.")
        reviews.assessment_release(inquiry_id=working.inquiry_id, by=by)
        if _round == 0:
            reviews.inquiry_reopen(inquiry_id=working.inquiry_id, reason="A better card is here.", by=by)
    statuses = list(Assessment.objects.order_by("revision").values_list("status", flat=True))
    assert statuses == [Assessment.Status.SUPERSEDED, Assessment.Status.APPROVED]


def test_a_reopened_revision_is_invisible_outside_until_it_is_released():
    user = customer()
    inquiry = create(user)
    Inquiry.objects.filter(pk=inquiry.pk).update(state=State.REJECTED)
    reviews.inquiry_reopen(inquiry_id=inquiry.pk, reason="New data.", by=viewer_of(engineer()))
    visible = Assessment.objects.visible_to(viewer_of(user)).values_list("revision", flat=True)
    assert list(visible) == [1]
    assert Assessment.objects.visible_to(viewer_of(engineer())).count() == 2


def test_a_question_waits_for_the_customer_and_stops_the_clock():
    assessment = in_review()
    inquiry = reviews.inquiry_ask(
        inquiry_id=assessment.inquiry_id, question="How many tokens?", by=viewer_of(engineer())
    )
    assert inquiry.state == State.NEEDS_INFO
    assert inquiry.waiting_since is not None
    message = Message.objects.get()
    assert (message.audience, message.body) == ("customer", "How many tokens?")
    assert list(Message.objects.open_questions()) == [message]


def test_an_engineer_takes_and_only_a_manager_assigns_others():
    inquiry = InquiryFactory(state=State.IN_REVIEW)
    person, other = engineer(), engineer()
    reviews.inquiry_assign(inquiry_id=inquiry.pk, assignee=person, by=viewer_of(person))
    with pytest.raises(workflow.NotAllowed):
        reviews.inquiry_assign(inquiry_id=inquiry.pk, assignee=other, by=viewer_of(person))
    reviews.inquiry_assign(inquiry_id=inquiry.pk, assignee=other, by=viewer_of(manager()))
    inquiry.refresh_from_db()
    assert inquiry.assignee == other
    assert Event.objects.filter(verb="assign").count() == 2


def test_a_pick_of_no_server_needs_a_reason():
    assessment = in_review()
    with pytest.raises(workflow.ReasonRequired):
        reviews.server_choose(
            inquiry_id=assessment.inquiry_id,
            option_key="balanced",
            server=None,
            seen=assessment.version,
            by=viewer_of(engineer()),
        )


def test_documents_show_outside_only_what_is_published():
    assessment = in_review()
    for kind in ("automatic", "approved"):
        Document.objects.create(
            assessment=assessment, run=assessment.run, kind=kind, language="en", pages=1, size=1, file=f"{kind}.pdf"
        )
    member = customer(organization=assessment.inquiry.organization)
    assert [d.kind for d in Document.objects.visible_to(viewer_of(member))] == ["automatic"]
    assert Document.objects.visible_to(viewer_of(customer())).count() == 0
    assert Document.objects.visible_to(viewer_of(engineer())).count() == 2


def test_of_two_approved_revisions_the_newest_is_released_and_the_other_superseded():
    assessment = in_review()
    by = viewer_of(approver())
    reviews.assessment_approve(inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, reason="Checked.")
    reviews.inquiry_reopen(inquiry_id=assessment.inquiry_id, reason="A better card is here.", by=by)
    working = reviews.working_assessment(Inquiry.objects.get(pk=assessment.inquiry_id))
    SizingRun.objects.filter(pk=working.run_id).update(result=result_of(), finished_at=assessment.run.finished_at)
    ServerChoiceFactory(assessment=working)
    Assessment.objects.filter(pk=working.pk).update(summary="Again.")
    working.refresh_from_db()
    reviews.assessment_approve(inquiry_id=working.inquiry_id, seen=working.version, by=by, reason="Checked.")
    released = reviews.assessment_release(inquiry_id=working.inquiry_id, by=by)
    assert released == working
    assert Assessment.objects.get(pk=assessment.pk).status == Assessment.Status.SUPERSEDED


def test_a_pick_of_an_option_that_is_gone_keeps_the_assessment_from_being_approved():
    assessment = in_review()
    ServerChoiceFactory(assessment=assessment, option_key="growth")
    with pytest.raises(reviews.NotReady, match="another setup"):
        reviews.assessment_approve(
            inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
        )


def test_undecided_adjustments_are_offered_again_in_every_later_revision():
    assessment = in_review()
    by = viewer_of(approver())
    row = assessment.adjustments.create(kind="knob", target="mfu", after=0.4, reason="measured", author=by.user)
    for _revision in range(2):
        reviews.inquiry_reject(inquiry_id=assessment.inquiry_id, reason="Wait.", by=by)
        reviews.inquiry_reopen(inquiry_id=assessment.inquiry_id, reason="Go on.", by=by)
    working = reviews.working_assessment(Inquiry.objects.get(pk=assessment.inquiry_id))
    assert working.revision == 3
    assert carried(working) == [row]


def test_before_release_a_customer_asks_for_the_automatic_document_only():
    assessment = in_review()
    reviews.assessment_approve(
        inquiry_id=assessment.inquiry_id, seen=assessment.version, by=viewer_of(approver()), reason="Checked."
    )
    OutboxMessage.objects.all().delete()
    member = viewer_of(customer(organization=assessment.inquiry.organization))
    documents.document_request(assessment_id=assessment.pk, language="ru", by=member)
    assert [m.payload["document_kind"] for m in OutboxMessage.objects.all()] == ["automatic"]
