"""Links by which a customer shows one revision to colleagues."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from assessments.models.assessment import Assessment

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer


class ShareLinkQuerySet(models.QuerySet["ShareLink"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """Links of one's own organisation's requests; staff see all."""
        if viewer.sees_all:
            return self
        return self.filter(assessment__inquiry__organization__in=viewer.organizations)


class ShareLink(models.Model):
    """A read-only, expiring, revocable address of one assessment; only the hash of its token is kept."""

    assessment = models.ForeignKey(Assessment, on_delete=models.CASCADE, related_name="share_links")
    token_sha256 = models.CharField(max_length=64, unique=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    expires_at = models.DateTimeField(_("valid until"))
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ShareLinkQuerySet.as_manager()

    class Meta:
        verbose_name = _("share link")
        verbose_name_plural = _("share links")

    def __str__(self) -> str:
        return f"share {self.pk} of {self.assessment_id}"
