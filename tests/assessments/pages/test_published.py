"""What engineers do shows outside from the release on, and then page, share, PDF and JSON say the same."""

import copy
import io
import json
import re
from html import unescape

import pypdf
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from assessments.documents.render import render_pdf
from assessments.models import Adjustment, Assessment, ServerChoice, ShareLink, SizingRun
from assessments.pages.published import ANSWER_OF
from assessments.pipeline.document_data import document_context
from assessments.services import reviews
from assessments.services.shares import share_create
from assessments.wording import subject_of
from catalog.models import Server, Vendor
from tests.assessments.pages.scenes import RESULT, TASK, signed_in, sized
from tests.factories import ServerChoiceFactory, SizingRunFactory, approver, customer, viewer_of

pytestmark = pytest.mark.django_db

SUMMARY = "Four cards carry it; order the second feed now."
REMARK = "The link is the reason for this board."
REASON = "Our own runs needed this much."
NOTE = "Margin is thin, ask the vendor."
NONE_BECAUSE = "Nothing of the catalog is in stock this quarter."
PINNED = "balanced.ram.required"
RAM, SPARE = 700 * 2.0**30, 2.0**38
FIT = {
    "fit": "does_not_fit",
    "failing": ["units"],
    "lines": [
        {"code": "ram", "unit": "bytes", "required": RAM, "offered": RAM + SPARE, "left": SPARE, "fit": "fits"},
        {"code": "units", "unit": "units", "required": 4, "offered": 2, "left": -2, "fit": "does_not_fit"},
    ],
}
INTERNAL = (SUMMARY, REMARK, REASON, NOTE, NONE_BECAUSE, "Aurora 9000", "700\u00a0GiB", "75161927")


def adjusted() -> dict:
    """The sample's result with one pinned value and one changed answer."""
    result = copy.deepcopy(RESULT)
    result["quantities"][PINNED] |= {"v": [RAM, RAM, RAM], "origin": "pinned"}
    return result


def worked_on() -> Assessment:
    """A request in review: value pinned, answer changed, servers chosen, words written; nothing of it published."""
    assessment = sized()
    run = SizingRunFactory(
        assessment=assessment, result=adjusted(), task=TASK, finished_at=timezone.now(), step=SizingRun.Step.DONE
    )
    engineer = approver(name="Ada Reviewer")
    for kind, target, before, after in (
        ("knob", PINNED, RESULT["quantities"][PINNED]["v"], RAM),
        ("answer", "scenarios[0].dataset.epochs", 1, 2),
    ):
        Adjustment.objects.create(
            assessment=assessment, kind=kind, target=target, before=before, after=after, reason=REASON, author=engineer
        )
    server = Server.objects.create(
        vendor=Vendor.objects.create(slug="nord", name="Nord"), slug="a9", name="Aurora 9000"
    )
    for option in RESULT["options"]:
        is_chosen = option["key"] == "balanced"
        ServerChoiceFactory(
            assessment=assessment,
            option_key=option["key"],
            setup=reviews.setup_key(option),
            server=server if is_chosen else None,
            reason="" if is_chosen else NONE_BECAUSE,
            reason_if_unfit=REASON if is_chosen else "",
            internal_note=NOTE,
            author=engineer,
            quantity=1,
            fit=FIT if is_chosen else {},
        )
    assessment.run, assessment.summary, assessment.remarks = run, SUMMARY, {"options": REMARK}
    assessment.save()
    return assessment


def approve(assessment: Assessment) -> Assessment:
    """Vouched for, not yet released."""
    by = viewer_of(approver(name="Olga Approver"))
    seen = Assessment.objects.get(pk=assessment.pk).version
    return reviews.assessment_approve(inquiry_id=assessment.inquiry_id, seen=seen, by=by, reason="Checked.")


def release(assessment: Assessment) -> Assessment:
    """Shown to the customer."""
    return reviews.assessment_release(inquiry_id=assessment.inquiry_id, by=viewer_of(approver()))


def address(assessment: Assessment) -> str:
    return reverse("pages:request", args=[assessment.inquiry.number])


def page_of(assessment: Assessment, language: str = "en") -> str:
    return unescape(signed_in(assessment.inquiry, language).get(address(assessment)).content.decode())


def share_of(assessment: Assessment) -> str:
    by = viewer_of(customer(assessment.inquiry.organization))
    _link, raw = share_create(assessment_id=assessment.pk, days=7, by=by)
    return reverse("pages:shared", args=[raw])


