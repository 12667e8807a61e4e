"""Public reports about speed: each has the right answer here."""

from __future__ import annotations

import pytest

from assessments.sizing import architectures
from assessments.sizing.setup import Accelerator, Layout
from assessments.validation.cards import cards
from tests.assessments.sizing.architectures.model_files import LLAMA_31_8B
from tests.assessments.sizing.machines import A100, H100, HUGGING_FACE, one


def test_420_tflops_of_an_h200_are_42_percent_of_its_dense_peak() -> None:
    peak = cards()["h200-sxm5-141gb"].peak_flops["bf16"]
    assert peak is not None
    assert 420e12 / peak == pytest.approx(0.424, abs=0.001)


def test_a_gated_mlp_is_three_matrices_of_its_own_width() -> None:
    config = LLAMA_31_8B | {"intermediate_size": 11_008, "num_key_value_heads": 32}
    block = architectures.read_model_config(config).blocks[0]
    mlp = sum(matrix.weights for matrix in block.matrices if matrix.role == "mlp")
    assert mlp == 3 * 4096 * 11_008
    assert block.matmul_flops == 2 * (mlp + 4 * 4096 * 4096)


@pytest.mark.parametrize(("card", "measured"), [(A100, (2561, 2722)), (H100, (5597, 5860))])
def test_a_small_fine_tune_of_granite_runs_as_fast_as_was_measured(
    card: Accelerator, measured: tuple[float, float]
) -> None:
    layout = Layout(sharding="zero3", recompute="full", micro_batch=25_000 / 2048)
    time = one("granite-3.3-8b", gpus=8, card=card, recipe=HUGGING_FACE, layout=layout).time
    for rate in measured:
        assert time.tokens_per_s_gpu_low <= rate <= time.tokens_per_s_gpu_high


def test_total_parameters_would_give_six_times_the_hours_of_a_sparse_model() -> None:
    shape = architectures.preset("deepseek-v3")
    assert shape.total_params / shape.active_params == pytest.approx(18, rel=0.05)
    assert 6 * shape.active_params * 14.8e12 / (2.664e6 * 3600 * 989.5e12) == pytest.approx(0.346, abs=0.01)
