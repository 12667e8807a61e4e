"""Presets are found by what people write, and a bare count gets the nearest public shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.sizing.architectures import PRESETS, ConfigError, find_preset, nearest, preset, preset_names

FAMILIES = (
    "vision", "encoder", "diffusion", "speech", "state_space", "vision_language", "recommender", "trees", "graph",
    "gan", "detection", "other",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("8x7B", "mixtral-8x7b"), ("8x22b", "mixtral-8x22b"), ("Mixtral 8x7B", "mixtral-8x7b"),
        ("8х7b", "mixtral-8x7b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"), ("meta-llama/Meta-Llama-3-8B", "llama-3-8b"),
        ("NousResearch/Llama-2-7b-hf", "llama-2-7b"), ("Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"),
        ("Llama 3.1 8B", "llama-3.1-8b"), ("bert-base-uncased", "bert-base"),
        ("microsoft/Phi-3-mini-4k-instruct", "phi-3-mini"),
        ("LLaMA 2-70b", "llama-2-70b"), ("no such model", None), ("", None),
    ],
)  # fmt: skip
def test_a_typed_or_hub_name_finds_its_preset(text, slug):
    assert find_preset(text) == slug


def test_there_are_presets_of_every_kind_with_sources():
    assert len(PRESETS) >= 80
    assert sum(entry.family == "decoder" for entry in PRESETS.values()) >= 30
    families = {entry.family for entry in PRESETS.values()}
    assert families >= {
        "decoder", "encoder", "encoder_decoder", "speech", "vision", "detection", "segmentation", "two_tower",
        "diffusion", "video_diffusion", "vision_language", "state_space", "recommender", "tabular_net", "gan",
    }  # fmt: skip
    assert all(len(entry.source) > 20 for entry in PRESETS.values())
    assert set(preset_names()) == set(PRESETS)


def test_a_preset_says_what_it_is():
    shape = preset("mixtral-8x7b")
    assert (shape.name, shape.obtained) == ("Mixtral 8x7B", "preset")
    assert "2401.04088" in shape.source


def test_an_unknown_preset_is_refused_by_code():
    with pytest.raises(ConfigError) as error:
        preset("gpt-9")
    assert (error.value.code, error.value.params) == ("preset_unknown", {"preset": "gpt-9"})


def test_a_diffusion_preset_brings_its_frozen_companions_beside_its_count():
    shape = preset("sdxl")
    assert shape.total_params == 2_567_463_684
    assert [p.role for p in shape.companions] == ["text_encoder", "text_encoder", "vae"]
    assert all(p.frozen for p in shape.companions)
    assert sum(p.shape.total_params for p in shape.companions) == 123_060_480 + 694_659_840 + 83_653_863


@given(st.integers(min_value=1_000_000, max_value=3_000_000_000_000))
def test_the_nearest_shape_has_exactly_the_given_count(params):
    shape = nearest(params)
    assert shape.total_params == params
    assert shape.obtained == "nearest"
    assert [a.code for a in shape.assumptions] == ["shape_of_nearest"]
    assert shape.block_matmul_params + shape.head_matmul_params <= params


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("params", [5e6, 2.5e8, 1.2e10])
def test_every_family_has_a_nearest_shape_with_the_exact_count(family, params):
    shape = nearest(params, family)
    assert (shape.total_params, shape.family) == (params, family)


def test_the_nearest_shape_is_of_similar_size():
    assert 3800 <= nearest(7e9).hidden <= 4400
    assert 6500 <= nearest(5e10).hidden <= 8200


@given(st.integers(min_value=2_000_000_000, max_value=1_500_000_000_000), st.floats(min_value=0.04, max_value=0.5))
def test_a_sparse_model_known_by_two_counts_keeps_both(params, share):
    shape = nearest(params, "decoder", params * share)
    assert shape.total_params == params
    assert shape.is_moe
    assert shape.active_params == pytest.approx(params * share, rel=0.25)


def test_a_larger_count_is_never_cheaper():
    work = [nearest(p).block_matmul_params for p in (1e9, 3e9, 7e9, 1.3e10, 7e10, 4e11)]
    assert work == sorted(work)
