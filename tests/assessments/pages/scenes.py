"""Requests in the states that the pages' tests need, and the browsers that look at them."""

import json
from importlib import resources

from django.core.files.base import ContentFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessments.models import Assessment, Document, Inquiry, SizingRun, State
from tests.factories import AssessmentFactory, InquiryFactory, IntakeFactory, SizingRunFactory, customer

RESULT = json.loads(resources.files("portal.web").joinpath("sample", "result.json").read_text(encoding="utf-8"))
TASK = json.loads(resources.files("portal.web").joinpath("sample", "task.json").read_text(encoding="utf-8"))


def sized(state: str = State.IN_REVIEW, **inquiry) -> Assessment:
    """A request with a finished run of the sample task."""
    intake = IntakeFactory(inquiry=InquiryFactory(state=state, **inquiry), task=TASK)
    assessment = AssessmentFactory(intake=intake)
    assessment.first_run = assessment.run = SizingRunFactory(
        assessment=assessment, result=RESULT, task=TASK, finished_at=timezone.now(), step=SizingRun.Step.DONE
    )
    assessment.save(update_fields=["first_run", "run"])
    return assessment


def running(**run) -> Inquiry:
    """A request that is being computed."""
    assessment = AssessmentFactory(intake__inquiry__state=State.SIZING, intake__task=TASK)
    assessment.run = assessment.first_run = SizingRunFactory(assessment=assessment, **run)
    assessment.save()
    return assessment.inquiry


def document(assessment: Assessment, language: str = "en", kind: str = Document.Kind.AUTOMATIC) -> Document:
    """A PDF of the assessment's run."""
    row = Document(
        assessment=assessment,
        run=assessment.run,
        kind=kind,
        language=language,
        sha256="ab" * 32,
        result_sha256="cd" * 32,
        pages=12,
        size=8,
    )
    row.file.save("a.pdf", ContentFile(b"%PDF-1.7"), save=False)
    row.save(force_insert=True)
    return row


def signed_in(inquiry: Inquiry, language: str = "en") -> Client:
    """A member of the request's organisation."""
    client = Client(headers={"accept-language": language})
    client.force_login(customer(inquiry.organization))
    return client


def html_of(client: Client, name: str, *args: object) -> str:
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()
