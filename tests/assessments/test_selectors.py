"""Folding adjustments and patching tasks."""

import pytest

from assessments.models import Adjustment
from assessments.selectors import fold, patched, usual_duration
from tests.factories import TASK, AssessmentFactory, UserFactory


def adjust(assessment, author, **fields):
    return Adjustment.objects.create(assessment=assessment, author=author, reason="measured", **fields)


@pytest.mark.django_db
def test_the_last_adjustment_of_a_target_wins_and_an_undone_one_falls_out():
    assessment, author = AssessmentFactory(), UserFactory()
    adjust(assessment, author, kind="knob", target="mfu", after=0.3)
    adjust(assessment, author, kind="knob", target="mfu", after=0.4)
    pinned = adjust(assessment, author, kind="knob", target="ram", after=1e12)
    adjust(assessment, author, kind="knob", target="ram", undoes=pinned)
    adjust(assessment, author, kind="answer", target="scenarios[0].dataset.epochs", after=2)
    adjusted = fold(assessment.adjustments.all())
    assert adjusted.overrides == {"mfu": 0.4}
    assert adjusted.answers == {"scenarios[0].dataset.epochs": 2}


def test_a_patch_reaches_into_lists_and_makes_missing_sections():
    task = patched(TASK, {"scenarios[0].recipe.precision": "fp16", "scenarios[0].dataset.epochs": 1})
    assert task["scenarios"][0]["recipe"] == {"precision": "fp16"}
    assert task["scenarios"][0]["dataset"]["epochs"] == 1
    assert TASK["scenarios"][0]["dataset"]["epochs"] == 3


@pytest.mark.django_db
def test_the_usual_duration_is_not_said_before_there_are_enough_runs():
    AssessmentFactory(sized=True)
    assert usual_duration() is None
