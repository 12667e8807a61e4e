"""No file makes the reader fail in another way than by a code, or take long."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.sizing.architectures import ConfigError, config_keys_read, read_model_config
from assessments.sizing.architectures.config import READERS
from assessments.sizing.architectures.dialects import DIALECTS
from tests.assessments.sizing.architectures.model_files import COUNTS, DEEPSEEK_V2_LITE, LLAMA_31_8B, SDXL


@pytest.mark.parametrize(
    ("change", "code", "key"),
    [
        ({"hidden_size": "4096"}, "config_not_number", "hidden_size"),
        ({"hidden_size": None}, "config_key_missing", "hidden_size"),
        ({"hidden_size": 4096.5}, "config_not_number", "hidden_size"),
        ({"hidden_size": True}, "config_not_number", "hidden_size"),
        ({"hidden_size": float("nan")}, "config_not_number", "hidden_size"),
        ({"hidden_size": -1}, "config_out_of_range", "hidden_size"),
        ({"num_hidden_layers": 10**9}, "config_out_of_range", "num_hidden_layers"),
        ({"num_attention_heads": 33}, "config_inconsistent", "num_attention_heads"),
        ({"vocab_size": 10**30}, "config_out_of_range", "vocab_size"),
        ({"vocab_size": 10**400}, "config_out_of_range", "vocab_size"),
        ({"vocab_size": 10**9000}, "config_out_of_range", "vocab_size"),
        ({"vocab_size": float("inf")}, "config_out_of_range", "vocab_size"),
        ({"tie_word_embeddings": "no"}, "config_not_boolean", "tie_word_embeddings"),
        ({"model_type": ["llama"]}, "config_not_text", "model_type"),
        ({"num_local_experts": 4, "num_experts_per_tok": 5}, "config_inconsistent", "num_experts_per_tok"),
        ({"text_config": [1]}, "config_not_object", "text_config"),
    ],
)  # fmt: skip
def test_a_wrong_figure_is_named(change, code, key):
    with pytest.raises(ConfigError) as error:
        read_model_config(LLAMA_31_8B | change)
    assert (error.value.code, error.value.params["key"]) == (code, key)


def test_layers_of_a_million_blocks_are_refused_before_they_are_walked():
    started = time.perf_counter()
    for config in (
        {"block_configs": [{}] * 100_000, "hidden_size": 64, "num_attention_heads": 1},
        SDXL | {"layers_per_block": 10**9},
        SDXL | {"block_out_channels": [320] * 10_000},
    ):
        with pytest.raises(ConfigError):
            read_model_config(config)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("config", "label"),
    [
        ({"architecture": "resnet50", "pretrained_cfg": {}}, "timm"),
        ({"peft_type": "LORA", "r": 8}, "PEFT adapter"),
        ({"_class_name": "HeliosTransformer3DModel"}, "diffusers HeliosTransformer3DModel"),
        ({"hidden": 1, "feedforward": 1, "attn_heads": 1, "num_blocks": 1}, "calculon (model)"),
        ({"zero_optimization": {"stage": 3}}, "DeepSpeed"),
    ],
)
def test_files_of_other_programs_are_refused_by_name(config, label):
    with pytest.raises(ConfigError) as error:
        read_model_config(config)
    assert (error.value.code, error.value.params) == ("config_format_refused", {"format": label})


def test_a_file_that_is_no_configuration_says_what_it_has():
    with pytest.raises(ConfigError) as error:
        read_model_config({"name": "x", "colour": "blue"})
    assert (error.value.code, error.value.params) == ("config_unknown_format", {"keys": "colour, name"})


@pytest.mark.parametrize("name", COUNTS)
def test_only_the_keys_that_were_read_are_kept_and_they_suffice(name):
    config, total, active = COUNTS[name]
    kept = config_keys_read(config | {"colour": "blue", "id2label": {"0": "LABEL_0"}})
    assert "colour" not in kept
    shape = read_model_config(kept)
    assert (shape.total_params, shape.active_params) == (total, active)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(
    st.sampled_from([LLAMA_31_8B, DEEPSEEK_V2_LITE, SDXL, *(c for c, _, _ in COUNTS.values())]),
    st.data(),
    st.sampled_from([*DIALECTS, *READERS, "", None]),
)
def test_junk_in_any_key_gives_a_shape_or_a_code(config, data, model_type):
    key = data.draw(st.sampled_from(sorted(config)))
    changed = config | {key: data.draw(junk)} | ({"model_type": model_type} if data.draw(st.booleans()) else {})
    with contextlib.suppress(ConfigError):
        assert read_model_config(changed).total_params >= 0
