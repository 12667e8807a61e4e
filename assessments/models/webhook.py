"""Where programs of customers and of the seller are told about requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from assessments.models.event import Event

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class WebhookEndpointQuerySet(models.QuerySet["WebhookEndpoint"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Endpoints of one's own organisation; staff see all, the seller's own included."""
        return self if viewer.sees_all else self.filter(organization__in=viewer.organizations)


class WebhookEndpoint(models.Model):
    """An address that gets signed events; without an organisation it is the seller's own."""

    organization = models.ForeignKey(
        "accounts.Organization", null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.URLField(_("address"), max_length=500)
    secret = models.CharField(_("secret"), max_length=100)
    verbs = models.JSONField(_("events"), default=list, blank=True)
    disabled_at = models.DateTimeField(_("disabled"), null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = WebhookEndpointQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        return self.url


class WebhookDelivery(models.Model):
    """One attempt to deliver an event."""

    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="deliveries")
    attempt = models.PositiveIntegerField(_("attempt"))
    status = models.PositiveSmallIntegerField(_("status"), null=True)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("webhook delivery")
        verbose_name_plural = _("webhook deliveries")
        ordering = ("-at",)

    def __str__(self) -> str:
        return f"delivery {self.pk}"
