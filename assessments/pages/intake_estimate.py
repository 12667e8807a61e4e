"""The rough estimate beside the form: the same engine, on what has been answered so far."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from assessments import wording
from assessments.charts.memory import draw_bars, option_bar
from assessments.intake.answers_to_task import answers_to_task, place_of
from assessments.intake.forms import Answers
from assessments.intake.questions import UNKNOWN
from assessments.intake.steps import scenario_count
from assessments.models import Draft
from assessments.pages.intake_draft import open_draft
from assessments.pages.result import Measure, measures
from assessments.pages.result_reasons import unknowns
from assessments.pipeline.runs import catalog_of
from assessments.sizing import TaskErrors, parse_task, size
from catalog.snapshot import current_version
from portal.accounts.http import ReaderRequest
from portal.limits import limited

NARROWING = 3
KEPT_RESULTS = 64
ASKED = ("strategy", "model", "dataset", "cycle")


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """An answer that would narrow the estimate: where it is given, and what it does."""

    label: str
    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rough:
    """What the panel shows; `note` says why there is nothing to show."""

    note: str = ""
    verdict: str = ""
    measures: tuple[Measure, ...] = ()
    short: str = ""
    machine: str = ""
    bar: str = ""
    narrowing: tuple[Narrowing, ...] = ()


@require_safe
@limited("estimates", methods=("GET",))
@open_draft
def estimate(request: ReaderRequest, draft: Draft) -> HttpResponse:
    """The panel: a fragment for htmx, a page of its own without script."""
    context = {"draft": draft, "rough": rough_of(draft)}
    return render(request, "intake/estimate.html#panel" if request.htmx else "intake/estimate.html", context)


def rough_of(draft: Draft) -> Rough:
    """The estimate of a draft in the active language."""
    if not any(draft.answers.get(key) for key in ASKED):
        return Rough(note=_("The first numbers appear after the first answers."))
    try:
        result = result_of(draft.answers)
    except TaskErrors:
        return Rough(note=_("These answers contradict each other: see the marked field."))
    return _shown(draft, result)


def result_of(answers: Answers) -> dict[str, Any]:
    """The result/1 of the valid answers; what was not asked yet counts as unknown."""
    task = answers_to_task(answers)
    for scenario in task["scenarios"][: scenario_count(answers)]:
        scenario.setdefault("strategy", {}).setdefault("method", UNKNOWN)
    canonical = parse_task(task).canonical()
    return _sized(json.dumps(canonical, sort_keys=True), current_version().pk)


@lru_cache(maxsize=KEPT_RESULTS)
def _sized(task: str, catalog_version: int) -> dict[str, Any]:
    """The same answers are sized once in a process: both panels and a reload read them from here."""
    return size(parse_task(json.loads(task)), catalog_of(catalog_version)).as_result()


def _shown(draft: Draft, result: dict[str, Any]) -> Rough:
    options = result["options"]
    lead = next((option for option in options if option["key"] == "balanced"), options[0] if options else None)
    figures = measures(result)
    return Rough(
        verdict=wording.verdict(result["verdict"]).title,
        measures=figures,
        short=" · ".join(f"{m.value} {m.unit}".strip() for m in figures if m.unit and m.label != _("Memory per GPU")),
        machine=option_bar(result, lead).label if lead else "",
        bar=draw_bars(
            [option_bar(result, lead)], cut="narrow", name="rough", title=_("Memory of one GPU by parts"), desc=""
        )
        if lead
        else "",
        narrowing=tuple(_narrowing(draft, result)),
    )


def _narrowing(draft: Draft, result: dict[str, Any]) -> list[Narrowing]:
    found = []
    for item, unknown in zip(result.get("sensitivity") or (), unknowns(result), strict=True):
        place = place_of(item["path"])
        if place is None:
            continue
        url = f"{reverse('pages:step', args=[draft.pk, place[0]])}#id_{place[1]}_group"
        text = _("%(target)s %(after)s instead of %(before)s") % {
            "target": _inside(wording.label_of(item["target"])),
            "after": unknown.after,
            "before": unknown.before,
        }
        found.append(Narrowing(label=unknown.label, url=url, text=text))
    return found[:NARROWING]


def _inside(label: str) -> str:
    """A label in the middle of a sentence; “GPU” keeps its capitals."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label
