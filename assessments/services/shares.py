"""Read-only links to one revision: made, and taken back."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from assessments import workflow
from assessments.models import Assessment, ShareLink
from portal.accounts.models import token_hash

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

DAYS = (7, 30, 90)


@transaction.atomic
def share_create(*, assessment_id: int, days: int, by: Viewer) -> tuple[ShareLink, str]:
    """Make a link and return its secret, which is kept as a hash only.

    days: one of DAYS. Raises Assessment.DoesNotExist if the revision is not theirs; only members may share.
    """
    assessment = Assessment.objects.visible_to(by).select_related("inquiry").get(pk=assessment_id)
    if assessment.inquiry.organization_id not in by.organizations:
        raise workflow.NotAllowed(_("Your role may not do this."))
    if days not in DAYS:
        raise ValueError(f"days: {days} given, one of {DAYS} expected")
    raw = secrets.token_urlsafe(24)
    link = ShareLink.objects.create(
        assessment=assessment,
        token_sha256=token_hash(raw),
        author=by.user,
        expires_at=timezone.now() + timedelta(days=days),
    )
    workflow.record(workflow.lock(assessment.inquiry_id), "share", by=by, link=link.pk, days=days)
    return link, raw


@transaction.atomic
def share_revoke(*, link_id: int, by: Viewer) -> ShareLink:
    """Take a link back at once. Raises ShareLink.DoesNotExist if it is not theirs."""
    link = ShareLink.objects.visible_to(by).select_related("assessment").select_for_update(of=("self",)).get(pk=link_id)
    if link.revoked_at is None:
        link.revoked_at = timezone.now()
        link.save(update_fields=["revoked_at"])
        workflow.record(workflow.lock(link.assessment.inquiry_id), "unshare", by=by, link=link.pk)
    return link
