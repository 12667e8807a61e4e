"""The outbox row: a remaining row is the proof that something has not happened yet."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class OutboxQuerySet(models.QuerySet["OutboxMessage"]):
    """Reads with a purpose; people see the outbox through the admin only."""

    def due(self, at: datetime) -> Self:
        """Messages that a publisher may hand to the broker now."""
        return self.filter(next_try_at__lte=at).order_by("next_try_at")

    def given_up(self) -> Self:
        """Messages that nobody will try again by itself."""
        return self.filter(next_try_at=None)

    def waiting(self) -> Self:
        """Messages that will be tried, whenever that is."""
        return self.exclude(next_try_at=None)


class OutboxMessage(models.Model):
    """One task, e-mail or webhook call that the surrounding transaction wanted."""

    class Kind(models.TextChoices):
        TASK = "task", _("task")
        MAIL = "mail", _("e-mail")
        WEBHOOK = "webhook", _("webhook")

    class Queue(models.TextChoices):
        LIVE = "live", _("live")
        BULK = "bulk", _("bulk")

    kind = models.CharField(_("kind"), max_length=10, choices=Kind, default=Kind.TASK)
    name = models.CharField(_("task name"), max_length=100)
    payload = models.JSONField(_("arguments"), default=dict)
    queue = models.CharField(_("queue"), max_length=10, choices=Queue, default=Queue.LIVE)
    unique_key = models.CharField(_("unique key"), max_length=200, null=True, blank=True, unique=True)
    request_id = models.CharField(_("request id"), max_length=40, blank=True)
    sends = models.PositiveSmallIntegerField(_("handed to the broker"), default=0)
    tries = models.PositiveSmallIntegerField(_("tries"), default=0)
    next_try_at = models.DateTimeField(_("next try"), null=True, blank=True)
    leased_until = models.DateTimeField(_("in work until"), null=True, blank=True)
    last_error = models.TextField(_("last error"), blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = OutboxQuerySet.as_manager()

    class Meta:
        verbose_name = _("outbox message")
        verbose_name_plural = _("outbox messages")
        indexes = [models.Index(fields=["next_try_at"], name="outbox_next_try")]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=["task", "mail", "webhook"]), name="outbox_kind"),
            models.CheckConstraint(condition=Q(queue__in=["live", "bulk"]), name="outbox_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.name} #{self.pk}"
