"""An imported task becomes answers that read back as the same task."""

import copy

import pytest

from assessments.intake.answers_to_task import answers_to_task
from assessments.intake.task_to_answers import task_to_answers
from tests.assessments.intake.answers import COMPLETE


def test_answers_survive_the_way_to_a_task_and_back() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers["strategy"] |= {
        "method": "lora",
        "lora_rank": "32",
        "lora_targets": ["attention"],
        "repeats": "yes",
        "every_days": "30",
    }
    answers["dataset"] |= {"growth_per_year": "12,5", "tokens": "5–8 млрд", "tokens_unknown": ""}
    answers["facility"] |= {"own_accelerator": "a100-sxm4-80gb", "own_gpus": "8"}
    answers["horizon"] |= {"planned_in_months": "12", "planned_times": "2"}
    task = answers_to_task(answers)
    typed, left = task_to_answers(task)
    # Only a card of one's own is marked by the intake itself.
    assert left == ("hardware.owned",)
    assert answers_to_task(typed) == task


@pytest.mark.parametrize("share", [0.125, 0.0125, 0.30625])
def test_a_typed_number_is_never_ambiguous(share: float) -> None:
    typed, _left = task_to_answers({"scenarios": [{"dataset": {"growth_per_year": share}}]})
    assert answers_to_task(typed)["scenarios"][0]["dataset"]["growth_per_year"] == share


def test_what_has_no_question_is_named() -> None:
    typed, left = task_to_answers({"scenarios": [{"recipe": {"precision": "bf16", "flash_attention": True}}]})
    assert typed == {"strategy": {"precision": "bf16"}}
    assert left == ("recipe.flash_attention",)
