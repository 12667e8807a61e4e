"""MLPerf Training results as cases: the benchmark defines the model and the length of its samples."""

from __future__ import annotations

from collections.abc import Mapping

from assessments.sizing.architectures import preset
from assessments.sizing.cases import Case, Modality
from assessments.sizing.setup import Fabric, Layout, Method, Recipe, Scenario, Setup
from assessments.validation.cards import card_named, link_of
from assessments.validation.rows import Skipped

BENCHMARKS: dict[str, tuple[str, Method, float]] = {  # preset, method, tokens per sample
    "llama2_70b_lora": ("llama-2-70b", "lora", 8192.0),
    "gpt3": ("gpt3-175b", "from_scratch", 2048.0),
}
MODALITY: dict[str, Modality] = {
    "bert": "text",
    "gpt3": "text",
    "llama2_70b_lora": "text",
    "ssd": "vision",
    "stable_diffusion": "diffusion",
}


def mlperf_case(row: Mapping[str, str]) -> Case | Skipped:
    """The case of one result: samples per second of the whole system."""
    try:
        published = float(row["throughput_median"])
        gpus, nodes = int(float(row["n_acc"])), int(float(row["nodes"] or 1))
    except ValueError:
        return Skipped("no throughput or number of accelerators")
    card = card_named(row["accelerator"])
    if card is None:
        return Skipped(f"no figures for the accelerator: {row['accelerator']}")
    if row["benchmark"] not in BENCHMARKS:
        return Skipped(f"benchmark not sized: {row['benchmark']}")
    slug, method, length = BENCHMARKS[row["benchmark"]]
    is_lora = method == "lora"
    batch = float(row["global_batch_size"] or gpus)
    large = not is_lora
    tp = min(8, gpus) if large else (4 if is_lora and gpus >= 8 else 1)
    pp = max(1, min(8, gpus // (tp * 4))) if large else 1
    replicas = max(gpus / (tp * pp), 1.0)
    setup = Setup(
        accelerator=card,
        gpus=gpus,
        servers=nodes,
        link=link_of(card, row["link"]),
        fabric=Fabric(slug="mlperf", gbit_s=400.0) if nodes > 1 else None,
        fabric_ports=8,
        recipe=Recipe(
            precision="fp8" if card.peak_flops.get("fp8") else "bf16",
            stack="nemo",
            tuned=True,
            compiled=True,
            fused_optimizer=True,
            lora_rank=16.0 if is_lora else 0.0,
            lora_targets=frozenset({"attention"}),
            assumed=frozenset({"layout", "recompute"}),
        ),
        layout=Layout(tp=tp, pp=pp, sharding="zero1", micro_batch=1.0),
        accumulation=max(batch / replicas, 1.0),
    )
    return Case(
        kind="mlperf",
        id=row["id"],
        source=row["source"],
        modality=MODALITY.get(row["benchmark"], "other"),
        metric="tokens_per_s" if row["benchmark"] == "gpt3" else "samples_per_s",
        published=published,
        scenario=Scenario(shape=preset(slug), method=method, sequence_tokens=length),
        setup=setup,
        configuration="|".join(v for k, v in row.items() if k not in {"id", "minutes", "throughput_median", "source"}),
    )
