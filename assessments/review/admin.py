"""The queue of requests and the review page."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display

from assessments import wording
from assessments.models import Assessment, Inquiry, State
from assessments.pipeline.summary import SEVERITY_RANK
from assessments.review.actions import ReviewActions
from assessments.review.adjust import AdjustView
from assessments.review.desk import desk_of
from portal.accounts.http import reader_of

STATE_COLOURS = {
    State.SUBMITTED: "info",
    State.SIZING: "info",
    State.FAILED: "danger",
    State.IN_REVIEW: "warning",
    State.NEEDS_INFO: "warning",
    State.APPROVED: "success",
    State.RELEASED: "success",
    State.PROPOSAL: "success",
    State.WON: "success",
    State.LOST: "danger",
    State.REJECTED: "danger",
}


SEVERITY_OF = {rank: severity for severity, rank in SEVERITY_RANK.items()}
SEVERITY_COLOURS = {"stop": "danger", "warn": "warning", "assumed": "info", "note": "default"}


class WorkFilter(admin.SimpleListFilter):
    """The queues of an engineer's day."""

    title = _("queue")
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Inquiry]) -> list[tuple[str, Any]]:
        return [
            ("mine", _("My work")),
            ("unassigned", _("Unassigned")),
            ("waiting", _("Waiting for the customer")),
            ("overdue", _("Overdue")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Inquiry]) -> QuerySet[Inquiry]:
        match self.value():
            case "mine":
                return queryset.filter(assignee=reader_of(request).user)
            case "unassigned":
                return queryset.filter(assignee=None, state__in=(State.IN_REVIEW, State.FAILED))
            case "waiting":
                return queryset.filter(state=State.NEEDS_INFO)
            case "overdue":
                return queryset & Inquiry.objects.overdue(timezone.now())
            case _:
                return queryset


@admin.register(Inquiry)
class InquiryAdmin(ReviewActions, ModelAdmin):
    """The review desk: reads like a page, changes only through workflow and services."""

    list_display = (
        "number",
        "organization",
        "state_label",
        "strategy_label",
        "class_label",
        "hardware",
        "severity_label",
        "assignee",
        "due_at",
        "submitted_at",
    )
    list_filter = (WorkFilter, "state", "strategy", "model_class", "accelerator")
    list_select_related = ("organization", "assignee")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("search_text",)
    search_help_text = _("Number, organisation, task, model")
    ordering = ("-submitted_at",)
    fields: ClassVar[tuple[str, ...]] = ()
    change_form_before_template = "admin/assessments/inquiry_summary.html"
    actions_detail = (
        "take",
        "choose_server",
        "summarise",
        "ask",
        "take_back",
        "approve",
        "release",
        "retry",
        "propose",
        "win",
        "lose",
        {"title": _("More"), "items": ["give_back", "assign", "reject", "reopen"]},
    )

    @display(description=_("State"), ordering="state", label=STATE_COLOURS)
    def state_label(self, inquiry: Inquiry) -> tuple[str, str]:
        return inquiry.state, inquiry.get_state_display()

    @display(description=_("Strategy"), ordering="strategy")
    def strategy_label(self, inquiry: Inquiry) -> str:
        return wording.value_label(inquiry.strategy) if inquiry.strategy else "–"

    @display(description=_("Class"), ordering="model_class")
    def class_label(self, inquiry: Inquiry) -> str:
        return wording.value_label(inquiry.model_class) if inquiry.model_class else "–"

    @display(description=_("Hardware"), ordering="gpus_low")
    def hardware(self, inquiry: Inquiry) -> str:
        if inquiry.gpus_low is None:
            return "–"
        low, high = inquiry.gpus_low, inquiry.gpus_high
        return f"{low if low == high else f'{low}–{high}'} × {wording.accelerator_name(inquiry.accelerator)}"

    @display(description=_("Worst finding"), ordering="worst_severity", label=SEVERITY_COLOURS)
    def severity_label(self, inquiry: Inquiry) -> tuple[str, str]:
        severity = SEVERITY_OF.get(inquiry.worst_severity)
        if severity is None:
            return "", "–"
        return severity, f"{wording.severity_label(severity)} · {inquiry.findings_count}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Inquiry]:
        return Inquiry.objects.visible_to(reader_of(request)).select_related("organization", "assignee", "contact")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Inquiry], search_term: str
    ) -> tuple[QuerySet[Inquiry], bool]:
        return super().get_search_results(request, queryset, search_term.casefold())

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Inquiry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Inquiry | None = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        adjust = AdjustView.as_view(model_admin=self)
        own = [
            path(
                "<int:object_id>/adjust/",
                self.admin_site.admin_view(adjust),
                name="assessments_inquiry_adjust",
            )
        ]
        return [*own, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        inquiry = self.get_object(request, object_id)
        context = (extra_context or {}) | ({"desk": desk_of(inquiry, reader_of(request))} if inquiry else {})
        return super().change_view(request, object_id, form_url, context)

    def _get_actions_navigation(
        self, provided_actions: Any, allowed_actions: Any, object_id: str | None = None
    ) -> list[Any]:
        """The theme's buttons, each carrying the version of the assessment that stands on this page."""
        navigation: list[Any] = super()._get_actions_navigation(provided_actions, allowed_actions, object_id)
        if object_id is None:
            return navigation
        version = Assessment.objects.filter(inquiry=object_id).working().values_list("version", flat=True).first()
        for item in navigation:
            for button in item.get("items", [item]):
                button["path"] = f"{button['path']}?seen={version}"
        return navigation
