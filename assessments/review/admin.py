"""The queue of requests and the review page."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.enums import ActionVariant

from assessments import wording
from assessments.models import Event, Inquiry, Message, State
from assessments.pipeline.summary import SEVERITY_RANK
from assessments.review.actions import ReviewActions, cached_inquiry
from assessments.review.adjust import AdjustView
from assessments.review.desk import Desk, change_of, desk_of, event_lines, verb_label
from assessments.review.forms import BulkAssignForm
from assessments.review.queue import AcceleratorFilter, ClassFilter, QueueFilter, StrategyFilter
from assessments.review.timeline import timeline_table
from assessments.services import reviews
from portal.accounts.http import reader_of

MOST_ASSIGNED = 200

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
        "findings_count",
        "assignee",
        "due_at",
        "submitted_at",
    )
    list_filter = (QueueFilter, "state", StrategyFilter, ClassFilter, AcceleratorFilter)
    list_filter_submit = True
    list_filter_sheet = True
    list_select_related = ("organization", "assignee")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("search_text",)
    search_help_text = _("Number, organisation, task, model")
    ordering = ("-submitted_at",)
    fields: ClassVar[tuple[str, ...]] = ()
    actions = ("assign_selected",)
    change_form_template = "admin/assessments/review.html"
    object_history_template = "admin/assessments/timeline.html"
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
        {"title": _("More"), "items": ["write", "note", "give_back", "assign", "resize", "reject", "reopen"]},
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
        return severity, wording.severity_label(severity)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Inquiry]:
        return Inquiry.objects.visible_to(reader_of(request)).select_related("organization", "assignee", "contact")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Inquiry | None:
        return cached_inquiry(request, object_id)

    @admin.action(description=_("Assign the ticked ones"), permissions=["assign"])
    def assign_selected(self, request: HttpRequest, queryset: QuerySet[Inquiry]) -> HttpResponse | None:
        """Ask for the engineer on a page of its own, then give the ticked requests away."""
        form = BulkAssignForm(request.POST if "apply" in request.POST else None)
        if form.is_valid():
            changed = reviews.inquiries_assign(
                inquiry_ids=list(queryset.values_list("pk", flat=True)),
                assignee=form.cleaned_data["assignee"],
                by=reader_of(request),
            )
            text = ngettext("%(count)d request changed hands.", "%(count)d requests changed hands.", changed)
            messages.success(request, text % {"count": changed})
            return None
        context = self.admin_site.each_context(request) | {
            "title": _("Who works on these requests"),
            "form": form,
            "inquiries": queryset[:MOST_ASSIGNED],
            "selected": request.POST.getlist(ACTION_CHECKBOX_NAME),
            "opts": self.opts,
        }
        return TemplateResponse(request, "admin/assessments/assign.html", context)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Inquiry], search_term: str
    ) -> tuple[QuerySet[Inquiry], bool]:
        found: tuple[QuerySet[Inquiry], bool] = super().get_search_results(request, queryset, search_term.casefold())
        return found

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
            ),
            path(
                "<int:object_id>/timeline.csv",
                self.admin_site.admin_view(self.timeline_csv),
                name="assessments_inquiry_timeline",
            ),
        ]
        return [*own, *super().get_urls()]

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        inquiry = cached_inquiry(request, object_id)
        context = dict(extra_context or {})
        if inquiry is not None:
            context |= {"desk": desk_of(inquiry, reader_of(request)), "title": inquiry.number}
        page: HttpResponse = super().change_view(request, object_id, form_url, context)
        return page

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The audit trail in place of the admin's own log, which our changes do not pass through."""
        inquiry = cached_inquiry(request, object_id)
        lines = event_lines(inquiry, reader_of(request)) if inquiry is not None else []
        context = (extra_context or {}) | {"lines": lines, "inquiry": inquiry}
        page: HttpResponse = super().history_view(request, object_id, context)
        return page

    def timeline_csv(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The audit trail as a table."""
        inquiry = cached_inquiry(request, object_id)
        if inquiry is None or not self.has_view_permission(request, inquiry):
            raise PermissionDenied
        return HttpResponse(
            timeline_table(event_lines(inquiry, reader_of(request))),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{inquiry.number}-timeline.csv"'},
        )

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """The theme's buttons, each carrying the version on this page; Approve leads to open points while there are."""
        desk: Desk | None = context.get("desk")
        if desk is not None and desk.assessment is not None:
            for item in context["actions_detail"]:
                for button in item.get("items", [item]):
                    is_approve = button["path"].endswith("/approve/") or button["path"].endswith("/approve")
                    if is_approve and desk.open_points:
                        button.update(_closed(button["title"], len(desk.open_points)))
                    else:
                        button["path"] = f"{button['path']}?seen={desk.assessment.version}"
        page: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return page


def _closed(title: str, left: int) -> dict[str, Any]:
    """A button that says how many points are open and leads to them."""
    points = ngettext("%(n)d point left", "%(n)d points left", left) % {"n": left}
    return {
        "title": f"{title}: {points}",
        "path": "#checklist",
        "dialog": None,
        "variant": ActionVariant.DEFAULT,
        "attrs": {"aria-disabled": "true"},
    }


class ReadOnlyAdmin(ModelAdmin):
    """Rows that people read here and nowhere change."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """The audit trail over all requests."""

    list_display = ("created_at", "inquiry", "spoken_verb", "spoken_change", "actor", "actor_kind", "reason")
    list_select_related = ("inquiry", "actor")
    list_filter = ("verb", "actor_kind")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("inquiry__number", "reason")
    ordering = ("-pk",)
    fields = (
        *("inquiry", "sequence", "created_at", "verb", "before", "after"),
        *("actor_kind", "actor", "reason", "is_public", "data"),
    )

    @display(description=_("Verb"), ordering="verb")
    def spoken_verb(self, event: Event) -> str:
        return verb_label(event.verb)

    @display(description=_("Change"))
    def spoken_change(self, event: Event) -> str:
        return change_of(event)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        return Event.objects.visible_to(reader_of(request))


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """The conversation over all requests, internal notes included."""

    list_display = ("created_at", "inquiry", "author", "audience", "body")
    list_select_related = ("inquiry", "author")
    list_filter = ("audience",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("inquiry__number", "body")
    ordering = ("-pk",)
    fields = ("inquiry", "created_at", "author", "audience", "path", "body", "answered_by", "answered_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return Message.objects.visible_to(reader_of(request))
