"""Answers that are still being typed."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class DraftQuerySet(models.QuerySet["Draft"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Drafts of this person or of this browser's cookie while they last; nobody else's, staff included."""
        mine = Q(token_sha256__in=viewer.draft_tokens)
        if viewer.user is not None:
            mine |= Q(owner=viewer.user)
        return self.filter(mine).in_force()

    def in_force(self) -> Self:
        """Drafts that were sent, and those whose time has not run out."""
        return self.filter(Q(submitted_at__isnull=False) | Q(expires_at__gt=timezone.now()))

    def open(self) -> Self:
        """Drafts that have not been sent."""
        return self.filter(submitted_at=None)


class Draft(models.Model):
    """Raw answers, also invalid ones, before they are a request or a new revision of one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    token_sha256 = models.CharField(
        max_length=64, blank=True, db_index=True, help_text=_("Hash of the browser's token.")
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="drafts"
    )
    inquiry = models.ForeignKey(
        "assessments.Inquiry",
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="drafts",
        help_text=_("The request of which this draft becomes a new revision."),
    )
    answers = models.JSONField(default=dict, help_text=_("Per step, the text as it was typed."))
    language = models.CharField(max_length=2, choices=settings.LANGUAGES, default="ru")
    version = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(db_index=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")

    def __str__(self) -> str:
        return f"draft {self.pk}"
