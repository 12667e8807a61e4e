"""The adjustment page: what would move, keeping it with a reason, undoing it, and what a revision before left."""

import statistics
import time

import pytest

from assessments.models import Adjustment, Event, Inquiry, SizingRun, State
from assessments.review.adjust import typed_value
from assessments.services import reviews
from tests.assessments.review.conftest import finish_run, page
from tests.factories import approver, engineer, viewer_of

pytestmark = pytest.mark.django_db
TOKENS = "answer:scenarios[0].dataset.tokens"


def change(assessment, *, action="save", target=TOKENS, value="100000000", reason="Counted.", **more):
    return {
        "action": action,
        "target": target,
        "value": value,
        "reason": reason,
        "seen": assessment.version,
        **more,
    }


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("8192", 8192),
        ("8 192", 8192),
        ("0,5", 0.5),
        ("bf16", "bf16"),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ("1e9", 1e9),
    ],
)
def test_an_engineer_types_as_people_do(typed, value):
    assert typed_value(typed) == value


def test_a_preview_shows_what_moves_and_keeps_nothing(assessment, sign_in):
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), change(assessment, action="preview"))
    moved = {line.id for line in answer.context["moved"]}
    assert "data.tokens" in moved
    assert "model.layers" not in moved
    assert not Adjustment.objects.exists()
    assert SizingRun.objects.count() == 1


def test_a_preview_takes_at_most_300_ms_in_the_middle(assessment, sign_in):
    client = sign_in(engineer())
    taken = []
    for count in range(7):
        begun = time.perf_counter()
        client.post(
            page("adjust", assessment.inquiry), change(assessment, action="preview", value=str(90_000_000 + count))
        )
        taken.append(time.perf_counter() - begun)
    assert statistics.median(taken) < 0.3


def test_a_kept_change_is_sized_anew_and_stands_in_the_audit_trail(assessment, sign_in):
    before = assessment.run.result
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), change(assessment))
    assert answer.status_code == 302
    after = finish_run(assessment).run.result
    tokens = [result["quantities"]["data.tokens"]["v"][1] for result in (before, after)]
    assert tokens == [50_000_000, 100_000_000]
    row = Adjustment.objects.get()
    assert (row.kind, row.target, row.before, row.after, row.reason) == (
        "answer", "scenarios[0].dataset.tokens", 50_000_000, 100_000_000, "Counted.",
    )  # fmt: skip
    event = Event.objects.get(verb="adjust")
    assert (event.reason, event.data["old"], event.data["new"]) == ("Counted.", 50_000_000, 100_000_000)
    assert (event.before, event.after, event.is_public) == ("", "", False)
    assert Inquiry.objects.get().state == State.IN_REVIEW


def test_a_pinned_value_stands_in_the_result_and_what_follows_from_it_moves(assessment, sign_in):
    before = assessment.run.result["quantities"]
    pinned = change(assessment, target="knob:balanced.time.mfu", value="0.2")
    sign_in(engineer()).post(page("adjust", assessment.inquiry), pinned)
    after = finish_run(assessment).run.result["quantities"]
    assert after["balanced.time.mfu"]["v"] == [0.2, 0.2, 0.2]
    assert after["balanced.time.mfu"]["origin"] == "pinned"
    assert after["balanced.time.mfu"]["engine_v"] == before["balanced.time.mfu"]["v"]
    assert after["balanced.time.cycle"]["v"] != before["balanced.time.cycle"]["v"]


def test_an_option_of_the_engineer_s_own_is_sized_beside_the_others_and_taken_away_again(assessment, sign_in):
    client = sign_in(engineer())
    keys = [option["key"] for option in assessment.run.result["options"]]
    own = change(assessment, target="option:custom-1", value="2x8xh100-sxm5-80gb")
    assert client.post(page("adjust", assessment.inquiry), own).status_code == 302
    options = finish_run(assessment).run.result["options"]
    assert [option["key"] for option in options] == [*keys, "custom-1"]
    added = options[-1]
    assert (added["accelerator"], added["gpus"], added["servers"]) == ("h100-sxm5-80gb", 16, 2)
    gone = change(assessment, target="option:custom-1", value="-")
    assert client.post(page("adjust", assessment.inquiry), gone).status_code == 302
    assert [option["key"] for option in finish_run(assessment).run.result["options"]] == keys


