"""The customer's requests: list, progress, result, and who may see them."""

import json

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Assessment, Inquiry, SizingRun, State
from portal.outbox.models import OutboxMessage
from tests.assessments.pages.scenes import RESULT, document, html_of, running, signed_in, sized
from tests.factories import AssessmentFactory, IntakeFactory, OrganizationFactory, customer, engineer

pytestmark = pytest.mark.django_db


def test_list_asks_strangers_to_sign_in():
    response = Client().get(reverse("pages:requests"))
    assert response.url == f"{reverse('account_login')}?next={reverse('pages:requests')}"


def test_list_shows_own_requests_only_and_no_engineers_figures():
    mine, other = sized().inquiry, sized().inquiry
    Inquiry.objects.filter(pk=mine.pk).update(accelerator="secret-card", gpus_low=77_321, kw=77_321)
    html = html_of(signed_in(mine), "pages:requests")
    assert mine.number in html
    assert "Llama 3.1 8B, full fine-tuning" in html
    assert other.number not in html
    assert "secret-card" not in html
    assert "77321" not in html.replace(",", "").replace("\u202f", "")


def test_empty_list_offers_a_start():
    client = Client()
    client.force_login(customer())
    assert "No requests yet" in html_of(client, "pages:requests")


def test_list_takes_as_many_queries_for_twenty_rows_as_for_two(django_assert_max_num_queries):
    organization = OrganizationFactory()
    for _ in range(20):
        sized(organization=organization)
    client = Client()
    client.force_login(customer(organization))
    with django_assert_max_num_queries(12):
        client.get(reverse("pages:requests"))


@pytest.mark.parametrize(
    "name", ["request", "progress", "withdraw", "result_json", "pdf_pending"], ids=lambda name: str(name)
)
def test_strangers_are_told_there_is_nothing(name):
    inquiry = sized().inquiry
    stranger = Client()
    stranger.force_login(customer())
    for client in (Client(), stranger):
        assert client.get(reverse(f"pages:{name}", args=[inquiry.number])).status_code == 404


def test_progress_names_steps_and_asks_again_by_itself():
    inquiry = running(step=SizingRun.Step.SIZING, percent=60, started_at=timezone.now())
    html = html_of(signed_in(inquiry), "pages:request", inquiry.number)
    assert f'hx-get="{reverse("pages:progress", args=[inquiry.number])}"' in html
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html
    assert html.count("done</span>") == 2
    assert "60&nbsp;%" in html


def test_progress_part_reloads_the_page_once_there_is_a_result():
    inquiry = sized().inquiry
    response = signed_in(inquiry).get(reverse("pages:progress", args=[inquiry.number]), headers={"hx-request": "true"})
    assert response["HX-Refresh"] == "true"


def test_a_run_without_news_says_that_answers_are_safe():
    inquiry = running(step=SizingRun.Step.QUEUED)
    SizingRun.objects.update(created_at=timezone.now() - timezone.timedelta(minutes=5))
    assert "It takes longer than usual" in html_of(signed_in(inquiry), "pages:request", inquiry.number)


def test_failed_calculation_can_be_retried_by_the_customer():
    inquiry = running(error_code="crash")
    Inquiry.objects.filter(pk=inquiry.pk).update(state=State.FAILED)
    client = signed_in(inquiry)
    assert "The calculation did not finish" in html_of(client, "pages:request", inquiry.number)
    client.post(reverse("pages:retry", args=[inquiry.number]))
    inquiry.refresh_from_db()
    assert inquiry.state == State.SUBMITTED
    assert OutboxMessage.objects.filter(name="assessments.run_sizing").count() == 1


@pytest.mark.parametrize("language", ["ru", "en"])
def test_result_shows_stamp_options_and_numbers(language):
    inquiry = sized().inquiry
    html = html_of(signed_in(inquiry, language), "pages:request", inquiry.number)
    stamp = {"ru": "Автоматически, инженер не проверял", "en": "Automatic, not reviewed by an engineer"}[language]
    assert 'data-state="automatic"' in html
    assert stamp in html
    assert html.count('class="letter"') == 2 * len(RESULT["options"])
    for part in ("summary", "options", "memory", "time", "requirements", "findings", "next", "derivations"):
        assert f'id="{part}"' in html


def test_every_quantity_has_its_derivation_on_the_page():
    inquiry = sized().inquiry
    html = html_of(signed_in(inquiry), "pages:request", inquiry.number)
    assert html.count('class="derivation"') == len(RESULT["quantities"])
    for name in RESULT["quantities"]:
        assert f'id="q-{name.replace(".", "-")}"' in html


