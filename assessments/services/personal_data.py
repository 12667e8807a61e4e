"""What we hold about a person, as they may take it out: their profile, drafts, requests, words and results."""

from __future__ import annotations

from typing import Any

from assessments.models import Assessment, Draft, Inquiry, Intake, Message
from assessments.selectors import shown_run
from portal.accounts.models import User
from portal.accounts.viewer import Viewer


def personal_data(user: User) -> dict[str, Any]:
    """Everything of a person as plain JSON; results are those that they may see, internal notes are not theirs."""
    viewer = Viewer.of(user)
    own = Inquiry.objects.filter(organization__in=viewer.organizations).order_by("pk")
    return {
        "schema": "personal-data/1",
        "person": {
            "email": user.email,
            "name": user.name,
            "language": user.language,
            "time_zone": user.time_zone,
            "since": _time(user.created_at),
            "last_sign_in": _time(user.last_login),
        },
        "organizations": [
            {"name": membership.organization.name, "role": membership.role, "since": _time(membership.created_at)}
            for membership in user.memberships.select_related("organization").order_by("pk")
        ],
        "drafts": [
            {"language": draft.language, "expires_at": _time(draft.expires_at), "answers": draft.answers}
            for draft in Draft.objects.visible_to(viewer).open().order_by("pk")
        ],
        "requests": [_request(inquiry, viewer) for inquiry in own],
    }


def _request(inquiry: Inquiry, viewer: Viewer) -> dict[str, Any]:
    return {
        "number": inquiry.number,
        "language": inquiry.language,
        "submitted_at": _time(inquiry.submitted_at),
        "revisions": [
            {
                "revision": intake.revision,
                "at": _time(intake.created_at),
                "task": intake.task,
                "answers": intake.answers,
                "context": intake.context,
            }
            for intake in Intake.objects.filter(inquiry=inquiry)
        ],
        "results": [
            {"revision": assessment.revision, "released_at": _time(assessment.released_at), "result": run.result}
            for assessment in Assessment.objects.visible_to(viewer).filter(inquiry=inquiry)
            if (run := shown_run(assessment, viewer)) is not None and run.result is not None
        ],
        "conversation": [
            {"at": _time(message.created_at), "author": str(message.author or ""), "text": message.body}
            for message in Message.objects.visible_to(viewer).filter(inquiry=inquiry).select_related("author")
        ],
    }


def _time(at: Any) -> str | None:
    """ISO 8601 with its offset."""
    return at.isoformat(timespec="seconds") if at is not None else None
