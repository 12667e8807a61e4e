"""Drafts: begun without an account, saved with every change, merged field by field when two windows write."""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from assessments.intake.forms import Raw
from assessments.models import Draft

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

KEPT = timedelta(days=90)
TOKEN_BYTES = 32
LONGEST_VALUE = 262_144
MOST_VALUES = 80
LONGEST_BASE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A saved page: the draft, and the answers that another window wrote meanwhile, by field."""

    draft: Draft
    conflicts: Mapping[str, str | list[str]]


def draft_create(*, by: "Viewer", language: str) -> tuple[Draft, str]:
    """A new draft and the token that the browser keeps as a cookie; the database has only its hash."""
    token = secrets.token_urlsafe(TOKEN_BYTES)
    draft = Draft.objects.create(
        token_sha256=hashlib.sha256(token.encode()).hexdigest(),
        owner=by.user,
        language=language,
        expires_at=timezone.now() + KEPT,
    )
    return draft, token


@transaction.atomic
def draft_save(*, draft_id: UUID, key: str, typed: Raw, base: Raw, by: "Viewer") -> Saved:
    """Keep what was typed on one page, valid or not.

    base: the page as it was when this window opened it (long texts by fingerprint). A field that only another window
    changed keeps that change; of a field that both changed the other window's text is handed back, to be shown beside.
    Raises Draft.DoesNotExist if the draft is not theirs or was sent.
    """
    draft = Draft.objects.visible_to(by).open().select_for_update(of=("self",)).get(pk=draft_id)
    stored: Raw = draft.answers.get(key, {})
    merged, conflicts = merge(stored=stored, typed=typed, base=base)
    draft.answers = {**draft.answers, key: merged}
    _keep(draft)
    return Saved(draft=draft, conflicts=conflicts)


def merge(*, stored: Raw, typed: Raw, base: Raw) -> tuple[dict[str, str | list[str]], dict[str, str | list[str]]]:
    """Three-way merge by field: the merged page, and the stored values of fields that both windows changed.

    Where both did, the other window's text stays stored until this window has seen it and saves again.
    """
    merged: dict[str, str | list[str]] = {}
    conflicts: dict[str, str | list[str]] = {}
    for name in sorted({*stored, *typed}):
        theirs, mine, before = (side.get(name) or "" for side in (stored, typed, base))
        if mine in (before, theirs) or fingerprint(mine) == before:
            merged[name] = theirs
        elif before in (theirs, fingerprint(theirs)):
            merged[name] = mine
        else:
            merged[name] = conflicts[name] = theirs
    return {name: value for name, value in merged.items() if value}, conflicts


def fingerprint(value: str | list[str]) -> str | list[str]:
    """A long text by its hash, so that a page need not carry it twice."""
    if isinstance(value, list) or len(value) <= LONGEST_BASE:
        return value
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"


@transaction.atomic
def answers_add(*, draft_id: UUID, answers: Mapping[str, Raw], by: "Viewer") -> None:
    """Write answers that a file gave; only the fields that it names are replaced."""
    draft = Draft.objects.visible_to(by).open().select_for_update(of=("self",)).get(pk=draft_id)
    draft.answers = {
        **draft.answers,
        **{key: {**draft.answers.get(key, {}), **typed} for key, typed in answers.items()},
    }
    _keep(draft)


@transaction.atomic
def scenario_add(*, draft_id: UUID, copied: int, by: "Viewer", most: int) -> int | None:
    """Add a scenario with the answers of another one; its number from 0, None if there are enough."""
    draft = Draft.objects.visible_to(by).open().select_for_update(of=("self",)).get(pk=draft_id)
    count = int(draft.answers.get("scenarios", {}).get("count", "1"))
    if count >= most or copied >= count:
        return None
    answers: dict[str, Any] = {**draft.answers, "scenarios": {"count": str(count + 1)}}
    for slug in ("strategy", "model", "dataset", "cycle"):
        source = f"{slug}-{copied + 1}" if copied else slug
        if source in answers:
            answers[f"{slug}-{count + 1}"] = answers[source]
    draft.answers = answers
    _keep(draft)
    return count


@transaction.atomic
def scenario_remove(*, draft_id: UUID, by: "Viewer") -> None:
    """Take the last scenario away; the first one stays."""
    draft = Draft.objects.visible_to(by).open().select_for_update(of=("self",)).get(pk=draft_id)
    count = int(draft.answers.get("scenarios", {}).get("count", "1"))
    if count < 2:
        return
    dropped = {f"{slug}-{count}" for slug in ("strategy", "model", "dataset", "cycle")}
    draft.answers = {key: raw for key, raw in draft.answers.items() if key not in dropped} | {
        "scenarios": {"count": str(count - 1)}
    }
    _keep(draft)


@transaction.atomic
def draft_delete(*, draft_id: UUID, by: "Viewer") -> None:
    """Delete at once and for good; a draft that was sent belongs to its request and stays."""
    draft = Draft.objects.visible_to(by).open().select_for_update(of=("self",)).get(pk=draft_id)
    draft.delete()


def drafts_expire() -> int:
    """Delete drafts whose time has run out; what was sent belongs to its request and stays. Returns how many."""
    expired = Draft.objects.open().filter(expires_at__lte=timezone.now(), intake=None)
    _rows, by_model = expired.delete()
    return by_model.get(Draft._meta.label, 0)


@transaction.atomic
def contact_save(*, draft_id: UUID, contact: Mapping[str, str], by: "Viewer") -> Draft:
    """Keep address and consent of the person who sends; they are not part of the task."""
    draft = Draft.objects.visible_to(by).select_for_update(of=("self",)).get(pk=draft_id)
    if draft.submitted_at is None:
        draft.answers = {**draft.answers, "submit": dict(contact)}
        _keep(draft)
    return draft


def _keep(draft: Draft) -> None:
    draft.version += 1
    draft.expires_at = timezone.now() + KEPT
    draft.save(update_fields=["answers", "version", "expires_at", "updated_at"])


def typed_of(
    posted: Mapping[str, list[str]], *, names: frozenset[str], lists: frozenset[str]
) -> dict[str, str | list[str]]:
    """The answers of a posted form: known fields only, bounded in length, empty ones left out."""
    typed: dict[str, str | list[str]] = {}
    for name in sorted(names & posted.keys())[:MOST_VALUES]:
        values = [value.replace("\x00", "").replace("\r\n", "\n")[:LONGEST_VALUE] for value in posted[name]]
        if name in lists:
            typed[name] = values
        elif values and values[-1].strip():
            typed[name] = values[-1]
    return typed
