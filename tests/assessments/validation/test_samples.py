"""Rows of pictures, video and sound are predicted by the engine's own formulas, or left out with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from assessments.sizing.cases import Case
from assessments.validation.own_rows import own_tables
from assessments.validation.rows import Skipped, case_of
from assessments.validation.run import validate
from assessments.validation.tables import Table

IMAGE = {
    "id": "v1",
    "source": "s",
    "quality": "measured",
    "model": "ResNet-50",
    "params_b": "0.0256",
    "modality": "image",
    "input_desc": "224x224",
    "micro_batch": "64",
    "stack": "other",
    "tuned": "n",
    "method": "full",
    "optimizer": "sgd",
    "precision": "fp32",
    "sharding": "none",
    "n_gpus": "1",
    "gpu_model": "V100-SXM-16",
    "gpu_mem_gb": "16",
    "activation_checkpointing": "none",
    "peak_mem_gib_per_gpu": "6.0",
    "mem_metric": "max_memory_allocated",
}


def memory_row(**cells: str) -> dict[str, str]:
    return dict.fromkeys(own_tables()[0].rows[0], "") | IMAGE | cells


def case(**cells: str) -> Case:
    found = case_of(memory_row(**cells), "memory")
    assert isinstance(found, Case)
    return found


def test_a_convolution_is_sized_by_the_places_of_its_picture() -> None:
    small, large = case(), case(input_desc="448x448")
    assert (small.modality, small.scenario.sequence_tokens, large.scenario.sequence_tokens) == ("vision", 196, 784)


def test_its_memory_is_predicted_and_counted_in_a_class_of_its_own() -> None:
    table = Table(name="memory.csv", kind="memory", rows=(memory_row(),), is_orientation=False)
    result: dict[str, Any] = validate([table], []).as_dict()
    assert result["by_class"]["memory"]["vision"]["n"] == 1
    assert result["by_class"]["memory"]["text"]["n"] == 0
    assert 3 < result["rows"][0]["typical"] < 12


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"model": "Krea 2"}, "the network or the size of its samples is not known"),
        ({"modality": "image+text"}, "the work of one sample is not stated in tokens"),
        ({"micro_batch": ""}, "seq_len or micro_batch is not stated"),
        (
            {"model": "a net", "input_desc": "224x224; GMACs per image 4.1"},
            "what the network keeps for the backward pass is not known",
        ),
        (
            {"activation_checkpointing": "seg2-stride4-offload"},
            "recomputation that the engine does not have: seg2-stride4-offload",
        ),
    ],
)
def test_what_is_not_known_is_not_guessed(cells: dict[str, str], reason: str) -> None:
    assert case_of(memory_row(**cells), "memory") == Skipped(reason)


def test_a_public_configuration_named_in_a_row_fills_its_empty_cells_only() -> None:
    named = {"model": "Stable Diffusion 3", "modality": "image-diffusion", "input_desc": "`sd3.peft-lora`. 1024x1024"}
    filled = case(**named, method="lora", micro_batch="", optimizer="", lora_rank="")
    assert (filled.setup.layout.micro_batch, filled.setup.recipe.lora_rank) == (3.0, 128.0)
    stated = case(**named, method="lora", micro_batch="2", optimizer="", lora_rank="8")
    assert (stated.setup.layout.micro_batch, stated.setup.recipe.lora_rank) == (2.0, 8.0)


def test_frozen_networks_in_eight_bits_hold_less_than_in_sixteen() -> None:
    wide, narrow = (
        case(model="Z-Image Turbo", modality="image-diffusion", method="lora", lora_rank="8", precision=precision)
        for precision in ("bf16", "fp8-torchao")
    )
    assert (wide.setup.recipe.quant_bits, narrow.setup.recipe.quant_bits) == (None, 8.1)
