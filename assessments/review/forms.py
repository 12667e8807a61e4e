"""Dialogs of the review desk; each is sent by POST with a token and the version that its author saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldBooleanSwitchWidget,
)

from assessments.models import Assessment, Inquiry
from assessments.review import tables
from assessments.review.desk import REMARK_SECTIONS, leaves, path_label, section_label
from catalog.models import Server
from portal.accounts.http import reader_of
from portal.accounts.models import User

LONGEST = 4000


def assessment_of(request: HttpRequest, object_id: int | str | None) -> Assessment | None:
    """The working assessment of the request whose page the dialog stands on."""
    inquiry = Inquiry.objects.visible_to(reader_of(request)).filter(pk=object_id or 0).first()
    if inquiry is None:
        return None
    return Assessment.objects.filter(inquiry=inquiry).working().select_related("run", "intake").first()


def engineers() -> Any:
    """People to whom work can be given."""
    return User.objects.filter(is_staff=True, is_active=True, groups__name="engineer").distinct()


class DeskDialog(BaseDialogForm):
    """A step of the desk; a refusal is shown above the fields, and what was typed stays.

    seen: version of the assessment on the page from which the dialog was opened.
    """

    form_before_template = "admin/assessments/dialog_refusal.html"
    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        self.fields["seen"].initial = request.GET.get("seen")
        self.theirs: tuple[tuple[str, str], ...] = ()

    @property
    def version_seen(self) -> int:
        """The version that its author saw; -1 when the page did not say."""
        seen = self.cleaned_data.get("seen")
        text = self.request.GET.get("seen", "")
        return seen if seen is not None else int(text) if text.isdigit() else -1

    def get_before_template_context(self, request: HttpRequest, object_id: int | str | None = None) -> dict[str, Any]:
        return {"refusals": self.non_field_errors(), "theirs": self.theirs}

    def show_theirs(self) -> None:
        """After a conflict: put the other writer's version beside this one, where the dialog edits something."""


class ConfirmDialog(DeskDialog):
    """A step without a reason."""


class ReasonDialog(DeskDialog):
    """A step that needs a reason."""

    reason = forms.CharField(label=_("Reason, staff only"), widget=UnfoldAdminTextareaWidget, max_length=LONGEST)


class PublicReasonDialog(DeskDialog):
    """A step whose reason the customer reads."""

    reason = forms.CharField(
        label=_("Reason, the customer reads it"), widget=UnfoldAdminTextareaWidget, max_length=LONGEST
    )


class ApproveDialog(DeskDialog):
    """The checklist that a person has to tick; what can be checked by itself stands on the page."""

    findings = forms.BooleanField(label=_("Stop findings resolved or explained"), widget=UnfoldBooleanSwitchWidget)
    language = forms.BooleanField(label=_("Summary in the customer’s language"), widget=UnfoldBooleanSwitchWidget)
    second = forms.BooleanField(
        label=_("Adjustments seen by a second person"), widget=UnfoldBooleanSwitchWidget, required=False
    )
    reason = forms.CharField(label=_("Reason, staff only"), widget=UnfoldAdminTextareaWidget, max_length=LONGEST)

    def checklist(self) -> dict[str, bool]:
        """What was ticked."""
        return {name: bool(self.cleaned_data[name]) for name in ("findings", "language", "second")}


