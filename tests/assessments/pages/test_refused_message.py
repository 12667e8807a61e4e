"""A message with a file that is not taken: the words stay, the reason stands at the field."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assessments.models import Message
from tests.factories import AssessmentFactory, customer

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "file",
    [
        SimpleUploadedFile("setup.exe", b"MZ"),
        SimpleUploadedFile("page.pdf", b"<html>"),
        SimpleUploadedFile("large.csv", b"a" * (10 * 1024 * 1024 + 1)),
    ],
    ids=lambda file: file.name,
)
def test_what_was_typed_stays_in_the_form_once(file):
    assessment = AssessmentFactory(sized=False)
    client = Client()
    client.force_login(customer(organization=assessment.inquiry.organization))
    number = assessment.inquiry.number
    client.post(reverse("pages:message", args=[number]), {"body": "See the attached table.", "file": file})
    page = client.get(reverse("pages:request", args=[number])).content.decode()
    assert "See the attached table." in page
    assert 'aria-describedby="message-error"' in page
    assert not Message.objects.exists()
    again = client.get(reverse("pages:request", args=[number])).content.decode()
    assert "See the attached table." not in again
