"""Ranges follow what is known, and an own measurement corrects jobs as far as they are alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assessments.sizing.architectures import preset
from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.estimate import estimate
from assessments.sizing.ranges import time_class
from assessments.sizing.setup import Layout, Measurement, Recipe, Scenario, Setup
from assessments.validation.cards import cards

SCENARIO = Scenario(shape=preset("llama-3.1-8b"), sequence_tokens=4096.0)
SETUP = Setup(
    accelerator=cards()["a100-sxm4-80gb"],
    gpus=8,
    link="nvswitch",
    recipe=Recipe(stack="torchtune", tuned=True, weights="pure"),
    layout=Layout(sharding="zero3", recompute="full"),
)


def test_where_nothing_tells_how_tuned_a_stack_is_the_range_holds_both_kinds() -> None:
    assert time_class(Recipe(), is_moe=False, shape_known=True) == "open"
    rates = {
        tuned: estimate(SCENARIO, replace(SETUP, recipe=replace(SETUP.recipe, stack="unknown", tuned=tuned))).time
        for tuned in (None, True, False)
    }
    for tuned in (True, False):
        assert rates[None].tokens_per_s_gpu_low <= rates[tuned].tokens_per_s_gpu <= rates[None].tokens_per_s_gpu_high


def test_memory_that_is_all_states_has_a_narrower_range_than_memory_that_is_all_activations() -> None:
    states = estimate(SCENARIO, SETUP).memory
    active = estimate(SCENARIO, replace(SETUP, layout=replace(SETUP.layout, recompute="none", micro_batch=8))).memory
    assert states.high / states.low < active.high / active.low


def test_each_class_that_knows_less_is_at_least_as_wide() -> None:
    ranges = CALIBRATION.ranges
    for less, more in (("memory.known", "memory.multi_node"), ("memory.multi_node", "memory.unknown")):
        assert ranges[more].low <= ranges[less].low
        assert ranges[more].high >= ranges[less].high
    for less in ("dense", "ordinary"):
        wide = "time.unknown" if less == "dense" else "time.open"
        assert ranges[wide].low <= ranges[f"time.{less}"].low
        assert ranges[wide].high >= ranges[f"time.{less}"].high


def test_an_own_measurement_corrects_its_own_job_whole_and_another_kind_of_job_by_less() -> None:
    before = estimate(SCENARIO, SETUP)
    anchor = Measurement(
        scenario=SCENARIO,
        setup=SETUP,
        peak_bytes=1.2 * before.memory.typical,
        tokens_per_s_gpu=0.5 * before.time.tokens_per_s_gpu,
    )
    same = estimate(SCENARIO, SETUP, anchor=anchor)
    assert same.memory.typical == pytest.approx(1.2 * before.memory.typical)
    assert same.time.tokens_per_s_gpu == pytest.approx(0.5 * before.time.tokens_per_s_gpu)
    assert same.memory.high / same.memory.low < before.memory.high / before.memory.low
    other = replace(SETUP, layout=replace(SETUP.layout, recompute="none"))
    plain, corrected = estimate(SCENARIO, other), estimate(SCENARIO, other, anchor=anchor)
    ratio = corrected.time.tokens_per_s_gpu / plain.time.tokens_per_s_gpu
    assert ratio == pytest.approx(0.5**0.7)
    assert corrected.memory.typical > plain.memory.typical


def test_a_4_bit_base_with_fp32_around_it_keeps_twice_the_activations_where_nothing_casts() -> None:
    recipe = Recipe(stack="litgpt", weights="pure", lora_rank=8, lora_targets=frozenset({"q", "v"}), quant_bits=4.5)
    kept = [
        estimate(
            replace(SCENARIO, method="qlora"),
            replace(SETUP, gpus=1, layout=Layout(), recipe=replace(recipe, unquantized_bytes=unquantized)),
        ).memory.saved_per_token_layer
        for unquantized in (2.0, 4.0)
    ]
    assert 1.5 < kept[1] / kept[0] <= 2.0
