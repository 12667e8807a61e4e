"""The conversation about a request."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from assessments.models.inquiry import Inquiry

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


def attachment_path(message: Message, filename: str) -> str:
    """A folder of its own for every file, so that equal names never meet."""
    return f"messages/{uuid.uuid4()}/{filename}"


class MessageQuerySet(models.QuerySet["Message"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Messages of visible requests; internal notes never leave the staff, shares see none."""
        if viewer.sees_all:
            return self
        return self.filter(inquiry__organization__in=viewer.organizations, audience=Message.Audience.CUSTOMER)

    def open_questions(self) -> Self:
        """Questions to the customer that nobody answered or took back."""
        return self.filter(path__gt="", answered_at=None, audience=Message.Audience.CUSTOMER)


class Message(models.Model):
    """What somebody wrote: to the customer or as an internal note, perhaps about one field of the task."""

    class Audience(models.TextChoices):
        CUSTOMER = "customer", pgettext_lazy("audience", "Customer")
        INTERNAL = "internal", pgettext_lazy("audience", "Internal")

    inquiry = models.ForeignKey(Inquiry, on_delete=models.PROTECT, related_name="messages")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    audience = models.CharField(max_length=8, choices=Audience)
    path = models.CharField(_("field"), max_length=255, blank=True)
    body = models.TextField(_("text"))
    file = models.FileField(upload_to=attachment_path, blank=True)
    answered_by = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="answers")
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MessageQuerySet.as_manager()

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ("inquiry", "created_at")

    def __str__(self) -> str:
        return f"message {self.pk} of {self.inquiry_id}"
