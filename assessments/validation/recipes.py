"""Recipe and layout from the words of a published table."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from assessments.sizing.setup import Loss, Optimizer, Precision, Recipe

NF4_BITS = 4.127  # 4-bit weights, 8-bit scales per 64, 32-bit scales per 256 of those: Dettmers et al. 2023
NF4_PLAIN_BITS = 4.5  # without double quantization: 4-bit weights, 32-bit scales per 64
GPTQ_BITS = 4.25
NVFP4_BITS = 4.5

NAMED_OPTIMIZERS: dict[str, Optimizer] = {"adafactor": "adafactor", "lion": "lion", "muon": "muon"}
DROPS_BEFORE_ADAPTERS = frozenset({"litgpt"})  # config_hub: lora_dropout 0.05
PLAIN_NF4 = frozenset({"litgpt", "hf"})  # defaults of litgpt's bnb.nf4 and of bitsandbytes: no double quantization
FLOAT32_AROUND_NF4 = frozenset({"hf", "litgpt"})  # loaders that leave embedding, head and norms in fp32
CHUNKED_BY_DEFAULT = frozenset({"litgpt", "torchtune"})

type Weights = Literal["mixed", "amp", "pure", "fp32"]


def precision_of(row: Mapping[str, str]) -> Precision:
    """The type of the matmuls."""
    text = row["precision"].lower()
    if "vendor choice" in text:
        return "fp8" if re.search(r"h100|h200|b200|gaudi|l40", row["gpu_model"].lower()) else "fp16"
    if re.search(r"fp4|nvfp4", text) and "nf4" not in text and row["method"] == "full":
        return "fp4"
    if re.search(r"fp8|mxfp8", text) and row["method"] == "full":
        return "fp8"
    if "tf32" in text:
        return "tf32"
    if "fp32" in text and "bf16" not in text and "fp16" not in text:
        return "fp32"
    if "fp16" in text and "bf16" not in text:
        return "fp16"
    return "bf16"


def weights_of(row: Mapping[str, str]) -> Weights:
    """How weights and master are kept: said in the precision cell, or the way of the stack."""
    text, stack, sharding = row["precision"].lower(), row["stack"], row["sharding"].lower()
    if "pure" in text or "true" in text or "master weights, gradients" in text:
        return "pure"
    if "tf32" in text or text.startswith("fp32"):
        return "fp32"
    if "amp" in text or "mixed" in text:
        return "amp"
    if stack == "axolotl" or (stack == "nemo" and sharding in {"none", "fsdp2"}):
        return "pure"
    if stack in {"torchtune", "litgpt"}:
        return "pure"
    if stack in {"hf", "llamafactory"} and not sharding.startswith("zero"):
        return "amp"
    return "mixed"


def optimizer_of(text: str) -> tuple[Optimizer, bool]:
    """The optimizer and whether its kernel is fused."""
    name = text.lower()
    fused = "fused" in name
    if re.search(r"8.?bit|fp8", name):
        return ("paged_adamw_8bit" if "paged" in name else "adamw_8bit"), True
    if re.search(r"4.?bit", name):
        return "adamw_4bit", True
    for key, found in NAMED_OPTIMIZERS.items():
        if key in name:
            return found, fused
    if re.search(r"sgd|nag|lars", name):
        return "sgd", fused
    if "bf16 states" in name:
        return "adamw_bf16", fused
    return "adamw", fused


def loss_of(row: Mapping[str, str]) -> tuple[Loss, bool]:
    """How the loss is computed, and whether that is stated."""
    notes = row["notes"].lower()
    if "cut-cross-entropy true" in notes or re.search(r"fused linear cross-entropy y", notes):
        return "fused", True
    if row["chunked_loss"].lower() in {"y", "1"} or row["stack"] in CHUNKED_BY_DEFAULT:
        return "chunked", True
    return "eager", bool(row["chunked_loss"]) or row["stack"] in {"hf", "torchtune", "torchtitan", "megatron"}


def recompute_of(text: str) -> str | None:
    """The way of recomputation; None when it is not stated."""
    name = text.lower()
    if not name or name == "unknown" or name.startswith("see"):
        return None
    if name.startswith("none"):
        return "none"
    if name.startswith("seg") or "interval" in name:  # segments of two layers: all of them, or every second one
        return None if "offload" in name else "full" if "interval" in name else "alternate"
    if "offload" in name:
        return "full_offload"
    if name.startswith("full"):
        return "full"
    if "2nd" in name:
        return "alternate"
    return "selective"


def targets_of(text: str) -> frozenset[str]:
    """Which matrices carry adapters: roles or names of matrices; attention and MLP when nothing is said."""
    name = text.lower()
    if not name or re.search(r"all.?linear", name):
        return frozenset({"attention", "mlp"})
    if name in {"query+value", "q_proj,v_proj", "q_proj+v_proj"}:
        return frozenset({"q", "v"})
    shared = "shared_expert" in name
    mlp = not shared and bool(re.search(r"mlp|gate|up_proj|w1", name))
    attention = bool(re.search(r"attn|attention|q_proj|query|qkv", name))
    on = {"attention": attention, "mlp": mlp, "shared_expert": shared, "mixer": "linear_attn" in name}
    return frozenset(t for t, is_on in on.items() if is_on) or frozenset({"attention"})


def quant_bits_of(row: Mapping[str, str]) -> float | None:
    """Bits of a frozen quantized weight, None when the base is not quantized."""
    text = row["precision"].lower()
    if row["method"] == "full":
        return None
    if "none" in text:
        return None
    if re.search(r"gptq|int4", text):
        return GPTQ_BITS
    if "nvfp4" in text:
        return NVFP4_BITS
    if row["method"] == "qlora" or "nf4" in text or "4-bit" in text:
        return NF4_PLAIN_BITS if row["stack"] in PLAIN_NF4 else NF4_BITS
    if re.search(r"8-bit base|int8|fp8 base|fp8(wo)?-", text) and "no effect" not in text:
        return 8.1
    return None


def recipe_of(row: Mapping[str, str], *, flash: bool | None, has_recompute: bool) -> Recipe:
    """The recipe of a row; what is taken without being stated is named in `assumed`."""
    weights = weights_of(row)
    optimizer, fused = optimizer_of(row["optimizer"])
    loss, loss_said = loss_of(row)
    bits = quant_bits_of(row)
    stack = row["stack"] or "unknown"
    lora = row["method"] in {"lora", "qlora"}
    is_nf4 = bits in {NF4_BITS, NF4_PLAIN_BITS}
    unquantized = 4.0 if is_nf4 and stack in FLOAT32_AROUND_NF4 else 2.0
    notes = row["notes"].lower()
    assumed = {
        name
        for name, missing in (
            ("stack", stack in {"unknown", "other"}),
            ("tuned", not row["tuned"]),
            ("optimizer", not row["optimizer"] and not lora),
            ("precision", not row["precision"]),
            ("recompute", not has_recompute),
            ("flash_attention", flash is None),
            ("loss", not loss_said),
            ("sharding", not row["sharding"]),
        )
        if missing
    }
    return Recipe(
        precision=precision_of(row),
        weights="pure" if lora and weights != "fp32" else weights,
        optimizer=optimizer,
        gradient_bytes=4.0 if "fp32 gradient" in row["precision"].lower() else 2.0,
        stack=stack,
        tuned={"y": True, "n": False}.get(row["tuned"]),
        loss=loss,
        flash_attention=flash is not False,
        compiled=row["compile"].lower().startswith("y"),
        fused_optimizer=fused or stack in {"megatron", "nemo"},
        optimizer_in_backward="optimizer in backward" in notes or "optimizer fused in backward" in notes,
        packing=row["packed"].lower() != "n",
        lora_rank=(_float(row["lora_rank"]) or 16.0) if lora else 0.0,
        lora_targets=targets_of(row["lora_targets"]),
        lora_dropout=lora and stack in DROPS_BEFORE_ADAPTERS,
        deepspeed=row["sharding"].lower().startswith("zero") and stack not in {"megatron", "nemo"},
        quant_bits=bits,
        unquantized_bytes=unquantized,
        assumed=frozenset(assumed),
    )


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
