"""Uploaded texts become plain data in bounded time and memory, or a sentence that says why not."""

import json
import time
import tracemalloc

import pytest
from django.utils import translation

from assessments.intake.import_messages import MESSAGES, message
from assessments.intake.importers import (
    MOST_CHARACTERS,
    ImportFailed,
    config_from_text,
    text_of,
    training_data_from_text,
    training_from_text,
)

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join('*' + before for _ in range(9))}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
REFERENCES = "base: &base {micro_batch_size: 2}\nbase_model: Qwen/Qwen3-8B\nother: *base\n"


def refused(read, text):
    with pytest.raises(ImportFailed) as error:
        read(text)
    return error.value


def test_a_configuration_is_a_json_object():
    assert config_from_text('\ufeff{"hidden_size": 4096, "limit": [0.0, Infinity]}')["hidden_size"] == 4096


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"hidden_size": 4096, "num_', "not_json"),
        ("{'hidden_size': 4096}", "not_json"),
        ("[1, 2]", "file_kind"),
        ("4096", "file_kind"),
        ("", "file_empty"),
        ("  \n", "file_empty"),
        ("\x00\x01", "file_kind"),
        ('{"n": ' + "9" * 10_000 + "}", "not_json"),
        ('{"a":' * 10_000, "file_too_deep"),
        ("[" * 10_000 + "]" * 10_000, "file_too_deep"),
        ('{"a": "' + "x" * MOST_CHARACTERS + '"}', "file_too_large"),
    ],
)
def test_a_broken_configuration_has_a_code(text, code):
    assert refused(config_from_text, text).code == code


def test_truncated_json_says_where_it_ends():
    error = refused(config_from_text, '{\n "hidden_size": 4096,\n "num_hidden_')
    assert error.params == {"line": 3, "column": 2}
    assert str(error) == "The file is not complete JSON: the error is in line 3, column 2."


def test_brackets_inside_strings_are_not_depth():
    assert config_from_text(json.dumps({"chat_template": "[{" * 1000 + '\\"'})) == {
        "chat_template": "[{" * 1000 + '\\"'
    }


def test_an_uploaded_binary_is_refused():
    with pytest.raises(ImportFailed) as error:
        text_of(b"\x93NUMPY\xff\xfe\x00")
    assert error.value.code == "file_kind"
    assert text_of("п".encode()) == "п"


def test_fifty_megabytes_are_refused_without_being_read():
    content = b"{" + b" " * 50_000_000 + b"}"
    started = time.perf_counter()
    with pytest.raises(ImportFailed) as error:
        text_of(content)
    assert error.value.code == "file_too_large"
    assert time.perf_counter() - started < 0.1


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BOMB, "yaml_unsafe"),
        ("a: &a [*a]\n", "yaml_unsafe"),
        ("x: !!python/object/apply:os.system ['true']\n", "yaml_unsafe"),
        ("x: !!python/name:os.system\n", "yaml_unsafe"),
        ("base_model: [unclosed\nb: 1\n", "not_yaml"),
        ("- a\n- b\n", "file_kind"),
        ("just words\n", "file_kind"),
        ("a: " + "[" * 10_000, "file_too_deep"),
        ("\n".join(f"{'  ' * i}k:" for i in range(200)), "file_too_deep"),
        ("a: " + "x" * 300_000, "file_too_large"),
    ],
)
def test_a_broken_or_hostile_yaml_has_a_code(text, code):
    tracemalloc.start()
    started = time.perf_counter()
    error = refused(training_data_from_text, text)
    seconds, (_now, peak) = time.perf_counter() - started, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert error.code == code
    assert seconds < 3
    assert peak < 60_000_000


def test_modest_references_are_followed():
    data = training_data_from_text(REFERENCES)
    assert data["other"] == {"micro_batch_size": 2}


def test_a_yaml_file_becomes_a_partial_task():
    task, unused = training_from_text("base_model: Qwen/Qwen3-8B\nsequence_len: 8192\nseed: 42\n")
    assert task["scenarios"][0]["model"] == {"preset": "qwen3-8b", "context_tokens": 8192}
    assert unused == ("seed",)


def test_a_toml_file_is_recognised_and_refused_by_name():
    error = refused(training_from_text, '[job]\ndescription = "x"\n[training]\nseq_len = 8_192\nsteps = 10_000\n')
    assert (error.code, error.params) == ("config_format_refused", {"format": "torchtitan"})


def test_a_wrong_figure_in_a_training_file_is_named():
    error = refused(training_from_text, "base_model: x\nsequence_len: many\n")
    assert (error.code, error.params["key"]) == ("config_not_number", "sequence_len")


def test_every_code_speaks_both_languages_with_its_figures():
    figures = {
        "size": 1, "limit": 2, "line": 3, "column": 4, "key": "k", "value": "v", "low": 5, "high": 6, "format": "F",
        "keys": "a, b", "preset": "p",
    }  # fmt: skip
    for code in MESSAGES:
        with translation.override("en"):
            english = message(code, figures)
        with translation.override("ru"):
            russian = message(code, figures)
        assert english != russian
        assert "%" not in english + russian
