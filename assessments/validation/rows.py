"""A row of a memory or throughput table as a case that the engine can predict, or the reason why it cannot."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from assessments.sizing.architectures.shape import ModelShape
from assessments.sizing.cases import Case, Metric, Modality, Subset
from assessments.sizing.setup import Accelerator, Fabric, Layout, Method, Notion, Scenario, Setup
from assessments.validation.cards import GIB, card_named, link_of
from assessments.validation.recipes import recipe_of, recompute_of
from assessments.validation.samples import completed, is_counted_in_samples, sample_of
from assessments.validation.shapes import shape_of

PUBLISHED: tuple[tuple[str, Metric], ...] = (
    ("tokens_per_s_per_gpu", "tokens_per_s_gpu"),
    ("samples_per_s", "samples_per_s"),
    ("step_s", "step_s"),
    ("gpu_hours", "gpu_hours"),
    ("wall_time_hours", "wall_hours"),
    ("tflops_per_gpu", "tflops_per_gpu"),
)
METHODS: dict[str, Method] = {"lora": "lora", "qlora": "qlora"}
LITGPT_GLOBAL_BATCH = 16.0  # default of its fine-tuning commands
TYPICAL_MICRO_TOKENS = 8192.0  # where a throughput table does not state the micro-batch


@dataclass(frozen=True, slots=True)
class Skipped:
    """Why a row takes no part."""

    reason: str


class _Unclear(ValueError):
    pass


def modality_of(text: str) -> Modality:
    """The class in which a row is counted."""
    name = text.lower()
    if "+text" in name:
        return "other"
    if name == "text":
        return "text"
    if "diffusion" in name:
        return "diffusion"
    if name.startswith(("image", "video")):
        return "vision"
    return "speech" if name.startswith("audio") else "other"


def is_counted(quality: str) -> bool:
    """Whether a row's quality lets it into statistics."""
    return quality.startswith(("measured", "reported"))


def case_of(row: Mapping[str, str], kind: str) -> Case | Skipped:
    """The case of a memory or throughput row."""
    row = row if modality_of(row["modality"]) == "text" else completed(row)
    try:
        return _memory(row) if kind == "memory" else _throughput(row)
    except _Unclear as why:
        return Skipped(str(why))


def _number(row: Mapping[str, str], column: str) -> float | None:
    text = row.get(column, "").strip()
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise _Unclear(f"{column} is not one number: {text}") from None


def _memory(row: Mapping[str, str]) -> Case:
    printed = row["peak_mem_gib_per_gpu"].strip()
    if not printed:
        raise _Unclear("no published value")
    published = None if printed == "OOM" else _number(row, "peak_mem_gib_per_gpu")
    if recompute_of(row["activation_checkpointing"]) is None:
        said = row["activation_checkpointing"]
        raise _Unclear(
            f"recomputation that the engine does not have: {said}" if said else "activation_checkpointing is not stated"
        )
    scenario, setup = _machine(row, needs_batch=True)
    notion, stated = notion_of(row["mem_metric"])
    memory_gb = _number(row, "gpu_mem_gb")
    recipe = setup.recipe
    cells = ("method", "optimizer", "precision", "sharding", "activation_checkpointing", "seq_len", "micro_batch")
    known = stated and recipe.stack not in {"unknown", "other"} and scenario.shape_known
    known = known and all(row[c] for c in (*cells, "n_gpus"))
    return Case(
        kind="memory",
        id=row["id"],
        source=row["source"],
        modality=modality_of(row["modality"]),
        metric="peak_gib",
        published=published,
        scenario=scenario,
        setup=setup,
        notion=notion,
        card_bytes=memory_gb * GIB if memory_gb else None,
        known=known,
        configuration=_configuration(row),
        counted=is_counted(row["quality"]),
        parts=_parts(row),
    )


