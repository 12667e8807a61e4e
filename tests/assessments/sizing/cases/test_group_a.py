"""Public reports about counts, units and names of models: each has the right answer here."""

from __future__ import annotations

from typing import Any

import pytest

from assessments.sizing import Catalog, architectures, machine_named, parse_task, size
from assessments.sizing.architectures.presets import find_preset

GIB = 2.0**30


def lora_on_one_24_gb_card(model: dict[str, Any], catalog: Catalog) -> tuple[dict[str, Any], str]:
    """The result of adapters on one card of 24 GB, and whether its memory holds them."""
    scenario = {"strategy": {"method": "lora"}, "model": model, "dataset": {"tokens": 1e7}}
    task = parse_task({"schema": "task/1", "scenarios": [scenario]})
    result = size(task, catalog, setups={"given-1": machine_named("1xl4", catalog)}).as_result()
    given = next(option for option in result["options"] if option["key"] == "given-1")
    return result, next(row["fit"] for row in given["resources"] if row["code"] == "memory")


def test_weights_of_deepseek_v2_lite_are_29_26_gib_not_gb() -> None:
    shape = architectures.preset("deepseek-v2-lite")
    assert (shape.total_params, shape.active_params) == (15_706_484_224, 2_661_150_208)
    assert 2 * shape.total_params / GIB == pytest.approx(29.26, abs=0.005)


def test_a_sparse_model_is_stored_whole_though_a_token_uses_a_part(catalog: Catalog) -> None:
    model = {"params": 1.6e10, "active_params": 2.8e9, "family": "decoder", "context_tokens": 2048}
    result, fit = lora_on_one_24_gb_card(model, catalog)
    assert fit == "does_not_fit"
    assert result["quantities"]["given-1.memory.weights"]["v"][1] >= 3.2e10
    assert result["quantities"]["model.active_params"]["v"][1] == pytest.approx(2.8e9, rel=0.2)


@pytest.mark.parametrize(
    ("typed", "total", "active"),
    [
        ("8x7B", 46_702_792_704, 12_879_925_248),
        ("8x22B", 140_620_634_112, 39_152_031_744),
        ("8х7b", 46_702_792_704, 12_879_925_248),
        ("8×22B", 140_620_634_112, 39_152_031_744),
        ("Mixtral-8x22B-v0.1", 140_620_634_112, 39_152_031_744),
    ],
)
def test_eight_times_seven_is_a_name_not_a_product(typed: str, total: int, active: int) -> None:
    slug = find_preset(typed)
    assert slug is not None
    shape = architectures.preset(slug)
    assert (shape.total_params, shape.active_params) == (total, active)


def test_counts_are_decimal_and_memory_is_binary(catalog: Catalog) -> None:
    result, _ = lora_on_one_24_gb_card({"preset": "qwen3-8b", "context_tokens": 2048}, catalog)
    params = result["quantities"]["model.params"]
    assert params["unit"] == "params"
    assert params["v"][1] == pytest.approx(8.19e9, rel=0.001)
    assert result["quantities"]["given-1.memory.weights"]["v"][1] >= 2 * params["v"][1]


def test_the_embedding_share_of_bloom_560m_enters_neither_work_nor_activations() -> None:
    shape = architectures.preset("bloom-560m")
    assert shape.total_params == 559_214_592
    assert shape.embedding_params == 256_901_120
    assert shape.block_matmul_params < shape.total_params - shape.embedding_params
