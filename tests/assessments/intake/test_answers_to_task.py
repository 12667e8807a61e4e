"""Typed answers become exactly one task/1, and its paths lead back to the fields."""

import copy

import pytest
from django.utils import translation

from assessments.intake.answers_to_task import answers_to_task, paths_of, place_of
from assessments.intake.steps import STEPS
from assessments.intake.submission import Incomplete, check_answers
from tests.assessments.intake.answers import COMPLETE


def test_complete_answers_are_this_task() -> None:
    assert answers_to_task(COMPLETE) == {
        "schema": "task/1",
        "scenarios": [
            {
                "strategy": {"method": "full"},
                "recipe": {"precision": "bf16", "optimizer": "adamw"},
                "model": {"preset": "llama-3.1-8b", "inputs": ["text"], "context_tokens": 8192},
                "dataset": {
                    "bytes": 40_000_000_000,
                    "tokens": "unknown",
                    "epochs": 2,
                    "profile": "continuous_text",
                },
                "cycle": {"wanted_h": 336, "latest_h": 672},
                "runs_per_quarter": 3,
            }
        ],
        "horizon": {"use": "platform", "years": 3},
        "facility": {"rack_kw": 15, "depth_mm": "unknown"},
    }


def test_words_and_people_stay_out_of_the_task() -> None:
    submission = check_answers(
        {**COMPLETE, "submit": {"email": "a@example.com", "consent_version": "2", "consent_at": "2026-12-01"}}
    )
    assert "Орлова" not in str(submission.task)
    assert submission.context == {
        "business_task": "Ассистент по документации",
        "organization": "АО «Пример»",
        "contact_name": "А. Орлова",
        "email": "a@example.com",
        "consent": {"version": "2", "at": "2026-12-01"},
    }


def test_an_answer_that_hangs_on_another_one_is_left_out_while_that_one_says_otherwise() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers["strategy"]["lora_rank"] = "16"
    assert "lora" not in answers_to_task(answers)["scenarios"][0]["strategy"]
    answers["strategy"]["method"] = "lora"
    assert answers_to_task(answers)["scenarios"][0]["strategy"] == {"method": "lora", "lora": {"rank": 16}}


def test_only_the_way_of_describing_the_model_that_was_chosen_counts() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers["model"] |= {"described_by": "params", "params": "7", "params_unit": "b"}
    assert answers_to_task(answers)["scenarios"][0]["model"] == {
        "params": 7_000_000_000,
        "inputs": ["text"],
        "context_tokens": 8192,
    }


def test_a_second_scenario_is_a_second_row() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers |= {
        "scenarios": {"count": "2"},
        "strategy-2": {"method": "lora"},
        "cycle-2": {"wanted": "2", "wanted_unit": "d"},
    }
    scenarios = answers_to_task(answers)["scenarios"]
    assert len(scenarios) == 2
    assert scenarios[1] == {"strategy": {"method": "lora"}, "cycle": {"wanted_h": 48}}


def test_owned_hardware_needs_a_card() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers["facility"]["own_gpus"] = "8"
    assert "hardware" not in answers_to_task(answers)
    answers["facility"]["own_accelerator"] = "a100-sxm4-80gb"
    assert answers_to_task(answers)["hardware"] == [{"accelerator": "a100-sxm4-80gb", "gpus": 8, "owned": True}]


def test_nothing_planned_is_not_a_plan() -> None:
    answers = copy.deepcopy(COMPLETE)
    answers["horizon"] |= {"planned_in_months_unknown": "on"}
    assert answers_to_task(answers)["horizon"] == {"use": "platform", "years": 3}
    answers["horizon"] = {"use": "platform", "planned_in_months": "12", "planned_times": "2"}
    assert answers_to_task(answers)["horizon"]["planned"] == [{"in_months": 12, "times": 2}]


def test_every_path_of_a_question_leads_back_to_it() -> None:
    for step in STEPS:
        for name, path in paths_of(step.form_class.base_fields):
            if path:
                full = f"scenarios[0].{path}" if step.is_per_scenario else path
                assert place_of(full) == (step.slug, name)
    assert place_of("scenarios[1].cycle.latest_h") == ("cycle-2", "latest")
    assert place_of("horizon.planned[0].in_months") == ("horizon", "planned_in_months")
    assert place_of("hardware[0].gpus") == ("facility", "own_gpus")
    assert place_of("scenarios[0].recipe.layout.tp") is None


def test_every_question_that_is_needed_is_named_at_once() -> None:
    with translation.override("en"), pytest.raises(Incomplete) as refusal:
        check_answers({})
    assert [(error.page.key, error.field, error.message) for error in refusal.value.errors] == [
        ("strategy", "method", "Answer or tick “Don’t know”"),
        ("model", "described_by", "Answer or tick “Don’t know”"),
        ("dataset", "volume", "Answer or tick “Don’t know”"),
        ("cycle", "wanted", "Answer or tick “Don’t know”"),
        ("horizon", "use", "Answer this question"),
        ("business", "organization", "Answer this question"),
    ]


def test_dont_know_everywhere_can_be_sent() -> None:
    answers = {
        "strategy": {"method": "unknown"},
        "model": {"described_by": "unknown"},
        "dataset": {"volume_unknown": "on"},
        "cycle": {"wanted_unknown": "on"},
        "horizon": {"use": "one_off"},
        "business": {"organization": "Example"},
    }
    assert check_answers(answers).task == {
        "schema": "task/1",
        "scenarios": [
            {
                "strategy": {"method": "unknown"},
                "model": {"params": "unknown"},
                "dataset": {"bytes": "unknown"},
                "cycle": {"wanted_h": "unknown"},
            }
        ],
        "horizon": {"use": "one_off"},
    }


@pytest.mark.parametrize(
    ("step", "typed", "field", "message"),
    [
        (
            "cycle",
            {"latest": "1", "latest_unit": "w"},
            "latest",
            "Крайний срок раньше желаемого: поменяйте одно из двух",
        ),
        ("dataset", {"epochs": "9.999"}, "epochs", "«9.999» можно прочитать двояко: напишите 9999 или 9,9990"),
        ("dataset", {"epochs": "3,2,.2"}, "epochs", "Введите число, например 2"),
        ("model", {"context_tokens": "8к?"}, "context_tokens", "«к?» не понимаем, подходят тыс., млн"),
        ("model", {"preset": "gpt-17"}, "preset", "Модели «gpt-17» нет в списке: приложите config.json"),
        (
            "facility",
            {"depth_mm": "50", "depth_mm_unknown": ""},
            "depth_mm",
            "От 100\u00a0мм до 3\u202f000\u00a0мм, указано 50\u00a0мм",
        ),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(step: str, typed: dict[str, str], field: str, message: str) -> None:
    answers = copy.deepcopy(COMPLETE)
    answers[step] |= typed
    with translation.override("ru"), pytest.raises(Incomplete) as refusal:
        check_answers(answers)
    assert [(error.page.key, error.field, error.message) for error in refusal.value.errors] == [(step, field, message)]
