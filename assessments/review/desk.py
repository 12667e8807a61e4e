"""What the review page shows of one request, gathered once from rows, results and the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy

from assessments import charts, matching, wording, workflow
from assessments.documents.parameters import Group, parameters
from assessments.models import Assessment, Document, Event, Inquiry, Message, ServerChoice, SizingRun
from assessments.pipeline.document_data import document_context
from assessments.services.reviews import open_points, setup_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.accounts.viewer import Viewer

CANDIDATES_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A catalog server for one option: its fit and one line that says why."""

    slug: str
    label: str
    fit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionServers:
    """The ranked servers of one option."""

    key: str
    label: str
    servers: int
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionLine:
    """An option of the result with its pick."""

    name: str
    hardware: str
    time: str
    memory: str
    choice: ServerChoice | None
    is_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """A finding in words."""

    severity: str
    label: str
    spoken: wording.Spoken


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberLine:
    """A quantity with its derivation in words."""

    id: str
    label: str
    value: str
    formula: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """An event with its verb in words."""

    event: Event
    verb: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Everything of the review page."""

    inquiry: Inquiry
    assessment: Assessment | None
    run: SizingRun | None
    result: dict[str, Any] | None
    context: dict[str, Any]
    answers: tuple[Group, ...]
    options: tuple[OptionLine, ...]
    verdict: str
    memory_figure: str
    findings: tuple[FindingLine, ...]
    numbers: tuple[NumberLine, ...]
    open_points: tuple[str, ...]
    documents: tuple[Document, ...]
    messages: tuple[Message, ...]
    events: tuple[EventLine, ...]


def candidates_of(assessment: Assessment) -> list[OptionServers]:
    """Ranked catalog servers of every option that needs one; none before the result is there."""
    if assessment.run is None or assessment.run.result is None:
        return []
    result = assessment.run.result
    groups = []
    for option in result["options"]:
        if option.get("requirement") is None:
            continue
        ranked = matching.ranked(option, quantities=result["quantities"])[:CANDIDATES_SHOWN]
        groups.append(
            OptionServers(
                key=option["key"],
                label=wording.option_name(option["key"]),
                servers=option["servers"],
                candidates=tuple(Candidate(slug=c.slug, label=c.label, fit=c.fit) for c in ranked),
            )
        )
    return groups


def desk_of(inquiry: Inquiry, viewer: Viewer) -> Desk:
    """The review page of one request: the working assessment, or the newest one when none is worked on."""
    assessments = Assessment.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("run", "intake")
    assessment = assessments.order_by("-revision").first()
    run = assessment.run if assessment else None
    result = run.result if run else None
    return Desk(
        inquiry=inquiry,
        assessment=assessment,
        run=run,
        result=result,
        context=assessment.intake.context if assessment else {},
        answers=tuple(parameters(document_context(run, kind="automatic", language=inquiry.language)))
        if run and result
        else (),
        options=tuple(_options(assessment, result)) if assessment and result else (),
        verdict=wording.verdict(result["verdict"]).what if result else "",
        memory_figure=charts.memory_bars(result, cut="wide") if result and result["options"] else "",
        findings=tuple(_findings(result)) if result else (),
        numbers=tuple(_numbers(result)) if result else (),
        open_points=tuple(open_points(assessment)) if assessment and inquiry.state == "in_review" else (),
        documents=tuple(Document.objects.visible_to(viewer).filter(assessment__inquiry=inquiry).order_by("-pk")),
        messages=tuple(Message.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("author")),
        events=tuple(
            EventLine(event=event, verb=verb_label(event.verb))
            for event in Event.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("actor")
        ),
    )


OTHER_VERBS = {
    "assign": gettext_lazy("Assigned"),
    "choose": gettext_lazy("Server chosen"),
    "describe": gettext_lazy("Summary written"),
    "ready": gettext_lazy("Document ready"),
    "adjust": gettext_lazy("Adjusted"),
    "undo": gettext_lazy("Adjustment undone"),
    "carry": gettext_lazy("Adjustments carried over"),
    "drop": gettext_lazy("Adjustments dropped"),
    "message": gettext_lazy("Message"),
    "share": gettext_lazy("Link made"),
    "unshare": gettext_lazy("Link revoked"),
}


def verb_label(verb: str) -> str:
    """The word for a verb of the audit trail."""
    if verb in workflow.TRANSITIONS:
        return str(workflow.TRANSITIONS[verb].label)
    return str(OTHER_VERBS.get(verb, verb))


def _findings(result: dict[str, Any]) -> list[FindingLine]:
    return [
        FindingLine(
            severity=finding["severity"],
            label=wording.severity_label(finding["severity"], finding["code"]),
            spoken=wording.finding(finding),
        )
        for finding in result["findings"]
    ]


def _numbers(result: dict[str, Any]) -> list[NumberLine]:
    quantities = result["quantities"]
    return [
        NumberLine(
            id=name,
            label=wording.label_of(name),
            value=wording.quantity(q, name),
            formula=wording.say(q["formula"]) if q.get("formula") else "",
            origin=str(wording.ORIGINS[q["origin"]]),
        )
        for name, q in quantities.items()
    ]


def _options(assessment: Assessment, result: dict[str, Any]) -> Sequence[OptionLine]:
    choices = {c.option_key: c for c in assessment.server_choices.select_related("server__vendor")}
    lines = []
    quantities = result["quantities"]
    for option in result["options"]:
        choice = choices.get(option["key"])
        time = next((line["required"] for line in option["resources"] if line["code"] == "time"), None)
        total = option["memory"]["total"]
        lines.append(
            OptionLine(
                name=wording.option_name(option["key"]),
                hardware=f"{option['gpus']} × {wording.accelerator_name(option['accelerator'])}",
                time=wording.quantity(quantities[time], time) if time in quantities else "–",
                memory=wording.quantity(quantities[total], total) if total in quantities else "–",
                choice=choice,
                is_stale=choice is not None and choice.setup != setup_key(option),
            )
        )
    return lines
