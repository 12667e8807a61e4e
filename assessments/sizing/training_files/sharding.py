"""How states are divided and moved out, as DeepSpeed, FSDP and accelerate write it."""

from assessments.sizing.training_files.fields import PartialTask, TrainingFields, positive, put_optimizer, put_precision

FSDP_SHARDING = {
    "full_shard": "zero3", "1": "zero3", "shard_grad_op": "zero2", "2": "zero2", "no_shard": "none", "3": "none",
    "hybrid_shard": "hybrid", "4": "hybrid", "hybrid_shard_zero2": "hybrid", "5": "hybrid",
}  # fmt: skip


def put_deepspeed(task: PartialTask, fields: TrainingFields) -> None:
    """A DeepSpeed configuration: ZeRO stage, offloading, precision, batches.

    Source: DeepSpeed documentation, "DeepSpeed Configuration JSON".
    """
    zero = fields.section("zero_optimization")
    stage = zero.raw("stage")
    if stage is not None:
        task.layout("sharding", ("none", "zero1", "zero2", "zero3")[zero.checked(stage, "stage", least=0, most=3)])
    put_offload(
        task,
        zero.section("offload_optimizer").text("device"),
        zero.section("offload_param").text("device"),
    )
    for precision in ("fp8", "bf16", "fp16"):
        section = fields.section(precision)
        if section.raw("enabled") is True:
            task.put("recipe", "precision", precision)
    accumulation = fields.section("data_types").text("grad_accum_dtype")
    if accumulation in {"fp32", "bf16", "fp16"}:
        task.put("recipe", "gradient_dtype", accumulation)
    optimizer = fields.section("optimizer")
    put_optimizer(task, optimizer, "type")
    task.put("recipe", "micro_batch", positive(fields, "train_micro_batch_size_per_gpu"))
    task.put("recipe", "global_batch", positive(fields, "train_batch_size"))


def put_deepspeed_file(task: PartialTask, fields: TrainingFields, name: str = "deepspeed") -> None:
    """A configuration inside the file, or the name of one: ds_z3_offload_config.json says its stage."""
    value = fields.data.get(name)
    if isinstance(value, dict):
        put_deepspeed(task, fields.section(name))
        return
    if not isinstance(value, str):
        return
    text = value.lower()
    for stage in "321":
        if any(
            mark in text for mark in (f"z{stage}", f"zero{stage}", f"stage{stage}", f"zero_{stage}", f"stage_{stage}")
        ):
            fields.read[name] = value
            task.layout("sharding", f"zero{stage}")
            if "offload" in text:
                is_all = stage == "3" and "optim" not in text
                task.layout("offload", "parameters" if is_all else "optimizer")
            return


def put_offload(task: PartialTask, optimizer: str, parameters: str) -> None:
    """Where states go: host memory or NVMe; parameters include the optimizer."""
    if "nvme" in {optimizer, parameters}:
        task.layout("offload", "nvme")
    elif parameters == "cpu":
        task.layout("offload", "parameters")
    elif optimizer == "cpu":
        task.layout("offload", "optimizer")


def put_fsdp(task: PartialTask, fields: TrainingFields) -> None:
    """FSDP as Trainer, Axolotl and accelerate write it: a word or list, and fsdp_config with or without the prefix.

    Source: transformers TrainingArguments, `fsdp` and `fsdp_config`; accelerate documentation, "Fully Sharded Data
    Parallel". Version 2 has no strategy: resharding after forward is stage 3, keeping is stage 2.
    """
    config = fields.section("fsdp_config")
    value = fields.raw("fsdp")
    words = (
        value.lower().split()
        if isinstance(value, str)
        else [str(v).lower() for v in value]
        if isinstance(value, list)
        else []
    )
    strategy = config.raw("fsdp_sharding_strategy", "sharding_strategy")
    if strategy is not None:
        words.append(str(strategy).lower())
    reshard = config.raw("fsdp_reshard_after_forward", "reshard_after_forward")
    known = next((FSDP_SHARDING[w] for w in words if w in FSDP_SHARDING), None)
    if known is None and isinstance(reshard, bool):
        known = "zero3" if reshard else "zero2"
    if known is None and isinstance(reshard, str):
        known = FSDP_SHARDING.get(reshard.lower())
    if known is None and (config.data or words):
        known = "zero3"
    task.layout("sharding", known)
    if config.raw("fsdp_offload_params", "offload_params") is True or "offload" in words:
        task.layout("offload", "parameters")
    if config.raw("fsdp_activation_checkpointing", "activation_checkpointing") is True:
        task.put("recipe", "recompute", "full")


def put_accelerate(task: PartialTask, fields: TrainingFields) -> None:
    """A file of `accelerate config`."""
    fields.text("distributed_type")
    mixed = fields.text("mixed_precision", default="")
    if mixed in {"bf16", "fp16", "fp8"}:
        task.put("recipe", "precision", mixed)
    elif mixed == "no":
        task.put("recipe", "precision", "fp32")
    deepspeed = fields.section("deepspeed_config")
    stage = deepspeed.raw("zero_stage")
    if stage is not None:
        task.layout(
            "sharding", ("none", "zero1", "zero2", "zero3")[deepspeed.checked(stage, "zero_stage", least=0, most=3)]
        )
    put_offload(task, deepspeed.text("offload_optimizer_device"), deepspeed.text("offload_param_device"))
    put_deepspeed_file(task, deepspeed, "deepspeed_config_file")
    put_fsdp(task, fields)
    parallel = fields.section("parallelism_config")
    task.layout("tp", positive(parallel, "parallelism_config_tp_size", "tp_size"))
    task.layout("cp", positive(parallel, "parallelism_config_cp_size", "cp_size"))
    put_precision(task, fields)
