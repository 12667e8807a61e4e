"""The audit trail of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.models.immutable import ImmutableModel, ImmutableQuerySet
from assessments.models.inquiry import Inquiry

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class EventQuerySet(ImmutableQuerySet["Event"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Events of visible requests; outside only the public ones."""
        visible = self.filter(inquiry__in=Inquiry.objects.visible_to(viewer))
        return visible if viewer.sees_all else visible.filter(is_public=True)


class Event(ImmutableModel):
    """Who did what to a request, from which state to which, and why."""

    class Actor(models.TextChoices):
        USER = "user", pgettext_lazy("actor", "Person")
        TOKEN = "token", pgettext_lazy("actor", "Program")
        SYSTEM = "system", pgettext_lazy("actor", "System")

    inquiry = models.ForeignKey(Inquiry, on_delete=models.PROTECT, related_name="events")
    sequence = models.PositiveIntegerField()
    verb = models.CharField(_("verb"), max_length=32)
    actor_kind = models.CharField(_("actor"), max_length=8, choices=Actor)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    before = models.CharField(_("from"), max_length=12, blank=True)
    after = models.CharField(_("to"), max_length=12, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    data = models.JSONField(default=dict)
    is_public = models.BooleanField(default=False)

    objects = EventQuerySet.as_manager()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ("inquiry", "sequence")
        constraints = (models.UniqueConstraint(fields=("inquiry", "sequence"), name="event_sequence"),)

    def __str__(self) -> str:
        return f"{self.inquiry_id}#{self.sequence} {self.verb}"
