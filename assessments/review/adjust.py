"""The adjustment page: one change, what would move, and everything in force with its undo."""

from __future__ import annotations

import json
import re
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _
from django.views.generic import TemplateView
from unfold.views import UnfoldModelAdminViewMixin
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from assessments import wording, workflow
from assessments.intake.values import digits
from assessments.models import Adjustment, Assessment, Inquiry
from assessments.review.desk import adjustment_line, leaves, path_label
from assessments.review.numbers import Moved, moved_between
from assessments.selectors import carried, fold, in_force, patched
from assessments.services import adjustments, reviews
from assessments.services.adjustments import Change
from portal.accounts.http import reader_of


def typed_value(text: str) -> Any:
    """What an engineer typed: JSON (numbers, true, lists), a number with a comma or spaces, or a plain word."""
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        number = float(digits(text.strip()))
    except ValueError:
        return text.strip()
    return int(number) if number.is_integer() else number


RECIPE_PATHS = (
    *("precision", "optimizer", "global_batch", "micro_batch"),
    *("recompute", "flash_attention", "loss", "stack"),
)


def typed_machine(text: str) -> dict[str, Any] | None:
    """A machine as engineers write it, 8xh100-sxm5-80gb or 2x8xh100-sxm5-80gb; a minus takes the option away."""
    if text.strip() in {"-", "–", "−"}:
        return None
    found = re.fullmatch(r"(?:(\d{1,6})[x×х])?(\d{1,6})[x×х](.+)", text.strip().lower())
    if found is None:
        return {"accelerator": text.strip().lower(), "gpus": 1, "servers": 1}
    servers = int(found[1] or 1)
    return {"accelerator": found[3], "gpus": servers * int(found[2]), "servers": servers}


class AdjustForm(forms.Form):
    """One change of the input and its reason."""

    target = forms.ChoiceField(label=_("What to change"), widget=UnfoldAdminSelectWidget)
    value = forms.CharField(
        label=_("New value"),
        max_length=2000,
        widget=UnfoldAdminTextInputWidget,
        help_text=_(
            "In base units: bytes, tokens, hours, W; a word for a choice; [low, high] for a range; "
            "8xh100-sxm5-80gb for an option, a minus to take it away."
        ),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=4000,
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=_("Stands in the approved document beside the value."),
    )

    def __init__(self, assessment: Assessment, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        result = (assessment.run.result if assessment.run else None) or {}
        task = patched(assessment.intake.task, fold(assessment.adjustments.all()).answers)
        paths = [path for path, _value in leaves(task)]
        for number in range(len(task["scenarios"])):
            recipe = (f"scenarios[{number}].recipe.{name}" for name in RECIPE_PATHS)
            paths += [path for path in recipe if path not in paths]
        field = self.fields["target"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [
            (_("Answers and assumptions"), [(f"answer:{path}", path_label(path)) for path in paths]),
            (_("Pinned values"), [(f"knob:{k['id']}", wording.label_of(k["id"])) for k in result.get("knobs", ())]),
            (_("Options"), [(f"option:{key}", wording.option_name(key)) for key in _option_keys(result)]),
        ]

    def change(self) -> Change:
        """The wished change of a valid form."""
        kind, _colon, target = self.cleaned_data["target"].partition(":")
        typed = self.cleaned_data["value"]
        after = typed_machine(typed) if kind == Adjustment.Kind.OPTION else typed_value(typed)
        return Change(kind=kind, target=target, after=after)


def _option_keys(result: dict[str, Any]) -> list[str]:
    """The options there are, and the next one of the engineer's own."""
    keys = [option["key"] for option in result.get("options", ())]
    own = sum(key.startswith("custom-") for key in keys)
    return [*keys, f"custom-{own + 1}"]


class AdjustView(UnfoldModelAdminViewMixin, TemplateView):
    """Adjust the working assessment of one request."""

    title = _("Adjust")
    permission_required = ("assessments.review_inquiry",)
    template_name = "admin/assessments/adjust.html"

    def _assessment(self) -> Assessment:
        inquiry = Inquiry.objects.visible_to(reader_of(self.request)).filter(pk=self.kwargs["object_id"]).first()
        assessment = (
            Assessment.objects.filter(inquiry=inquiry).working().select_related("run", "intake", "inquiry").first()
        )
        if assessment is None:
            raise Http404
        return assessment

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        assessment = self._assessment()
        form = kwargs.pop("form", None) or AdjustForm(assessment)
        rows = assessment.adjustments.select_related("author")
        return super().get_context_data(**kwargs) | {
            "assessment": assessment,
            "inquiry": assessment.inquiry,
            "form": form,
            "rows": [
                adjustment_line(row, assessment.run) for row in in_force(rows) if row.kind != Adjustment.Kind.TEXT
            ],
            "offered": [adjustment_line(row, assessment.run) for row in carried(assessment)],
            "can_adjust": assessment.inquiry.state in workflow.TRANSITIONS["ask"].sources,
        }

    def post(self, request: HttpRequest, object_id: str) -> HttpResponse:
        assessment = self._assessment()
        action = request.POST.get("action", "preview")
        seen = int(request.POST.get("seen", "-1"))
        inquiry_id = assessment.inquiry_id
        try:
            if action in {"preview", "save"}:
                return self._changed(request, assessment, action, seen)
            if action == "undo":
                chosen = [int(pk) for pk in request.POST.getlist("row")]
                ids = None if "all" in request.POST else chosen
                adjustments.adjustments_undo(
                    inquiry_id=inquiry_id,
                    adjustment_ids=ids,
                    reason=request.POST.get("reason", ""),
                    seen=seen,
                    by=reader_of(request),
                )
            elif action in {"keep", "drop"}:
                adjustments.carried_decide(
                    inquiry_id=inquiry_id, keep=action == "keep", seen=seen, by=reader_of(request)
                )
            messages.success(request, _("Kept; the sizing runs again."))
        except workflow.WorkflowError as refusal:
            messages.error(request, str(refusal))
        return redirect("admin:assessments_inquiry_adjust", object_id=inquiry_id)

    def _changed(self, request: HttpRequest, assessment: Assessment, action: str, seen: int) -> HttpResponse:
        form = AdjustForm(assessment, request.POST)
        moved: list[Moved] = []
        if form.is_valid():
            try:
                if action == "save":
                    adjustments.adjustment_add(
                        inquiry_id=assessment.inquiry_id,
                        change=form.change(),
                        reason=form.cleaned_data["reason"],
                        seen=seen,
                        by=reader_of(request),
                    )
                    messages.success(request, _("Kept; the sizing runs again."))
                    return redirect("admin:assessments_inquiry_change", assessment.inquiry_id)
                result = reviews.result_of(assessment)
                moved = moved_between(result, adjustments.preview(assessment, form.change()))
            except workflow.ReasonRequired as refusal:
                form.add_error("reason", str(refusal))
            except workflow.WorkflowError as refusal:
                form.add_error("value", str(refusal))
        context = self.get_context_data(form=form, moved=moved, previewed=True)
        return self.render_to_response(context)
