"""Changing the input of an assessment: answers patched, knobs pinned, options given; each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from assessments import wording, workflow
from assessments.models import Adjustment, Assessment
from assessments.pipeline.runs import catalog_of, run_request
from assessments.selectors import Adjusted, carried, fold, in_force, patched, value_at
from assessments.services.reviews import lock_working
from assessments.sizing import TaskErrors, parse_task, setups_of, size

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

type Json = Any


class Refused(workflow.WorkflowError):
    """The value cannot be used; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One wished adjustment: `kind` answer | knob | option, its path, id or key, and the new value."""

    kind: str
    target: str
    after: Json


def adjusted_with(assessment: Assessment, changes: list[Change]) -> Adjusted:
    """The adjustments in force and the wished ones on top."""
    now = fold(assessment.adjustments.all())
    parts = {"answer": dict(now.answers), "knob": dict(now.overrides), "option": dict(now.setups)}
    for change in changes:
        parts[change.kind][change.target] = change.after
    return Adjusted(answers=parts["answer"], overrides=parts["knob"], setups=parts["option"])


def change_check(assessment: Assessment, change: Change) -> None:
    """Refuse a value that the task's schema, a knob's bounds or the options do not allow."""
    if change.kind == Adjustment.Kind.KNOB:
        result = assessment.run.result if assessment.run else None
        knob = next((k for k in (result or {}).get("knobs", ()) if k["id"] == change.target), None)
        if knob is None:
            raise Refused(_("“%(target)s” cannot be pinned.") % {"target": change.target})
        is_number = isinstance(change.after, int | float) and not isinstance(change.after, bool)
        if not is_number or not knob["low"] <= change.after <= knob["high"]:
            raise Refused(
                _("%(target)s: a value from %(low)s to %(high)s is possible.")
                % {
                    "target": wording.label_of(change.target),
                    "low": wording.amount(knob["low"], knob["unit"]),
                    "high": wording.amount(knob["high"], knob["unit"]),
                }
            )
    try:
        if change.kind == Adjustment.Kind.OPTION and assessment.catalog_version_id is not None:
            setups_of({change.target: change.after}, catalog_of(assessment.catalog_version_id))
        parse_task(patched(assessment.intake.task, adjusted_with(assessment, [change]).answers))
    except TaskErrors as refused:
        raise Refused(" ".join(wording.say(error.code, error.params) for error in refused.errors)) from refused
    except (KeyError, IndexError, TypeError, ValueError) as refused:
        raise Refused(_("The task has no place “%(target)s”.") % {"target": change.target}) from refused


def preview(assessment: Assessment, change: Change) -> dict[str, Any]:
    """The result as it would be with one more change; nothing is stored. Raises Refused."""
    change_check(assessment, change)
    if assessment.catalog_version_id is None:
        raise Refused(_("The sizing is not finished."))
    adjusted = adjusted_with(assessment, [change])
    catalog = catalog_of(assessment.catalog_version_id)
    task = parse_task(patched(assessment.intake.task, adjusted.answers))
    setups = setups_of(adjusted.setups, catalog)
    return size(task, catalog, overrides=adjusted.overrides, setups=setups).as_result()


def value_before(assessment: Assessment, change: Change) -> Json:
    """What the target is worth now: the answer, the pinned or computed value, the given setup."""
    now = fold(assessment.adjustments.all())
    if change.kind == Adjustment.Kind.ANSWER:
        return value_at(patched(assessment.intake.task, now.answers), change.target)
    if change.kind == Adjustment.Kind.KNOB:
        quantities = (assessment.run.result if assessment.run and assessment.run.result else {}).get("quantities", {})
        computed = quantities.get(change.target, {}).get("v")
        return now.overrides.get(change.target, computed)
    return now.setups.get(change.target)


@transaction.atomic
def adjustment_add(*, inquiry_id: int, change: Change, reason: str, seen: int, by: Viewer) -> Adjustment:
    """Adjust the working assessment and queue its new run; an input known already finds its run again."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    author = by.user
    if not reason.strip() or author is None:
        raise workflow.ReasonRequired(_("Give a reason: it is kept with the request."))
    change_check(assessment, change)
    adjustment = Adjustment.objects.create(
        assessment=assessment,
        kind=change.kind,
        target=change.target,
        before=value_before(assessment, change),
        after=change.after,
        reason=reason,
        author=author,
    )
    run_request(assessment)
    workflow.record(
        inquiry,
        "adjust",
        by=by,
        reason=reason,
        kind=change.kind,
        target=change.target,
        old=adjustment.before,
        new=change.after,
    )
    return adjustment


@transaction.atomic
def adjustments_undo(*, inquiry_id: int, adjustment_ids: list[int] | None, reason: str, seen: int, by: Viewer) -> None:
    """Take adjustments back, or all of them with None: the engine's own values return."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    author = by.user
    if not reason.strip() or author is None:
        raise workflow.ReasonRequired(_("Give a reason: it is kept with the request."))
    rows = [row for row in in_force(assessment.adjustments.all()) if row.kind != Adjustment.Kind.TEXT]
    taken = [row for row in rows if adjustment_ids is None or row.pk in adjustment_ids]
    for row in taken:
        Adjustment.objects.create(
            assessment=assessment,
            kind=row.kind,
            target=row.target,
            before=row.after,
            after=row.before,
            reason=reason,
            author=author,
            undoes=row,
        )
    run_request(assessment)
    workflow.record(inquiry, "undo", by=by, reason=reason, targets=[row.target for row in taken])


@transaction.atomic
def carried_decide(
    *, inquiry_id: int, keep: bool, seen: int, by: Viewer, adjustment_ids: list[int] | None = None
) -> None:
    """Confirm or drop the adjustments of the revision before; None means all that are offered."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    author = by.user
    if author is None:
        raise workflow.NotAllowed(_("Your role may not do this."))
    decided = [row for row in carried(assessment) if adjustment_ids is None or row.pk in adjustment_ids]
    for row in decided:
        if keep:
            change_check(assessment, Change(kind=row.kind, target=row.target, after=row.after))
        Adjustment.objects.create(
            assessment=assessment,
            kind=row.kind,
            target=row.target,
            before=row.before,
            after=row.after,
            reason=row.reason,
            author=author,
            carried_from=row,
            dropped=not keep,
        )
    run_request(assessment)
    workflow.record(inquiry, "carry" if keep else "drop", by=by, targets=[row.target for row in decided])
