"""Published runs, asked as customers would have: the class, the fit and the hours on the real hardware."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from assessments.sizing import Catalog, parse_catalog
from assessments.validation.published_runs import CheckedRun, Kind, check_run, page, read_runs
from catalog.loading import load_default
from catalog.snapshot import snapshot

RUNS = read_runs(Path(__file__).parents[1] / "runs")
KINDS: dict[Kind, tuple[str, ...]] = {
    "class": tuple(run.name for run in RUNS),
    "time": tuple(run.name for run in RUNS if run.references),
    "fits": tuple(run.name for run in RUNS if any(row.is_fitting for row in run.fit_checks)),
    "does_not_fit": tuple(run.name for run in RUNS if any(not row.is_fitting for row in run.fit_checks)),
    "finding": tuple(run.name for run in RUNS if run.findings),
    "assumption": tuple(run.name for run in RUNS if run.assumed),
    "ram": tuple(run.name for run in RUNS if run.ram_bytes),
}
MISSING = {run.name: run.missing for run in RUNS}


def cases() -> list[object]:
    """Every kind of check of every run; where a fact is missing, a miss is expected and its reason told."""
    found = []
    for kind, names in KINDS.items():
        for name in names:
            why = MISSING[name].get(kind)
            marks = [] if why is None else [pytest.mark.xfail(reason=why, strict=False)]
            found.append(pytest.param(name, kind, marks=marks, id=f"{name}-{kind}"))
    return found


@pytest.fixture(scope="module")
def whole_catalog(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Catalog:
    """The default catalog; the tables are empty again after it was read."""
    with django_db_blocker.unblock(), transaction.atomic():
        load_default()
        data = snapshot()
        transaction.set_rollback(True)
    return parse_catalog(data)


@pytest.fixture(scope="module")
def checked(whole_catalog: Catalog) -> dict[str, CheckedRun]:
    """Every run beside its answer."""
    return {run.name: check_run(run, whole_catalog) for run in RUNS}


@pytest.mark.parametrize(("name", "kind"), cases())
def test_a_published_run_is_answered_rightly(name: str, kind: Kind, checked: dict[str, CheckedRun]) -> None:
    for check in checked[name].of(kind):
        assert check.is_hit, f"{check.subject}: expected {check.expected}, found {check.found}"


def test_every_miss_stands_on_the_page_with_its_reason(checked: dict[str, CheckedRun]) -> None:
    text = page(list(checked.values()))
    assert len(checked) == 37
    assert all(f"| {run.name}: {run.title} |" in text for run in RUNS)
    assert "not explained" not in text
