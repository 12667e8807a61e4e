"""The conversation on the customer's page."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assessments.models import Inquiry, Message, State
from tests.assessments.pages.scenes import html_of, signed_in, sized
from tests.factories import customer, engineer

pytestmark = pytest.mark.django_db


def question(inquiry: Inquiry) -> Message:
    """An engineer's open question about the number of tokens."""
    Inquiry.objects.filter(pk=inquiry.pk).update(state=State.NEEDS_INFO)
    return Message.objects.create(
        inquiry=inquiry,
        author=engineer(name="I. Safronova"),
        audience=Message.Audience.CUSTOMER,
        path="scenarios[0].dataset.tokens",
        body="How many tokens are there?",
    )


def test_a_question_is_shown_with_the_field_it_concerns():
    inquiry = sized().inquiry
    question(inquiry)
    html = html_of(signed_in(inquiry), "pages:request", inquiry.number)
    assert "How many tokens are there?" in html
    assert "Tokens in the dataset" in html
    assert "The engineer awaits your reply: 1 question." in html


def test_a_reply_answers_the_question_and_resumes_the_review():
    inquiry = sized().inquiry
    asked = question(inquiry)
    signed_in(inquiry).post(reverse("pages:message", args=[inquiry.number]), {"body": "6.4 billion"})
    inquiry.refresh_from_db()
    asked.refresh_from_db()
    assert inquiry.state == State.IN_REVIEW
    assert asked.answered_by is not None
    assert asked.answered_by.body == "6.4 billion"


def test_internal_notes_stay_inside():
    inquiry = sized().inquiry
    Message.objects.create(inquiry=inquiry, audience=Message.Audience.INTERNAL, body="Watch this one.")
    assert "Watch this one." not in html_of(signed_in(inquiry), "pages:request", inquiry.number)


def test_attachments_are_downloads_for_members_only():
    inquiry = sized().inquiry
    member = signed_in(inquiry)
    file = SimpleUploadedFile("loss.csv", b"step,loss\n1,2.5\n")
    member.post(reverse("pages:message", args=[inquiry.number]), {"body": "Our curve", "file": file})
    address = reverse("pages:attachment", args=[inquiry.number, Message.objects.get().pk])
    response = member.get(address)
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["Content-Type"] == "application/octet-stream"
    stranger = Client()
    stranger.force_login(customer())
    assert stranger.get(address).status_code == 404


def test_other_kinds_of_files_are_refused_in_words():
    inquiry = sized().inquiry
    member = signed_in(inquiry)
    file = SimpleUploadedFile("page.html", b"<script>alert(1)</script>")
    response = member.post(
        reverse("pages:message", args=[inquiry.number]), {"body": "See this", "file": file}, follow=True
    )
    assert "Only PDF, PNG or CSV up to 10 MB can be attached." in response.content.decode()
    assert not Message.objects.exists()
