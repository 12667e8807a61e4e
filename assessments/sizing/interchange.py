"""What a weaker link would cost an option, and the techniques that it relies on with their price."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from assessments.sizing.catalog import Catalog
from assessments.sizing.estimate import estimate, estimate_many
from assessments.sizing.machines import NO_PEER_TO_PEER, SWITCHED
from assessments.sizing.setup import Setup, SetupArrays

if TYPE_CHECKING:
    from assessments.sizing.options import Evaluated, Option

WEAKER_FABRICS = ("roce-200gbe", "roce-100gbe", "eth-25gbe")


def weaker_links(option: Option, catalog: Catalog) -> list[dict[str, str]]:
    """Links that are weaker than the option's, each with the share of time that they would cost [id]."""
    row, machine = option.slowest, option.machine
    if machine.gpus == 1:
        return []
    variants: list[tuple[str, Setup]] = []
    if machine.servers > 1:
        variants += [
            (slug, replace(row.setup, fabric=catalog.fabrics[slug], fabric_ports=1))
            for slug in WEAKER_FABRICS
            if slug in catalog.fabrics and machine.fabric is not None and slug != machine.fabric.slug
        ]
    if machine.per_server > 1 and machine.link != "pcie":
        variants.append(("pcie", replace(row.setup, link="pcie")))
    elif machine.per_server > 1 and not machine.accelerator.slug.startswith(NO_PEER_TO_PEER):
        variants.append(("pcie_no_p2p", replace(row.setup, link="pcie_no_p2p")))
    if not variants:
        return []
    times = estimate_many(row.case.typical, SetupArrays.of([setup for _, setup in variants])).time.step
    now = row.typical.time.step
    rows = []
    for (code, _), step in zip(variants, times, strict=True):
        name = f"link.slower_{code.replace('-', '_')}"
        option.scope.add(
            name,
            max(float(step) / now - 1.0, 0.0),
            unit="share",
            formula="link.slower",
            inputs=[".step.time", float(step)],
        )
        fabric = catalog.fabrics.get(code)
        rows.append({"link": code, "name": fabric.name if fabric else code, "slower": option.scope.id(name)})
    return rows


def technique_codes(row: Evaluated) -> list[str]:
    """Techniques that a layout and recipe rely on, in the order of the catalog of techniques."""
    layout, recipe, setup = row.setup.layout, row.setup.recipe, row.setup
    replicas = setup.gpus / (layout.tp * layout.pp * layout.cp)
    used = {
        "bf16": recipe.precision == "bf16",
        "fp16": recipe.precision == "fp16",
        "fp8": recipe.precision == "fp8",
        "recompute_full": layout.recompute == "full",
        "recompute_selective": layout.recompute in ("selective", "alternate"),
        "zero1": layout.sharding == "zero1" and replicas > 1,
        "zero2": layout.sharding == "zero2" and replicas > 1,
        "zero3": layout.sharding in ("zero3", "hybrid") and recipe.stack == "deepspeed",
        "fsdp": layout.sharding in ("zero3", "hybrid") and recipe.stack != "deepspeed",
        "tp": layout.tp > 1,
        "pp": layout.pp > 1,
        "sp": layout.tp > 1 and layout.sequence_parallel,
        "cp": layout.cp > 1,
        "ep": layout.ep > 1,
        "lora": row.case.method == "lora",
        "qlora": row.case.method == "qlora",
        "optimizer_8bit": recipe.optimizer in ("adamw_8bit", "paged_adamw_8bit"),
        "offload": layout.offload != "none",
        "chunked_loss": recipe.loss in ("chunked", "fused"),
        "packing": recipe.packing and row.typical.memory.tokens_per_rank > 1 and row.case.model.shape.vocab > 0,
        "flash_attention": recipe.flash_attention and any(block.attention for block in row.case.model.shape.blocks),
    }
    return [code for code, is_used in used.items() if is_used]


def techniques(option: Option) -> list[dict[str, str | None]]:
    """Techniques of the deciding scenario with what each costs this task; the quantity is time or memory."""
    row, scope = option.deciding, option.scope
    rows: list[dict[str, str | None]] = []
    codes = technique_codes(row)
    if option.sharded_load:
        codes.append("sharded_load")
    if option.has("ram.staging") and option.value("ram.staging").typical > 0:
        codes.append("async_checkpoint")
    for code in codes:
        cost = _cost(code, option)
        name = None
        if cost is not None:
            value, unit, formula = cost
            name = f"technique.{code}"
            scope.add(name, value, unit=unit, formula=formula)
        rows.append({"code": code, "costs": None if name is None else scope.id(name)})
    return rows


def _cost(code: str, option: Option) -> tuple[float, str, str] | None:
    """What the technique costs here: share of the step, or bytes."""
    row = option.deciding
    step, memory = row.typical.time, row.typical.memory
    shares = {
        "recompute_full": step.recompute,
        "recompute_selective": step.recompute,
        "tp": step.tp_exposed,
        "pp": step.bubble + step.pp_exposed,
        "cp": step.cp_exposed,
        "ep": step.ep_exposed,
        "offload": step.offload,
        "fsdp": step.dp_exposed,
        "zero1": step.dp_exposed,
        "zero2": step.dp_exposed,
        "zero3": step.dp_exposed,
    }
    if code in shares:
        return float(shares[code] / step.step), "share", "technique.time"
    if code == "bf16" and row.case.method not in ("lora", "qlora") and row.setup.recipe.weights == "mixed":
        return float(4.0 * memory.trainable_per_rank / max(memory.optimizer_shards, 1.0)), "bytes", "technique.master"
    if code == "chunked_loss":
        return 0.0, "share", "technique.time"
    if code == "async_checkpoint":
        return option.value("ram.staging").typical, "bytes", "technique.ram"
    if code == "qlora":
        plain = replace(row.setup, recipe=replace(row.setup.recipe, quant_bits=None))
        return max(step.step / estimate(row.case.typical, plain).time.step - 1.0, 0.0), "share", "technique.time"
    return None


def is_switched(link: str) -> bool:
    """Whether every card reaches every other at full speed."""
    return link in SWITCHED
