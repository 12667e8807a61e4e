"""The whole model under serving, QLoRA, LoRA and full training: why training needs more memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assessments.sizing.estimate import estimate_many
from assessments.sizing.explain_memory import PARTS
from assessments.sizing.quantity import Ledger, exactly
from assessments.sizing.resolve import NF4_BITS, Case
from assessments.sizing.setup import Accelerator, Layout, Scenario, Setup, SetupArrays, estimate_at

CASES = ("inference", "qlora", "lora", "full")
USUAL_RANK = 16.0


def comparison(ledger: Ledger, case: Case, accelerator: Accelerator) -> list[dict[str, Any]]:
    """Memory of the whole model on one imaginary card, micro-batch of one sequence, by way of use [ids].

    Inference keeps weights and one sequence's keys and values; the others are what the physics says.
    """
    rows = []
    for name in CASES:
        parts = _inference(case, accelerator) if name == "inference" else _training(case, accelerator, name)
        ids = []
        for part, value in parts.items():
            id_ = f"compare_{name}.memory.{part}"
            ledger.add(
                id_, exactly(value), unit="bytes", formula=f"compare.{part}", inputs=[case.model.shape.total_params]
            )
            ids.append(id_)
        total = sum(parts.values())
        ledger.add(f"compare_{name}.memory.total", exactly(total), unit="bytes", formula="sum", inputs=ids)
        rows.append({"case": name, "parts": ids, "total": f"compare_{name}.memory.total"})
    return rows


def _inference(case: Case, accelerator: Accelerator) -> dict[str, float]:
    shape = case.model.shape
    kept = sum(b.count * 2.0 * b.attention.key_value_width for b in shape.blocks if b.attention is not None)
    context = estimate_at(
        estimate_many(_scenario(case, "inference"), SetupArrays.of([_setup(case, accelerator, "inference")])), 0
    ).memory.context
    return {
        "weights": 2.0 * shape.total_params,
        "gradients": 0.0,
        "optimizer": 0.0,
        "activations": kept * case.typical.sequence_tokens,
        "logits": 4.0 * shape.head_width,
        "overhead": context,
    }


def _training(case: Case, accelerator: Accelerator, method: str) -> dict[str, float]:
    """Parts under one method; QLoRA differs from LoRA by its packed weights alone, so that the bars compare."""
    names = ("lora", "qlora") if method == "qlora" else (method,)
    found = [
        estimate_at(estimate_many(_scenario(case, name), SetupArrays.of([_setup(case, accelerator, name)])), 0).memory
        for name in names
    ]
    parts = {part: float(getattr(found[0], part)) for part in PARTS}
    return parts | {"weights": min(parts["weights"], float(found[-1].weights))}


def _scenario(case: Case, method: str) -> Scenario:
    return replace(case.typical, method=method, trainable_params=None, global_batch=None)  # type: ignore[arg-type]  # one of CASES


def _setup(case: Case, accelerator: Accelerator, method: str) -> Setup:
    adapters = method in ("lora", "qlora")
    recipe = replace(
        case.recipe,
        quant_bits=NF4_BITS if method == "qlora" else None,
        lora_rank=(case.recipe.lora_rank or USUAL_RANK) if adapters else 0.0,
    )
    return Setup(accelerator=accelerator, gpus=1, recipe=recipe, layout=Layout(), link="pcie")
