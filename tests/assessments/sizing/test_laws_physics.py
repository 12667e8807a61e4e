"""Laws that hold for every setup: monotone, sharding frees, recomputation trades, ranges contain typical."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assessments.sizing.architectures import nearest, preset
from assessments.sizing.estimate import estimate, estimate_many
from assessments.sizing.setup import (
    OFFLOADS,
    RECOMPUTES,
    SHARDINGS,
    Layout,
    Measurement,
    Recipe,
    Scenario,
    Setup,
    SetupArrays,
)
from tests.assessments.sizing.machines import A100, H100, HUGGING_FACE, INFINIBAND, MIXED

SLUGS = ("gpt2", "llama-3.2-1b", "llama-2-7b", "qwen2.5-7b", "llama-3.1-70b", "mixtral-8x7b", "deepseek-v2-lite")
SLACK = 1.0 + 1e-9

recipes = st.builds(
    Recipe,
    precision=st.sampled_from(["bf16", "fp16", "fp8", "fp32"]),
    weights=st.sampled_from(["mixed", "amp", "pure", "fp32"]),
    optimizer=st.sampled_from(["adamw", "adamw_8bit", "adafactor", "lion", "sgd", "muon", "none"]),
    gradient_bytes=st.sampled_from([2.0, 4.0]),
    stack=st.sampled_from(["hf", "megatron", "torchtitan", "deepspeed", "unknown"]),
    tuned=st.sampled_from([True, False, None]),
    loss=st.sampled_from(["eager", "chunked", "fused"]),
    flash_attention=st.booleans(),
    compiled=st.booleans(),
    fused_optimizer=st.booleans(),
    lora_rank=st.sampled_from([4.0, 16.0, 64.0]),
)
layouts = st.builds(
    Layout,
    tp=st.sampled_from([1, 2, 4, 8]),
    pp=st.sampled_from([1, 2, 4]),
    virtual_stages=st.sampled_from([1, 2]),
    cp=st.sampled_from([1, 2]),
    ep=st.sampled_from([1, 8]),
    sharding=st.sampled_from(SHARDINGS),
    offload=st.sampled_from(OFFLOADS),
    recompute=st.sampled_from(RECOMPUTES),
    micro_batch=st.sampled_from([1.0, 2.0, 8.0]),
    sequence_parallel=st.booleans(),
)
scenarios = st.builds(
    Scenario,
    shape=st.sampled_from([preset(s) for s in SLUGS]),
    method=st.sampled_from(["full", "from_scratch", "lora", "frozen", "inference"]),
    sequence_tokens=st.sampled_from([1.0, 512.0, 4096.0, 131_072.0]),
    global_batch=st.sampled_from([None, 1.0, 512.0]),
)


def machine(recipe: Recipe, layout: Layout, gpus: int = 64) -> Setup:
    """Sixty-four cards of eight servers by default."""
    return Setup(
        accelerator=H100,
        gpus=gpus,
        servers=max(1, gpus // 8),
        link="nvswitch",
        fabric=INFINIBAND,
        fabric_ports=8,
        recipe=recipe,
        layout=layout,
    )


@settings(max_examples=150, deadline=None)
@given(scenario=scenarios, recipe=recipes, layout=layouts)
def test_every_figure_is_finite_not_negative_and_inside_its_range(
    scenario: Scenario, recipe: Recipe, layout: Layout
) -> None:
    found = estimate(scenario, machine(recipe, layout))
    for part in (found.memory, found.time):
        for field in fields(part):
            value = getattr(part, field.name)
            assert np.isfinite(value), field.name
            assert value >= -1e-9, field.name
    assert found.memory.low <= found.memory.typical <= found.memory.high
    assert found.time.step_low <= found.time.step <= found.time.step_high
    assert found.time.tokens_per_s_gpu_low <= found.time.tokens_per_s_gpu <= found.time.tokens_per_s_gpu_high


@settings(max_examples=60, deadline=None)
@given(scenario=scenarios, recipe=recipes, layout=layouts)
def test_the_same_input_gives_the_same_bits_alone_or_among_many(
    scenario: Scenario, recipe: Recipe, layout: Layout
) -> None:
    setup = machine(recipe, layout)
    alone = estimate(scenario, setup)
    many = estimate_many(scenario, SetupArrays.of([replace(setup, accelerator=A100), setup, setup]))
    assert alone.memory.typical == many.memory.typical[1] == many.memory.typical[2]
    assert alone.time.step == many.time.step[1]


@settings(max_examples=80, deadline=None)
@given(recipe=recipes, layout=layouts, length=st.sampled_from([512.0, 2048.0, 8192.0]))
def test_longer_sequences_and_larger_micro_batches_take_more_memory_and_time(
    recipe: Recipe, layout: Layout, length: float
) -> None:
    shape = preset("llama-2-7b")
    base = estimate(Scenario(shape=shape, sequence_tokens=length), machine(recipe, layout))
    longer = estimate(Scenario(shape=shape, sequence_tokens=2 * length), machine(recipe, layout))
    wider = replace(layout, micro_batch=2 * layout.micro_batch)
    fuller = estimate(Scenario(shape=shape, sequence_tokens=length), machine(recipe, wider))
    for more in (longer, fuller):
        assert base.memory.typical <= more.memory.typical * SLACK
        assert base.time.step <= more.time.step * SLACK


@settings(max_examples=60, deadline=None)
@given(recipe=recipes, layout=layouts, params=st.integers(200_000_000, 200_000_000_000))
def test_more_parameters_take_more_memory_and_time(recipe: Recipe, layout: Layout, params: int) -> None:
    template = preset("llama-2-7b")
    small, large = (
        replace(template, blocks=tuple(replace(b, count=n) for b in template.blocks))
        for n in (16, 16 + params % 60 + 4)
    )
    base, more = (estimate(Scenario(shape=s), machine(recipe, layout)) for s in (small, large))
    assert base.memory.typical <= more.memory.typical * SLACK
    assert base.time.step <= more.time.step * SLACK


@settings(max_examples=80, deadline=None)
@given(scenario=scenarios, recipe=recipes, layout=layouts)
def test_sharding_never_raises_memory(scenario: Scenario, recipe: Recipe, layout: Layout) -> None:
    memory = [
        estimate(scenario, machine(recipe, replace(layout, sharding=s, offload="none"))).memory.typical
        for s in ("none", "zero1", "zero2", "zero3")
    ]
    for less, more in zip(memory[1:], memory[:-1], strict=True):
        assert less <= more * SLACK
    full = replace(layout, sharding="zero3", offload="none", tp=1, pp=1)  # more than one replica before and after
    few, many = (estimate(scenario, machine(recipe, full, gpus)).memory.typical for gpus in (64, 128))
    assert many <= few * SLACK


@settings(max_examples=80, deadline=None)
@given(scenario=scenarios, recipe=recipes, layout=layouts)
def test_recomputation_trades_memory_for_time(scenario: Scenario, recipe: Recipe, layout: Layout) -> None:
    kept, again = (estimate(scenario, machine(recipe, replace(layout, recompute=r))) for r in ("none", "full"))
    assert again.memory.typical <= kept.memory.typical * SLACK
    assert again.time.step >= kept.time.step / SLACK


@settings(max_examples=60, deadline=None)
@given(recipe=recipes, layout=layouts, slug=st.sampled_from(SLUGS))
def test_lora_takes_no_more_than_full(recipe: Recipe, layout: Layout, slug: str) -> None:
    lora, full = (
        estimate(
            Scenario(shape=preset(slug), method=m),
            machine(replace(recipe, lora_rank=8.0, optimizer="adamw"), replace(layout, offload="none")),
        ).memory.typical
        for m in ("lora", "full")
    )
    assert lora <= full * SLACK


def test_unknown_answers_only_widen_the_range() -> None:
    scenario = Scenario(shape=preset("llama-2-7b"))
    said = estimate(scenario, machine(HUGGING_FACE, Layout(sharding="zero3"), 8))
    open_recipe = replace(HUGGING_FACE, assumed=frozenset({"stack", "recompute"}))
    unsaid = estimate(scenario, machine(open_recipe, Layout(sharding="zero3"), 8))
    assert unsaid.memory.typical == said.memory.typical
    assert unsaid.memory.high >= said.memory.high
    assert unsaid.memory.low <= said.memory.low


def test_a_count_and_its_public_shape_agree_within_the_range() -> None:
    known = estimate(Scenario(shape=preset("codellama-7b")), machine(MIXED, Layout(sharding="zero1"), 8)).memory
    bare = Scenario(shape=nearest(6_738_546_688), shape_known=False)
    guessed = estimate(bare, machine(MIXED, Layout(sharding="zero1"), 8)).memory
    assert guessed.low <= known.typical <= guessed.high


def test_an_own_measurement_corrects_the_estimate_and_narrows_the_range() -> None:
    scenario, setup = Scenario(shape=preset("llama-2-7b")), machine(HUGGING_FACE, Layout(sharding="zero3"), 8)
    before = estimate(scenario, setup)
    peak, rate = 1.1 * before.memory.typical, 0.8 * before.time.tokens_per_s_gpu
    anchor = Measurement(scenario=scenario, setup=setup, peak_bytes=peak, tokens_per_s_gpu=rate)
    after = estimate(scenario, setup, anchor=anchor)
    assert abs(after.memory.typical / peak - 1) < 1e-9
    assert abs(after.time.tokens_per_s_gpu / rate - 1) < 1e-9
    assert after.memory.high / after.memory.low < before.memory.high / before.memory.low
    assert after.time.step_high / after.time.step_low < before.time.step_high / before.time.step_low
