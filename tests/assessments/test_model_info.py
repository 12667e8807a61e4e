"""`manage.py model_info` prints one JSON object and nothing else."""

import json

import pytest
from django.core.management import CommandError, call_command

from tests.assessments.sizing.architectures.model_files import GEMMA_3_4B, LLAMA_31_8B, MIXTRAL_8X7B


@pytest.fixture
def info(tmp_path, capsys):
    def run(config, *options):
        path = tmp_path / "config.json"
        path.write_text(config if isinstance(config, str) else json.dumps(config), encoding="utf-8")
        call_command("model_info", str(path), *options)
        return capsys.readouterr()

    return run


def test_the_answer_has_counts_blocks_and_assumptions(info):
    printed = info(MIXTRAL_8X7B, "--json")
    answer = json.loads(printed.out)
    assert printed.err == ""
    assert set(answer) == {"total", "active", "blocks", "assumptions"}
    assert (answer["total"], answer["active"]) == (46_702_792_704, 12_879_925_248)
    assert [(b["layers"], b["experts"], b["ffn_width"]) for b in answer["blocks"]] == [(32, 8, 28_672)]
    assert answer["assumptions"] == []


def test_parts_of_a_vision_language_model_are_listed(info):
    answer = json.loads(info(GEMMA_3_4B, "--json").out)
    assert [(b["part"], b["layers"]) for b in answer["blocks"]] == [("main", 29), ("main", 5), ("vision_tower", 27)]
    assert answer["assumptions"] == [{"code": "tied_by_family"}]


def test_people_get_lines(info):
    assert info(LLAMA_31_8B).out.splitlines()[0] == "8,030,261,248 parameters, 8,030,261,248 active"


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ('{"hidden_size": 4096', "not_json"),
        (LLAMA_31_8B | {"hidden_size": "4096"}, "config_not_number"),
        (LLAMA_31_8B | {"num_hidden_layers": 10**9}, "config_out_of_range"),
        ({"peft_type": "LORA"}, "config_format_refused"),
    ],
)
def test_a_bad_file_ends_with_its_reason_and_an_empty_output(info, capsys, config, code):
    with pytest.raises(CommandError, match=rf"\[{code}\]"):
        info(config, "--json")
    assert capsys.readouterr().out == ""


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("model_info", str(tmp_path / "none.json"))
