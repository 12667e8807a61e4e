"""Parameter counts from configuration files are those that the publishers print."""

import pytest

from assessments.sizing.architectures import PRESETS, from_dimensions, preset, read_model_config
from tests.assessments.sizing.architectures.model_files import (
    BLOOM_560M,
    COUNTS,
    DEEPSEEK_V2_LITE,
    FALCON_40B,
    GPT_OSS_20B,
    LLAMA_4_MAVERICK,
    LLAMA_31_8B,
    MAMBA_130M,
    MIXTRAL_8X7B,
    QWEN3_06B,
    QWEN3_32B,
    SEARCHED,
)
from tests.assessments.sizing.architectures.other_files import ALBERT_XXL, OTHER_COUNTS


def codes(config):
    return {a.code for a in read_model_config(config).assumptions}


@pytest.mark.parametrize("name", COUNTS)
def test_a_file_gives_the_published_count(name):
    config, total, active = COUNTS[name]
    shape = read_model_config(config)
    assert (shape.total_params, shape.active_params) == (total, active)


@pytest.mark.parametrize("name", OTHER_COUNTS)
def test_a_file_of_another_kind_gives_the_count_of_its_class(name):
    config, total = OTHER_COUNTS[name]
    assert read_model_config(config).total_params == total


def test_shared_layers_are_stored_once_and_work_every_time():
    shape = read_model_config(ALBERT_XXL)
    assert shape.layers == 12
    assert shape.block_matmul_params == 12 * (4 * 4096 * 4096 + 2 * 4096 * 16384)


@pytest.mark.parametrize("slug", PRESETS)
def test_a_preset_gives_the_published_count(slug):
    shape = preset(slug)
    assert shape.total_params == pytest.approx(PRESETS[slug].params, rel=1e-6)
    if PRESETS[slug].active_params is not None:
        assert shape.active_params == pytest.approx(PRESETS[slug].active_params, rel=1e-6)


def test_grouped_queries_are_not_counted_as_full_ones():
    without = {k: v for k, v in LLAMA_31_8B.items() if k != "num_key_value_heads"}
    assert read_model_config(without).total_params == 8_835_567_616
    assert read_model_config(LLAMA_31_8B).total_params == 8_030_261_248


def test_tied_embeddings_are_counted_once_and_still_multiply():
    shape = read_model_config(QWEN3_06B)
    untied = read_model_config(QWEN3_06B | {"tie_word_embeddings": False})
    assert untied.total_params - shape.total_params == 151936 * 1024
    assert shape.head_params == 0
    assert shape.head_matmul_params == untied.head_matmul_params == 151936 * 1024


def test_the_head_dimension_of_the_file_wins_over_hidden_by_heads():
    shape = read_model_config(QWEN3_32B)
    assert shape.main_block.attention.query_width == 8192
    narrower = {k: v for k, v in QWEN3_32B.items() if k != "head_dim"}
    # the family's own default is 128 as well, so nothing changes without the key
    assert read_model_config(narrower).total_params == shape.total_params


def test_odd_shapes_are_counted_as_they_are():
    pruned_phi = {
        "model_type": "phi3", "hidden_size": 1536, "intermediate_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 16, "num_key_value_heads": 16, "vocab_size": 32064, "tie_word_embeddings": False,
    }  # fmt: skip
    pruned_qwen = {
        "model_type": "qwen2", "hidden_size": 2048, "intermediate_size": 10825, "num_hidden_layers": 28,
        "num_attention_heads": 16, "num_key_value_heads": 4, "vocab_size": 152064, "tie_word_embeddings": False,
    }  # fmt: skip
    assert read_model_config(pruned_phi).total_params == 1_004_570_112
    assert read_model_config(pruned_qwen).total_params == 2_778_904_576


def test_a_missing_tie_flag_follows_the_family_and_is_stated():
    tied = read_model_config(FALCON_40B)
    assert tied.total_params == 41_303_293_952
    assert "tied_by_family" in codes(FALCON_40B)
    assert read_model_config(FALCON_40B | {"tie_word_embeddings": False}).total_params == 41_835_970_560


def test_the_embedding_share_is_known():
    shape = read_model_config(BLOOM_560M)
    assert shape.embedding_params == 256_901_120
    assert shape.block_matmul_params < 0.55 * shape.total_params


def test_experts_in_every_second_layer_are_told_from_dense_ones():
    shape = read_model_config(LLAMA_4_MAVERICK)
    assert shape.total_params == 400_711_848_960
    sparse = sum(b.count for b in shape.blocks if b.feed_forward.is_moe)
    assert (sparse, shape.layers) == (24, 48)


