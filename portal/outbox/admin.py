"""One page that lists what has not happened yet, and tries again what was given up."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin

from portal.outbox import queue
from portal.outbox.models import OutboxMessage


class StandingFilter(admin.SimpleListFilter):
    """Whether a message is still tried."""

    title = _("standing")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("waiting", _("waiting")), ("given_up", _("given up"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[OutboxMessage]) -> QuerySet[OutboxMessage]:
        if self.value() is None:
            return queryset
        return queryset.filter(next_try_at__isnull=self.value() == "given_up")


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ModelAdmin):
    """Read only; the payload stays hidden, because it holds what customers wrote and codes that open doors."""

    list_display = ("name", "kind", "queue", "tries", "next_try_at", "leased_until", "last_error", "created_at")
    list_filter = (StandingFilter, "kind", "queue")
    search_fields = ("name", "last_error", "request_id")
    ordering = ("created_at",)
    exclude = ("payload",)
    actions: ClassVar = ["try_again"]

    @admin.action(description=_("Try again"), permissions=["retry"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[OutboxMessage]) -> None:
        revived = [queue.revive(pk) and queue.publish(pk) for pk in queryset.values_list("pk", flat=True)].count(True)
        text = ngettext("%(n)d message is tried again.", "%(n)d messages are tried again.", revived) % {"n": revived}
        messages.info(request, text)

    def has_retry_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("outbox.change_outboxmessage")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: OutboxMessage | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: OutboxMessage | None = None) -> bool:
        return False
