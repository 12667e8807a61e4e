"""A draft belongs to a browser or a person, keeps what was typed, and merges two windows by field."""

import hashlib
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from assessments.intake.drafts import (
    KEPT,
    draft_create,
    draft_delete,
    draft_save,
    fingerprint,
    merge,
    scenario_add,
    scenario_remove,
)
from assessments.models import Draft
from portal.accounts.viewer import Viewer

pytestmark = pytest.mark.django_db


def test_the_database_keeps_only_the_hash_of_the_token() -> None:
    draft, token = draft_create(by=Viewer.anonymous(), language="ru")
    assert draft.token_sha256 == hashlib.sha256(token.encode()).hexdigest()
    assert Draft.objects.visible_to(Viewer.anonymous(draft_cookies=[token])).get() == draft
    assert not Draft.objects.visible_to(Viewer.anonymous(draft_cookies=["another"])).exists()


def test_every_save_prolongs_the_draft() -> None:
    draft, token = draft_create(by=Viewer.anonymous(), language="ru")
    me = Viewer.anonymous(draft_cookies=[token])
    later = timezone.now() + timedelta(days=80)
    with time_machine.travel(later, tick=False):
        draft_save(draft_id=draft.pk, key="cycle", typed={"wanted": "14"}, base={}, by=me)
    draft.refresh_from_db()
    assert draft.expires_at == later + KEPT
    assert draft.version == 1


def test_a_stranger_can_neither_save_nor_delete() -> None:
    draft, _token = draft_create(by=Viewer.anonymous(), language="ru")
    stranger = Viewer.anonymous(draft_cookies=["another"])
    with pytest.raises(Draft.DoesNotExist):
        draft_save(draft_id=draft.pk, key="cycle", typed={"wanted": "1"}, base={}, by=stranger)
    with pytest.raises(Draft.DoesNotExist):
        draft_delete(draft_id=draft.pk, by=stranger)
    draft.refresh_from_db()
    assert draft.answers == {}


@pytest.mark.parametrize(
    ("stored", "typed", "base", "merged", "conflicts"),
    [
        ({"a": "1"}, {"a": "2"}, {"a": "1"}, {"a": "2"}, {}),
        ({"a": "2"}, {"a": "1"}, {"a": "1"}, {"a": "2"}, {}),
        ({"a": "2"}, {"a": "2"}, {"a": "1"}, {"a": "2"}, {}),
        ({"a": "2"}, {"a": "3"}, {"a": "1"}, {"a": "2"}, {"a": "2"}),
        ({"a": "2", "b": "x"}, {"a": "3", "b": "y"}, {"a": "1", "b": "x"}, {"a": "2", "b": "y"}, {"a": "2"}),
        ({"a": "1"}, {}, {"a": "1"}, {}, {}),
        ({"a": ["text"]}, {"a": ["text", "image"]}, {"a": ["text"]}, {"a": ["text", "image"]}, {}),
    ],
)
def test_two_windows_merge_by_field(stored: dict, typed: dict, base: dict, merged: dict, conflicts: dict) -> None:  # type: ignore[type-arg]
    assert merge(stored=stored, typed=typed, base=base) == (merged, conflicts)


def test_a_long_text_is_compared_by_its_hash() -> None:
    before, after = "a" * 1000, "b" * 1000
    base = {"config_text": fingerprint(before)}
    assert merge(stored={"config_text": before}, typed={"config_text": after}, base=base) == (
        {"config_text": after},
        {},
    )
    assert merge(stored={"config_text": after}, typed={"config_text": before}, base=base) == (
        {"config_text": after},
        {},
    )


def test_a_scenario_starts_as_a_copy_and_can_be_taken_away() -> None:
    draft, token = draft_create(by=Viewer.anonymous(), language="ru")
    me = Viewer.anonymous(draft_cookies=[token])
    draft_save(draft_id=draft.pk, key="strategy", typed={"method": "full"}, base={}, by=me)
    assert scenario_add(draft_id=draft.pk, copied=0, by=me, most=2) == 1
    draft.refresh_from_db()
    assert draft.answers == {
        "strategy": {"method": "full"},
        "strategy-2": {"method": "full"},
        "scenarios": {"count": "2"},
    }
    assert scenario_add(draft_id=draft.pk, copied=1, by=me, most=2) is None
    scenario_remove(draft_id=draft.pk, by=me)
    draft.refresh_from_db()
    assert draft.answers == {"strategy": {"method": "full"}, "scenarios": {"count": "1"}}
