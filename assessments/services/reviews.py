"""What engineers do with a request: take, ask, choose servers, approve, release, reject, reopen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from assessments import matching, wording, workflow
from assessments.models import Assessment, Inquiry, Message, ServerChoice, SizingRun
from assessments.pipeline.runs import render_queue, run_request
from assessments.selectors import carried
from assessments.services.inquiries import assessment_open
from assessments.sizing import canonical_json
from catalog.models import Server
from catalog.snapshot import current_version
from portal.accounts.models import PortalSettings

if TYPE_CHECKING:
    from portal.accounts.models import User
    from portal.accounts.viewer import Viewer


class NotReady(workflow.WorkflowError):
    """The assessment cannot be approved yet; the message names what is open."""


def working_assessment(inquiry: Inquiry) -> Assessment:
    """The assessment on which engineers work. Raises Assessment.DoesNotExist."""
    return Assessment.objects.filter(inquiry=inquiry).working().select_related("run", "intake").get()


def _seen(assessment: Assessment, seen: int) -> None:
    """Refuse a write that was made on an older version than the present one."""
    if assessment.version != seen:
        raise workflow.Conflict(
            _("The assessment was changed meanwhile (version %(now)s, you saw %(seen)s). Reload the page.")
            % {"now": assessment.version, "seen": seen}
        )


def lock_working(inquiry_id: int, *, seen: int, by: Viewer) -> tuple[Inquiry, Assessment]:
    """The locked request and its working assessment, for an engineer who saw its present version.

    Call it inside a transaction. Raises NotAllowed, Conflict (another state or version), Inquiry.DoesNotExist.
    """
    if not by.has_perm("assessments.review_inquiry"):
        raise workflow.NotAllowed(_("Your role may not do this."))
    inquiry = workflow.lock(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk)
    workflow.check_workable(inquiry, by=by)
    assessment = working_assessment(inquiry)
    _seen(assessment, seen)
    return inquiry, assessment


@transaction.atomic
def inquiry_assign(*, inquiry_id: int, assignee: User | None, by: Viewer) -> Inquiry:
    """Give a request to an engineer, or to nobody; engineers take and release, managers assign anybody."""
    own = by.user is not None and assignee in (None, by.user) and by.has_perm("assessments.review_inquiry")
    if not own and not by.has_perm("assessments.manage_pipeline"):
        raise workflow.NotAllowed(_("Your role may not do this."))
    inquiry = workflow.lock(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk)
    if inquiry.assignee_id == (assignee.pk if assignee else None):
        return inquiry
    inquiry.assignee = assignee
    inquiry.version += 1
    inquiry.save(update_fields=["assignee", "version"])
    workflow.record(inquiry, "assign", by=by, assignee=assignee.pk if assignee else None)
    return inquiry


@transaction.atomic
def inquiries_assign(*, inquiry_ids: Iterable[int], assignee: User | None, by: Viewer) -> int:
    """Give several requests to an engineer, or to nobody, all or none; how many changed hands."""
    changed = 0
    for inquiry_id in sorted(inquiry_ids):
        before = Inquiry.objects.visible_to(by).get(pk=inquiry_id).assignee_id
        after = inquiry_assign(inquiry_id=inquiry_id, assignee=assignee, by=by).assignee_id
        changed += before != after
    return changed


@transaction.atomic
def assessment_resize(*, inquiry_id: int, seen: int, by: Viewer) -> SizingRun:
    """Size the present input with the present catalog, engine and calibration, as a run of its own."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    before = assessment.run_id
    assessment.catalog_version = current_version()
    run = run_request(assessment)
    workflow.record(inquiry, "resize", by=by, old_run=before, new_run=run.pk)
    return run


@transaction.atomic
def server_choose(
    *,
    inquiry_id: int,
    option_key: str,
    server: Server | None,
    seen: int,
    by: Viewer,
    quantity: int = 1,
    reason: str = "",
    internal_note: str = "",
) -> ServerChoice:
    """Pick the catalog server of one option, or none with a reason; an unfit server needs a reason too."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    result = result_of(assessment)
    option = next((o for o in result["options"] if o["key"] == option_key), None)
    if option is None:
        raise NotReady(_("The result has no option “%(key)s”.") % {"key": option_key})
    if by.user is None:
        raise workflow.NotAllowed(_("Your role may not do this."))
    fit = matching.fit_of(option, server, quantity=quantity) if server else {}
    if not reason.strip() and (server is None or fit["fit"] == "does_not_fit"):
        raise workflow.ReasonRequired(_("Give a reason: it is kept with the request."))
    choice, _is_new = ServerChoice.objects.update_or_create(
        assessment=assessment,
        option_key=option_key,
        defaults={
            "setup": setup_key(option),
            "server": server,
            "quantity": quantity,
            "reason": reason if server is None else "",
            "reason_if_unfit": reason if server is not None else "",
            "internal_note": internal_note,
            "fit": fit,
            "author": by.user,
        },
    )
    _touch(assessment)
    workflow.record(inquiry, "choose", by=by, reason=reason, option=option_key, server=server.slug if server else None)
    return choice


@transaction.atomic
def assessment_describe(
    *, inquiry_id: int, seen: int, by: Viewer, summary: str, remarks: Mapping[str, str] | None = None
) -> Assessment:
    """Write the engineer's words: the summary and the remarks by section."""
    inquiry, assessment = lock_working(inquiry_id, seen=seen, by=by)
    assessment.summary = summary
    assessment.remarks = dict(remarks if remarks is not None else assessment.remarks)
    assessment.version += 1
    assessment.save(update_fields=["summary", "remarks", "version"])
    workflow.record(inquiry, "describe", by=by)
    return assessment


