"""Public reports about states, sharding and stored types: each has the right answer here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assessments.sizing import Catalog, architectures, machine_named, parse_task, size
from assessments.sizing.setup import Layout
from tests.assessments.sizing.architectures.model_files import LLAMA_31_8B
from tests.assessments.sizing.machines import MIXED, one


@pytest.mark.parametrize(("gradient_bytes", "per_param"), [(2.0, 16.0), (4.0, 18.0)])
def test_fp32_accumulation_of_gradients_takes_two_bytes_more(gradient_bytes: float, per_param: float) -> None:
    recipe = replace(MIXED, gradient_bytes=gradient_bytes)
    memory = one("llama-2-7b", recipe=recipe, layout=Layout(recompute="full")).memory
    total = memory.weight_bytes_per_param + memory.gradient_bytes_per_param + memory.optimizer_bytes_per_param
    assert total == per_param


@pytest.mark.parametrize(
    "stored",
    [
        {"torch_dtype": "float8_e4m3fn"},
        {"torch_dtype": "float32"},
        {"quantization_config": {"quant_method": "fp8"}},
    ],
)
def test_the_type_of_a_stored_file_does_not_decide_the_recipe(stored: dict[str, Any], catalog: Catalog) -> None:
    def weights(config: dict[str, Any]) -> float:
        model = {"config": config, "context_tokens": 2048}
        scenario = {"strategy": {"method": "lora"}, "model": model, "recipe": {"precision": "bf16"}}
        task = parse_task({"schema": "task/1", "scenarios": [scenario]})
        machine = machine_named("1xa100-sxm4-80gb", catalog)
        result = size(task, catalog, setups={"given-1": machine}).as_result()
        return float(result["quantities"]["given-1.memory.weights"]["v"][1])

    assert weights(LLAMA_31_8B | stored) == weights(LLAMA_31_8B)
    assert weights(LLAMA_31_8B) >= 2 * 8_030_261_248


def test_a_count_and_its_file_agree_within_the_range(catalog: Catalog) -> None:
    def total(model: dict[str, Any]) -> list[float]:
        scenario = {"strategy": {"method": "lora"}, "model": model, "recipe": {"micro_batch": 1}}
        task = parse_task({"schema": "task/1", "scenarios": [scenario]})
        machine = machine_named("1xa100-sxm4-80gb", catalog)
        result = size(task, catalog, setups={"given-1": machine}).as_result()
        found: list[float] = result["quantities"]["given-1.memory.total"]["v"]
        return found

    known = total({"preset": "codellama-7b", "context_tokens": 2048})
    counted = total({"params": 6.7e9, "family": "decoder", "context_tokens": 2048})
    assert counted[0] <= known[1] <= counted[2]


def test_zero_3_traffic_of_10b_is_60_gb_a_step() -> None:
    shape = architectures.nearest(1e10, "decoder")
    whole = one(shape, gpus=8, layout=Layout(sharding="zero3")).time.dp_bytes * 8 / 7
    assert whole == pytest.approx(60e9, rel=0.01)
