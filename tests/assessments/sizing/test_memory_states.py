"""Weights, gradients and optimizer states: exact bytes per parameter, sharding and offload."""

from dataclasses import replace

import pytest

from assessments.sizing.architectures import nearest, preset
from assessments.sizing.numbers import optimizer_bytes
from assessments.sizing.setup import Component, Layout, Recipe
from assessments.validation.cards import cards
from tests.assessments.sizing.machines import GIB, HUGGING_FACE, MIXED, one

NF4 = Recipe(stack="litgpt", weights="pure", quant_bits=4.127, lora_rank=16)


@pytest.mark.parametrize(
    ("recipe", "states"),
    [
        (Recipe(weights="mixed"), 12.0),
        (Recipe(weights="pure"), 4.0),
        (Recipe(weights="fp32"), 8.0),
        (Recipe(weights="amp"), 8.0),
        (Recipe(weights="mixed", optimizer="adamw_8bit"), 6.0),
        (Recipe(weights="fp32", optimizer="sgd"), 4.0),
        (Recipe(weights="fp32", optimizer="lion"), 4.0),
        (Recipe(weights="fp32", optimizer="muon"), 4.0),
    ],
)
def test_optimizer_and_master_take_the_published_bytes_per_parameter(recipe: Recipe, states: float) -> None:
    assert optimizer_bytes(recipe)[0] == states


def test_a_full_fine_tune_of_7b_with_fp32_states_does_not_fit_one_80_gib_card() -> None:
    shape = preset("llama-2-7b")
    memory = one(shape, layout=Layout(recompute="full")).memory
    states = memory.weights + memory.gradients + memory.optimizer
    assert states == pytest.approx(16.0 * shape.total_params, rel=1e-9)
    assert memory.typical > 80 * GIB


def test_fp32_accumulation_moves_sixteen_bytes_per_parameter_to_eighteen() -> None:
    shape = preset("llama-2-7b")
    layout = Layout(recompute="full")
    half, full = (one(shape, layout=layout, recipe=replace(MIXED, gradient_bytes=b)).memory for b in (2.0, 4.0))
    assert full.weights + full.gradients + full.optimizer == pytest.approx(18.0 * shape.total_params, rel=1e-9)
    assert full.gradients == 2 * half.gradients


def test_zero_3_divides_eighteen_bytes_by_the_ranks_and_adds_what_is_gathered() -> None:
    shape = nearest(6_805_000_000)
    recipe = replace(MIXED, gradient_bytes=4.0)
    memory = one(shape, gpus=4, recipe=recipe, layout=Layout(sharding="zero3", recompute="full")).memory
    states = memory.weights + memory.gradients + memory.optimizer
    waiting = 4.0 * (shape.largest_block_params + shape.embedding_params + shape.head_params + shape.rest_params)
    assert states - memory.gathered - waiting == pytest.approx(18.0 * shape.total_params / 4, rel=1e-6)


def test_offloaded_zero_3_of_6_8b_needs_more_than_ten_gib_on_a_card() -> None:
    recipe = Recipe(stack="deepspeed", weights="mixed")
    layout = Layout(sharding="zero3", offload="parameters", recompute="full")
    memory = one(nearest(6_805_000_000), gpus=4, recipe=recipe, layout=layout).memory
    assert 14.7 * GIB < memory.allocated < 25 * GIB


def test_offloaded_llama_2_7b_runs_on_four_32_gib_cards_and_is_too_tight_on_two() -> None:
    recipe = Recipe(stack="deepspeed", weights="mixed", precision="fp16")
    layout = Layout(sharding="zero3", offload="parameters", recompute="full")
    v100 = cards()["v100-sxm2-32gb"]
    two, four = (
        one("llama-2-7b", gpus=n, card=v100, recipe=recipe, layout=layout, sequence_tokens=1024.0).memory
        for n in (2, 4)
    )
    assert two.high > 0.92 * 32 * GIB
    assert four.typical < 0.92 * 32 * GIB


def test_lora_of_70b_on_eight_24_gib_cards_is_no_or_too_tight() -> None:
    recipe = Recipe(stack="torchtune", weights="pure", lora_rank=16, loss="chunked")
    layout = Layout(sharding="zero3", recompute="full")
    card = cards()["rtx-4090"]
    memory = one(
        "llama-3.1-70b", gpus=8, card=card, method="lora", recipe=recipe, layout=layout, sequence_tokens=512.0
    ).memory
    assert memory.weights - memory.gathered == pytest.approx(16.4 * GIB, rel=0.02)
    assert memory.high > 0.92 * 24 * GIB


def test_nf4_keeps_embeddings_at_sixteen_bits() -> None:
    memory = one("llama-2-7b", method="qlora", recipe=replace(NF4, lora_rank=1), layout=Layout(recompute="full")).memory
    assert memory.weights == pytest.approx(3.60 * GIB, rel=0.01)


def test_qlora_takes_less_than_lora_and_lora_less_than_full() -> None:
    recipe = replace(HUGGING_FACE, lora_rank=16)
    layout = Layout(recompute="full")
    qlora = one("codellama-7b", method="qlora", recipe=replace(recipe, quant_bits=4.127, weights="pure"), layout=layout)
    lora = one("codellama-7b", method="lora", recipe=replace(recipe, weights="pure"), layout=layout)
    full = one("codellama-7b", recipe=recipe, layout=layout)
    assert qlora.memory.high < lora.memory.typical < full.memory.low
    assert 14 * GIB < lora.memory.typical < 24 * GIB


def test_expert_parallelism_divides_experts_and_nothing_else() -> None:
    memory = one("mixtral-8x7b", gpus=8, layout=Layout(ep=8)).memory
    assert memory.params_per_rank == 45_097_156_608 / 8 + 1_605_636_096


def test_fp8_training_does_not_halve_the_weights() -> None:
    layout = Layout(sharding="zero1", recompute="full")
    h100 = cards()["h100-sxm5-80gb"]
    half, eight = (
        one("llama-2-7b", gpus=8, card=h100, recipe=replace(MIXED, precision=p), layout=layout).memory
        for p in ("bf16", "fp8")
    )
    assert eight.weights >= half.weights
    assert eight.typical >= half.typical


def test_a_frozen_reference_model_adds_two_bytes_per_parameter() -> None:
    shape = preset("llama-2-7b")
    alone = one(shape, layout=Layout(recompute="full")).memory
    beside = one(shape, layout=Layout(recompute="full"), components=(Component(shape=shape),)).memory
    assert beside.weights - alone.weights == 2.0 * shape.total_params


def test_the_peak_and_its_rank_are_named_and_the_parts_sum_to_the_total() -> None:
    estimate = one("llama-2-7b", gpus=8, layout=Layout(pp=4, micro_batch=2), accumulation=16.0)
    memory = estimate.memory
    parts = (memory.weights, memory.gradients, memory.optimizer, memory.activations, memory.logits, memory.overhead)
    assert sum(parts) == pytest.approx(memory.typical, rel=1e-12)
    assert memory.moment in {0.0, 1.0, 2.0}
    assert memory.rank in {1.0, 2.0}
