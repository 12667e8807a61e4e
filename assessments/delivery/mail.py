"""Which mail follows from which event, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation

from assessments.models import Event
from portal.accounts.models import PortalSettings, User
from portal.accounts.roles import ENGINEER
from portal.outbox.mail import mail_add


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A kind of mail: the template's name and whether it goes to the customer or to the staff."""

    template: str
    to_customer: bool = True
    is_receipt: bool = False
    """Whether it goes to whoever caused the event too, as a proof that it arrived."""


LETTERS = {
    "submit": Letter(template="received", is_receipt=True),
    "ready": Letter(template="ready"),
    "ask": Letter(template="question"),
    "answer": Letter(template="answered", to_customer=False),
    "release": Letter(template="approved"),
    "reject": Letter(template="rejected"),
    "fail": Letter(template="failed", to_customer=False),
    "message": Letter(template="message"),
}


def event_announce(event_id: int) -> None:
    """Put the mails of one event into the outbox; call it in the transaction that strikes the wish out."""
    event = Event.objects.select_related("inquiry__organization", "inquiry__contact", "inquiry__assignee", "actor").get(
        pk=event_id
    )
    letter = LETTERS.get(event.verb)
    if letter is None:
        return
    for person in _readers(event, letter):
        language = person.language if person.is_staff else event.inquiry.language
        with translation.override(language):
            context = _context(event, person)
            subject = render_to_string(f"email/{letter.template}_subject.txt", context).strip()
            text = render_to_string(f"email/{letter.template}.txt", context)
            html = render_to_string(f"email/{letter.template}.html", context)
        mail_add(
            unique_key=f"mail:{event.pk}:{person.pk}",
            message_id=f"event-{event.pk}-{person.pk}",
            to=[person.email],
            subject=subject,
            text=text,
            html=html,
        )


def _readers(event: Event, letter: Letter) -> list[User]:
    """The customer's contact or the engineer at work; every engineer where nobody took the request.

    Whoever caused the event needs no letter about it, except a receipt.
    """
    inquiry = event.inquiry
    is_from_customer = event.verb == "message" and event.actor is not None and not event.actor.is_staff
    if event.verb == "message" and not event.is_public:
        return []
    if letter.to_customer and not is_from_customer:
        people = [inquiry.contact]
    elif inquiry.assignee is not None:
        people = [inquiry.assignee]
    else:
        people = list(User.objects.filter(is_staff=True, groups__name=ENGINEER).distinct())
    others = [person for person in people if person is not None and (letter.is_receipt or person != event.actor)]
    return [person for person in others if person.is_active]


def _context(event: Event, person: User) -> dict[str, Any]:
    inquiry = event.inquiry
    address = (
        reverse("admin:assessments_inquiry_change", args=[inquiry.pk])
        if person.is_staff
        else reverse("pages:request", args=[inquiry.number])
    )
    return {
        "inquiry": inquiry,
        "event": event,
        "person": person,
        "seller": PortalSettings.load(),
        "url": settings.SITE_URL + address,
    }