def words(html: str) -> str:
    """The text of a page on one line."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize("is_approved", [False, True])
def test_nothing_of_the_engineers_work_shows_before_the_release(is_approved):
    assessment = worked_on()
    link = share_of(assessment)
    if is_approved:
        approve(assessment)
    inquiry = assessment.inquiry
    member = signed_in(inquiry)
    shown = [
        unescape(member.get(address(assessment)).content.decode()),
        member.get(reverse("pages:result_json", args=[inquiry.number])).content.decode(),
        unescape(Client().get(link).content.decode()),
        Client().get(f"{link}result.json").content.decode(),
    ]
    for text in shown:
        assert [secret for secret in INTERNAL if secret in text] == []
    assert "Automatic, not reviewed by an engineer" in shown[0]
    assert "Olga Approver" not in shown[0]
    assert json.loads(shown[1]) == json.loads(shown[3]) == RESULT


def test_released_page_share_pdf_and_json_say_the_same():
    assessment = worked_on()
    link = share_of(assessment)
    approve(assessment)
    release(assessment)
    member = signed_in(assessment.inquiry)
    result = member.get(reverse("pages:result_json", args=[assessment.inquiry.number])).json()
    assert result == adjusted()
    assert Client().get(f"{link}result.json").json() == result
    run = SizingRun.objects.get(pk=assessment.run_id)
    with translation.override("en"):
        content = render_pdf(context=document_context(run, kind="approved", language="en")).content
    pdf = " ".join(" ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages).split())
    own = words(page_of(assessment))
    shared = words(unescape(Client().get(link).content.decode()))
    said = [
        SUMMARY,
        REMARK,
        REASON,
        NONE_BECAUSE,
        "1 × Nord Aurora 9000",
        "Olga Approver",
        "700\u00a0GiB",
        "256\u00a0GiB",
    ]
    for text in (own, shared, pdf):
        seen = text.replace("\u00a0", " ")
        assert [word for word in said if word.replace("\u00a0", " ") not in seen] == []
        assert NOTE not in text


def test_changed_values_are_marked_as_the_engineers_judgement_with_the_reason():
    assessment = worked_on()
    approve(assessment)
    release(assessment)
    html = page_of(assessment)
    derivations = re.findall(r'<details class="derivation".*?</details>', html, re.DOTALL)
    changed = [text for text in derivations if 'id="q-balanced-ram-required"' in text or 'id="q-data-epochs"' in text]
    assert len(changed) == 2
    assert sum("Engineer’s judgement" in text for text in derivations) == 2
    for found in changed:
        assert "Engineer’s judgement" in found
        assert REASON in found
    options = html[html.index('id="options"') : html.index('id="memory"')]
    required = html[html.index('id="requirements"') : html.index('id="findings"')]
    assert options.count("Engineer’s judgement") == 1
    assert required.count("Engineer’s judgement") == 1
    assert "2 values are the engineer’s judgement" in html


def test_a_pick_keeps_the_server_as_it_was_at_approval():
    assessment = worked_on()
    approve(assessment)
    release(assessment)
    Server.objects.update(name="Renamed 1")
    html = page_of(assessment)
    assert "Aurora 9000" in html
    assert "Renamed 1" not in html
    assert "Not met: Rack units" in words(html)


def test_russian_readers_get_russian_words_around_the_engineers_own():
    assessment = worked_on()
    approve(assessment)
    release(assessment)
    text = words(page_of(assessment, "ru"))
    assert "Серверы, которые выбрал инженер" in text
    assert "Без сервера из каталога" in text
    assert "2 значения – решения инженера" in text
    assert f'<div lang="en"><p>{SUMMARY}</p>' in page_of(assessment, "ru")


def test_an_adjustment_after_a_reopening_shows_nothing_until_its_own_release(loaded_catalog):
    assessment = worked_on()
    link = share_of(assessment)
    approve(assessment)
    release(assessment)
    by = viewer_of(approver())
    reopened = reviews.inquiry_reopen(inquiry_id=assessment.inquiry_id, reason="A better board came.", by=by)
    Assessment.objects.filter(pk=reopened.pk).update(summary="The new words.")
    number = assessment.inquiry.number
    member = signed_in(assessment.inquiry)
    assert member.get(reverse("pages:revision", args=[number, reopened.revision])).status_code == 404
    after = words(page_of(assessment))
    assert "The new words." not in after
    assert "A better board came." not in after
    assert SUMMARY in after
    assert "Approved by an engineer" in after
    assert "A newer revision" not in words(Client().get(link).content.decode())


def test_a_share_of_the_first_result_stays_with_its_own_revision_and_names_the_newer_one():
    assessment = worked_on()
    approve(assessment)
    release(assessment)
    earlier = share_of(assessment)
    later = Assessment.objects.create(
        inquiry=assessment.inquiry, intake=assessment.intake, revision=2, is_reopened=True, language="en"
    )
    Assessment.objects.filter(pk=assessment.pk).update(status=Assessment.Status.SUPERSEDED)
    Assessment.objects.filter(pk=later.pk).update(status=Assessment.Status.APPROVED, released_at=timezone.now())
    text = words(unescape(Client().get(earlier).content.decode()))
    assert "A newer revision has been released" in text
    assert "Superseded by revision 2" in text
    assert SUMMARY in text
    assert "/requests/" not in unescape(Client().get(earlier).content.decode()).replace('href="/requests/"', "")
    assert ShareLink.objects.count() == 1


def test_internal_notes_reach_nobody_outside_in_any_format():
    assessment = worked_on()
    approve(assessment)
    release(assessment)
    run = SizingRun.objects.get(pk=assessment.run_id)
    assert NOTE not in str(document_context(run, kind="approved", language="en"))
    assert ServerChoice.objects.filter(internal_note=NOTE).count() == len(RESULT["options"])


def test_every_answer_among_the_quantities_can_be_marked():
    answers = {subject_of(name) for name, q in RESULT["quantities"].items() if q["origin"] == "answer"}
    assert answers - set(ANSWER_OF) == set()
