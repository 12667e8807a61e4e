"""Public reports about activations, logits, pictures and context: each has the right answer here."""

from __future__ import annotations

from typing import Any

import pytest

from assessments.sizing import Catalog, architectures, machine_named, parse_task, size
from assessments.sizing.setup import Layout, Recipe
from tests.assessments.sizing.architectures.model_files import LLAMA_31_8B
from tests.assessments.sizing.machines import GIB, HUGGING_FACE, one


def sized(model: dict[str, Any], catalog: Catalog, machine: str, **scenario: Any) -> dict[str, Any]:
    """The result with one given machine; full tuning where nothing else is said."""
    task = {"schema": "task/1", "scenarios": [{"strategy": {"method": "full"}, "model": model, **scenario}]}
    result: dict[str, Any] = size(
        parse_task(task), catalog, setups={"given-1": machine_named(machine, catalog)}
    ).as_result()
    return result


def fit(result: dict[str, Any]) -> str:
    given = next(option for option in result["options"] if option["key"] == "given-1")
    found: str = next(row["fit"] for row in given["resources"] if row["code"] == "memory")
    return found


def test_logits_of_a_large_vocabulary_are_a_line_of_their_own(catalog: Catalog) -> None:
    model = {"preset": "gemma-3-4b", "inputs": ["text"], "context_tokens": 32_768}
    result = sized(
        model, catalog, "8xh200-sxm5-141gb", recipe={"loss": "eager", "micro_batch": 1, "layout": {"cp": 1, "tp": 1}}
    )
    logits = result["quantities"]["given-1.memory.logits"]["v"][1]
    assert logits >= 32_768 * 262_208 * 4
    assert "memory_logits" in {row["code"] for row in result["findings"]}


def test_eight_pictures_of_768_px_are_5832_tokens_and_3b_does_not_train_fully_on_80_gb(catalog: Catalog) -> None:
    model = {
        "preset": "qwen2.5-vl-3b",
        "inputs": ["text", "image"],
        "image_width_px": 768,
        "image_height_px": 768,
        "images_per_sample": 8,
        "context_tokens": 6144,
    }
    recipe = {"recompute": "none", "micro_batch": 1, "forbidden": ["offload", "8bit_optimizer"]}
    result = sized(model, catalog, "1xa100-sxm4-80gb", recipe=recipe)
    assert result["quantities"]["model.sequence_tokens"]["v"][1] >= 8 * 27**2
    assert fit(result) != "fits"


def test_the_context_is_what_is_stated_never_what_the_model_could(catalog: Catalog) -> None:
    long = LLAMA_31_8B | {"max_position_embeddings": 262_144}
    lora = {"strategy": {"method": "lora"}}
    unsaid = sized({"config": long}, catalog, "1xa100-sxm4-80gb", **lora)
    assert unsaid["quantities"]["model.sequence_tokens"]["v"][2] <= 8192
    assert "context_usual" in {row["code"] for row in unsaid["assumptions"]}
    stated = sized({"config": long, "context_tokens": 2048}, catalog, "1xa100-sxm4-80gb", **lora)
    assert stated["quantities"]["model.sequence_tokens"]["v"] == [2048, 2048, 2048]


def test_adapters_on_flux_in_eight_bits_take_fifteen_gb_when_texts_are_cached() -> None:
    recipe = Recipe(stack="diffusers", tuned=False, weights="pure", lora_rank=16, quant_bits=8.1)
    tokens = (512 / 16) ** 2 + 512
    layout = Layout(recompute="full")
    memory = one("flux.1", method="lora", recipe=recipe, layout=layout, sequence_tokens=tokens).memory
    assert memory.low < 15.3e9 < memory.high
    assert memory.high < 24 * GIB


def test_pairs_are_two_sequences_and_adapters_serve_as_their_own_reference(catalog: Catalog) -> None:
    model = {"preset": "llama-2-7b", "context_tokens": 2048}

    def weights(method: str) -> float:
        strategy = {"method": method, "objective": "dpo"}
        result = sized(model, catalog, "8xa100-sxm4-80gb", strategy=strategy, recipe={"layout": {"sharding": "none"}})
        return float(result["quantities"]["given-1.memory.weights"]["v"][1])

    params = architectures.preset("llama-2-7b").total_params
    assert weights("full") - weights("lora") == pytest.approx(2 * params, rel=0.05)


def test_pairs_take_twice_the_activations() -> None:
    layout = Layout(recompute="none")
    single, pair = (
        one("llama-2-7b", recipe=HUGGING_FACE, layout=layout, sequences_per_sample=n).memory for n in (1.0, 2.0)
    )
    assert pair.activations == pytest.approx(2 * single.activations, rel=0.01)
