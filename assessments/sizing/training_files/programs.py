"""Training configurations of the programs that are read: Axolotl, LLaMA-Factory, torchtune, Trainer."""

import math
import re

from assessments.sizing.architectures.presets import find_preset
from assessments.sizing.training_files.fields import (
    PartialTask,
    TrainingFields,
    epochs,
    positive,
    put_attention,
    put_model,
    put_optimizer,
    put_precision,
    put_targets,
    share,
)
from assessments.sizing.training_files.sharding import put_accelerate, put_deepspeed, put_deepspeed_file, put_fsdp

type Answers = tuple[PartialTask, TrainingFields]

PREFERENCES = {"dpo", "ipo", "kto", "orpo", "simpo", "cpo"}
REFERENCE_FREE = {"orpo", "simpo", "cpo"}


def read_axolotl(fields: TrainingFields) -> PartialTask:
    """Axolotl YAML. Source: Axolotl documentation, "Config Reference"."""
    task = PartialTask("axolotl")
    put_model(task, fields, "base_model")
    adapter = fields.text("adapter", default="")
    four_bit = fields.boolean("load_in_4bit", default=False)
    method = "full" if not adapter else "qlora" if adapter == "qlora" or four_bit else "lora"
    task.put("strategy", "method", method)
    if method != "full":
        task.put("strategy", "lora", _axolotl_lora(fields))
    _put_objective(task, fields.text("rl", default=""))
    task.put("model", "context_tokens", positive(fields, "sequence_len"))
    packing = fields.raw("sample_packing")
    task.put("recipe", "packing", packing if isinstance(packing, bool) else None)
    micro = positive(fields, "micro_batch_size")
    task.put("recipe", "micro_batch", micro)
    task.put("dataset", "epochs", epochs(fields, "num_epochs"))
    put_optimizer(task, fields, "optimizer")
    put_precision(task, fields)
    if fields.data.get("bf16") == "auto":
        fields.read["bf16"] = "auto"
        task.put("recipe", "precision", "bf16")
    put_attention(task, fields, "attn_implementation", "flash_attention", "sdp_attention", "xformers_attention")
    _put_recompute(task, fields, "gradient_checkpointing")
    put_fsdp(task, fields)
    put_deepspeed_file(task, fields)
    task.layout("tp", positive(fields, "tensor_parallel_size"))
    task.layout("cp", positive(fields, "context_parallel_size", "sequence_parallel_degree"))
    task.layout("ep", positive(fields, "expert_parallel_size"))
    ranks = positive(fields, "dp_shard_size")
    replicas = positive(fields, "dp_replicate_size") or 1
    if ranks and micro and fields.has("gradient_accumulation_steps"):
        steps = positive(fields, "gradient_accumulation_steps") or 1
        task.put("recipe", "global_batch", micro * steps * ranks * replicas)
    _put_axolotl_loss(task, fields)
    return task


def _axolotl_lora(fields: TrainingFields) -> dict[str, object]:
    lora: dict[str, object] = {"rank": positive(fields, "lora_r") or 8}
    dropout = share(fields, "lora_dropout")
    if dropout is not None:
        lora["dropout"] = dropout
    if fields.boolean("lora_target_linear", default=False):
        lora["targets"] = ["attention", "mlp"]
    else:
        put_targets(lora, fields.raw("lora_target_modules"))
    return lora


def _put_axolotl_loss(task: PartialTask, fields: TrainingFields) -> None:
    plugins = fields.data.get("plugins")
    names = " ".join(str(p) for p in plugins[:50]).lower() if isinstance(plugins, list) else ""
    if "cut_cross_entropy" in names or fields.data.get("liger_fused_linear_cross_entropy") is True:
        fields.read["plugins"] = plugins
        fields.raw("liger_fused_linear_cross_entropy")
        task.put("recipe", "loss", "fused")
    elif fields.boolean("chunked_cross_entropy", default=False):
        task.put("recipe", "loss", "chunked")


def _put_recompute(task: PartialTask, fields: TrainingFields, name: str) -> None:
    value = fields.raw(name)
    if isinstance(value, bool):
        task.put("recipe", "recompute", "full" if value else "none")
    elif value in {"offload", "offload_disk", "unsloth"}:
        task.put("recipe", "recompute", "full")


