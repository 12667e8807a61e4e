"""Work and speed: FLOPs by the book, dense peaks, active parameters, precision."""

from dataclasses import replace

import numpy as np
import pytest

from assessments.sizing.architectures import preset
from assessments.sizing.compute import peak_of, size_share, soft_maximum
from assessments.sizing.ranges import EXPOSED_PARTS
from assessments.sizing.setup import Layout, Scenario
from assessments.sizing.workload import workload_of
from assessments.validation.cards import cards
from tests.assessments.sizing.machines import A100, H100, HUGGING_FACE, MIXED, one


def test_the_peak_is_the_dense_one() -> None:
    assert peak_of(cards()["h200-sxm5-141gb"], "bf16") == 989e12
    assert 420e12 / peak_of(cards()["h200-sxm5-141gb"], "bf16") == pytest.approx(0.424, abs=0.001)


def test_matmul_work_leaves_the_embedding_look_up_out_and_counts_multiply_and_add() -> None:
    work = workload_of(Scenario(shape=preset("llama-3-8b"), sequence_tokens=4096.0), MIXED)
    norms = 65 * 4096  # counted as parameters, but no matmul
    assert work.gemm_flops + work.head_flops == 2.0 * (7_504_924_672 - norms)
    assert (work.gemm_flops + work.head_flops) * 4096 == pytest.approx(61.48e12, rel=1e-4)


@pytest.mark.parametrize(("length", "causal"), [(8192.0, 0.143), (131_072.0, 2.29)])
def test_causal_attention_halves_the_scores(length: float, causal: float) -> None:
    work = workload_of(Scenario(shape=preset("llama-3.1-8b"), sequence_tokens=length), MIXED)
    matmul = work.gemm_flops + work.head_flops
    assert work.attention_flops / matmul == pytest.approx(causal, rel=0.01)
    assert work.attention_flops_unmasked / work.attention_flops == pytest.approx(2.0, rel=0.001)


def test_grouped_queries_do_not_reduce_score_work() -> None:
    block = preset("llama-3.1-8b").blocks[0]
    assert block.attention is not None
    grouped = block.attention.flops(8192, causal=True)
    assert replace(block.attention, kv_heads=32).flops(8192, causal=True) == grouped


def test_a_mixture_works_with_its_active_parameters() -> None:
    work = workload_of(Scenario(shape=preset("deepseek-v3")), MIXED)
    active = (work.gemm_flops + work.expert_flops + work.head_flops) / 2.0
    assert 35e9 < active < 39e9


def test_fp8_is_faster_by_a_third_to_two_thirds_and_never_twice() -> None:
    layout = Layout(sharding="zero1", micro_batch=2)
    half, eight = (
        one("llama-2-13b", gpus=8, card=H100, recipe=replace(MIXED, precision=p), layout=layout, sequence_tokens=4096.0)
        for p in ("bf16", "fp8")
    )
    assert 1.2 < half.time.step / eight.time.step < 1.7


@pytest.mark.parametrize(
    ("slug", "gpu_hours"), [("llama-2-7b", 184_320), ("llama-2-13b", 368_640), ("llama-2-70b", 1_720_320)]
)
def test_hours_of_the_llama_2_runs_lie_in_the_range(slug: str, gpu_hours: float) -> None:
    layout = Layout(sharding="zero3", micro_batch=1)
    time = one(slug, gpus=512, layout=layout, sequence_tokens=4096.0).time
    slow, fast = (2e12 / rate / 3600 / 0.87 for rate in (time.tokens_per_s_gpu_low, time.tokens_per_s_gpu_high))
    assert fast < gpu_hours < slow


def test_hours_of_deepseek_v3_are_of_active_not_total_parameters() -> None:
    layout = Layout(sharding="zero1", pp=16, ep=64)
    recipe = replace(MIXED, precision="fp8")
    time = one(
        "deepseek-v3",
        gpus=2048,
        card=cards()["h800-sxm5-80gb"],
        recipe=recipe,
        layout=layout,
        accumulation=120.0,
        sequence_tokens=4096.0,
    ).time
    hours = 14.8e12 / time.tokens_per_s_gpu / 3600
    assert 2.664e6 / 2 < hours < 2.664e6 * 2.5


def test_an_ordinary_fine_tune_gains_about_twice_from_an_h100_not_the_data_sheets_three() -> None:
    layout = Layout(sharding="zero3", recompute="full")
    a100, h100 = (
        one("granite-3.3-8b", gpus=8, card=c, recipe=HUGGING_FACE, layout=layout, sequence_tokens=8192.0).time
        for c in (A100, H100)
    )
    assert 1.9 < h100.tokens_per_s_gpu / a100.tokens_per_s_gpu < 2.5


def test_zero_3_moves_three_times_the_weights_per_step() -> None:
    shape = preset("llama-2-13b")
    time = one(shape, gpus=8, layout=Layout(sharding="zero3")).time
    assert time.dp_bytes == pytest.approx(3.0 * 2.0 * shape.total_params * 7 / 8, rel=0.01)


def test_small_matmuls_reach_a_smaller_share() -> None:
    width, tokens = np.array([128.0, 4096.0]), np.array([256.0, 8192.0])
    small, large = size_share(width, tokens, 200.0, 350.0)
    assert small < large < 1.0


def test_the_step_is_at_least_the_longer_of_kernels_and_host() -> None:
    both = soft_maximum(np.array(1.0), np.array(1.0))
    assert both == pytest.approx(2.0**0.25)
    assert soft_maximum(np.array(10.0), np.array(1.0)) == pytest.approx(10.0, rel=1e-4)


def test_the_parts_of_the_step_sum_to_it() -> None:
    time = one("llama-2-7b", gpus=16, layout=Layout(tp=2, pp=2, sharding="zero1"), accumulation=8.0).time
    parts = [name for name in EXPOSED_PARTS if name != "step"]
    assert sum(getattr(time, name) for name in parts) == pytest.approx(time.step, rel=1e-9)
