"""What each memory or speed technique gives, costs, and when not to use it."""

from django.utils.translation import pgettext_lazy

from assessments.wording.text import Technique

TECHNIQUES: dict[str, Technique] = {
    "bf16": Technique(
        pgettext_lazy("technique", "bf16 mixed precision"),
        pgettext_lazy("technique", "Half the activations, fast kernels"),
        pgettext_lazy("technique", "Master weights: 4 bytes per parameter"),
        pgettext_lazy("technique", "Cards before Ampere: fp16"),
    ),
    "fp16": Technique(
        pgettext_lazy("technique", "fp16 mixed precision"),
        pgettext_lazy("technique", "Half the activations, fast kernels"),
        pgettext_lazy("technique", "Master weights and loss scaling"),
        pgettext_lazy("technique", "Ampere and newer: bf16"),
    ),
    "fp8": Technique(
        pgettext_lazy("technique", "fp8 training"),
        pgettext_lazy("technique", "1.15–1.35 × bf16 speed"),
        pgettext_lazy("technique", "Weight copies; a convergence check"),
        pgettext_lazy("technique", "Narrow layers, context from 32k"),
    ),
    "recompute_full": Technique(
        pgettext_lazy("technique", "Full activation checkpointing"),
        pgettext_lazy("technique", "Several-fold fewer activations"),
        pgettext_lazy("technique", "About a fifth of the speed"),
        pgettext_lazy("technique", "Memory is free"),
    ),
    "recompute_selective": Technique(
        pgettext_lazy("technique", "Selective checkpointing"),
        pgettext_lazy("technique", "0.4–0.5 of activations remain"),
        pgettext_lazy("technique", "A few per cent of speed"),
        pgettext_lazy("technique", "The lowest peak is needed"),
    ),
    "zero1": Technique(
        "ZeRO-1",
        pgettext_lazy("technique", "Splits optimizer state"),
        pgettext_lazy("technique", "Hardly anything"),
        pgettext_lazy("technique", "One GPU"),
    ),
    "zero2": Technique(
        "ZeRO-2",
        pgettext_lazy("technique", "Splits gradients too"),
        pgettext_lazy("technique", "Buffers of 3–4.5 GiB, more traffic"),
        pgettext_lazy("technique", "Slow link, many micro-batches"),
    ),
    "zero3": Technique(
        "ZeRO-3",
        pgettext_lazy("technique", "Splits weights too"),
        pgettext_lazy("technique", "1.5 × the traffic"),
        pgettext_lazy("technique", "Slow link, small micro-batch"),
    ),
    "fsdp": Technique(
        "FSDP",
        pgettext_lazy("technique", "ZeRO-3 in plain PyTorch"),
        pgettext_lazy("technique", "Two gathered blocks in memory"),
        pgettext_lazy("technique", "Accumulation with no_sync"),
    ),
    "tp": Technique(
        pgettext_lazy("technique", "Tensor parallelism"),
        pgettext_lazy("technique", "Splits every layer"),
        pgettext_lazy("technique", "Four exchanges per layer and step"),
        pgettext_lazy("technique", "No NVLink or XGMI; across servers"),
    ),
    "pp": Technique(
        pgettext_lazy("technique", "Pipeline parallelism"),
        pgettext_lazy("technique", "Splits by layers, little traffic"),
        pgettext_lazy("technique", "A pipeline bubble"),
        pgettext_lazy("technique", "Few micro-batches"),
    ),
    "sp": Technique(
        pgettext_lazy("technique", "Sequence parallelism"),
        pgettext_lazy("technique", "Splits the other activations under TP"),
        pgettext_lazy("technique", "Hardly anything"),
        pgettext_lazy("technique", "No TP"),
    ),
    "cp": Technique(
        pgettext_lazy("technique", "Context parallelism"),
        pgettext_lazy("technique", "Splits a long context"),
        pgettext_lazy("technique", "Exchange of keys and values"),
        pgettext_lazy("technique", "Short context"),
    ),
    "ep": Technique(
        pgettext_lazy("technique", "Expert parallelism"),
        pgettext_lazy("technique", "Splits MoE experts"),
        pgettext_lazy("technique", "All-to-all exchange, imbalance"),
        pgettext_lazy("technique", "Dense model"),
    ),
    "lora": Technique(
        "LoRA",
        pgettext_lazy("technique", "No gradients for the base, small checkpoint"),
        pgettext_lazy("technique", "Activations stay; a quality ceiling"),
        pgettext_lazy("technique", "New language, from scratch"),
    ),
    "qlora": Technique(
        "QLoRA",
        pgettext_lazy("technique", "Base weights: about 0.5 byte per parameter"),
        pgettext_lazy("technique", "A longer step, up to 2.5 × on short texts"),
        pgettext_lazy("technique", "LoRA fits"),
    ),
    "optimizer_8bit": Technique(
        pgettext_lazy("technique", "8-bit optimizer"),
        pgettext_lazy("technique", "Moments: 2 bytes instead of 8"),
        pgettext_lazy("technique", "A convergence check"),
        pgettext_lazy("technique", "The ordinary one fits"),
    ),
    "offload": Technique(
        pgettext_lazy("technique", "Offload to RAM"),
        pgettext_lazy("technique", "The optimizer leaves GPU memory"),
        pgettext_lazy("technique", "The step waits for PCIe; RAM 16–18 bytes per parameter"),
        pgettext_lazy("technique", "Time matters more"),
    ),
    "chunked_loss": Technique(
        pgettext_lazy("technique", "Chunked loss"),
        pgettext_lazy("technique", "Several-fold smaller logits"),
        pgettext_lazy("technique", "Support in the stack"),
        pgettext_lazy("technique", "Small vocabulary"),
    ),
    "packing": Technique(
        pgettext_lazy("technique", "Sequence packing"),
        pgettext_lazy("technique", "No work on padding"),
        pgettext_lazy("technique", "An attention mask"),
        pgettext_lazy("technique", "Samples of equal length"),
    ),
    "flash_attention": Technique(
        "Flash attention",
        pgettext_lazy("technique", "Attention memory linear in context"),
        pgettext_lazy("technique", "Nothing noticeable"),
        pgettext_lazy("technique", "No kernels for the card"),
    ),
    "micro_batch": Technique(
        pgettext_lazy("technique", "Larger micro-batch"),
        pgettext_lazy("technique", "A better loaded GPU"),
        pgettext_lazy("technique", "More activations"),
        pgettext_lazy("technique", "Memory at the limit"),
    ),
    "sharded_load": Technique(
        pgettext_lazy("technique", "Sharded loading"),
        pgettext_lazy("technique", "No RAM for every copy"),
        pgettext_lazy("technique", "Another checkpoint format"),
        pgettext_lazy("technique", "One GPU"),
    ),
    "async_checkpoint": Technique(
        pgettext_lazy("technique", "Asynchronous checkpoint"),
        pgettext_lazy("technique", "A stall of seconds"),
        pgettext_lazy("technique", "A copy of the state in RAM"),
        pgettext_lazy("technique", "Small checkpoint"),
    ),
    "gpu_decode": Technique(
        pgettext_lazy("technique", "GPU decode"),
        pgettext_lazy("technique", "CPU cores set free"),
        pgettext_lazy("technique", "GPU memory and time"),
        pgettext_lazy("technique", "The CPU is no limit"),
    ),
}