def test_an_option_on_an_unknown_card_is_refused_in_words(assessment, sign_in):
    own = change(assessment, target="option:custom-1", value="8xnothing")
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), own)
    assert answer.context["form"].errors["value"]
    assert not Adjustment.objects.exists()


def test_a_change_without_a_reason_is_refused_beside_the_field_and_the_typed_value_stays(assessment, sign_in):
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), change(assessment, reason=" "))
    assert answer.context["form"].errors["reason"] == ["Give a reason: it is kept with the request."]
    assert answer.context["form"]["value"].value() == "100000000"
    assert not Adjustment.objects.exists()


def test_a_value_that_the_task_does_not_allow_is_refused_in_words(assessment, sign_in):
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), change(assessment, value="-5"))
    assert answer.context["form"].errors["value"]
    pinned = change(assessment, target="knob:balanced.time.mfu", value="7")
    answer = sign_in(engineer()).post(page("adjust", assessment.inquiry), pinned)
    assert "a value from" in answer.context["form"].errors["value"][0]
    assert not Adjustment.objects.exists()


def test_an_undone_change_finds_the_run_of_before_again(assessment, sign_in):
    client = sign_in(engineer())
    first = assessment.run_id
    client.post(page("adjust", assessment.inquiry), change(assessment))
    assert finish_run(assessment).run_id != first
    row = Adjustment.objects.get()
    client.post(
        page("adjust", assessment.inquiry),
        {"action": "undo", "row": row.pk, "reason": "Wrong count.", "seen": assessment.version},
    )
    assessment.refresh_from_db()
    assert assessment.run_id == first
    assert Adjustment.objects.get(undoes=row).reason == "Wrong count."


def test_an_undo_needs_a_reason(assessment, sign_in):
    client = sign_in(engineer())
    client.post(page("adjust", assessment.inquiry), change(assessment))
    finish_run(assessment)
    row = Adjustment.objects.get()
    client.post(page("adjust", assessment.inquiry), {"action": "undo", "row": row.pk, "seen": assessment.version})
    assert Adjustment.objects.count() == 1


def test_the_second_of_two_writers_keeps_what_was_typed_and_is_told(assessment, sign_in):
    seen = change(assessment)
    sign_in(engineer(name="Anna Weber")).post(page("adjust", assessment.inquiry), seen)
    second = sign_in(engineer()).post(page("adjust", assessment.inquiry), seen | {"value": "200000000"})
    assert second.status_code == 200
    assert "Anna Weber" in second.content.decode()
    assert second.context["form"]["value"].value() == "200000000"
    assert [row.after for row in Adjustment.objects.all()] == [100_000_000]


def revised(assessment):
    """A new revision of the same answers after a change, as a worker leaves it."""
    Inquiry.objects.update(state=State.IN_REVIEW)
    inquiry = Inquiry.objects.get()
    by = viewer_of(approver())
    reviews.inquiry_reject(inquiry_id=inquiry.pk, reason="No budget.", by=by)
    return finish_run(reviews.inquiry_reopen(inquiry_id=inquiry.pk, reason="There is one.", by=by))


@pytest.mark.parametrize(("action", "dropped", "tokens"), [("keep", False, 100_000_000), ("drop", True, 50_000_000)])
def test_adjustments_of_the_revision_before_are_offered_and_none_applies_by_itself(
    assessment, sign_in, action, dropped, tokens
):
    client = sign_in(engineer())
    client.post(page("adjust", assessment.inquiry), change(assessment))
    finish_run(assessment)
    later = revised(assessment)
    assert later.run.task["scenarios"][0]["dataset"]["tokens"] == 50_000_000
    assert any("undecided" in point for point in reviews.open_points(later))
    client.post(page("adjust", assessment.inquiry), {"action": action, "seen": later.version})
    finish_run(later)
    assert Adjustment.objects.get(assessment=later).dropped is dropped
    assert later.run.task["scenarios"][0]["dataset"]["tokens"] == tokens
    assert not any("undecided" in point for point in reviews.open_points(later))


def test_nothing_is_adjusted_outside_of_review(assessment, sign_in):
    seen = change(assessment)
    Inquiry.objects.update(state=State.NEEDS_INFO)
    sign_in(engineer()).post(page("adjust", assessment.inquiry), seen)
    assert not Adjustment.objects.exists()
