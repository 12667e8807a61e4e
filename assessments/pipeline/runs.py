"""A sizing run: asked for, begun, finished, failed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from assessments import workflow
from assessments.models import Assessment, SizingRun
from assessments.pipeline.summary import summary_write
from assessments.selectors import fold, patched
from assessments.sizing import (
    CALIBRATION_VERSION,
    ENGINE_VERSION,
    Catalog,
    canonical_json,
    parse_catalog,
    parse_task,
    setups_of,
    size,
)
from catalog.models import CatalogVersion
from catalog.snapshot import current_version
from portal.accounts.viewer import Viewer
from portal.outbox import queue as outbox


def input_sha256(
    *, task: Mapping[str, Any], overrides: Mapping[str, float], setups: Mapping[str, Any], catalog_sha256: str
) -> str:
    """Hash of everything that decides a result: input, engine, calibration and catalog."""
    parts = [task, overrides, setups, ENGINE_VERSION, CALIBRATION_VERSION, catalog_sha256]
    return hashlib.sha256(canonical_json(parts)).hexdigest()


@lru_cache(maxsize=2)
def catalog_of(version_id: int) -> Catalog:
    """The engine's catalog of one version; versions never change, so it may be kept."""
    return parse_catalog(CatalogVersion.objects.values_list("snapshot", flat=True).get(pk=version_id))


@transaction.atomic
def run_request(assessment: Assessment) -> SizingRun:
    """The run of the assessment's present input; a new input is queued, a known one is found again.

    The caller holds the row lock of the request. An assessment keeps the catalog version of its first run.
    """
    version = assessment.catalog_version or current_version()
    adjusted = fold(assessment.adjustments.all())
    task = parse_task(patched(assessment.intake.task, adjusted.answers)).canonical()
    key = input_sha256(task=task, overrides=adjusted.overrides, setups=adjusted.setups, catalog_sha256=version.sha256)
    run, is_new = SizingRun.objects.get_or_create(
        assessment=assessment,
        input_sha256=key,
        defaults={
            "task": task,
            "overrides": dict(adjusted.overrides),
            "setups": dict(adjusted.setups),
            "catalog_version": version,
            "engine": ENGINE_VERSION,
            "calibration": CALIBRATION_VERSION,
        },
    )
    assessment.catalog_version = version
    assessment.run = run
    if assessment.first_run_id is None:
        assessment.first_run = run
    assessment.version += 1
    assessment.save(update_fields=["catalog_version", "run", "first_run", "version"])
    if run.result is not None:
        summary_write(assessment, run)
    elif is_new or run.error_code:
        run_queue(run)
    return run


def run_queue(run: SizingRun) -> None:
    """Put a run that has no result into the queue with all its tries before it."""
    SizingRun.objects.filter(pk=run.pk, finished_at=None).update(
        tries=0, error_code="", step=SizingRun.Step.QUEUED, percent=0, lease_until=None
    )
    outbox.add("assessments.run_sizing", unique_key=f"size:{run.pk}", run_id=run.pk)


@transaction.atomic
def run_begin(run_id: int) -> SizingRun | None:
    """Count a try and move the request to `sizing`; None when the result is there already."""
    _lock_inquiry_of(run_id)
    run = SizingRun.objects.select_for_update(of=("self",)).select_related("assessment").get(pk=run_id)
    if run.finished_at is not None:
        return None
    now = timezone.now()
    run.tries += 1
    run.started_at = run.started_at or now
    run.lease_until = now + timedelta(seconds=settings.OUTBOX_LEASE_S)
    run.step, run.percent = SizingRun.Step.LOADING, 10
    run.save(update_fields=["tries", "started_at", "lease_until", "step", "percent"])
    _advance("start", run)
    return run


def run_progress(run: SizingRun, step: SizingRun.Step, percent: int) -> None:
    """Show how far a run is, at once and outside any transaction of the work."""
    SizingRun.objects.filter(pk=run.pk, finished_at=None).update(step=step, percent=percent)


def run_size(run: SizingRun) -> dict[str, Any]:
    """The engine's result of a run's input as result/1."""
    task = parse_task(run.task)
    catalog = catalog_of(run.catalog_version_id)
    run_progress(run, SizingRun.Step.SIZING, 30)
    setups = setups_of(run.setups, catalog)
    return size(task, catalog, overrides=run.overrides, setups=setups).as_result()


@transaction.atomic
def run_finish(run: SizingRun, result: dict[str, Any], *, outbox_id: int | None = None) -> bool:
    """Store the result, let the request go on, queue its document and strike the wish out, all or nothing.

    False when another worker had stored the result before.
    """
    if outbox_id is not None:
        outbox.done(outbox_id)
    inquiry = workflow.lock(run.assessment.inquiry_id)
    assessment = Assessment.objects.get(pk=run.assessment_id)
    is_printed = assessment.first_run_id == run.pk and not assessment.is_reopened
    stored = SizingRun.objects.filter(pk=run.pk, finished_at=None).update(
        result=result,
        finished_at=timezone.now(),
        step=SizingRun.Step.RENDERING if is_printed else SizingRun.Step.DONE,
        percent=70 if is_printed else 100,
        lease_until=None,
        error_code="",
    )
    if not stored:
        return False
    Assessment.objects.filter(pk=assessment.pk, status=Assessment.Status.WORKING).update(version=F("version") + 1)
    run.result = result
    if assessment.run_id == run.pk and assessment.status == Assessment.Status.WORKING:
        summary_write(assessment, run)
    _advance("finish", run)
    if is_printed:
        render_queue(run, kind="automatic", language=inquiry.language)
    return True


def render_queue(run: SizingRun, *, kind: str, language: str) -> None:
    """Queue one document of a run; asking twice queues it once."""
    outbox.add(
        "assessments.render_document",
        unique_key=f"render:{run.pk}:{kind}:{language}",
        run_id=run.pk,
        document_kind=kind,
        language=language,
    )


@transaction.atomic
def run_fail(run_id: int, *, code: str) -> None:
    """Give up on a run: it and its request say so, and a button tries again."""
    _lock_inquiry_of(run_id)
    run = SizingRun.objects.select_for_update(of=("self",)).select_related("assessment").get(pk=run_id)
    if run.finished_at is not None:
        return
    run.error_code = code[:64]
    run.lease_until = None
    run.save(update_fields=["error_code", "lease_until"])
    _advance("start", run)
    _advance("fail", run)


def _lock_inquiry_of(run_id: int) -> None:
    """Lock the request before its run, as every writer does: equal order, no deadlock."""
    workflow.lock(SizingRun.objects.values_list("assessment__inquiry_id", flat=True).get(pk=run_id))


def _advance(verb: str, run: SizingRun) -> None:
    """Move the request of a working assessment's first result; anything else is a re-run and moves nothing."""
    inquiry = workflow.lock(run.assessment.inquiry_id)
    is_working = Assessment.objects.filter(pk=run.assessment_id, status=Assessment.Status.WORKING).exists()
    if is_working and inquiry.state in workflow.TRANSITIONS[verb].sources:
        getattr(workflow, verb)(inquiry.pk, by=Viewer.system())
