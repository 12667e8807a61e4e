"""Activations and logits: what the sequence, the vocabulary, attention and adapters do to memory."""

from dataclasses import replace

import pytest

from assessments.sizing.architectures import preset
from assessments.sizing.setup import Layout, Recipe, Scenario
from assessments.sizing.workload import saved_bytes, workload_of
from tests.assessments.sizing.machines import GIB, HUGGING_FACE, MIXED, one


def test_logits_grow_exactly_with_the_vocabulary() -> None:
    seen = {v: one(replace(preset("llama-2-7b"), head_width=v)).memory for v in (32_000, 128_256, 262_208)}
    base = seen[32_000].logit_bytes_per_token
    assert seen[128_256].logit_bytes_per_token / base == pytest.approx(128_256 / 32_000, rel=1e-12)
    assert seen[262_208].logit_bytes_per_token / base == 262_208 / 32_000


@pytest.mark.parametrize(("vocab", "gib"), [(32_000, 0.98), (128_256, 3.91), (262_208, 8.00)])
def test_fp32_logits_of_8192_tokens_are_part_of_the_bar(vocab: int, gib: float) -> None:
    layout = Layout(recompute="full", sharding="zero3")
    memory = one(
        replace(preset("llama-2-7b"), head_width=vocab),
        recipe=HUGGING_FACE,
        gpus=64,
        layout=layout,
        sequence_tokens=8192.0,
    ).memory
    assert 4.0 * vocab * 8192 == pytest.approx(gib * GIB, rel=0.01)
    assert memory.logits > 4.0 * vocab * 8192


def test_a_chunked_loss_takes_a_fraction_of_the_eager_one_and_a_fused_one_less() -> None:
    sizes = [
        one("llama-3.1-8b", recipe=replace(HUGGING_FACE, loss=x)).memory.logit_bytes_per_token
        for x in ("eager", "chunked", "fused")
    ]
    assert sizes[0] > 2 * sizes[1] > 2 * sizes[2]


def test_fused_attention_keeps_nothing_that_grows_with_the_square_of_the_sequence() -> None:
    block = preset("llama-2-7b").blocks[0]
    hidden, _ = saved_bytes(block, MIXED, lora=False)
    attention_only = hidden / 2 + 2.0 * 4 * block.hidden + 4.0 * 32
    assert attention_only == pytest.approx(12 * block.hidden, rel=0.01)
    short, long = (one("llama-2-7b", sequence_tokens=s).memory.saved_per_token_layer for s in (2048.0, 4096.0))
    assert short == long


def test_eager_attention_adds_scores_per_head_and_token() -> None:
    eager = replace(MIXED, flash_attention=False)
    saved = {
        s: one("llama-2-7b", recipe=eager, sequence_tokens=s).memory.saved_per_token_layer for s in (1024.0, 2048.0)
    }
    assert saved[2048.0] - saved[1024.0] == pytest.approx(4.9 * 32 * 1024, rel=0.2)


def test_the_classic_block_is_counted_in_bytes_once() -> None:
    block = preset("gpt2").blocks[0]
    hidden, inner = saved_bytes(block, Recipe(), lora=False)
    assert (hidden + inner) / block.hidden == pytest.approx(34.0 - 2.0, rel=0.06)


def test_norm_inputs_are_divided_only_by_sequence_parallelism() -> None:
    whole, split = (
        one("llama-2-7b", gpus=8, layout=Layout(tp=8, sequence_parallel=sp)).memory.saved_per_token_layer
        for sp in (False, True)
    )
    shape = preset("llama-2-7b")
    multiplier_times_share = (whole - split) / (8 * shape.hidden * (1 - 1 / 8))
    assert multiplier_times_share == pytest.approx(0.95, abs=0.15)


@pytest.mark.parametrize(
    ("slug", "width"), [("mixtral-8x7b", 2 * 14_336), ("gpt-oss-20b", 4 * 2880), ("deepseek-v2-lite", 8 * 1408)]
)
def test_a_mixture_keeps_the_width_that_a_token_passes_not_the_dense_one(slug: str, width: int) -> None:
    block = next(b for b in preset(slug).blocks if b.feed_forward and b.feed_forward.is_moe)
    assert block.feed_forward is not None
    assert block.feed_forward.width == width
    _, inner = saved_bytes(block, MIXED, lora=False)
    _, without = saved_bytes(replace(block, feed_forward=None), MIXED, lora=False)
    assert inner - without == 8.0 * width


def test_lora_keeps_most_activations() -> None:
    shape = preset("llama-2-7b")
    for targets in (frozenset({"attention"}), frozenset({"attention", "mlp"})):
        recipe = replace(HUGGING_FACE, lora_rank=16, lora_targets=targets)
        full, lora = (workload_of(Scenario(shape=shape, method=m), recipe) for m in ("full", "lora"))
        share = (lora.hidden_saved + lora.inner_saved) / (full.hidden_saved + full.inner_saved)
        assert 0.7 <= share <= 1.0


def test_data_parallel_cards_do_not_raise_the_longest_sequence_but_context_parallelism_does() -> None:
    recipe = replace(HUGGING_FACE, weights="pure", lora_rank=16)

    def memory(gpus: int, cp: int) -> float:
        layout = Layout(sharding="zero3", recompute="full", cp=cp)
        found = one("llama-3.1-8b", gpus=gpus, method="lora", recipe=recipe, layout=layout, sequence_tokens=50_000.0)
        return found.memory.activations + found.memory.logits

    assert memory(8, 1) == memory(2, 1)
    assert memory(8, 8) == pytest.approx(memory(8, 1) / 8, rel=1e-9)


def test_recomputation_frees_tens_of_gib_at_32k_tokens_and_costs_about_a_third_of_the_time() -> None:
    recipe = replace(MIXED, flash_attention=True)
    kept, again = (
        one(
            "llama-2-7b",
            gpus=8,
            recipe=recipe,
            layout=Layout(sharding="zero3", cp=4, recompute=r),
            sequence_tokens=32_768.0,
        )
        for r in ("none", "full")
    )
    assert 20 * GIB < kept.memory.typical - again.memory.typical < 45 * GIB
    assert 1.2 < again.time.step / kept.time.step < 1.36
