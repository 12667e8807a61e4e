"""Reads that several pages share."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from assessments.models import Adjustment, Assessment, Document, Inquiry, SizingRun
from assessments.sizing import CALIBRATION_VERSION, ENGINE_VERSION

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

_USUAL_OF = 50
_USUAL_AT_LEAST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjusted:
    """What the adjustments of one assessment come to: patches of the task, overrides and setups for the engine."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    overrides: Mapping[str, float] = field(default_factory=dict)
    setups: Mapping[str, Any] = field(default_factory=dict)


def in_force(adjustments: Iterable[Adjustment]) -> list[Adjustment]:
    """Adjustments that count, in order of id: undone, undoing and dropped ones fall out."""
    rows = sorted(adjustments, key=lambda row: row.pk)
    undone = {row.undoes_id for row in rows if row.undoes_id}
    return [row for row in rows if row.pk not in undone and not row.undoes_id and not row.dropped]


def fold(adjustments: Iterable[Adjustment]) -> Adjusted:
    """What adjustments come to: the last one of a target wins."""
    answers: dict[str, Any] = {}
    overrides: dict[str, float] = {}
    setups: dict[str, Any] = {}
    of_kind: dict[str, dict[str, Any]] = {
        Adjustment.Kind.ANSWER: answers,
        Adjustment.Kind.KNOB: overrides,
        Adjustment.Kind.OPTION: setups,
    }
    for row in in_force(adjustments):
        if row.kind in of_kind:
            of_kind[row.kind][row.target] = row.after
    return Adjusted(answers=answers, overrides=overrides, setups=setups)


def carried(assessment: Assessment) -> list[Adjustment]:
    """Adjustments of the revisions before that nobody confirmed or dropped yet, the oldest first; one query."""
    earlier = list(
        Adjustment.objects.filter(
            assessment__inquiry=assessment.inquiry_id, assessment__revision__lt=assessment.revision
        ).exclude(kind=Adjustment.Kind.TEXT)
    )
    decided = {row.carried_from_id for row in [*earlier, *assessment.adjustments.all()]}
    return [row for row in in_force(earlier) if row.pk not in decided]


def outdated(run: SizingRun, *, newest_catalog: int | None) -> list[str]:
    """Which of `engine`, `calibration`, `catalog` has changed since a run; newest_catalog: id of the newest version."""
    old = {
        "engine": run.engine != ENGINE_VERSION,
        "calibration": run.calibration != CALIBRATION_VERSION,
        "catalog": newest_catalog is not None and run.catalog_version_id != newest_catalog,
    }
    return [name for name, is_old in old.items() if is_old]


def patched(task: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The task with answers replaced at their JSON paths, such as `scenarios[0].recipe.precision`.

    Raises KeyError or IndexError for a path into a list entry that does not exist.
    """
    result: dict[str, Any] = deepcopy(dict(task))
    for path, value in answers.items():
        steps = _steps(path)
        place: Any = result
        for step in steps[:-1]:
            if step.startswith("["):
                place = place[int(step[1:-1])]
            else:
                if place.get(step) is None:
                    place[step] = {}
                place = place[step]
        last = steps[-1]
        place[int(last[1:-1]) if last.startswith("[") else last] = value
    return result


def value_at(task: Mapping[str, Any], path: str) -> Any:
    """The answer at a JSON path; None where the task says nothing."""
    place: Any = task
    for step in _steps(path):
        try:
            place = place[int(step[1:-1])] if step.startswith("[") else place[step]
        except (KeyError, IndexError, TypeError):
            return None
    return place


def _steps(path: str) -> list[str]:
    return path.replace("[", ".[").split(".")


def published_assessment(inquiry: Inquiry, viewer: Viewer) -> Assessment | None:
    """The newest revision that this reader may see; staff see the working one."""
    assessments = Assessment.objects.visible_to(viewer).filter(inquiry=inquiry)
    return assessments.select_related("intake", "approved_by").order_by("-revision").first()


def shown_run(assessment: Assessment, viewer: Viewer) -> SizingRun | None:
    """The run whose result this reader is shown: staff the present one, others the published one."""
    is_present = viewer.sees_all or assessment.released_at is not None
    run_id = assessment.run_id if is_present else assessment.first_run_id
    return SizingRun.objects.filter(pk=run_id).first() if run_id is not None else None


def documents_of(assessment: Assessment, viewer: Viewer) -> list[Document]:
    """The PDFs of one revision that this reader may download, the approved ones first."""
    documents = Document.objects.visible_to(viewer).filter(assessment=assessment)
    return sorted(documents, key=lambda d: (d.kind != Document.Kind.APPROVED, d.language))


def usual_duration() -> timedelta | None:
    """Median time from start to finish of the last runs; None while there are too few to say."""
    times = (
        SizingRun.objects.filter(finished_at__isnull=False, started_at__isnull=False)
        .order_by("-finished_at")
        .values_list("started_at", "finished_at")[:_USUAL_OF]
    )
    seconds = [(end - start).total_seconds() for start, end in times if start and end]
    if len(seconds) < _USUAL_AT_LEAST:
        return None
    return timedelta(seconds=statistics.median(seconds))
