"""Settings of real training runs with the memory that their authors noted, as cases."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assessments.sizing.architectures import find_preset, preset
from assessments.sizing.cases import Case
from assessments.sizing.setup import Layout, Method, Recipe, Scenario, Setup
from assessments.validation.cards import card_named
from assessments.validation.recipes import NF4_BITS
from assessments.validation.rows import Skipped, sharding_of

DEFAULT_LENGTH = 2048.0
UNPACKED_SHARE = 0.25  # of the cap that the longest sample of a micro-batch of an instruction set usually has
LEAST_LENGTH = 512.0
DEFAULT_RANK = 8.0  # the tool's default, on all linear layers


def swift_case(row: Mapping[str, str]) -> Case | Skipped:
    """The case of one row; the tool's defaults fill empty cells: micro-batch 1, recomputation, rank 8, bf16."""
    noted, gpus = _number(row["noted_gib_per_gpu"]), _number(row["noted_n_gpus"])
    if noted is None or gpus is None:
        return Skipped("noted memory or number of cards is not one number")
    slug = find_preset(row["model"])
    if slug is None:
        return Skipped(f"the model is not a known one: {row['model']}")
    if row["rlhf_type"] not in {"", "dpo", "simpo"}:
        return Skipped(f"objective not sized: {row['rlhf_type']}")
    if row["train_type"] not in {"full", "lora"}:
        return Skipped(f"method not sized: {row['train_type']}")
    shape = preset(slug)
    if shape.parts:
        return Skipped("number and size of the pictures are not stated")
    method: Method = "full" if row["train_type"] == "full" else "lora"
    sequence = _number(row["max_length"]) or DEFAULT_LENGTH
    if row["packing"] != "true":
        sequence = min(sequence, max(UNPACKED_SHARE * sequence, LEAST_LENGTH))
    micro = _number(row["micro_batch"]) or 1.0
    pairs = 2.0 if row["rlhf_type"] in {"dpo", "simpo"} else 1.0
    quantized = row["quant"] == "4"
    card = card_named("A100-80")
    if card is None:
        return Skipped("no card")
    is_megatron = row["tool"] == "megatron"
    recipe = Recipe(
        stack="megatron" if is_megatron else "hf",
        tuned=is_megatron,
        weights="pure" if method == "lora" else "mixed" if row["sharding"].startswith("zero") else "pure",
        optimizer="muon" if row["optimizer"] == "muon" else "adamw",
        loss="fused" if row["liger_or_fused_ce"] == "true" else "eager",
        lora_rank=_number(row["lora_rank"]) or DEFAULT_RANK,
        quant_bits=NF4_BITS if quantized else None,
        deepspeed=row["sharding"].startswith("zero"),
        fused_optimizer=is_megatron,
        assumed=frozenset({"stack", "recompute", "precision"}),  # the tool's defaults, not stated in the row
    )
    layout = Layout(
        tp=int(_number(row["tp"]) or 1),
        pp=int(_number(row["pp"]) or 1),
        cp=int(_number(row["cp"]) or 1),
        ep=int(_number(row["ep"]) or 1),
        sharding=sharding_of(row["sharding"], 1, 1),
        offload="parameters" if "offload" in row["sharding"] else "none",
        recompute="full",
        micro_batch=micro * pairs,
    )
    scenario = Scenario(shape=shape, method=method, sequence_tokens=sequence)
    setup = Setup(
        accelerator=card,
        gpus=int(gpus),
        link="nvswitch",
        recipe=recipe,
        layout=layout,
        accumulation=_number(row["grad_accum"]),
    )
    return Case(
        kind="ms-swift",
        id=row["id"],
        source="ms-swift",
        modality="text",
        metric="peak_gib",
        published=noted,
        scenario=scenario,
        setup=setup,
        notion="process",
        configuration="|".join(v for k, v in row.items() if k not in {"id", "note", "source", "source_ref"}),
    )


def _number(text: str) -> float | None:
    try:
        return float(re.sub(r"[^0-9.]", "", text)) if re.fullmatch(r"[0-9.]+", text) else None
    except ValueError:
        return None
