"""One's organisations: who belongs to them, and the invitations by which colleagues join."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from portal.accounts import invitations
from portal.accounts.adapter import INVITATION_KEY
from portal.accounts.doors import code_start
from portal.accounts.http import ReaderRequest
from portal.accounts.models import Invitation, Membership, Organization
from portal.limits import limited


class InviteForm(forms.Form):
    """The address of a colleague."""

    email = forms.EmailField(
        label=gettext_lazy("E-mail of a colleague"),
        max_length=254,
        help_text=gettext_lazy("They get a link that works for 14 days and see the requests of the organisation."),
        error_messages={
            "required": gettext_lazy("Check the address: name@example.com"),
            "invalid": gettext_lazy("Check the address: name@example.com"),
        },
    )
    use_required_attribute = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """One organisation as its people see it; only owners get the form and the open invitations."""

    organization: Organization
    memberships: list[Membership]
    is_owner: bool
    invitations: list[Invitation]
    form: InviteForm | None


@require_GET
@login_required
def organization(request: ReaderRequest) -> HttpResponse:
    """The people of one's organisations and their roles."""
    return render(request, "web/organization.html", {"teams": teams(request)})


@require_POST
@login_required
@limited("invitations")
def invite(request: ReaderRequest, organization_id: int) -> HttpResponse:
    """Invite a colleague by mail."""
    form = _form(organization_id, request.POST)
    if form.is_valid():
        try:
            invitations.invitation_create(
                organization_id=organization_id, email=form.cleaned_data["email"], by=request.viewer
            )
        except Organization.DoesNotExist:
            raise Http404 from None
        except invitations.NotPossible as refusal:
            form.add_error("email", str(refusal))
        else:
            messages.success(request, _("The invitation is on its way to %(email)s.") % form.cleaned_data)
            return HttpResponseRedirect(reverse("web:organization"))
    shown = teams(request, {organization_id: form})
    return render(request, "web/organization.html", {"teams": shown, "form": form})


@require_POST
@login_required
def withdraw(request: ReaderRequest, invitation_id: int) -> HttpResponse:
    """Take an invitation back."""
    return _changed(
        request,
        lambda: invitations.invitation_withdraw(invitation_id=invitation_id, by=request.viewer),
        _("The invitation no longer works."),
    )


@require_POST
@login_required
def remove(request: ReaderRequest, membership_id: int) -> HttpResponse:
    """Take somebody out of the organisation, or leave it."""
    return _changed(
        request,
        lambda: invitations.membership_remove(membership_id=membership_id, by=request.viewer),
        _("The person no longer sees the requests of the organisation."),
    )


@require_POST
@login_required
def change_role(request: ReaderRequest, membership_id: int) -> HttpResponse:
    """Make somebody an owner or a member."""
    role = request.POST.get("role", "")
    if role not in Membership.Role.values:
        raise Http404
    return _changed(
        request,
        lambda: invitations.membership_set_role(membership_id=membership_id, role=role, by=request.viewer),
        _("Saved."),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@limited("shares", methods=("GET", "POST"))
def invitation(request: ReaderRequest, raw: str) -> HttpResponse:
    """What the link in the mail opens: who invites, and one button; the code proves whose address it is."""
    found = invitations.invitation_of(raw)
    if found is None:
        raise Http404
    user = request.viewer.user
    is_somebody_else = user is not None and (user.email != found.email or user.is_staff)
    if request.method == "POST" and not is_somebody_else:
        return _join(request, raw, found)
    context = {"invitation": found, "is_somebody_else": is_somebody_else}
    response = render(request, "web/invitation.html", context)
    response["X-Robots-Tag"] = "noindex"
    response["Cache-Control"] = "private, no-store"
    response["Referrer-Policy"] = "same-origin"
    return response


def _join(request: ReaderRequest, raw: str, found: Invitation) -> HttpResponse:
    user = request.viewer.user
    if user is not None:
        invitations.invitation_accept(raw, user)
        messages.success(request, _("You belong to %(organization)s now.") % {"organization": found.organization})
        return HttpResponseRedirect(reverse("web:organization"))
    request.session[INVITATION_KEY] = raw
    try:
        return code_start(request, email=found.email, organization="", next_url=reverse("web:organization"))
    except ValidationError as refusal:
        messages.error(request, " ".join(refusal.messages))
        return HttpResponseRedirect(reverse("web:invitation", args=[raw]))


def _changed(request: ReaderRequest, change: Callable[[], object], success: str) -> HttpResponse:
    """Carry out a change; what is not theirs answers 404, what is not possible says why."""
    try:
        change()
    except ObjectDoesNotExist:
        raise Http404 from None
    except invitations.NotPossible as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, success)
    return HttpResponseRedirect(reverse("web:organization"))


def teams(request: ReaderRequest, bound: dict[int, InviteForm] | None = None) -> list[Team]:
    """The reader's organisations with their people, each with a fresh form where the reader is an owner."""
    found = []
    people = Membership.objects.select_related("user").order_by("-role", "user__email")
    for each in Organization.objects.filter(pk__in=request.viewer.organizations):
        memberships = list(people.filter(organization=each))
        is_owner = any(m.user_id == request.user.pk and m.role == Membership.Role.OWNER for m in memberships)
        waiting = each.invitations.filter(accepted_at=None, expires_at__gt=timezone.now()).order_by("email")
        found.append(
            Team(
                organization=each,
                memberships=memberships,
                is_owner=is_owner,
                invitations=list(waiting) if is_owner else [],
                form=((bound or {}).get(each.pk) or _form(each.pk)) if is_owner else None,
            )
        )
    return found


def _form(organization_id: int, posted: Any = None) -> InviteForm:
    """The form of one organisation; ids differ where a person belongs to several."""
    return InviteForm(posted, auto_id=f"id_{organization_id}_%s")