def _throughput(row: Mapping[str, str]) -> Case:
    metric, published = next(((m, _number(row, c)) for c, m in PUBLISHED if row[c].strip()), (None, None))
    if metric is None or published is None:
        raise _Unclear("no published speed (MFU alone is none)")
    if card_named(row["gpu_model"]) is None:
        raise _Unclear(f"no figures for the accelerator: {row['gpu_model'] or 'not named'}")
    scenario, setup = _machine(row, needs_batch=False)
    amount = _number(row, "total_tokens") or (_number(row, "total_samples") or 0.0) * scenario.sequence_tokens
    if metric in {"gpu_hours", "wall_hours"} and not amount:
        raise _Unclear("hours without the amount of tokens or samples")
    if metric in {"samples_per_s", "step_s", "wall_hours"} and not row["n_gpus"]:
        raise _Unclear("n_gpus is not stated")
    if metric == "step_s" and setup.accumulation is None:
        raise _Unclear("batch of the step is not stated")
    if row["packed"].lower() == "n":
        raise _Unclear("samples are not packed: seq_len is a cap, not the length that ran")
    recipe = setup.recipe
    is_moe = scenario.shape.is_moe or _is_less(row["active_params_b"], row["params_b"])
    enough = (_number(row, "seq_len") or 0.0) * (_number(row, "micro_batch") or 0.0) >= 2048
    whole = row["run_kind"] == "whole" or metric == "gpu_hours"
    subset: Subset = ""
    if enough and not whole and row["modality"] == "text":
        filled = all(row[c] for c in ("precision", "activation_checkpointing", "n_gpus", "gpu_model"))
        if is_moe:
            subset = "moe"
        elif recipe.tuned is False:
            subset = "ordinary"
        elif recipe.tuned and filled and scenario.shape_known:
            subset = "dense"
    return Case(
        kind="throughput",
        id=row["id"],
        source=row["source"],
        modality=modality_of(row["modality"]),
        metric=metric,
        published=published,
        scenario=scenario,
        setup=setup,
        amount=amount,
        is_whole_run=whole,
        subset=subset,
        configuration=_configuration(row),
        counted=is_counted(row["quality"]) and not _is_capped_bert(row),
    )


def _is_capped_bert(row: Mapping[str, str]) -> bool:
    """BERT at 512 tokens in tuned benchmarks: unpadded or packed runs, 512 is a cap and not the length that ran."""
    return "bert" in row["model"].lower() and row["seq_len"] == "512" and row["stack"] == "other"


def _is_less(active: str, total: str) -> bool:
    try:
        return float(active) < float(total)
    except ValueError:
        return bool(active)


def notion_of(text: str) -> tuple[Notion, bool]:
    """Which counter was read, and whether the source says so."""
    name = text.lower()
    stated = bool(name) and "assumed" not in name
    if "process" in name or "nvidia-smi" in name or "nvml" in name:
        return "process", stated
    if "active" in name:
        return "active", stated
    if "allocated" in name:
        return "allocated", stated
    if "reserved" in name:
        return "reserved", stated
    return "process", False


