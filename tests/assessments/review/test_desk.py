"""The review page: everything an engineer has to see, in a bounded number of queries, and dialogs that lose nothing."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assessments import workflow
from assessments.models import Assessment, Event, Inquiry, Message, ServerChoice, State
from assessments.services import reviews
from assessments.services.adjustments import Change, adjustment_add
from assessments.services.messages import message_post
from catalog.models import Accelerator, CatalogVersion
from catalog.snapshot import current_version
from portal.accounts.models import PortalSettings
from tests.assessments.review.conftest import finish_run, page
from tests.factories import approver, customer, engineer, manager, viewer_of

pytestmark = pytest.mark.django_db


def queries(client, address) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def lengthen(assessment, times):
    """Events, messages and adjustments without end."""
    by = viewer_of(engineer())
    for number in range(times):
        inquiry = Inquiry.objects.get(pk=assessment.inquiry_id)
        workflow.record(inquiry, "message", by=by)
        Message.objects.create(inquiry=inquiry, author=by.user, audience="internal", body=f"note {number}")
        assessment.adjustments.create(
            kind="knob", target="balanced.time.mfu", before=0.4, after=0.3, reason="r", author=by.user
        )


def test_the_review_page_takes_at_most_25_queries_whatever_the_history_s_length(assessment, sign_in):
    PortalSettings.load()
    client = sign_in(approver())
    client.get(page("change", assessment.inquiry))  # what the process caches for good is read once
    short = queries(client, page("change", assessment.inquiry))
    lengthen(assessment, 40)
    assert (short, queries(client, page("change", assessment.inquiry))) == (19, 19)


def test_a_second_revision_does_not_lengthen_the_page_beyond_25_queries(assessment, sign_in):
    PortalSettings.load()
    by = viewer_of(approver())
    reviews.inquiry_reject(inquiry_id=assessment.inquiry_id, reason="No.", by=by)
    finish_run(reviews.inquiry_reopen(inquiry_id=assessment.inquiry_id, reason="Yes.", by=by))
    assert queries(sign_in(approver()), page("change", assessment.inquiry)) <= 25


def test_every_number_on_the_page_opens_its_derivation_in_place(assessment, sign_in):
    html = sign_in(engineer()).get(page("change", assessment.inquiry)).content.decode()
    wanted = set(re.findall(r'popovertarget="([^"]+)"', html))
    offered = set(re.findall(r'<div popover\s+id="([^"]+)"', html))
    assert wanted
    assert wanted <= offered
    assert "q-balanced-time-cycle" in wanted


def test_the_page_shows_options_servers_findings_charts_and_sensitivity(assessment, sign_in):
    answer = sign_in(engineer()).get(page("change", assessment.inquiry))
    sheet = answer.context["desk"].sheet
    assert [head.letter for head in sheet.heads] == ["A", "B", "C"][: len(sheet.heads)]
    assert all(group.candidates for group in sheet.servers)
    assert sheet.findings
    assert sheet.unknowns
    html = answer.content.decode()
    for part in ("Options side by side", "Rack and requirements", "Time and GPU count", "Servers of the catalog"):
        assert part in html


def test_approve_says_how_many_points_are_open_and_is_a_button_only_when_none_is(assessment, sign_in):
    client = sign_in(approver())
    html = client.get(page("change", assessment.inquiry)).content.decode()
    points = len(reviews.open_points(assessment))
    assert points > 1
    assert f"Approve: {points} points left" in " ".join(html.split())
    assert page("approve", assessment.inquiry) not in html
    close_points(assessment)
    html = client.get(page("change", assessment.inquiry)).content.decode()
    assessment.refresh_from_db()
    assert f"{page('approve', assessment.inquiry)}?seen={assessment.version}" in html


def close_points(assessment):
    """Pick no server for every option, and write the summary."""
    by = viewer_of(engineer())
    for option in assessment.run.result["options"]:
        assessment.refresh_from_db()
        reviews.server_choose(
            inquiry_id=assessment.inquiry_id,
            option_key=option["key"],
            server=None,
            seen=assessment.version,
            reason="Not sold.",
            by=by,
        )
    assessment.refresh_from_db()
    reviews.assessment_describe(
        inquiry_id=assessment.inquiry_id, seen=assessment.version, by=by, summary="Two cards do it."
    )
    assessment.refresh_from_db()


def send(client, name, assessment, seen=None, **fields):
    address = f"{page(name, assessment.inquiry)}?seen={assessment.version if seen is None else seen}"
    return client.post(address, {"_form_submitted": "on", **fields})


def test_the_checklist_of_the_approver_is_kept(assessment, sign_in):
    close_points(assessment)
    person = approver()
    client = sign_in(person)
    refused = send(client, "approve", assessment, reason="Checked.", findings="on")
    assert "HX-Redirect" not in refused.headers
    answer = send(client, "approve", assessment, reason="Checked.", findings="on", language="on")
    assert answer.headers["HX-Redirect"] == page("change", assessment.inquiry)
    assessment.refresh_from_db()
    assert assessment.checklist == {"findings": True, "language": True, "second": False}
    assert (assessment.status, assessment.approved_by) == (Assessment.Status.APPROVED, person)


def test_an_approval_of_an_older_version_is_refused_in_the_dialog_and_the_reason_stays(assessment, sign_in):
    close_points(assessment)
    stale = assessment.version - 1
    answer = send(
        sign_in(approver()), "approve", assessment, seen=stale, reason="Checked twice.", findings="on", language="on"
    )
    html = answer.content.decode()
    assert "The assessment was changed meanwhile" in html
    assert "Checked twice." in html
    assert Inquiry.objects.get().state == State.IN_REVIEW


def test_the_second_writer_of_a_summary_sees_both_and_decides(assessment, sign_in):
    first, second = sign_in(engineer()), sign_in(engineer())
    seen = assessment.version
    send(first, "summarise", assessment, seen=seen, summary="Two cards do it.", memory="Tight.")
    answer = send(second, "summarise", assessment, seen=seen, summary="Three cards do it.")
    html = answer.content.decode()
    assert "Two cards do it." in html
    assert "Tight." in html
    assert "Three cards do it." in html
    assessment.refresh_from_db()
    assert assessment.summary == "Two cards do it."
    assert f'name="seen" value="{assessment.version}"' in html
    address = f"{page('summarise', assessment.inquiry)}?seen={seen}"
    second.post(address, {"_form_submitted": "on", "summary": "Three cards do it.", "seen": assessment.version})
    assessment.refresh_from_db()
    assert (assessment.summary, assessment.remarks) == ("Three cards do it.", {})


def test_a_server_chosen_on_an_older_version_is_refused_and_the_words_stay(assessment, sign_in):
    seen = assessment.version
    reviews.assessment_describe(inquiry_id=assessment.inquiry_id, seen=seen, by=viewer_of(engineer()), summary="x")
    answer = send(
        sign_in(engineer()),
        "choose_server",
        assessment,
        seen=seen,
        option="balanced",
        server="",
        quantity="1",
        reason="Nothing in stock.",
    )
    assert "Nothing in stock." in answer.content.decode()
    assert not ServerChoice.objects.exists()


@pytest.mark.parametrize(
    ("verb", "state"),
    [
        ("approve", "in_review"),
        ("reject", "in_review"),
        ("ask", "in_review"),
        ("reopen", "rejected"),
        ("take_back", "needs_info"),
    ],
)
def test_every_way_that_needs_a_reason_refuses_an_empty_one_in_its_dialog(assessment, sign_in, verb, state):
    Inquiry.objects.update(state=state)
    answer = send(sign_in(approver()), verb, assessment, reason=" ", question=" ", findings="on", language="on")
    assert answer.status_code == 200
    assert "HX-Redirect" not in answer.headers
    assert Inquiry.objects.get().state == state
    assert not Event.objects.exclude(actor_kind="system").exists()


def test_losing_needs_a_reason(assessment, sign_in):
    Inquiry.objects.update(state=State.RELEASED)
    assert "HX-Redirect" not in send(sign_in(manager()), "lose", assessment, reason="").headers
    assert Inquiry.objects.get().state == State.RELEASED


def test_an_internal_note_stands_on_the_desk_and_nowhere_outside(assessment, sign_in):
    member = customer(organization=assessment.inquiry.organization)
    send(sign_in(engineer()), "note", assessment, body="Their rack is a mess.")
    desk = sign_in(engineer()).get(page("change", assessment.inquiry)).content.decode()
    assert "Their rack is a mess." in desk
    outside = sign_in(member)
    assert "rack is a mess" not in outside.get(f"/requests/{assessment.inquiry.number}/").content.decode()
    assert not Message.objects.visible_to(viewer_of(member)).exists()
    assert not Event.objects.visible_to(viewer_of(member)).filter(verb="message").exists()


def test_a_question_is_tied_to_the_field_that_it_is_about(assessment, sign_in):
    send(
        sign_in(engineer()),
        "ask",
        assessment,
        path="scenarios[0].dataset.tokens",
        question="Were the tokens counted?",
    )
    message = Message.objects.get()
    assert (message.path, message.body) == ("scenarios[0].dataset.tokens", "Were the tokens counted?")
    assert Inquiry.objects.get().state == State.NEEDS_INFO


def test_the_one_who_adjusted_cannot_approve_where_four_eyes_are_set(assessment, sign_in):
    settings = PortalSettings.load()
    settings.four_eyes = True
    settings.save()
    person = approver()
    adjustment_add(
        inquiry_id=assessment.inquiry_id,
        change=Change(kind="knob", target="balanced.time.mfu", after=0.3),
        reason="Measured.",
        seen=assessment.version,
        by=viewer_of(person),
    )
    finish_run(assessment)
    close_points(assessment)
    ticks = {"findings": "on", "language": "on", "second": "on"}
    answer = send(sign_in(person), "approve", assessment, reason="Fine.", **ticks)
    assert "somebody else has to approve it" in answer.content.decode()
    assert Inquiry.objects.get().state == State.IN_REVIEW
    send(sign_in(approver()), "approve", assessment, reason="Fine.", **ticks)
    assert Inquiry.objects.get().state == State.APPROVED


def test_a_run_of_an_older_catalog_says_so_and_is_sized_anew_with_the_difference(assessment, sign_in):
    client = sign_in(engineer())
    assert client.get(page("change", assessment.inquiry)).context["desk"].outdated == ()
    card = assessment.run.result["options"][0]["accelerator"]
    row = Accelerator.objects.get(slug=card)
    row.bandwidth_gb_s = row.bandwidth_gb_s / 2
    row.save()
    current_version()
    assert CatalogVersion.objects.count() == 2
    assert client.get(page("change", assessment.inquiry)).context["desk"].outdated == ("the catalog",)
    first = assessment.run_id
    send(client, "resize", assessment)
    finish_run(assessment)
    assert assessment.run_id != first
    desk = client.get(page("change", assessment.inquiry)).context["desk"]
    assert desk.outdated == ()
    assert desk.sheet.differences[0].moved
    assert Event.objects.get(verb="resize").data == {"old_run": first, "new_run": assessment.run_id}


def test_the_audit_trail_is_exported_in_order_and_a_formula_stays_text(assessment, sign_in):
    reviews.inquiry_reject(inquiry_id=assessment.inquiry_id, reason="=1+1", by=viewer_of(engineer()))
    answer = sign_in(engineer()).get(page("timeline", assessment.inquiry))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["verb"] for row in rows] == ["start", "finish", "reject"]
    assert (rows[-1]["from"], rows[-1]["to"], rows[-1]["reason"]) == ("in_review", "rejected", "'=1+1")
    history = sign_in(engineer()).get(page("history", assessment.inquiry)).content.decode()
    assert "In review → Rejected" in history


@pytest.mark.parametrize("model", ["event", "message"])
def test_nobody_edits_the_audit_trail_or_the_conversation_in_the_admin(assessment, sign_in, model, admin_user):
    message_post(inquiry_id=assessment.inquiry_id, body="Hello.", by=viewer_of(engineer()))
    pk = (Event if model == "event" else Message).objects.first().pk
    client = sign_in(admin_user)
    assert client.get(f"/admin/assessments/{model}/").status_code == 200
    assert client.get(f"/admin/assessments/{model}/{pk}/change/").status_code == 200
    for verb in ("change", "delete"):
        assert client.post(f"/admin/assessments/{model}/{pk}/{verb}/", {"post": "yes"}).status_code == 403
    assert client.post(f"/admin/assessments/{model}/add/", {}).status_code == 403
