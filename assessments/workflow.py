"""The life of a request: one table of transitions and one function per verb; nothing else assigns `state`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from assessments import sla
from assessments.models import Event, Inquiry, InquirySequence, State
from portal.outbox import queue as outbox

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    from portal.accounts.models import Organization, User
    from portal.accounts.viewer import Viewer


class WorkflowError(ValueError):
    """A transition was refused; the message says why, in the reader's language."""


class NotAllowed(WorkflowError):
    """This role may not do this."""


class WrongState(WorkflowError):
    """The request is not in a state from which this is possible."""


class ReasonRequired(WorkflowError):
    """This step needs a reason in words."""


class Conflict(WorkflowError):
    """Somebody else was faster; `event` tells who, what and when."""

    def __init__(self, message: str | _StrPromise, event: Event | None = None) -> None:
        super().__init__(message)
        self.event = event


class Role(Enum):
    """Who may take a step; the predicate is asked about one request."""

    CUSTOMER = "customer"
    ENGINEER = "engineer"
    APPROVER = "approver"
    MANAGER = "manager"
    SYSTEM = "system"


_MAY: dict[Role, Callable[[Viewer, Inquiry], bool]] = {
    Role.CUSTOMER: lambda by, inquiry: inquiry.organization_id in by.organizations,
    Role.ENGINEER: lambda by, inquiry: by.has_perm("assessments.review_inquiry"),
    Role.APPROVER: lambda by, inquiry: by.has_perm("assessments.approve_inquiry"),
    Role.MANAGER: lambda by, inquiry: by.has_perm("assessments.manage_pipeline"),
    Role.SYSTEM: lambda by, inquiry: by.kind == "system",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One verb: from which states, to which, by whom."""

    verb: str
    label: _StrPromise
    sources: frozenset[State]
    target: State
    roles: frozenset[Role]
    needs_reason: bool = False
    is_public: bool = True

    def may(self, by: Viewer, inquiry: Inquiry) -> bool:
        """Whether this reader's role may take the step on this request."""
        return any(_MAY[role](by, inquiry) for role in self.roles)


def _transition(verb: str, label: _StrPromise, sources: str, target: State, roles: str, **options: bool) -> Transition:
    return Transition(
        verb=verb,
        label=label,
        sources=frozenset(State(name) for name in sources.split()),
        target=target,
        roles=frozenset(Role(name) for name in roles.split()),
        **options,
    )


_REVISABLE = "in_review needs_info failed approved released proposal rejected"
TRANSITIONS = {
    t.verb: t
    for t in (
        _transition("submit", _("Submit"), "", State.SUBMITTED, "customer engineer"),
        _transition("start", _("Start"), "submitted", State.SIZING, "system", is_public=False),
        _transition("finish", _("Finish"), "sizing", State.IN_REVIEW, "system"),
        _transition("fail", _("Fail"), "sizing", State.FAILED, "system", is_public=False),
        _transition("retry", _("Try again"), "failed", State.SUBMITTED, "customer engineer system", is_public=False),
        _transition("ask", _("Ask the customer"), "in_review", State.NEEDS_INFO, "engineer", needs_reason=True),
        _transition("answer", _("Answer"), "needs_info", State.IN_REVIEW, "customer engineer"),
        _transition("revise", _("Change the answers"), _REVISABLE, State.SUBMITTED, "customer engineer"),
        _transition(
            "approve", _("Approve"), "in_review", State.APPROVED, "approver", needs_reason=True, is_public=False
        ),
        _transition("release", _("Release"), "approved", State.RELEASED, "approver"),
        _transition(
            "reopen",
            _("Reopen"),
            "approved released proposal rejected",
            State.IN_REVIEW,
            "engineer",
            needs_reason=True,
            is_public=False,
        ),
        _transition(
            "reject", _("Reject"), "in_review needs_info failed", State.REJECTED, "engineer", needs_reason=True
        ),
        _transition(
            "withdraw",
            _("Withdraw"),
            "submitted sizing failed in_review needs_info approved",
            State.WITHDRAWN,
            "customer",
        ),
        _transition("propose", _("Make a proposal"), "released", State.PROPOSAL, "manager", is_public=False),
        _transition("win", _("Won"), "released proposal", State.WON, "manager", is_public=False),
        _transition("lose", _("Lost"), "released proposal", State.LOST, "manager", needs_reason=True, is_public=False),
    )
}


def available(inquiry: Inquiry, by: Viewer) -> list[Transition]:
    """What a page may offer to this reader; the same table that the transitions obey."""
    return [t for t in TRANSITIONS.values() if inquiry.state in t.sources and t.may(by, inquiry)]


def record(
    inquiry: Inquiry,
    verb: str,
    *,
    by: Viewer,
    before: str = "",
    after: str = "",
    reason: str = "",
    is_public: bool = False,
    **data: Any,
) -> Event:
    """Write one line of the audit trail and let mails and webhooks follow from it.

    The caller holds the row lock of the request, so that `sequence` has neither gaps nor doubles.
    """
    last = Event.objects.filter(inquiry=inquiry).aggregate(last=Max("sequence"))["last"] or 0
    if by.token is not None:
        data["token"] = by.token.pk
    actor = by.user if by.user is not None and by.user.pk else None
    event = Event.objects.create(
        inquiry=inquiry,
        sequence=last + 1,
        verb=verb,
        actor_kind=by.kind if by.kind in Event.Actor.values else Event.Actor.SYSTEM,
        actor=actor,
        before=before,
        after=after,
        reason=reason,
        data=data,
        is_public=is_public,
    )
    outbox.add("assessments.announce", unique_key=f"announce:{event.pk}", event_id=event.pk)
    return event


def lock(inquiry_id: int) -> Inquiry:
    """The request under its row lock; call it inside a transaction. Raises Inquiry.DoesNotExist."""
    return Inquiry.objects.select_for_update(of=("self",)).select_related("organization").get(pk=inquiry_id)


def check(inquiry: Inquiry, verb: str, *, by: Viewer, reason: str = "") -> Transition:
    """Raise the refusal that fits: role, state (saying who moved it), or a missing reason."""
    transition = TRANSITIONS[verb]
    if not transition.may(by, inquiry):
        raise NotAllowed(_("Your role may not do this."))
    if inquiry.state not in transition.sources:
        raise _moved_meanwhile(inquiry)
    if transition.needs_reason and not reason.strip():
        raise ReasonRequired(_("Give a reason: it is kept with the request."))
    return transition


def _moved_meanwhile(inquiry: Inquiry) -> WorkflowError:
    """The refusal for a state that does not allow the step: who moved the request there, and when."""
    state = inquiry.get_state_display()
    last = Event.objects.filter(inquiry=inquiry).exclude(after="").select_related("actor").last()
    if last is None:
        return WrongState(_("This request is “%(state)s” now; reload the page.") % {"state": state})
    who = str(last.actor) if last.actor else last.get_actor_kind_display()
    when = date_format(timezone.localtime(last.created_at), "SHORT_DATETIME_FORMAT")
    return Conflict(
        _("This request is “%(state)s” now: %(who)s, %(when)s. Reload the page.")
        % {"state": state, "who": who, "when": when},
        last,
    )


def check_workable(inquiry: Inquiry, *, by: Viewer) -> None:
    """Raise the refusal that fits unless an engineer may work on the assessment now: it is in review."""
    if not by.has_perm("assessments.review_inquiry"):
        raise NotAllowed(_("Your role may not do this."))
    if inquiry.state != State.IN_REVIEW:
        raise _moved_meanwhile(inquiry)


def _move(verb: str, inquiry_id: int, *, by: Viewer, reason: str = "", data: dict[str, Any] | None = None) -> Inquiry:
    """Take one step of the table under the row lock, with its event; the only way to change `state`."""
    with transaction.atomic():
        inquiry = lock(inquiry_id)
        transition = check(inquiry, verb, by=by, reason=reason)
        before, inquiry.state = inquiry.state, transition.target
        inquiry.version += 1
        _keep_clock(inquiry, verb, reason=reason, at=timezone.now())
        inquiry.save(update_fields=["state", "version", "waiting_since", "due_at", "released_at", "closed_reason"])
        record(
            inquiry,
            verb,
            by=by,
            before=before,
            after=inquiry.state,
            reason=reason,
            is_public=transition.is_public,
            **(data or {}),
        )
    return inquiry


def _keep_clock(inquiry: Inquiry, verb: str, *, reason: str, at: datetime) -> None:
    """Times that follow from a step: the service clock stands still while the customer is asked."""
    if verb == "ask":
        inquiry.waiting_since = at
    elif inquiry.waiting_since is not None:
        if inquiry.due_at is not None:
            inquiry.due_at = sla.resume(inquiry.due_at, waited_from=inquiry.waiting_since, until=at)
        inquiry.waiting_since = None
    if verb in {"reopen", "revise"}:
        inquiry.due_at = sla.decision_due(at, inquiry.priority)
    if verb == "release":
        inquiry.released_at = at
    if verb in {"reject", "lose"}:
        inquiry.closed_reason = reason


@transaction.atomic
def submit(
    *,
    organization: Organization,
    contact: User | None,
    language: str,
    by: Viewer,
    idempotency_key: str | None = None,
    **data: Any,
) -> Inquiry:
    """Open a request in state `submitted`, with its number, its due time and its first event."""
    now = timezone.now()
    inquiry = Inquiry(
        number=InquirySequence.next_number(timezone.localdate(now).year),
        organization=organization,
        contact=contact,
        language=language,
        state=State.SUBMITTED,
        submitted_at=now,
        due_at=sla.decision_due(now, Inquiry._meta.get_field("priority").default),
        idempotency_key=idempotency_key,
    )
    if not TRANSITIONS["submit"].may(by, inquiry):
        raise NotAllowed(_("Your role may not do this."))
    inquiry.save(force_insert=True)
    record(inquiry, "submit", by=by, after=inquiry.state, is_public=True, **data)
    return inquiry


def start(inquiry_id: int, *, by: Viewer) -> Inquiry:
    """The engine begins."""
    return _move("start", inquiry_id, by=by)


def finish(inquiry_id: int, *, by: Viewer, **data: Any) -> Inquiry:
    """The result is there; an engineer may look at it."""
    return _move("finish", inquiry_id, by=by, data=data)


def fail(inquiry_id: int, *, by: Viewer, **data: Any) -> Inquiry:
    """The last try failed; a button tries again."""
    return _move("fail", inquiry_id, by=by, data=data)


def retry(inquiry_id: int, *, by: Viewer) -> Inquiry:
    """Queue a failed request again."""
    return _move("retry", inquiry_id, by=by)


def ask(inquiry_id: int, *, by: Viewer, reason: str) -> Inquiry:
    """Wait for the customer; the reason is the question."""
    return _move("ask", inquiry_id, by=by, reason=reason)


def answer(inquiry_id: int, *, by: Viewer, reason: str = "") -> Inquiry:
    """The customer answered in words, or the question was taken back."""
    return _move("answer", inquiry_id, by=by, reason=reason)


def revise(inquiry_id: int, *, by: Viewer, **data: Any) -> Inquiry:
    """New answers: the request goes to sizing again."""
    return _move("revise", inquiry_id, by=by, data=data)


def approve(inquiry_id: int, *, by: Viewer, reason: str, **data: Any) -> Inquiry:
    """An engineer vouches for the assessment; `services.reviews.assessment_approve` checks what was seen."""
    return _move("approve", inquiry_id, by=by, reason=reason, data=data)


def release(inquiry_id: int, *, by: Viewer) -> Inquiry:
    """Show the approved assessment to the customer."""
    return _move("release", inquiry_id, by=by)


def reopen(inquiry_id: int, *, by: Viewer, reason: str, **data: Any) -> Inquiry:
    """Take a decided request back to review on the same answers."""
    return _move("reopen", inquiry_id, by=by, reason=reason, data=data)


def reject(inquiry_id: int, *, by: Viewer, reason: str) -> Inquiry:
    """Close without an assessment; the customer reads the reason."""
    return _move("reject", inquiry_id, by=by, reason=reason)


def withdraw(inquiry_id: int, *, by: Viewer, reason: str = "") -> Inquiry:
    """The customer takes the request back."""
    return _move("withdraw", inquiry_id, by=by, reason=reason)


def propose(inquiry_id: int, *, by: Viewer) -> Inquiry:
    """A commercial proposal is being made outside this portal."""
    return _move("propose", inquiry_id, by=by)


def win(inquiry_id: int, *, by: Viewer) -> Inquiry:
    """The customer bought."""
    return _move("win", inquiry_id, by=by)


def lose(inquiry_id: int, *, by: Viewer, reason: str) -> Inquiry:
    """The customer did not buy; the reason is kept."""
    return _move("lose", inquiry_id, by=by, reason=reason)
