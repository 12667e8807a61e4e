"""Remarks point at doubtful combinations and never block."""

import copy

import pytest

from assessments.intake.remarks import remarks_of
from assessments.intake.submission import check_answers
from tests.assessments.intake.answers import COMPLETE


def test_ordinary_answers_have_none() -> None:
    assert remarks_of(COMPLETE) == []


@pytest.mark.parametrize(
    ("changes", "place", "code"),
    [
        ({"model": {"context_tokens": "256k"}}, ("model", "context_tokens"), "context_above_model"),
        (
            {"strategy": {"method": "from_scratch"}, "dataset": {"tokens": "10 млрд", "tokens_unknown": ""}},
            ("dataset", "tokens"),
            "scratch_small_data",
        ),
        ({"dataset": {"tokens": "10 млн", "tokens_unknown": ""}}, ("dataset", "tokens"), "bytes_per_token"),
        ({"strategy": {"method": "lora", "origin": "yes"}}, ("strategy", "origin"), "own_with_lora"),
        (
            {"dataset": {"location": "network_storage", "location_gbit_s": "1"}},
            ("dataset", "location_gbit_s"),
            "network_checkpoint",
        ),
        ({"facility": {"feed_kw": "10"}}, ("facility", "feed_kw"), "feed_below_rack"),
        ({"facility": {"cooling_kw": "8"}}, ("facility", "cooling_kw"), "cooling_below_power"),
    ],
)
def test_a_doubtful_combination_is_pointed_out_and_can_be_sent(
    changes: dict[str, dict[str, str]], place: tuple[str, str], code: str
) -> None:
    answers = copy.deepcopy(COMPLETE)
    for step, typed in changes.items():
        answers[step] |= typed
    found = remarks_of(answers)
    assert [(remark.page.key, remark.field, remark.code) for remark in found] == [(*place, code)]
    check_answers(answers)
