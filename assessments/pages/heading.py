"""The stamp of a revision and the line under a request's state."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from assessments.models import Assessment, Inquiry, Message, PublicState, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What the title block says; state is automatic, approved, superseded or rejected and decides colour and icon."""

    state: str
    title: str
    text: str


def stamp_of(inquiry: Inquiry, assessment: Assessment) -> Stamp:
    """The stamp of one revision, as the outside may know it: approval shows only once it is released."""
    later = assessment.inquiry.assessments.published().filter(revision__gt=assessment.revision)
    if assessment.released_at is not None:
        successor = later.filter(released_at__isnull=False).order_by("revision").first()
        who = assessment.approved_by.get_full_name() if assessment.approved_by else ""
        signed = f"{who}, {day(assessment.approved_at or assessment.released_at)}" if who else ""
        if successor is not None:
            return Stamp(state="superseded", title=_superseded(successor.revision), text=signed)
        return Stamp(state="approved", title=_("Approved by an engineer"), text=signed)
    newest = later.order_by("-revision").first()
    if newest is not None:
        return Stamp(
            state="superseded", title=_superseded(newest.revision), text=_("Automatic, not reviewed by an engineer")
        )
    if inquiry.public_state == PublicState.CLOSED:
        return Stamp(state="rejected", title=_("Closed without a review"), text=status_line(inquiry))
    return Stamp(
        state="automatic",
        title=_("Automatic, not reviewed by an engineer"),
        text=_("Numbers may change. Review by %(due)s.") % {"due": day(inquiry.due_at)}
        if inquiry.due_at
        else _("Numbers may change."),
    )


def status_line(inquiry: Inquiry) -> str:
    """One line that says what happens next, in the customer's words."""
    match inquiry.public_state:
        case PublicState.WITH_ENGINEER if inquiry.due_at:
            return _("We answer by %(due)s.") % {"due": day(inquiry.due_at)}
        case PublicState.WAITING_FOR_YOU:
            n = Message.objects.filter(inquiry=inquiry).open_questions().count() or 1
            return _("The engineer awaits your reply: %(n_questions)s.") % {
                "n_questions": ngettext("%(n)d question", "%(n)d questions", n) % {"n": n}
            }
        case PublicState.APPROVED if inquiry.released_at:
            return _("Released on %(date)s.") % {"date": day(inquiry.released_at)}
        case PublicState.CLOSED if inquiry.state == State.REJECTED:
            return inquiry.closed_reason
        case PublicState.CLOSED:
            return _("Withdrawn by you; the answers stay and can be copied.")
    return ""


def _superseded(revision: int) -> str:
    return _("Superseded by revision %(n)d") % {"n": revision}


def day(moment: datetime) -> str:
    """A date as people write it: 12 ноября 2026, 12 November 2026."""
    return formats.date_format(timezone.localtime(moment), "j E Y")