def test_searched_layers_keep_their_own_widths():
    shape = read_model_config(SEARCHED)
    assert [b.feed_forward.width for b in shape.blocks] == [28672, 7168]
    assert [b.attention is None for b in shape.blocks] == [False, True]
    assert (
        shape.total_params == 2 * 128256 * 8192 + 8192 + 3 * 8192 * (28672 + 7168) + 2 * 8192 * (8192 + 1024) + 3 * 8192
    )


def test_a_quantized_file_has_the_same_count_and_says_so():
    plain = {k: v for k, v in GPT_OSS_20B.items() if k != "quantization_config"}
    assert read_model_config(plain).total_params == read_model_config(GPT_OSS_20B).total_params
    assert codes(GPT_OSS_20B) - codes(plain) == {"stored_quantized"}


def test_a_missing_vocabulary_is_the_family_default_and_stated():
    assert "vocab_by_family" in codes(MAMBA_130M)


def test_an_unknown_family_is_read_by_its_keys_and_says_what_was_assumed():
    config = LLAMA_31_8B | {"model_type": "llama_next_generation"}
    shape = read_model_config(config)
    assert shape.total_params == 8_030_261_248
    assert {"model_type_unknown", "mlp_gated_assumed", "norms_assumed"} <= codes(config)


def test_explicit_dimensions_give_the_same_count_as_the_file():
    dimensions = {
        "hidden": 4096, "layers": 32, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 128256, "max_context": 8192,
    }  # fmt: skip
    assert from_dimensions(dimensions).total_params == 8_030_261_248
    sparse = dimensions | {"vocab": 32000, "experts": 8, "experts_per_token": 2, "expert_ffn": 14336}
    assert from_dimensions(sparse).total_params == 46_702_792_704


@pytest.mark.parametrize(
    ("config", "width", "not_width"),
    [(MIXTRAL_8X7B, 28_672, 14_336), (GPT_OSS_20B, 11_520, 2_880), (DEEPSEEK_V2_LITE, 11_264, 10_944)],
)
def test_the_width_of_a_token_is_its_experts_and_the_shared_ones(config, width, not_width):
    sparse = next(b for b in read_model_config(config).blocks if b.feed_forward.is_moe)
    assert sparse.feed_forward.width == width != not_width
    per_token = sum(m.flops for m in sparse.matrices if m.role in {"expert", "shared_expert"}) / 2
    assert per_token == 3 * width * sparse.hidden


def test_expert_parallelism_divides_routed_experts_only():
    shape = read_model_config(MIXTRAL_8X7B)
    assert shape.expert_params == 45_097_156_608
    assert shape.total_params - shape.expert_params == 1_605_636_096
    assert shape.expert_params / 8 + 1_605_636_096 == pytest.approx(7.243e9, rel=1e-3)


def test_four_bit_packing_leaves_embeddings_and_norms_out():
    shape = preset("llama-2-7b")
    assert shape.linear_params == 6_476_005_376
    packed = shape.linear_params * 0.516 + (shape.total_params - shape.linear_params) * 2
    assert packed / 2**30 == pytest.approx(3.60, abs=0.01)


def test_forward_work_of_llama_3_8b_is_that_of_its_matrices():
    shape = preset("llama-3-8b")
    assert shape.total_params - shape.embedding_params == 7_504_924_672
    norms = 65 * 4096
    assert shape.block_matmul_params + shape.head_matmul_params == 7_504_924_672 - norms
    matmuls = 2 * (7_504_924_672 - norms)
    assert matmuls * 4096 / 1e12 == pytest.approx(61.48, abs=0.01)
    assert shape.attention_flops(8192, causal=False) / matmuls == pytest.approx(0.286, abs=0.001)
    assert shape.attention_flops(8192, causal=True) / matmuls == pytest.approx(0.143, abs=0.001)


def test_adapters_of_rank_16_on_everything_are_42_million():
    roles = frozenset({"attention", "mlp"})
    assert preset("llama-3.1-8b").adapter_params(16, roles) == 41_943_040


def test_a_sliding_window_bounds_attention_in_its_layers_only():
    shape = preset("gemma-3-4b")
    windows = {b.attention.window: b.count for b in shape.blocks}
    assert windows == {1024: 29, None: 5}
    long, longer = (shape.attention_flops(s, causal=False) for s in (65_536, 131_072))
    full = 5 * 4 * 8 * 256 * 65_536
    assert longer - long == pytest.approx(full)


def test_grouped_queries_do_not_cut_attention_work():
    assert preset("llama-3.1-8b").attention_flops(4096) == read_model_config(
        LLAMA_31_8B | {"num_key_value_heads": 32}
    ).attention_flops(4096)
