"""The queues of an engineer's day: filters with spoken choices, counts and links of the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from assessments import wording
from assessments.models import Inquiry, State
from catalog.models import Accelerator
from portal.accounts.http import reader_of

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

OPEN = (State.SUBMITTED, State.SIZING, State.FAILED, State.IN_REVIEW, State.NEEDS_INFO, State.APPROVED)
STRATEGIES = ("from_scratch", "full", "lora", "qlora", "frozen", "inference", "unknown")
CLASSES = ("cpu", "workstation", "one_server", "several_servers", "cluster", "inference_only")
QUEUES: dict[str, str | Promise] = {
    "mine": _("My work"),
    "unassigned": _("Unassigned"),
    "waiting": _("Waiting for the customer"),
    "overdue": _("Overdue"),
}


def condition(queue: str, viewer: Viewer) -> Q:
    """What belongs to a queue of this reader; an unknown name is every request."""
    conditions = {
        "mine": Q(assignee=viewer.user, state__in=OPEN),
        "unassigned": Q(assignee=None, state__in=(State.IN_REVIEW, State.FAILED)),
        "waiting": Q(state=State.NEEDS_INFO),
        "overdue": Q(
            due_at__lt=timezone.now(), state__in=(State.SUBMITTED, State.SIZING, State.FAILED, State.IN_REVIEW)
        ),
    }
    return conditions.get(queue, Q())


def counts(viewer: Viewer) -> dict[str, int]:
    """How many requests stand in each queue; one query over the open ones."""
    numbers = {name: Count("pk", filter=condition(name, viewer)) for name in QUEUES}
    return Inquiry.objects.visible_to(viewer).filter(state__in=OPEN).aggregate(**numbers)


class QueueFilter(admin.SimpleListFilter):
    """My work, unassigned, waiting for the customer, overdue."""

    title = _("queue")
    parameter_name = "queue"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Inquiry]) -> list[tuple[str, Any]]:
        return list(QUEUES.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Inquiry]) -> QuerySet[Inquiry]:
        return queryset.filter(condition(self.value() or "", reader_of(request)))


class SpokenFilter(DropdownFilter):
    """A column of codes, chosen by their words."""

    def codes(self) -> list[tuple[str, str]]:
        """Codes and their words."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Inquiry]) -> list[tuple[str, str]]:
        return self.codes()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Inquiry]) -> QuerySet[Inquiry]:
        return queryset.filter(**{self.parameter_name: self.value()}) if self.value() else queryset


class StrategyFilter(SpokenFilter):
    title = _("strategy")
    parameter_name = "strategy"

    def codes(self) -> list[tuple[str, str]]:
        return [(code, wording.value_label(code)) for code in STRATEGIES]


class ClassFilter(SpokenFilter):
    title = _("class")
    parameter_name = "model_class"

    def codes(self) -> list[tuple[str, str]]:
        return [(code, wording.value_label(code)) for code in CLASSES]


class AcceleratorFilter(SpokenFilter):
    title = _("accelerator")
    parameter_name = "accelerator"

    def codes(self) -> list[tuple[str, str]]:
        rows = Accelerator.objects.order_by("vendor__name", "name").values_list("slug", "vendor__name", "name")
        return [(slug, f"{vendor} {name}") for slug, vendor, name in rows]


def _may(permission: str) -> Callable[[HttpRequest], bool]:
    return lambda request: reader_of(request).has_perm(permission)


def _link(title: Any, name: str, permission: str, icon: str) -> dict[str, Any]:
    return {"title": title, "link": reverse(f"admin:{name}_changelist"), "permission": _may(permission), "icon": icon}


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The sidebar: queues with their counts, then catalog, people and the work of the system."""
    requests = reverse("admin:assessments_inquiry_changelist")
    viewer = reader_of(request)
    waiting: dict[str, int] = vars(request).get("desk_counts") or (counts(viewer) if viewer.sees_all else {})
    vars(request)["desk_counts"] = waiting
    chosen = request.GET.get("queue") if request.path == requests else None
    review = [
        {
            "title": title,
            "link": f"{requests}?queue={name}",
            "badge": str(waiting.get(name, 0)),
            "badge_variant": "danger" if name == "overdue" and waiting.get(name) else "primary",
            "permission": _may("assessments.view_inquiry"),
            "active": chosen == name,
        }
        for name, title in QUEUES.items()
    ]
    everything = _link(_("All requests"), "assessments_inquiry", "assessments.view_inquiry", "inbox")
    return [
        {"title": _("Review"), "items": [*review, everything | {"active": request.path == requests and not chosen}]},
        {
            "title": _("Catalog"),
            "items": [
                _link(_("Accelerators"), "catalog_accelerator", "catalog.view_accelerator", "memory"),
                _link(_("Servers"), "catalog_server", "catalog.view_server", "dns"),
                _link(_("Fabrics"), "catalog_fabric", "catalog.view_fabric", "hub"),
                _link(_("Drives"), "catalog_drive", "catalog.view_drive", "hard_drive"),
                _link(_("Vendors"), "catalog_vendor", "catalog.view_vendor", "factory"),
                _link(_("Sources"), "catalog_source", "catalog.view_source", "menu_book"),
                _link(_("Imports"), "catalog_catalogimport", "catalog.import_catalog", "upload_file"),
                _link(_("Versions"), "catalog_catalogversion", "catalog.view_catalogversion", "inventory_2"),
            ],
        },
        {
            "title": _("People"),
            "items": [
                _link(_("Organisations"), "accounts_organization", "accounts.view_organization", "apartment"),
                _link(_("People"), "accounts_user", "accounts.view_user", "group"),
            ],
        },
        {
            "title": _("Operation"),
            "items": [
                _link(_("Audit trail"), "assessments_event", "assessments.view_event", "history"),
                _link(_("API tokens"), "accounts_apitoken", "accounts.view_apitoken", "key"),
                _link(_("Outgoing"), "outbox_outboxmessage", "outbox.view_outboxmessage", "outbox"),
                _link(_("Settings"), "accounts_portalsettings", "accounts.view_portalsettings", "settings"),
            ],
        },
    ]
