"""A request in review with a result of the engine itself, and the people of the desk."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from assessments.models import Assessment, Inquiry
from assessments.pipeline import runs
from assessments.sizing import parse_catalog, parse_task, size
from catalog.snapshot import current_version
from portal.accounts.models import User
from tests.factories import TASK, AssessmentFactory


@pytest.fixture(scope="session")
def _results() -> dict[str, object]:
    """The engine's result of the usual task, by catalog; sized by the first test that needs it."""
    return {}


@pytest.fixture
def assessment(loaded_catalog: None, _results: dict[str, object]) -> Assessment:
    """A working assessment of a request in review, as a worker left it."""
    version = current_version()
    if version.sha256 not in _results:
        _results[version.sha256] = size(parse_task(TASK), parse_catalog(version.snapshot)).as_result()
    made = AssessmentFactory(intake__inquiry__state="submitted", intake__task=TASK)
    run = runs.run_request(made)
    runs.run_begin(run.pk)
    run.refresh_from_db()
    assert runs.run_finish(run, _results[version.sha256])
    return Assessment.objects.select_related("inquiry", "run").get(pk=made.pk)


def finish_run(assessment: Assessment) -> Assessment:
    """Do what the worker does with the present run of an assessment."""
    assessment.refresh_from_db()
    run = assessment.run
    if run.result is None:
        runs.run_begin(run.pk)
        assert runs.run_finish(run, runs.run_size(run))
    assessment.refresh_from_db()
    return assessment


@pytest.fixture
def sign_in() -> Callable[[User], Client]:
    """A browser of one person."""

    def signed_in(user: User) -> Client:
        client = Client(headers={"accept-language": "en"})
        client.force_login(user)
        return client

    return signed_in


def page(name: str, inquiry: Inquiry | int | None = None) -> str:
    """An address of the desk."""
    args = [] if inquiry is None else [inquiry if isinstance(inquiry, int) else inquiry.pk]
    return reverse(f"admin:assessments_inquiry_{name}", args=args)
