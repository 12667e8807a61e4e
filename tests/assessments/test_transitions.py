"""The table of transitions: every verb × state × role, and what a refusal leaves behind."""

from pathlib import Path

import pytest

from assessments import workflow
from assessments.models import Event, Inquiry, State
from portal.accounts.viewer import Viewer
from portal.outbox.models import OutboxMessage
from tests.factories import (
    InquiryFactory,
    MembershipFactory,
    approver,
    catalog_keeper,
    customer,
    engineer,
    manager,
    viewer_of,
)

pytestmark = pytest.mark.django_db

EXPECTED = {
    "start": ("submitted", "sizing", "system"),
    "finish": ("sizing", "in_review", "system"),
    "fail": ("sizing", "failed", "system"),
    "retry": ("failed", "submitted", "customer engineer approver system"),
    "ask": ("in_review", "needs_info", "engineer approver system"),
    "answer": ("needs_info", "in_review", "customer engineer approver system"),
    "revise": (
        "in_review needs_info failed approved released proposal rejected",
        "submitted",
        "customer engineer approver system",
    ),
    "approve": ("in_review", "approved", "approver system"),
    "release": ("approved", "released", "approver system"),
    "reopen": ("approved released proposal rejected", "in_review", "engineer approver system"),
    "reject": ("in_review needs_info failed", "rejected", "engineer approver system"),
    "withdraw": ("submitted sizing failed in_review needs_info approved", "withdrawn", "customer"),
    "propose": ("released", "proposal", "manager system"),
    "win": ("released proposal", "won", "manager system"),
    "lose": ("released proposal", "lost", "manager system"),
}
NEEDS_REASON = {"ask", "approve", "reopen", "reject", "lose"}
ROLES = ("stranger", "customer", "engineer", "approver", "manager", "catalog_keeper", "system")


def viewer_for(role: str, inquiry: Inquiry) -> Viewer:
    match role:
        case "customer":
            return viewer_of(MembershipFactory(organization=inquiry.organization).user)
        case "stranger":
            return viewer_of(customer())
        case "system":
            return Viewer.system()
        case _:
            maker = {
                "engineer": engineer,
                "approver": approver,
                "manager": manager,
                "catalog_keeper": catalog_keeper,
            }[role]
            return viewer_of(maker())


def test_the_table_names_every_verb_but_submit():
    assert set(workflow.TRANSITIONS) == set(EXPECTED) | {"submit"}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("verb", EXPECTED)
def test_a_verb_works_exactly_for_its_roles_and_states(verb, role):
    sources, target, roles = EXPECTED[verb]
    for state in State.values:
        inquiry = InquiryFactory(state=state)
        by = viewer_for(role, inquiry)
        keywords = {"reason": "because"} if verb in NEEDS_REASON else {}
        may = state in sources.split() and role in roles.split()
        assert (verb in {t.verb for t in workflow.available(inquiry, by)}) is may
        if may:
            moved = getattr(workflow, verb)(inquiry.pk, by=by, **keywords)
            assert moved.state == target
            event = Event.objects.get(inquiry=inquiry)
            assert (event.verb, event.before, event.after) == (verb, state, target)
        else:
            with pytest.raises(workflow.WorkflowError):
                getattr(workflow, verb)(inquiry.pk, by=by, **keywords)
            inquiry.refresh_from_db()
            assert inquiry.state == state
            assert not Event.objects.filter(inquiry=inquiry).exists()


@pytest.mark.parametrize("verb", sorted(NEEDS_REASON))
def test_a_reason_is_required_on_every_way(verb):
    inquiry = InquiryFactory(state=EXPECTED[verb][0].split()[0])
    with pytest.raises(workflow.ReasonRequired):
        getattr(workflow, verb)(inquiry.pk, by=Viewer.system(), reason="  ")
    assert not OutboxMessage.objects.exists()


def test_each_step_queues_its_announcement_once():
    inquiry = InquiryFactory(state=State.SUBMITTED)
    workflow.start(inquiry.pk, by=Viewer.system())
    event = Event.objects.get()
    message = OutboxMessage.objects.get()
    assert (message.name, message.payload) == ("assessments.announce", {"event_id": event.pk})


def test_a_refusal_for_the_state_tells_who_moved_it_and_when():
    inquiry = InquiryFactory(state=State.IN_REVIEW)
    first = approver(name="Anna Weber")
    workflow.reject(inquiry.pk, by=viewer_of(first), reason="No data.")
    with pytest.raises(workflow.Conflict, match="Anna Weber"):
        workflow.approve(inquiry.pk, by=viewer_of(approver()), reason="Fine.")


def test_events_of_a_request_are_numbered_without_gaps():
    inquiry = InquiryFactory(state=State.IN_REVIEW)
    by = viewer_of(approver())
    workflow.ask(inquiry.pk, by=by, reason="How many tokens?")
    workflow.answer(inquiry.pk, by=by)
    workflow.reject(inquiry.pk, by=by, reason="No data.")
    assert list(Event.objects.values_list("sequence", flat=True)) == [1, 2, 3]


def test_only_the_workflow_assigns_a_state():

    writers = [
        path.as_posix()
        for path in Path("assessments").rglob("*.py")
        if ".state = " in path.read_text() or "update(state=" in path.read_text()
    ]
    assert writers == ["assessments/workflow.py"]
