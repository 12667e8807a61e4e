"""The committed JSON Schemas: equal to what the code says, true of every example and of its result."""

from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from assessments.sizing import Catalog, parse_task, size
from assessments.sizing.schemas import FILES, built, committed


@pytest.mark.parametrize("name", FILES)
def test_a_committed_schema_is_the_one_that_the_code_makes(name: str):
    text = (files("assessments.sizing.schemas") / FILES[name]).read_text(encoding="utf-8")
    assert text == built(name), "run: python -m assessments.sizing.schemas"


def test_every_example_follows_the_schema_of_a_task(example: dict[str, Any]):
    jsonschema.Draft202012Validator(committed("task")).validate(example)


def test_every_result_follows_the_schema_of_a_result(example: dict[str, Any], catalog: Catalog):
    result = size(parse_task(example), catalog).as_result()
    jsonschema.Draft202012Validator(committed("result")).validate(result)


@pytest.mark.parametrize("value", [{"params": "7B"}, {"colour": 1}, {"params": [1, 2, 3]}])
def test_the_schema_refuses_what_the_code_refuses(value: dict[str, Any]):
    task = {"schema": "task/1", "scenarios": [{"strategy": {"method": "full"}, "model": value}]}
    assert not jsonschema.Draft202012Validator(committed("task")).is_valid(task)
