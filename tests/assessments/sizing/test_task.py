"""A task at the border: what is read, what is refused, and where the refusal points."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments.intake.import_messages import MESSAGES
from assessments.sizing import TaskErrors, canonical_json, parse_task
from assessments.sizing.codes import ERRORS

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=30,
)
KEYS = st.sampled_from(
    (
        "schema", "scenarios", "strategy", "method", "model", "preset", "config", "shape", "params", "dataset", "bytes",
        "tokens", "cycle", "wanted_h", "latest_h", "recipe", "horizon", "facility", "preferences", "hardware",
        "measurements", "hidden", "layers", "heads", "vocab", "model_type",
    )
)  # fmt: skip
SHAPED = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.sampled_from(["unknown", "lora", "task/1", "llama", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)


def minimal(**scenario: Any) -> dict[str, Any]:
    return {"schema": "task/1", "scenarios": [{"strategy": {"method": "full"}, **scenario}]}


def errors_of(data: object) -> list[tuple[str, str]]:
    with pytest.raises(TaskErrors) as caught:
        parse_task(data)
    return [(error.path, error.code) for error in caught.value.errors]


def test_a_task_with_only_a_method_is_accepted():
    task = parse_task(minimal())
    assert task.canonical() == {"schema": "task/1", "scenarios": [{"strategy": {"method": "full"}}]}


def test_the_method_is_the_only_required_answer():
    assert errors_of({"schema": "task/1", "scenarios": [{}]}) == [("scenarios[0].strategy.method", "required")]
    assert errors_of({"schema": "task/1", "scenarios": []}) == [("scenarios", "required")]
    assert errors_of({"scenarios": [{"strategy": {"method": "full"}}]}) == [("schema", "required")]
    assert parse_task(minimal(strategy={"method": "unknown"})).scenarios[0].strategy.method == "unknown"


def test_an_unknown_key_is_an_error_with_its_path():
    data = minimal(model={"prams": 7e9}, dataset={"bytes": 1e9})
    data["facility"] = {"cooling": "air", "colour": "grey"}
    assert errors_of(data) == [
        ("scenarios[0].model.prams", "unknown_key"),
        ("facility.colour", "unknown_key"),
    ]


def test_every_error_is_told_at_once():
    data = minimal(model={"params": "7B"}, cycle={"wanted_h": -3}, dataset={"profile": "zip"})
    assert errors_of(data) == [
        ("scenarios[0].model.params", "not_a_number"),
        ("scenarios[0].dataset.profile", "not_one_of"),
        ("scenarios[0].cycle.wanted_h", "out_of_range"),
    ]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (True, "not_a_number"),
        ("1e9", "not_a_number"),
        (float("nan"), "out_of_range"),
        (float("inf"), "out_of_range"),
        (10**400, "out_of_range"),
        (-(10**400), "out_of_range"),
        ([2e9, 1e9], "range_reversed"),
        ([1e9], "wrong_shape"),
        ([1e9, "x"], "not_a_number"),
        ({}, "not_a_number"),
    ],
)
def test_what_is_no_number_is_refused(value: object, code: str):
    assert errors_of(minimal(model={"params": value})) == [("scenarios[0].model.params", code)]


def test_a_number_may_be_open_a_range_or_unknown():
    for value, stored in (
        (7e9, 7e9),
        ([1e9, 3e9], (1e9, 3e9)),
        ("unknown", "unknown"),
        (None, None),
        ([2e9, 2e9], 2e9),
    ):
        assert parse_task(minimal(model={"params": value})).scenarios[0].model.params == stored


def test_an_enum_may_hold_several_candidates():
    task = parse_task(minimal(strategy={"method": ["qlora", "lora"]}))
    assert task.scenarios[0].strategy.method == ("qlora", "lora")


def test_the_latest_time_may_not_be_before_the_wanted_one():
    assert errors_of(minimal(cycle={"wanted_h": 48, "latest_h": 24})) == [
        ("scenarios[0].cycle.latest_h", "latest_before_wanted")
    ]


def test_active_parameters_may_not_exceed_the_total():
    assert errors_of(minimal(model={"params": 7e9, "active_params": 9e9})) == [
        ("scenarios[0].model.active_params", "active_above_total")
    ]


def test_a_model_that_is_not_listed_is_refused_with_its_name():
    with pytest.raises(TaskErrors) as caught:
        parse_task(minimal(model={"preset": "gpt-99"}))
    assert [(e.path, e.code, dict(e.params)) for e in caught.value.errors] == [
        ("scenarios[0].model.preset", "unknown_preset", {"name": "gpt-99"})
    ]


def test_a_stage_follows_an_earlier_scenario_only():
    data = minimal()
    data["scenarios"].append({"after": 1})
    assert errors_of(data) == [("scenarios[1].after", "out_of_range")]
    data["scenarios"][1]["after"] = 0
    assert parse_task(data).scenarios[1].after == 0


def test_what_is_too_deep_or_too_large_is_refused_without_a_traceback():
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(3000):
        inner["a"] = {}
        inner = inner["a"]
    assert errors_of(minimal(model={"config": deep})) == [("", "too_many")]
    assert errors_of(minimal(model={"config": {"a": [0] * 30_000}})) == [("", "too_many")]
    assert errors_of(minimal(model={"config": {"a": "x" * 30_000}})) == [("", "too_long")]
    assert errors_of([1, 2]) == [("", "wrong_shape")]


def test_the_same_answers_have_the_same_canonical_bytes():
    one = minimal(dataset={"tokens": 2e9, "epochs": 1.0, "bytes": None}, recipe={}, model={"params": 7_000_000_000})
    other = minimal(model={"params": 7e9}, dataset={"epochs": 1, "tokens": 2_000_000_000})
    other = json.loads(json.dumps(other))
    assert canonical_json(parse_task(one).canonical()) == canonical_json(parse_task(other).canonical())


def test_a_canonical_task_reads_back_as_itself(example: dict[str, Any]):
    canonical = parse_task(example).canonical()
    assert parse_task(copy.deepcopy(canonical)).canonical() == canonical


def test_the_stored_config_keeps_only_what_was_read():
    config = {
        "model_type": "llama",
        "hidden_size": 2048,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "intermediate_size": 8192,
        "vocab_size": 128256,
        "_name_or_path": "/home/ivanov/secret",
        "author": "Ivanov",
    }
    stored = parse_task(minimal(model={"config": config})).canonical()["scenarios"][0]["model"]["config"]
    assert "_name_or_path" not in stored
    assert "author" not in stored
    assert stored["hidden_size"] == 2048


def codes_of(data: Any) -> list[str]:
    """Codes of what is refused; nothing but TaskErrors may come out."""
    try:
        parse_task(data)
    except TaskErrors as refused:
        return [error.code for error in refused.errors]
    return []


@settings(max_examples=300, deadline=None)
@given(JSON | SHAPED)
def test_any_json_is_read_or_refused_with_codes(data: Any):
    assert all(codes_of(data)), "a code is never empty"
    assert codes_of(data), "no random JSON is a task"


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(KEYS | st.text(max_size=8), SHAPED, max_size=5))
def test_any_scenario_is_read_or_refused_with_codes(scenario: dict[str, Any]):
    known = {*ERRORS, *MESSAGES}
    assert set(codes_of({"schema": "task/1", "scenarios": [scenario]})) <= known