def _machine(row: Mapping[str, str], *, needs_batch: bool) -> tuple[Scenario, Setup]:
    is_text = modality_of(row["modality"]) == "text"
    shape, shape_known, sequence = _text_network(row) if is_text else _network(row, needs_batch)
    micro = _number(row, "micro_batch")
    if needs_batch and (sequence is None or micro is None):
        raise _Unclear("seq_len or micro_batch is not stated")
    gpus = _number(row, "n_gpus")
    sharding_text = row["sharding"].lower()
    if gpus is None and needs_batch and sharding_text not in {"none", ""}:
        raise _Unclear("n_gpus is not stated under sharding")
    sequence = sequence or float(min(shape.max_context or 2048, 2048))
    tp, pp = int(_number(row, "tp") or 1), int(_number(row, "pp") or 1)
    cp, ep = int(_number(row, "cp") or 1), int(_number(row, "ep") or _noted(row, "EP") or 1)
    gpus = max(gpus or 1.0, float(tp * pp * cp))
    if ep == 1 and shape.is_moe and "deepep" in row["notes"].lower():
        ep = int(_over(sharding_text) or min(gpus, 8.0))  # DeepEP is expert parallelism; its group is the sharding's
    recompute = recompute_of(row["activation_checkpointing"])
    card = card_named(row["gpu_model"]) or _card_of_size(_number(row, "gpu_mem_gb"))
    per_server = _per_server(row, card)
    servers = int(_number(row, "n_nodes") or math.ceil(gpus / per_server))
    flash = _flash(row, card, shape)
    recipe = recipe_of(row, flash=flash, has_recompute=recompute is not None)
    method = METHODS.get(row["method"], "full")
    offload = "none"
    moved = (row["offload"] + " " + sharding_text).lower()
    if "param" in moved or "cpu_offload" in moved:
        offload = "parameters"
    elif "optimizer" in moved or "zero-offload" in moved:
        offload = "optimizer"
    replicas = max(gpus / (tp * pp * cp), 1.0)
    sequences = _number(row, "global_batch_seqs") if "global_batch_seqs" in row else None
    sequences = sequences or _noted(row, "GBS")
    accumulation = _number(row, "grad_accum")
    if micro is None:
        micro = max(TYPICAL_MICRO_TOKENS // sequence, 1.0)
        if sequences:
            micro = min(micro, max(sequences / replicas, 1.0))
    if pp > 1 and accumulation is not None and accumulation < pp:
        accumulation = None  # outer steps: the pipeline's own micro-batches are not stated
    elif accumulation is None and sequences:
        accumulation = max(sequences / (replicas * micro), 1.0)
    if accumulation is None and recipe.stack == "litgpt":
        accumulation = max(LITGPT_GLOBAL_BATCH / (replicas * micro), 1.0)
    trained = None
    if method != "full" and "embedding" in row["lora_targets"]:
        trained = float(shape.embedding_params + shape.head_params)
    layout = Layout(
        tp=tp,
        pp=pp,
        virtual_stages=int(_noted(row, "VP") or 1) if pp > 1 else 1,
        cp=cp,
        ep=ep,
        sharding=sharding_of(sharding_text, pp, tp),
        offload=offload,
        recompute=recompute or "none",
        micro_batch=micro,
        sequence_parallel=flash is not False,
    )
    scenario = Scenario(
        shape=shape,
        method=method,
        sequence_tokens=sequence,
        trainable_params=trained,
        shape_known=shape_known,
        attention_bias=bool(re.search(r"\bmpt\b|bloom", row["model"].lower().replace("-", " "))),
    )
    setup = Setup(
        accelerator=card,
        gpus=int(gpus),
        servers=servers,
        link=link_of(card, row["interconnect"]),
        fabric=_fabric(row["interconnect"], card) if servers > 1 else None,
        fabric_ports=_ports(row["interconnect"], per_server),
        recipe=recipe,
        layout=layout,
        accumulation=accumulation,
    )
    return scenario, setup


def _text_network(row: Mapping[str, str]) -> tuple[ModelShape, bool, float | None]:
    """Shape, whether it is known, and tokens of a sequence."""
    found = shape_of(row)
    if found is None:
        raise _Unclear("the shape is not printed and the model is not a known one")
    shape, is_known = found
    return shape, is_known and (shape.head_width > 0 or shape.grid is not None), _number(row, "seq_len")


def _network(row: Mapping[str, str], needs_batch: bool) -> tuple[ModelShape, bool, float | None]:
    """The same of a network that reads pictures, video or sound; a sample is a sequence of its tokens or places."""
    if modality_of(row["modality"]) == "other":
        raise _Unclear("the work of one sample is not stated in tokens")
    if not needs_batch and not is_counted_in_samples(row):
        raise _Unclear("the unit of the speed is not samples")
    sample = sample_of(row)
    if sample is None:
        raise _Unclear("the network or the size of its samples is not known")
    grid = sample.shape.grid
    if needs_batch and grid is not None and not grid.activation_bytes:
        raise _Unclear("what the network keeps for the backward pass is not known")
    return sample.shape, True, sample.tokens


def sharding_of(text: str, pp: int, tp: int) -> str:
    """The stage of sharding; empty = the usual of its layout."""
    if "hsdp" in text:
        return "hybrid"
    if "fsdp" in text or "zero3" in text:
        return "zero3"
    if "zero2" in text:
        return "zero2"
    if "zero1" in text or (not text and (pp > 1 or tp > 1)):
        return "zero1"
    return "none"


def _over(text: str) -> float | None:
    found = re.search(r"over (\d+)", text)
    return float(found.group(1)) if found else None


def _flash(row: Mapping[str, str], card: Accelerator, shape: ModelShape) -> bool | None:
    said = row["flash_attention"].lower()
    if said in {"n", "eager"}:
        return False
    if said and said != "unknown":
        return True
    # encoder–decoders with cross-attention are of the years before fused kernels
    older = card.architecture in {"volta", "turing"} or any(block.cross is not None for block in shape.blocks)
    return False if older else None


def _noted(row: Mapping[str, str], name: str) -> float | None:
    found = re.search(rf"\b{name}=(\d+)", row["notes"])
    return float(found.group(1)) if found else None


def _card_of_size(memory_gb: float | None) -> Accelerator:
    """A card for rows that name none: only the size of its driver context depends on it."""
    named = {24.0: "a10g", 48.0: "rtx-a6000", 40.0: "A100-40"}.get(memory_gb or 80.0, "A100-SXM-80")
    card = card_named(named)
    if card is None:
        raise _Unclear("the accelerator is not named")
    return card


def _per_server(row: Mapping[str, str], card: Accelerator) -> int:
    text = row["interconnect"].lower() + " " + row["gpu_model"].lower()
    if "nvl72" in text or "domain 72" in text:
        return 72
    if "dgx-2" in text:
        return 16
    return 4 if "(4 gpus)" in text else 8


def _fabric(text: str, card: Accelerator) -> Fabric | None:
    said = text.lower()
    speeds = [float(x) for x in re.findall(r"(\d+)\s*gb(?:it)?/s(?:ec)?", said)]
    network = [x for x in speeds if x <= 800]
    if "ndr" in said:
        return Fabric(slug="ndr", gbit_s=400.0)
    if network:
        return Fabric(slug="printed", gbit_s=max(network))
    usual = {"volta": 100.0, "ampere": 200.0}.get(card.architecture, 400.0)  # one port per card of the generation
    return Fabric(slug="usual", gbit_s=usual)


def _ports(text: str, per_server: int) -> int:
    said = text.lower()
    found = re.search(r"(\d)\s*x\s*\d+\s*gb", said)
    if found:
        return int(found.group(1))
    if re.search(r"1600|3200", said) or "per node" in said:
        return 1
    return per_server if per_server > 16 else 8


def _parts(row: Mapping[str, str]) -> tuple[tuple[str, float], ...]:
    names = (
        ("weights", "after_load_allocated_mib"),
        ("gradients", "gradient_mib"),
        ("optimizer", "optimizer_state_mib"),
        ("activations", "activation_mib"),
    )
    return tuple((part, float(row[column]) / 1024) for part, column in names if row.get(column))


IDENTITY_LESS = frozenset({"id", "source_ref", "quality", "gpu_model", "gpu_mem_gb", "notes"})
MEASURED = frozenset(
    {
        "peak_mem_gib_per_gpu",
        "mem_as_printed",
        "mem_unit_in_source",
        "peak_allocated_mib",
        "cuda_context_mib",
        "after_load_allocated_mib",
        "peak_forward_mib",
        "peak_backward_mib",
        "peak_optimizer_mib",
        "optimizer_state_mib",
        "gradient_mib",
        "activation_mib",
        "step_s",
        "tokens_per_s_per_gpu",
        "samples_per_s",
        "tflops_per_gpu",
        "mfu_pct",
        "hfu_pct",
        "gpu_hours",
        "wall_time_hours",
    }
)


def _configuration(row: Mapping[str, str]) -> str:
    return "|".join(value for key, value in row.items() if key not in IDENTITY_LESS and key not in MEASURED)
