"""An organisation's people: invited by an owner, joined through the one door, given another role, taken out."""

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Invitation, Membership, Organization, PortalSettings, User, folded, token_hash
from portal.outbox.mail import mail_add

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

KEPT = timedelta(days=14)
TOKEN_BYTES = 32


class NotPossible(ValueError):
    """The organisation's people cannot be changed like this; the message says why, in the reader's language."""


@transaction.atomic
def invitation_create(*, organization_id: int, email: str, by: "Viewer") -> Invitation:
    """Invite an address; an earlier invitation of the same address stops working.

    Raises Organization.DoesNotExist if it is not theirs, PermissionDenied if they are not its owner.
    """
    organization = _owned(organization_id, by)
    if organization.memberships.filter(user__email=folded(email)).exists():
        raise NotPossible(_("This person belongs to the organisation already."))
    organization.invitations.filter(email=folded(email), accepted_at=None).delete()
    raw = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        organization=organization,
        email=email,
        invited_by=by.user,
        token_sha256=token_hash(raw),
        expires_at=timezone.now() + KEPT,
    )
    _mail(invitation, raw)
    return invitation


@transaction.atomic
def invitation_withdraw(*, invitation_id: int, by: "Viewer") -> None:
    """Take an open invitation back at once. Raises Invitation.DoesNotExist if it is not theirs to see."""
    invitation = Invitation.objects.visible_to(by).get(pk=invitation_id, accepted_at=None)
    _owned(invitation.organization_id, by)
    invitation.delete()


def invitation_of(raw: str) -> Invitation | None:
    """The invitation in force that belongs to a link."""
    return (
        Invitation.objects.filter(token_sha256=token_hash(raw), accepted_at=None, expires_at__gt=timezone.now())
        .select_related("organization", "invited_by")
        .first()
    )


@transaction.atomic
def invitation_accept(raw: str, user: User) -> Membership | None:
    """Let the invited person join; None if the link no longer works or names somebody else's address."""
    found = invitation_of(raw)
    if found is None or found.email != user.email or user.is_staff:
        return None
    invitation = Invitation.objects.select_for_update(of=("self",)).filter(pk=found.pk, accepted_at=None).first()
    if invitation is None:
        return None
    membership, _is_new = Membership.objects.get_or_create(user=user, organization=found.organization)
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    return membership


@transaction.atomic
def membership_remove(*, membership_id: int, by: "Viewer") -> Membership:
    """Take somebody out, or leave: an owner may do either, a member may leave; one owner always stays.

    Raises Membership.DoesNotExist if it is not of their organisation, PermissionDenied, NotPossible.
    """
    membership = _seen(membership_id, by)
    if by.user is None or membership.user_id != by.user.pk:
        _owned(membership.organization_id, by)
    _keep_an_owner(membership)
    membership.delete()
    return membership


@transaction.atomic
def membership_set_role(*, membership_id: int, role: str, by: "Viewer") -> Membership:
    """Make somebody an owner or a member. Raises as `membership_remove` does, ValueError for an unknown role."""
    membership = _seen(membership_id, by)
    _owned(membership.organization_id, by)
    role = Membership.Role(role)
    if role != Membership.Role.OWNER:
        _keep_an_owner(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    return membership


def _seen(membership_id: int, by: "Viewer") -> Membership:
    """A membership of one of the reader's organisations, whose row is locked, so that two owners do not both go."""
    membership = (
        Membership.objects.filter(organization__in=by.organizations)
        .select_related("user", "organization")
        .get(pk=membership_id)
    )
    Organization.objects.select_for_update().get(pk=membership.organization_id)
    return membership


def _owned(organization_id: int, by: "Viewer") -> Organization:
    organization = Organization.objects.filter(pk__in=by.organizations).get(pk=organization_id)
    if by.user is None or not organization.memberships.filter(user=by.user, role=Membership.Role.OWNER).exists():
        raise PermissionDenied
    return organization


def _keep_an_owner(membership: Membership) -> None:
    owners = membership.organization.memberships.filter(role=Membership.Role.OWNER)
    if membership.role == Membership.Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise NotPossible(_("An organisation needs an owner: make somebody else the owner first."))


def _mail(invitation: Invitation, raw: str) -> None:
    """Write the letter, in the language of the person where they are known, else of the owner."""
    person = User.objects.filter(email=invitation.email).first()
    language = (person.language if person else "") or translation.get_language() or settings.LANGUAGE_CODE
    with translation.override(language):
        context = {
            "invitation": invitation,
            "seller": PortalSettings.load(),
            "url": settings.SITE_URL + reverse("web:invitation", args=[raw]),
        }
        mail_add(
            to=[invitation.email],
            subject=render_to_string("email/invitation_subject.txt", context).strip(),
            text=render_to_string("email/invitation.txt", context),
            html=render_to_string("email/invitation.html", context),
        )