def test_approval_shows_only_once_it_is_released():
    assessment = sized(State.APPROVED)
    author = engineer(name="I. Safronova")
    Assessment.objects.filter(pk=assessment.pk).update(
        status=Assessment.Status.APPROVED, approved_by=author, approved_at=timezone.now(), summary="Take option B."
    )
    client = signed_in(assessment.inquiry)
    before = html_of(client, "pages:request", assessment.inquiry.number)
    assert 'data-state="automatic"' in before
    assert "Take option B." not in before
    Assessment.objects.filter(pk=assessment.pk).update(released_at=timezone.now())
    after = html_of(client, "pages:request", assessment.inquiry.number)
    assert 'data-state="approved"' in after
    assert "I. Safronova" in after
    assert "Take option B." in after


def test_pdf_and_json_can_be_fetched_by_members_only():
    assessment = sized()
    document(assessment)
    number = assessment.inquiry.number
    addresses = [
        reverse("pages:document", args=[number, "automatic", "en"]),
        reverse("pages:result_json", args=[number]),
    ]
    member = signed_in(assessment.inquiry)
    pdf, result = (member.get(address) for address in addresses)
    assert b"".join(pdf.streaming_content) == b"%PDF-1.7"
    assert f'filename="{number}-r1-en.pdf"' in pdf["Content-Disposition"]
    assert json.loads(result.content) == RESULT
    assert [Client().get(address).status_code for address in addresses] == [404, 404]


def test_the_other_language_is_rendered_on_demand():
    assessment = sized()
    document(assessment, "en")
    client = signed_in(assessment.inquiry)
    client.post(reverse("pages:document_request", args=[assessment.inquiry.number]), {"language": "ru"})
    assert OutboxMessage.objects.filter(name="assessments.render_document").count() == 1


def test_withdrawing_asks_once_and_then_does_it():
    inquiry = sized().inquiry
    client = signed_in(inquiry)
    assert "Withdraw request" in html_of(client, "pages:withdraw", inquiry.number)
    inquiry.refresh_from_db()
    assert inquiry.state == State.IN_REVIEW
    client.post(reverse("pages:withdraw", args=[inquiry.number]))
    inquiry.refresh_from_db()
    assert inquiry.state == State.WITHDRAWN


def test_changing_answers_opens_one_draft_of_the_same_request():
    inquiry = sized().inquiry
    client = signed_in(inquiry)
    first = client.post(reverse("pages:change", args=[inquiry.number]))
    second = client.post(reverse("pages:change", args=[inquiry.number]))
    assert first.url == second.url
    assert list(inquiry.drafts.values_list("inquiry_id", flat=True)) == [inquiry.pk]


def test_copying_makes_a_draft_of_its_own():
    inquiry = sized(State.WITHDRAWN).inquiry
    client = signed_in(inquiry)
    response = client.post(reverse("pages:change", args=[inquiry.number]), {"as_new": "1"})
    assert response.url.startswith("/drafts/")
    assert not inquiry.drafts.exists()


def test_check_page_knows_its_documents_by_number_and_hash():
    assessment = sized()
    document(assessment)
    address = reverse("web:check")
    number = assessment.inquiry.number
    for check_sum in ("ab" * 32, "cd" * 6):
        assert (
            "The document is authentic" in Client().get(address, {"number": number, "hash": check_sum}).content.decode()
        )
    for wrong in ({"number": number, "hash": "ef" * 32}, {"number": "SW-2026-9999", "hash": "ab" * 32}):
        assert "We issued no such document" in Client().get(address, wrong).content.decode()


def test_a_later_revision_says_what_changed_since_the_earlier_one():
    first = sized()
    changed = json.loads(json.dumps(first.intake.task))
    changed["scenarios"][0]["dataset"]["tokens"] = 6_400_000_000
    result = json.loads(json.dumps(RESULT))
    result["quantities"][result["summary"]["power"]]["v"] = [5000.0, 6000.0, 7000.0]
    Assessment.objects.filter(pk=first.pk).update(status=Assessment.Status.SUPERSEDED)
    intake = IntakeFactory(inquiry=first.inquiry, revision=2, task=changed)
    AssessmentFactory(intake=intake, revision=2, sized=result)
    html = html_of(signed_in(first.inquiry), "pages:request", first.inquiry.number)
    assert "What changed since revision 1" in html
    assert "<td>don’t know</td><td>6.4\u00a0billion\u00a0tokens</td>" in html
    assert "<td>5.0–7.0 kW</td>" in html
    earlier = html_of(signed_in(first.inquiry), "pages:revision", first.inquiry.number, 1)
    assert 'data-state="superseded"' in earlier
    assert "What changed" not in earlier


def test_names_keep_their_capitals_in_the_middle_of_a_line():
    inquiry = sized().inquiry
    assert "zeRO" not in html_of(signed_in(inquiry), "pages:request", inquiry.number)