def open_points(assessment: Assessment) -> list[str]:
    """What still stands between an assessment and its approval, in words."""
    run = assessment.run
    if run is None or run.finished_at is None:
        return [gettext("The sizing is not finished.")]
    points = []
    choices = {choice.option_key: choice for choice in assessment.server_choices.all()}
    wanted = set()
    for option in result_of(assessment)["options"]:
        if option["fit"] == "does_not_fit" or option.get("requirement") is None:
            continue
        wanted.add(option["key"])
        name = wording.option_name(option["key"])
        choice = choices.get(option["key"])
        if choice is None:
            points.append(gettext("No server is chosen for option “%(key)s”.") % {"key": name})
        elif choice.setup != setup_key(option):
            points.append(gettext("The server of option “%(key)s” was chosen for another setup.") % {"key": name})
    points += [
        gettext("The server of option “%(key)s” was chosen for another setup.") % {"key": wording.option_name(key)}
        for key in choices.keys() - wanted
    ]
    offered = len(carried(assessment))
    if offered:
        points.append(
            ngettext(
                "%(count)d adjustment of the revision before is undecided.",
                "%(count)d adjustments of the revision before are undecided.",
                offered,
            )
            % {"count": offered}
        )
    if not assessment.summary.strip():
        points.append(gettext("The summary for the customer is empty."))
    return points


def setup_key(option: Mapping[str, Any]) -> dict[str, Any]:
    """What a pick is bound to; when it differs from the option now, the pick is stale."""
    return {name: option[name] for name in ("accelerator", "gpus", "servers", "link")}


@transaction.atomic
def assessment_approve(
    *, inquiry_id: int, seen: int, by: Viewer, reason: str, checklist: Mapping[str, bool] | None = None
) -> Assessment:
    """Vouch for the assessment as the approver saw it; it never changes afterwards.

    Raises Conflict when it was changed since or somebody else was faster, NotReady while something is open.
    """
    inquiry = workflow.lock(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk)
    workflow.check(inquiry, "approve", by=by, reason=reason)
    assessment = working_assessment(inquiry)
    _seen(assessment, seen)
    points = open_points(assessment)
    if points:
        raise NotReady(" ".join(points))
    if PortalSettings.load().four_eyes and assessment.adjustments.filter(author=by.user).exists():
        raise NotReady(_("You adjusted this assessment; somebody else has to approve it."))
    result = result_of(assessment)
    for choice in assessment.server_choices.select_related("server__vendor"):
        choice.specification = choice.server.specification() if choice.server else None
        choice.save(update_fields=["specification", "updated_at"])
    assessment.status = Assessment.Status.APPROVED
    assessment.approved_by = by.user
    assessment.approved_at = timezone.now()
    assessment.checklist = dict(checklist or {})
    assessment.result_sha256 = hashlib.sha256(canonical_json(result)).hexdigest()
    assessment.save(update_fields=["status", "approved_by", "approved_at", "checklist", "result_sha256"])
    workflow.approve(inquiry.pk, by=by, reason=reason, revision=assessment.revision)
    run = SizingRun.objects.get(assessment=assessment, pk=assessment.run_id or 0)
    for language in ("ru", "en"):
        render_queue(run, kind="approved", language=language)
    return assessment


@transaction.atomic
def assessment_release(*, inquiry_id: int, by: Viewer) -> Assessment:
    """Show the newest approved assessment to the customer; those approved before it are superseded."""
    inquiry = workflow.release(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by)
    approved = Assessment.objects.filter(inquiry=inquiry, status=Assessment.Status.APPROVED)
    assessment = approved.filter(released_at=None).latest("revision")
    approved.exclude(pk=assessment.pk).update(status=Assessment.Status.SUPERSEDED)
    assessment.released_at = timezone.now()
    assessment.save(update_fields=["released_at"])
    return assessment


@transaction.atomic
def inquiry_ask(*, inquiry_id: int, question: str, by: Viewer, path: str = "") -> Inquiry:
    """Put a question to the customer, about one field of the task where `path` names it."""
    inquiry = workflow.ask(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by, reason=question)
    Message.objects.create(
        inquiry=inquiry, author=by.user, audience=Message.Audience.CUSTOMER, path=path or "task", body=question
    )
    return inquiry


def inquiry_reject(*, inquiry_id: int, reason: str, by: Viewer) -> Inquiry:
    """Close a request without an assessment; the customer reads the reason."""
    return workflow.reject(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by, reason=reason)


@transaction.atomic
def inquiry_reopen(*, inquiry_id: int, reason: str, by: Viewer) -> Assessment:
    """Work on a decided request again: a new revision on the same answers, invisible outside until released."""
    inquiry = workflow.reopen(Inquiry.objects.visible_to(by).get(pk=inquiry_id).pk, by=by, reason=reason)
    intake = inquiry.intakes.order_by("-revision").first()
    if intake is None:
        raise NotReady(_("The request has no answers."))
    assessment = assessment_open(inquiry, intake, is_reopened=True)
    run_request(assessment)
    return assessment


def result_of(assessment: Assessment) -> dict[str, Any]:
    """The finished result of the present input."""
    if assessment.run is None or assessment.run.result is None:
        raise NotReady(_("The sizing is not finished."))
    return dict(assessment.run.result)


def _touch(assessment: Assessment) -> None:
    assessment.version += 1
    assessment.save(update_fields=["version"])
