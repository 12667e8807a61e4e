"""What engineers added to a released revision: their words, chosen servers and changed values, as in its PDF."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language

from assessments import wording
from assessments.documents.appendix import adjustments
from assessments.documents.chapters import FullOption, options
from assessments.documents.context import Adjusted, Remark
from assessments.models import Assessment, Document, ServerChoice, SizingRun
from assessments.pages.result_tables import Badge, anchor_of, fit_badge
from assessments.pipeline.document_data import document_context
from portal.accounts.viewer import Viewer

type Json = Mapping[str, Any]

ANSWER_OF = {
    "model.params": "model.params",
    "model.sequence_tokens": "model.context_tokens",
    "data.epochs": "dataset.epochs",
    "data.bytes": "dataset.bytes",
    "data.tokens": "dataset.tokens",
    "data.samples": "dataset.samples",
    "data.sample_bytes": "dataset.sample_bytes",
    "data.copies": "dataset.copies",
    "time.wanted": "cycle.wanted_h",
    "time.latest": "cycle.latest_h",
    "power.offered": "facility.rack_kw",
    "feed.offered": "facility.feed_kw",
    "cooling.offered": "facility.cooling_kw",
    "units.offered": "facility.free_units",
    "depth.offered": "facility.depth_mm",
    "weight.offered": "facility.load_kg",
}
"""The answer behind a quantity whose origin is an answer, by its subject."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLine:
    """One requirement of a chosen server in words."""

    label: str
    required: str
    offered: str
    left: str
    fit: Badge


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenServer:
    """The pick for one option; without a name it is "none", and `reason` says why."""

    letter: str
    option: str
    build: str
    name: str
    quantity: int
    fit: Badge
    reason: str
    lines: tuple[ServerLine, ...]

    @property
    def failing(self) -> tuple[ServerLine, ...]:
        return tuple(line for line in self.lines if line.fit.tone == "stop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A value that an engineer set, with the reason; anchor leads to its derivation where it has one."""

    label: str
    before: str
    after: str
    reason: str
    author: str
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """All that stands beside a released result. reasons: of changed values, by the ID of the quantity."""

    summary: str
    language: str
    remarks: Mapping[str, Sequence[str]]
    servers: tuple[ChosenServer, ...]
    judgements: tuple[Judgement, ...]
    reasons: Mapping[str, str]


def published(assessment: Assessment, run: SizingRun, viewer: Viewer) -> Published | None:
    """What engineers added; None before the release, whoever asks: until then it belongs to the review desk."""
    if assessment.released_at is None or run.pk != assessment.run_id or run.result is None:
        return None
    context = document_context(
        run, kind=Document.Kind.APPROVED, language="ru" if (get_language() or "").startswith("ru") else "en"
    )
    shown = set(
        ServerChoice.objects.visible_to(viewer).filter(assessment=assessment).values_list("option_key", flat=True)
    )
    return Published(
        summary=assessment.summary,
        language=assessment.language,
        remarks=_by_chapter(context.remarks),
        servers=tuple(
            _chosen(full)
            for key, full in zip([o["key"] for o in run.result["options"]], options(context), strict=True)
            if key in shown and full.server is not None
        ),
        judgements=tuple(
            Judgement(
                label=f"{wording.option_name(option)}: {line.label}" if (option := _option(change)) else line.label,
                before=line.before,
                after=line.after,
                reason=line.reason,
                author=line.author,
                anchor=anchor_of(change.target) if change.target in run.result["quantities"] else "",
            )
            for change, line in zip(context.adjustments, adjustments(context), strict=True)
        ),
        reasons=_reasons(run.result, context.adjustments),
    )


def _by_chapter(remarks: Sequence[Remark]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for remark in remarks:
        found.setdefault(remark.section, []).append(remark.text)
    return found


def _option(change: Adjusted) -> str:
    """The option that a pinned value belongs to; empty for values of the task."""
    first = change.target.split(".", 1)[0]
    return first if change.kind == "knob" and wording.subject_of(change.target) != change.target else ""


def _chosen(full: FullOption) -> ChosenServer:
    server = full.server
    if server is None:
        raise ValueError(f"Option {full.letter} has no pick.")
    lines = tuple(
        ServerLine(
            label=row.label,
            required=row.required,
            offered=row.offered,
            left=row.left,
            fit=Badge(text=row.fit.text, tone=row.fit.kind),
        )
        for row in full.server_rows
    )
    return ChosenServer(
        letter=full.letter,
        option=full.name,
        build=full.machine,
        name=f"{server.vendor} {server.name}".strip() if server.name else "",
        quantity=server.quantity,
        fit=fit_badge(server.fit),
        reason=server.reason,
        lines=lines,
    )


def _reasons(result: Json, changes: Sequence[Adjusted]) -> dict[str, str]:
    """Why a quantity has its value: it was pinned, or the answer behind it was changed."""
    pinned = {change.target: change.reason for change in changes if change.kind == "knob"}
    answers = {wording.path_of(change.target): change.reason for change in changes if change.kind == "answer"}
    changed = {
        name: answers[path]
        for name, quantity in result["quantities"].items()
        if quantity["origin"] == "answer" and (path := ANSWER_OF.get(wording.subject_of(name), "")) in answers
    }
    return changed | {name: reason for name, reason in pinned.items() if name in result["quantities"]}