def _put_objective(task: PartialTask, name: str) -> None:
    name = name.lower()
    if name in PREFERENCES:
        task.put("strategy", "objective", "dpo")
        if name in REFERENCE_FREE:
            task.put("strategy", "reference_model", False)
    elif name in {"grpo", "ppo", "rloo"}:
        task.put("strategy", "objective", "grpo")


def read_llama_factory(fields: TrainingFields) -> PartialTask:
    """LLaMA-Factory YAML; checkpointing is on and the length 2,048 unless the file says otherwise.

    Source: LLaMA-Factory, src/llamafactory/hparams (data, finetuning and model arguments).
    """
    task = PartialTask("llamafactory")
    put_model(task, fields, "model_name_or_path")
    kind = fields.text("finetuning_type", default="lora")
    bits = positive(fields, "quantization_bit")
    method = {"full": "full", "freeze": "frozen"}.get(kind, "qlora" if bits == 4 else "lora")
    task.put("strategy", "method", method)
    if method in {"lora", "qlora"}:
        lora: dict[str, object] = {"rank": positive(fields, "lora_rank") or 8, "targets": ["attention", "mlp"]}
        put_targets(lora, fields.raw("lora_target"))
        dropout = share(fields, "lora_dropout")
        if dropout is not None:
            lora["dropout"] = dropout
        task.put("strategy", "lora", lora)
    _put_objective(task, fields.text("stage", default=""))
    frozen = [part for key, part in _FREEZE.items() if fields.boolean(key, default=False)]
    task.put("strategy", "frozen_parts", frozen or None)
    task.put("model", "context_tokens", positive(fields, "cutoff_len") or 2048)
    pixels = positive(fields, "image_max_pixels")
    if pixels is not None:
        side = math.isqrt(pixels)
        task.put("model", "image_width_px", side)
        task.put("model", "image_height_px", side)
    packing = fields.raw("packing", "neat_packing")
    task.put("recipe", "packing", packing if isinstance(packing, bool) else None)
    task.put("recipe", "micro_batch", positive(fields, "per_device_train_batch_size"))
    task.put("dataset", "epochs", epochs(fields, "num_train_epochs"))
    put_optimizer(task, fields, "optim")
    put_precision(task, fields)
    if fields.data.get("pure_bf16") is True:
        fields.raw("pure_bf16")
        task.put("recipe", "precision", "bf16")
        task.put("recipe", "gradient_dtype", "bf16")
    put_attention(task, fields, "flash_attn")
    is_off = fields.boolean("disable_gradient_checkpointing", default=False)
    task.put("recipe", "recompute", "none" if is_off else "full")
    if fields.boolean("enable_liger_kernel", default=False):
        task.put("recipe", "loss", "fused")
    put_deepspeed_file(task, fields)
    put_fsdp(task, fields)
    return task


_FREEZE = {
    "freeze_vision_tower": "vision_tower",
    "freeze_multi_modal_projector": "projector",
    "freeze_language_model": "language_model",
}


def read_torchtune(fields: TrainingFields) -> PartialTask:
    """torchtune YAML: the builder's name says model and method. Source: torchtune recipes and their configurations."""
    task = PartialTask("torchtune")
    model = fields.section("model")
    builder = model.text("_component_").rsplit(".", 1)[-1]
    found = re.fullmatch(r"(qlora_|lora_)?(.+)", builder)
    prefix, name = (found.group(1) or "", found.group(2)) if found else ("", builder)
    method = {"qlora_": "qlora", "lora_": "lora"}.get(prefix, "full")
    task.put("strategy", "method", method)
    preset = torchtune_preset(name)
    task.put("model", "preset", preset)
    if preset is None:
        model.read.pop("_component_", None)
    if method != "full":
        lora: dict[str, object] = {"rank": positive(model, "lora_rank") or 8}
        targets = ["attention"] if model.raw("lora_attn_modules") is not None else []
        if model.boolean("apply_lora_to_mlp", default=False):
            targets.append("mlp")
        if targets:
            lora["targets"] = targets
        dropout = share(model, "lora_dropout")
        if dropout is not None:
            lora["dropout"] = dropout
        task.put("strategy", "lora", lora)
    task.put("model", "context_tokens", positive(fields.section("tokenizer"), "max_seq_len"))
    size = positive(model, "image_size")
    task.put("model", "image_width_px", size)
    task.put("model", "image_height_px", size)
    packing = fields.section("dataset").raw("packed")
    task.put("recipe", "packing", packing if isinstance(packing, bool) else None)
    task.put("recipe", "micro_batch", positive(fields, "batch_size"))
    task.put("dataset", "epochs", epochs(fields, "epochs"))
    put_optimizer(task, fields.section("optimizer"), "_component_")
    dtype = fields.text("dtype", default="")
    task.put("recipe", "precision", dtype if dtype in {"bf16", "fp16", "fp32"} else None)
    _put_recompute(task, fields, "enable_activation_checkpointing")
    loss = fields.section("loss").text("_component_")
    if "LinearCrossEntropy" in loss or "Chunked" in loss:
        task.put("recipe", "loss", "chunked")
    fsdp = fields.section("fsdp")
    if fields.raw("fsdp_cpu_offload") is True or fsdp.raw("cpu_offload") is True:
        task.layout("offload", "parameters")
    task.layout("tp", positive(fields, "tensor_parallel_dim"))
    task.layout("cp", positive(fields, "context_parallel_dim"))
    return task


