"""What the review page shows of one request, gathered once from rows, results and the catalog."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Prefetch
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from assessments import charts, wording, workflow
from assessments.documents.parameters import Group, parameters
from assessments.models import Adjustment, Assessment, Document, Event, Inquiry, Message, ServerChoice, SizingRun
from assessments.pipeline.document_data import document_context
from assessments.review import tables
from assessments.review.numbers import Moved, Number, moved_between, numbers_of
from assessments.selectors import in_force, outdated
from assessments.services.reviews import open_points
from catalog.models import CatalogVersion

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

type Json = Mapping[str, Any]

EVENTS_SHOWN = 30
REMARK_SECTIONS = ("options", "memory", "time", "link", "host", "rack", "horizon", "findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """A finding in words."""

    severity: str
    label: str
    options: str
    spoken: wording.Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """An event with its verb in words and what it moved."""

    event: Event
    verb: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChange:
    """An answer that differs from the revision before."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustmentLine:
    """An adjustment in force, in words."""

    row: Adjustment
    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What moved between two results."""

    title: str
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A finished result, arranged for the page."""

    result: Json
    verdict: wording.Spoken
    heads: tuple[tables.Head, ...]
    rows: tuple[tables.Row, ...]
    resources: tuple[tables.OptionResources, ...]
    servers: tuple[tables.OptionServers, ...]
    findings: tuple[FindingLine, ...]
    unknowns: tuple[tables.Unknown, ...]
    numbers: tuple[Number, ...]
    gauges: tuple[str, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything of the review page."""

    title: str
    inquiry: Inquiry
    assessment: Assessment | None
    run: SizingRun | None
    sheet: Sheet | None
    context: Json
    answers: tuple[Group, ...]
    answer_changes: tuple[AnswerChange, ...]
    adjustments: tuple[AdjustmentLine, ...]
    outdated: tuple[str, ...]
    open_points: tuple[str, ...]
    can_adjust: bool
    documents: tuple[Document, ...]
    messages: tuple[Message, ...]
    notes: tuple[Message, ...]
    events: tuple[EventLine, ...]
    remarks: tuple[tuple[str, str], ...]


def desk_of(inquiry: Inquiry, viewer: Viewer) -> Desk:
    """The review page of one request: the working assessment, or the newest one when none is worked on."""
    before, assessment = _revisions(inquiry, viewer)
    run = assessment.run if assessment else None
    if run is not None and assessment is not None:
        run.assessment = assessment
    is_sized = run is not None and run.result is not None
    messages = list(
        Message.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("author").order_by("created_at")
    )
    is_open = inquiry.state in workflow.TRANSITIONS["ask"].sources
    return Desk(
        title=wording.task_title(assessment.intake.task) if assessment else "",
        inquiry=inquiry,
        assessment=assessment,
        run=run,
        sheet=_sheet(assessment, before, run.result) if assessment and run and run.result else None,
        context=assessment.intake.context if assessment else {},
        answers=_answers(assessment) if assessment else (),
        answer_changes=_answer_changes(before, assessment) if assessment and before else (),
        adjustments=tuple(_adjustments(assessment)) if assessment else (),
        outdated=_outdated(run) if run is not None and is_sized and is_open else (),
        open_points=tuple(open_points(assessment)) if assessment and is_open else (),
        can_adjust=is_open and is_sized and viewer.has_perm("assessments.review_inquiry"),
        documents=tuple(Document.objects.visible_to(viewer).filter(assessment__inquiry=inquiry).order_by("-pk")[:20]),
        messages=tuple(m for m in messages if m.audience == Message.Audience.CUSTOMER),
        notes=tuple(m for m in messages if m.audience == Message.Audience.INTERNAL),
        events=tuple(event_lines(inquiry, viewer, most=EVENTS_SHOWN)),
        remarks=tuple((section_label(name), text) for name, text in assessment.remarks.items() if text)
        if assessment
        else (),
    )


def _revisions(inquiry: Inquiry, viewer: Viewer) -> tuple[Assessment | None, Assessment | None]:
    """The revision before and the newest one, with their runs."""
    found = list(
        Assessment.objects.visible_to(viewer)
        .filter(inquiry=inquiry)
        .select_related("run__catalog_version", "first_run", "intake", "approved_by")
        .defer("run__catalog_version__snapshot")
        .prefetch_related(
            Prefetch("adjustments", Adjustment.objects.select_related("author")),
            Prefetch("server_choices", ServerChoice.objects.select_related("server__vendor", "author")),
        )
        .order_by("-revision")[:2]
    )
    for assessment in found:
        assessment.inquiry = inquiry
    newest = found[0] if found else None
    return (found[1] if len(found) > 1 else None), newest


def _sheet(assessment: Assessment, before: Assessment | None, result: dict[str, Any]) -> Sheet:
    choices = {choice.option_key: choice for choice in assessment.server_choices.all()}
    return Sheet(
        result=result,
        verdict=wording.verdict(result["verdict"]),
        heads=tables.heads(result),
        rows=tables.side_by_side(result) if result["options"] else (),
        resources=tables.resources(result),
        servers=tables.servers(result, choices),
        findings=tuple(_findings(result)),
        unknowns=tables.unknowns(result),
        numbers=numbers_of(result),
        gauges=tuple(charts.gauge_codes(result)),
        differences=tuple(_differences(assessment, before, result)),
    )


def _differences(assessment: Assessment, before: Assessment | None, result: Json) -> Iterator[Difference]:
    """Against the engine's own result of this revision, and against the revision before."""
    first = assessment.first_run
    if first is not None and first.pk != assessment.run_id and first.result:
        moved = tuple(moved_between(first.result, result))
        yield Difference(title=_("Against the engine’s own result of this revision"), moved=moved)
    if before is not None and before.run is not None and before.run.result:
        moved = tuple(moved_between(before.run.result, result))
        yield Difference(title=_("Against revision %(number)s") % {"number": before.revision}, moved=moved)


def _findings(result: Json) -> list[FindingLine]:
    several = len(result["options"]) > 1
    worst = sorted(result["findings"], key=lambda item: ("stop", "warn", "assumed", "note").index(item["severity"]))
    return [
        FindingLine(
            severity=item["severity"],
            label=wording.severity_label(item["severity"], item["code"]),
            options=" ".join(wording.option_letter(key) for key in item.get("options", ())) if several else "",
            spoken=wording.finding(item),
        )
        for item in worst
    ]


def _answers(assessment: Assessment) -> tuple[Group, ...]:
    """The answers as the customer gave them, with what the engine assumed before anybody adjusted."""
    run = assessment.first_run
    if run is None or run.result is None or run.finished_at is None:
        return ()
    run.assessment = assessment
    return tuple(parameters(document_context(run, kind="automatic", language=assessment.inquiry.language)))


def _answer_changes(before: Assessment, assessment: Assessment) -> tuple[AnswerChange, ...]:
    old, new = dict(leaves(before.intake.task)), dict(leaves(assessment.intake.task))
    return tuple(
        AnswerChange(
            label=path_label(path),
            before=wording.answer(path, old.get(path)),
            after=wording.answer(path, new.get(path)),
        )
        for path in dict.fromkeys([*new, *old])
        if old.get(path) != new.get(path)
    )


def leaves(value: Json, path: str = "") -> Iterator[tuple[str, Any]]:
    """The JSON paths of a task and what is answered there."""
    for key, item in value.items():
        place = f"{path}.{key}" if path else key
        if isinstance(item, Mapping):
            yield from leaves(item, place)
        elif isinstance(item, list) and item and isinstance(item[0], Mapping):
            for number, row in enumerate(item):
                yield from leaves(row, f"{place}[{number}]")
        elif key != "schema":
            yield place, item


def path_label(path: str) -> str:
    """The question that a path belongs to; of a further scenario with its number."""
    found = re.match(r"scenarios\[(\d+)\]", path)
    label = wording.label_of(path)
    if found is None or found[1] == "0":
        return label
    return _("%(label)s (scenario %(number)d)") % {"label": label, "number": int(found[1]) + 1}


def _adjustments(assessment: Assessment) -> Iterator[AdjustmentLine]:
    for row in in_force(assessment.adjustments.all()):
        if row.kind != Adjustment.Kind.TEXT:
            yield adjustment_line(row, assessment.run)


def adjustment_line(row: Adjustment, run: SizingRun | None) -> AdjustmentLine:
    """An adjustment with its target and values in words."""
    quantities = (run.result if run and run.result else {}).get("quantities", {})

    def spoken(value: Any) -> str:
        if value is None:
            return "–"
        if row.kind == Adjustment.Kind.ANSWER:
            return wording.answer(row.target, value)
        if row.kind == Adjustment.Kind.KNOB and row.target in quantities:
            return wording.amount(value, wording.shown_unit(row.target, quantities[row.target]["unit"]))
        if isinstance(value, Mapping) and value.get("accelerator"):
            return wording.machine_of(value)
        return str(value)

    label = path_label(row.target) if row.kind == Adjustment.Kind.ANSWER else wording.label_of(row.target)
    if row.kind == Adjustment.Kind.OPTION:
        label = wording.option_name(row.target)
    return AdjustmentLine(row=row, label=label, before=spoken(row.before), after=spoken(row.after))


def _outdated(run: SizingRun) -> tuple[str, ...]:
    """What has changed since the run, in words."""
    newest = CatalogVersion.objects.order_by("-pk").values_list("pk", flat=True).first()
    names = {"engine": _("the engine"), "calibration": _("the calibration"), "catalog": _("the catalog")}
    return tuple(names[name] for name in outdated(run, newest_catalog=newest))


OTHER_VERBS = {
    "assign": gettext_lazy("Assigned"),
    "choose": gettext_lazy("Server chosen"),
    "describe": gettext_lazy("Summary written"),
    "ready": gettext_lazy("Document ready"),
    "adjust": gettext_lazy("Adjusted"),
    "undo": gettext_lazy("Adjustment undone"),
    "carry": gettext_lazy("Adjustments carried over"),
    "drop": gettext_lazy("Adjustments dropped"),
    "resize": gettext_lazy("Sized anew"),
    "message": gettext_lazy("Message"),
    "share": gettext_lazy("Link made"),
    "unshare": gettext_lazy("Link revoked"),
    "erase": gettext_lazy("Data erased"),
    "take_back": gettext_lazy("Question taken back"),
}


def verb_label(verb: str) -> str:
    """The word for a verb of the audit trail."""
    if verb in workflow.TRANSITIONS:
        return str(workflow.TRANSITIONS[verb].label)
    return str(OTHER_VERBS.get(verb, verb))


def event_lines(inquiry: Inquiry, viewer: Viewer, *, most: int | None = None) -> list[EventLine]:
    """The audit trail of a request, the newest first."""
    events = Event.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("actor").order_by("-sequence")
    return [EventLine(event=event, verb=verb_label(event.verb), change=change_of(event)) for event in events[:most]]


def change_of(event: Event) -> str:
    """From what to what: states of a transition, values of an adjustment."""
    if event.after:
        states = dict(Inquiry._meta.get_field("state").flatchoices)
        return " → ".join(str(states.get(state, state)) for state in (event.before, event.after) if state)
    if event.verb == "adjust":
        return "{target}: {old} → {new}".format(
            target=wording.label_of(event.data["target"]),
            old=event.data.get("old", "–"),
            new=event.data.get("new", "–"),
        )
    if event.verb == "choose":
        return f"{wording.option_name(event.data['option'])}: {event.data['server'] or _('none')}"
    return ""


def section_label(name: str) -> str:
    """A section of the document by its title."""
    labels = {
        "options": _("Options"),
        "memory": _("Memory"),
        "time": _("Time"),
        "link": _("Link"),
        "host": _("Host and storage"),
        "rack": _("Rack"),
        "horizon": _("Horizon"),
        "findings": _("Findings"),
    }
    return labels.get(name, name)
