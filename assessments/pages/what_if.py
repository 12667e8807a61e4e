"""Trying other numbers: the same engine on a changed task and a given machine; the request stays as it is."""

import json
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from assessments import selectors, wording
from assessments.models import SizingRun
from assessments.pages.requests import visible_inquiry
from assessments.pages.result import result_page
from assessments.pipeline.runs import catalog_of
from assessments.sizing import TaskErrors, parse_task, setups_of, size
from portal.accounts.http import ReaderRequest
from portal.limits import limited

KEPT_RESULTS = 64
MOST_GPUS = 4096
PER_SERVER = 8
PRECISIONS = ("bf16", "fp16", "fp8", "fp32")
HOURS_PER_DAY = 24


class DaysField(forms.DecimalField):
    """A duration in days; the unit is joined to the input."""

    @property
    def unit(self) -> str:
        return wording.plural("days_short", 2)


class TokensField(forms.IntegerField):
    """A number of tokens; the unit is joined to the input."""

    @property
    def unit(self) -> str:
        return wording.plural("tokens", 5)


class WhatIfForm(forms.Form):
    """What may be tried; an empty field leaves the answer as it is."""

    days = DaysField(
        label=gettext_lazy("Wanted time"),
        min_value=Decimal("0.1"),
        max_value=Decimal(3650),
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
        localize=True,
    )
    context = TokensField(
        label=gettext_lazy("Context length"),
        min_value=16,
        max_value=10_000_000,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
    )
    precision = forms.ChoiceField(label=gettext_lazy("Precision"), required=False)
    accelerator = forms.ChoiceField(label=gettext_lazy("GPU model"), required=False)
    gpus = forms.IntegerField(
        label=gettext_lazy("GPU count"),
        min_value=1,
        max_value=MOST_GPUS,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric"}),
        help_text=gettext_lazy("Together with the model: one more option beside the ones found."),
    )

    def __init__(self, *args: Any, cards: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        as_is = ("", _("as it is"))
        precision, accelerator = self.fields["precision"], self.fields["accelerator"]
        assert isinstance(precision, forms.ChoiceField)
        assert isinstance(accelerator, forms.ChoiceField)
        precision.choices = [as_is, *((code, wording.value_label(code)) for code in PRECISIONS)]
        accelerator.choices = [("", _("whatever is found")), *cards.items()]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        card, gpus = found.get("accelerator"), found.get("gpus")
        if card and not gpus and "gpus" not in self.errors:
            self.add_error("gpus", _("Say how many of them."))
        if gpus and not card:
            self.add_error("accelerator", _("Choose the model too."))
        if gpus and gpus > PER_SERVER and gpus % PER_SERVER:
            self.add_error("gpus", _("More than one server: take a multiple of %(n)d.") % {"n": PER_SERVER})
        return found


@require_safe
@limited("estimates", methods=("GET",))
def what_if(request: ReaderRequest, number: str) -> HttpResponse:
    """The form and what the engine says to it; for htmx the result alone."""
    inquiry = visible_inquiry(request, number)
    assessment = selectors.published_assessment(inquiry, request.viewer)
    run = selectors.shown_run(assessment, request.viewer) if assessment else None
    if run is None or run.result is None:
        raise Http404
    cards = {
        slug: wording.accelerator_title(card.name)
        for slug, card in sorted(catalog_of(run.catalog_version_id).accelerators.items(), key=lambda pair: pair[1].name)
    }
    form = WhatIfForm(request.GET or None, cards=cards)
    result, task = run.result, run.task
    if form.is_bound and form.is_valid():
        task = _changed(run.task, form.cleaned_data)
        try:
            setups = _setups(run, form.cleaned_data)
            result = _sized(_text(task), _text(run.overrides), _text(setups), run.catalog_version_id)
        except TaskErrors as refusal:
            for error in refusal.errors:
                form.add_error(None, f"{wording.label_of(error.path)}: {wording.say(error.code, error.params)}")
            result, task = run.result, run.task
    context = {
        "inquiry": inquiry,
        "form": form,
        "result": result_page(result, task),
        "is_changed": result != run.result,
    }
    return render(request, "assessment/what_if.html#outcome" if request.htmx else "assessment/what_if.html", context)


def _changed(task: Mapping[str, Any], tried: Mapping[str, Any]) -> dict[str, Any]:
    """The task with what was tried; a latest time before the wanted one moves with it."""
    answers: dict[str, Any] = {}
    first = "scenarios[0]"
    if tried["days"]:
        wanted = float(tried["days"]) * HOURS_PER_DAY
        answers[f"{first}.cycle.wanted_h"] = wanted
        latest = (task["scenarios"][0].get("cycle") or {}).get("latest_h")
        if isinstance(latest, int | float) and latest < wanted:
            answers[f"{first}.cycle.latest_h"] = wanted
    if tried["context"]:
        answers[f"{first}.model.context_tokens"] = tried["context"]
    if tried["precision"]:
        answers[f"{first}.recipe.precision"] = tried["precision"]
    return selectors.patched(task, answers)


def _setups(run: SizingRun, tried: Mapping[str, Any]) -> dict[str, Any]:
    """The machine that was named, as one more option."""
    if not (tried["accelerator"] and tried["gpus"]):
        return dict(run.setups)
    servers = max(1, tried["gpus"] // PER_SERVER)
    own_key = f"given-{len(run.task.get('hardware') or ()) + 1}"  # beside the hardware that the customer has named
    return {**run.setups, own_key: {"accelerator": tried["accelerator"], "gpus": tried["gpus"], "servers": servers}}


def _text(data: object) -> str:
    return json.dumps(data, sort_keys=True)


@lru_cache(maxsize=KEPT_RESULTS)
def _sized(task: str, overrides: str, setups: str, catalog_version: int) -> dict[str, Any]:
    """The same numbers are sized once in a process; what engineers pinned stays pinned."""
    catalog = catalog_of(catalog_version)
    given = setups_of(json.loads(setups), catalog)
    return size(parse_task(json.loads(task)), catalog, overrides=json.loads(overrides), setups=given).as_result()