def torchtune_preset(builder: str) -> str | None:
    """The preset that a builder's name means: llama3_1_8b → llama-3.1-8b, qwen2_5_7b_instruct → qwen2.5-7b."""
    return find_preset(re.sub(r"_(instruct|base|reward|classifier)$", "", builder))


def read_trainer(fields: TrainingFields) -> PartialTask:
    """TrainingArguments of Hugging Face, as JSON or YAML, with the extra keys of TRL's recipes.

    Source: transformers TrainingArguments; TRL SFTConfig, DPOConfig, GRPOConfig, ModelConfig.
    """
    task = PartialTask("hf")
    put_model(task, fields, "model_name_or_path", "model_name", "model_id")
    uses_lora = fields.boolean("use_peft", default=fields.has("lora_r"))
    four_bit = fields.boolean("load_in_4bit", default=False)
    method = ("qlora" if four_bit else "lora") if uses_lora else "full" if task.scenario["model"] else None
    task.put("strategy", "method", method or "unknown")
    if uses_lora:
        lora: dict[str, object] = {"rank": positive(fields, "lora_r") or 16}
        put_targets(lora, fields.raw("lora_target_modules"))
        dropout = share(fields, "lora_dropout")
        if dropout is not None:
            lora["dropout"] = dropout
        task.put("strategy", "lora", lora)
    if fields.has("num_generations"):
        task.put("strategy", "objective", "grpo")
        count, length = positive(fields, "num_generations"), positive(fields, "max_completion_length")
        task.put("strategy", "rollout", {k: v for k, v in (("generations", count), ("tokens", length)) if v})
    elif fields.has("max_prompt_length") and fields.has("beta"):
        fields.raw("beta")
        fields.raw("max_prompt_length")
        task.put("strategy", "objective", "dpo")
        if "orpo" in str(fields.data.get("hub_model_id", fields.data.get("output_dir", ""))).lower():
            task.put("strategy", "reference_model", False)
    task.put("model", "context_tokens", positive(fields, "max_length", "max_seq_length", "model_max_length"))
    packing = fields.raw("packing")
    task.put("recipe", "packing", packing if isinstance(packing, bool) else None)
    task.put("recipe", "micro_batch", positive(fields, "per_device_train_batch_size"))
    task.put("dataset", "epochs", epochs(fields, "num_train_epochs"))
    put_optimizer(task, fields, "optim")
    put_precision(task, fields)
    put_attention(task, fields, "attn_implementation")
    _put_recompute(task, fields, "gradient_checkpointing")
    if fields.boolean("use_liger_kernel", "use_liger_loss", default=False):
        task.put("recipe", "loss", "fused")
    put_fsdp(task, fields)
    put_deepspeed_file(task, fields)
    return task


def read_deepspeed(fields: TrainingFields) -> PartialTask:
    """A DeepSpeed configuration by itself: it does not say what is trained."""
    task = PartialTask("deepspeed")
    task.put("strategy", "method", "unknown")
    put_deepspeed(task, fields)
    return task


def read_accelerate(fields: TrainingFields) -> PartialTask:
    """A file of `accelerate config` by itself: it does not say what is trained."""
    task = PartialTask("hf")
    task.put("strategy", "method", "unknown")
    put_accelerate(task, fields)
    return task