class QuestionDialog(DeskDialog):
    """A question to the customer, tied to a field of the task where one is meant."""

    path = forms.ChoiceField(label=_("About"), required=False, widget=UnfoldAdminSelectWidget)
    question = forms.CharField(
        label=_("Question"),
        widget=UnfoldAdminTextareaWidget,
        max_length=LONGEST,
        help_text=_("The customer reads this and gets it by mail."),
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        assessment = assessment_of(request, object_id)
        field = self.fields["path"]
        assert isinstance(field, forms.ChoiceField)
        paths = asked_paths(assessment) if assessment else []
        field.choices = [("", _("The task as a whole")), *((path, path_label(path)) for path in paths)]


def asked_paths(assessment: Assessment) -> list[str]:
    """Answers and open answers of a task, by path."""
    result = (assessment.run.result if assessment.run else None) or {}
    assumed = [item["path"] for item in result.get("assumptions", ()) if item.get("path")]
    return list(dict.fromkeys([*(path for path, _value in leaves(assessment.intake.task)), *assumed]))


class MessageDialog(DeskDialog):
    """Words to the customer."""

    body = forms.CharField(
        label=_("Message"),
        widget=UnfoldAdminTextareaWidget,
        max_length=LONGEST,
        help_text=_("The customer reads this and gets it by mail."),
    )


class NoteDialog(DeskDialog):
    """Words among the staff."""

    body = forms.CharField(
        label=_("Internal note"),
        widget=UnfoldAdminTextareaWidget,
        max_length=LONGEST,
        help_text=_("Never leaves the staff."),
    )


class SummaryDialog(DeskDialog):
    """The engineer's words for the customer: the summary and a remark for each section."""

    summary = forms.CharField(
        label=_("Summary for the customer"),
        widget=UnfoldAdminTextareaWidget,
        max_length=8000,
        help_text=_("Stands under the verdict on the page and in the document, in the language of the request."),
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        for name in REMARK_SECTIONS:
            self.fields[name] = forms.CharField(
                label=gettext("Remark: %(section)s") % {"section": section_label(name)},
                required=False,
                max_length=LONGEST,
                widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            )
        assessment = assessment_of(request, object_id)
        if assessment is not None:
            self.fields["summary"].initial = assessment.summary
            for name, text in assessment.remarks.items():
                if name in self.fields:
                    self.fields[name].initial = text

    def remarks(self) -> dict[str, str]:
        """The remarks that were written, by section."""
        return {name: self.cleaned_data[name] for name in REMARK_SECTIONS if self.cleaned_data[name].strip()}

    def show_theirs(self) -> None:
        """Both versions stand in the dialog; sending it again is a choice made with both in view."""
        assessment = assessment_of(self.request, self.object_id)
        if assessment is None:
            return
        texts: Mapping[str, str] = {"summary": assessment.summary, **assessment.remarks}
        self.theirs = tuple(
            (str(self.fields[name].label), text)
            for name, text in texts.items()
            if name in self.fields and text != self.cleaned_data.get(name)
        )
        self.data = {**self.request.POST.dict(), "seen": str(assessment.version)}


class AssignDialog(DeskDialog):
    """Who works on the request."""

    assignee = forms.ModelChoiceField(
        label=_("Engineer"), queryset=User.objects.none(), required=False, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        field = self.fields["assignee"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = engineers()


class BulkAssignForm(forms.Form):
    """Who works on the ticked requests."""

    assignee = forms.ModelChoiceField(
        label=_("Engineer"), queryset=User.objects.none(), required=False, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["assignee"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = engineers()


class ServerDialog(DeskDialog):
    """The catalog server of one option, or none with a reason."""

    option = forms.ChoiceField(label=_("Option"), widget=UnfoldAdminSelectWidget)
    server = forms.ChoiceField(
        label=_("Server"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Fitting servers first, then near misses with what fails. Empty: no server, with a reason."),
    )
    quantity = forms.IntegerField(
        label=_("Quantity"), min_value=1, max_value=10_000, initial=1, widget=UnfoldAdminIntegerFieldWidget
    )
    reason = forms.CharField(
        label=_("Reason, the customer reads it"),
        required=False,
        widget=UnfoldAdminTextareaWidget,
        max_length=LONGEST,
        help_text=_("Required for a server that does not fit, and for none."),
    )
    internal_note = forms.CharField(
        label=_("Internal note"),
        required=False,
        widget=UnfoldAdminTextareaWidget,
        max_length=LONGEST,
        help_text=_("Never leaves the staff."),
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        assessment = assessment_of(request, object_id)
        result = assessment.run.result if assessment is not None and assessment.run else None
        groups = tables.servers(result, {}) if result else ()
        option, server = self.fields["option"], self.fields["server"]
        assert isinstance(option, forms.ChoiceField)
        assert isinstance(server, forms.ChoiceField)
        option.choices = [(group.key, group.label) for group in groups]
        server.choices = [
            ("", _("None")),
            *((group.label, [(c.slug, f"{c.label} – {c.fit}") for c in group.candidates]) for group in groups),
        ]
        chosen = next((group for group in groups if group.key == request.GET.get("option")), None)
        first = chosen or (groups[0] if groups else None)
        if first is not None:
            option.initial, self.fields["quantity"].initial = first.key, first.servers
            server.initial = request.GET.get("server")

    def chosen_server(self) -> Server | None:
        """The server that was picked; None for “none”."""
        slug = self.cleaned_data["server"]
        return Server.objects.select_related("vendor").get(slug=slug) if slug else None
