"""Dialogs of the review desk; each is sent by POST with a token and what its author saw."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.forms import BaseDialogForm
from unfold.widgets import (
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
)

from assessments.models import Assessment, Inquiry
from assessments.review.desk import candidates_of
from catalog.models import Server
from portal.accounts.http import reader_of
from portal.accounts.models import User


def assessment_of(request: HttpRequest, object_id: int | str | None) -> Assessment | None:
    """The working assessment of the request whose page the dialog stands on."""
    inquiry = Inquiry.objects.visible_to(reader_of(request)).filter(pk=object_id).first()
    if inquiry is None:
        return None
    return Assessment.objects.filter(inquiry=inquiry).working().select_related("run").first()


class ConfirmDialog(BaseDialogForm):
    """A step without a reason."""


class ReasonDialog(BaseDialogForm):
    """A step that needs a reason."""

    reason = forms.CharField(label=_("Reason"), widget=UnfoldAdminTextareaWidget, max_length=4000)


class PublicReasonDialog(BaseDialogForm):
    """A step whose reason the customer reads."""

    reason = forms.CharField(
        label=_("Reason"),
        widget=UnfoldAdminTextareaWidget,
        max_length=4000,
        help_text=_("The customer reads this."),
    )


class QuestionDialog(BaseDialogForm):
    """A question to the customer."""

    question = forms.CharField(
        label=_("Question"),
        widget=UnfoldAdminTextareaWidget,
        max_length=4000,
        help_text=_("The customer reads this and gets it by mail."),
    )


class SummaryDialog(BaseDialogForm):
    """The engineer's summary for the customer."""

    summary = forms.CharField(
        label=_("Summary for the customer"),
        widget=UnfoldAdminTextareaWidget,
        max_length=8000,
        help_text=_("Stands under the verdict on the page and in the document, in the language of the request."),
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        assessment = assessment_of(request, object_id)
        if assessment is not None:
            self.fields["summary"].initial = assessment.summary


class AssignDialog(BaseDialogForm):
    """Who works on the request."""

    assignee = forms.ModelChoiceField(
        label=_("Engineer"), queryset=User.objects.none(), required=False, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        field = self.fields["assignee"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = User.objects.filter(is_staff=True, is_active=True, groups__name="engineer").distinct()


class ServerDialog(BaseDialogForm):
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
        label=_("Reason"),
        required=False,
        widget=UnfoldAdminTextareaWidget,
        max_length=4000,
        help_text=_("Required for a server that does not fit, and for none. The customer reads this."),
    )
    internal_note = forms.CharField(
        label=_("Internal note"),
        required=False,
        widget=UnfoldAdminTextareaWidget,
        max_length=4000,
        help_text=_("Never leaves the staff."),
    )

    def __init__(self, request: HttpRequest, object_id: int | str | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, object_id, *args, **kwargs)
        assessment = assessment_of(request, object_id)
        groups = candidates_of(assessment) if assessment is not None else []
        option, server = self.fields["option"], self.fields["server"]
        assert isinstance(option, forms.ChoiceField)
        assert isinstance(server, forms.ChoiceField)
        option.choices = [(group.key, group.label) for group in groups]
        server.choices = [
            ("", _("None")),
            *((group.label, [(c.slug, c.label) for c in group.candidates]) for group in groups),
        ]
        if groups:
            self.fields["quantity"].initial = groups[0].servers

    def chosen_server(self) -> Server | None:
        """The server that was picked; None for “none”."""
        slug = self.cleaned_data["server"]
        return Server.objects.select_related("vendor").get(slug=slug) if slug else None
