"""Every code that the engine may emit, with its parameters and their units; sentences are made elsewhere.

A unit is one of UNITS, or a kind: technique, techniques, option, link, fabric, accelerator, path, resource, text,
choice, repair ({"code", "params"}), any. A value given as {"v": …, "unit": …} carries its own unit.
"""

from __future__ import annotations

from collections.abc import Mapping

from assessments.sizing.architectures.assumption_codes import ASSUMPTIONS as SHAPE_ASSUMPTIONS

type Params = Mapping[str, str]

UNITS = frozenset(
    (
        "bytes", "bytes_s", "bit_s", "tokens", "tokens_s", "samples", "samples_s", "params", "flops", "flops_s", "h",
        "s", "w", "kwh", "mm", "kg", "units", "c", "iops", "count", "gpus", "servers", "cores", "drives", "share",
        "ratio", "gpu_h", "btu_h", "people", "years", "px",
    )
)  # fmt: skip

SEVERITIES = ("stop", "warn", "assumed", "note")

# code → (severity, parameters)
FINDINGS: Mapping[str, tuple[str, Params]] = {
    "memory_short": ("stop", {"need": "bytes", "limit": "bytes", "gap": "bytes", "technique": "technique"}),
    "memory_at_limit": ("warn", {"typical": "bytes", "high": "bytes", "limit": "bytes"}),
    "memory_needs_techniques": ("warn", {"plain": "bytes", "reduced": "bytes", "techniques": "techniques"}),
    "memory_8bit_optimizer": ("warn", {"need": "bytes", "limit": "bytes"}),
    "memory_logits": ("note", {"vocab": "count", "logits": "bytes", "peak": "bytes"}),
    "time_latest_missed": ("stop", {"time": "h", "latest": "h", "n_gpus": "gpus"}),
    "time_wanted_missed": ("warn", {"time": "h", "wanted": "h", "latest": "h", "option": "option"}),
    "time_at_limit": ("warn", {"typical": "h", "high": "h", "wanted": "h", "unknown": "path"}),
    "time_unreachable": ("stop", {"wanted": "h", "n_gpus": "gpus", "repair": "repair"}),
    "time_months": ("warn", {"time": "h", "interval": "h"}),
    "time_batch_cap": ("warn", {"batch": "count", "n_gpus": "gpus"}),
    "utilisation_over": ("stop", {"n_runs": "count", "time": "h", "share": "share"}),
    "link_required": ("stop", {"link": "link", "loss": "share"}),
    "link_slow": ("warn", {"link": "link", "loss": "share", "better": "link", "better_loss": "share"}),
    "link_enough": ("note", {"loss": "share"}),
    "fabric_required": ("warn", {"n_nodes": "servers", "ports": "fabric", "loss": "share"}),
    "fabric_tcp": ("stop", {"loss": "share"}),
    "cpu_short": ("warn", {"need": "cores", "have": "cores", "work": "choice", "stall": "share"}),
    "ram_short": ("stop", {"need": "bytes", "have": "bytes"}),
    "ram_load_peak": ("warn", {"load": "bytes", "run": "bytes"}),
    "storage_read_short": ("warn", {"need": "bytes_s", "have": "bytes_s", "stall": "share", "n_drives": "drives"}),
    "storage_iops": ("warn", {"need": "iops", "have": "iops"}),
    "storage_capacity": ("stop", {"need": "bytes", "have": "bytes"}),
    "storage_enough": ("note", {"need": "bytes_s", "have": "bytes_s"}),
    "storage_shared": ("warn", {"n_nodes": "servers", "need": "bytes_s"}),
    "checkpoint_stall": ("warn", {"size": "bytes", "time": "h", "share": "share", "rate": "bytes_s"}),
    "checkpoint_async": ("note", {"ram": "bytes"}),
    "rack_power_over": ("stop", {"need": "w", "have": "w", "feed": "w"}),
    "rack_power_at_limit": ("warn", {"share": "share", "left": "w"}),
    "feed_short": ("stop", {"need": "w", "have": "w", "feed": "w"}),
    "feed_single": ("warn", {}),
    "psu_redundancy": ("stop", {"need": "w", "have": "w"}),
    "cooling_over": ("stop", {"need": "w", "have": "w"}),
    "cooling_liquid_only": ("stop", {"server": "text"}),
    "units_over": ("stop", {"need": "units", "have": "units"}),
    "depth_over": ("stop", {"need": "mm", "have": "mm"}),
    "weight_over": ("stop", {"need": "kg", "have": "kg"}),
    "inlet_over": ("stop", {"have": "c", "max": "c"}),
    "rack_unknown": ("note", {}),
    "growth_slots": ("warn", {"when": "h", "n_gpus": "gpus", "option": "option"}),
    "growth_rack": ("warn", {"when": "h", "need": "w", "have": "w"}),
    "operation_service": ("warn", {}),
    "team_size": ("note", {"n_people": "people"}),
    "assumed_values": ("assumed", {"n_assumptions": "count", "unknown": "path"}),
    "assumed_tokens": ("assumed", {"tokens": "tokens", "gain": "share"}),
    "assumed_shape": ("assumed", {"model": "text"}),
    "assumed_model_type": ("assumed", {"type": "text", "family": "choice", "params": "params"}),
    "value_pinned": ("note", {"quantity": "path", "value": "text", "computed": "text", "reason": "text"}),
    "measurement_used": ("note", {"after": "h", "before": "h"}),
    "outside_calibration": ("warn", {"why": "choice"}),
    "method_not_calibrated": ("warn", {"method": "choice"}),
    # soft warnings of the questionnaire, said again beside the result
    "context_above_model": ("warn", {"model": "text", "limit": "tokens", "given": "tokens"}),
    "scratch_small_data": ("warn", {"tokens": "tokens", "params": "params"}),
    "bytes_per_token": ("warn", {"rate": "bytes"}),
    "own_with_lora": ("warn", {}),
    "feed_below_rack": ("warn", {"usable": "w", "rack": "w"}),
    "cooling_below_power": ("warn", {"cooling": "w"}),
    "exclusions_empty": ("stop", {"memory": "bytes"}),
}

VERDICTS: Mapping[str, Params] = {
    "verdict_cpu": {"time": "h"},
    "verdict_workstation": {"n_gpus": "gpus", "memory": "bytes", "time": "h"},
    "verdict_server": {"n_gpus": "gpus", "time": "h", "option": "option"},
    "verdict_servers": {"n_servers": "servers", "n_gpus": "gpus", "limit": "resource"},
    "verdict_cluster": {"n_gpus": "gpus"},
    "verdict_rent": {"gpu_hours": "gpu_h", "share": "share"},
    "verdict_inference": {},
    "verdict_infeasible": {"need": "any", "limit": "any", "repair": "repair"},
    "verdict_existing": {"hardware": "text", "memory": "bytes", "time": "h"},
    "verdict_existing_starves": {"hardware": "text", "stall": "share", "resource": "resource"},
}
CLASSES = ("cpu", "workstation", "one_server", "several_servers", "cluster", "inference_only")
ADVICE = ("rent", "no_purchase", "own_hardware_enough", "cluster_design")

REPAIRS: Mapping[str, Params] = {
    "longer_time": {"to": "h"},
    "shorter_context": {"to": "tokens"},
    "more_nodes": {"n_nodes": "servers"},
    "more_power": {"to": "w"},
    "liquid": {},
    "smaller_model": {"to": "params"},
    "lora": {},
    "qlora": {},
    "optimizer_8bit": {},
    "offload": {},
    "recompute_full": {},
}

TECHNIQUES = (
    "bf16", "fp16", "fp8", "recompute_full", "recompute_selective", "zero1", "zero2", "zero3", "fsdp", "tp", "pp",
    "sp", "cp", "ep", "lora", "qlora", "optimizer_8bit", "offload", "chunked_loss", "packing", "flash_attention",
    "micro_batch", "sharded_load", "async_checkpoint", "gpu_decode",
)  # fmt: skip

ASSUMPTIONS: Mapping[str, Params] = {
    **SHAPE_ASSUMPTIONS,
    "method_full": {},
    "method_of_first": {},
    "candidate_taken": {"candidates": "text"},
    "params_of_class": {"class": "choice"},
    "params_usual": {"class": "choice"},
    "shape_nearest": {"model": "text", "params": "params"},
    "context_usual": {},
    "image_usual": {},
    "frames_usual": {},
    "audio_usual": {},
    "trainable_usual": {},
    "tokens_of_bytes": {"bytes": "bytes", "rate": "bytes"},
    "tokens_of_samples": {"samples": "samples", "rate": "tokens"},
    "tokens_of_params": {"params": "params", "rate": "ratio"},
    "tokens_usual": {},
    "samples_of_bytes": {"rate": "bytes"},
    "samples_of_hours": {"rate": "s"},
    "samples_usual": {},
    "sample_bytes_usual": {},
    "epochs_usual": {},
    "location_network": {},
    "precision_bf16": {},
    "optimizer_adamw": {},
    "stack_ordinary": {},
    "lora_rank_usual": {},
    "cycle_latest": {},
    "cycle_wanted": {},
    "runs_usual": {},
    "use_platform": {},
    "operation_one_team": {},
    "years_usual": {},
    "feeds_two": {},
    "cooling_air": {"value": "w"},
    "depth_old_rack": {},
    "features_usual": {},
    "rounds_usual": {},
    "hardware_gpus": {},
    "layout_impossible": {},
    "hardware_servers": {},
    "hardware_unknown": {"name": "text"},
    "hardware_nearest": {"name": "text", "model": "text"},
}

# how to find out what is not known
FIND_OUT = (
    "run_tokenizer", "decide_epochs", "measure_step", "name_stack", "attach_config", "measure_lengths",
    "count_samples", "ask_site", "decide",
)  # fmt: skip

OUTSIDE = ("family", "accelerator", "scale", "precision", "method", "shape")

ERRORS: Mapping[str, Params] = {
    "required": {},
    "not_a_number": {"example": "text", "given": "text"},
    "out_of_range": {"low": "any", "high": "any", "given": "text"},
    "range_reversed": {"low": "any", "high": "any"},
    "not_whole": {"given": "text"},
    "not_one_of": {"allowed": "text", "given": "text"},
    "wrong_shape": {"expected": "text"},
    "too_long": {"limit": "count", "given": "count"},
    "too_many": {"limit": "count", "given": "count"},
    "latest_before_wanted": {"wanted": "h", "latest": "h"},
    "active_above_total": {"active": "params", "total": "params"},
    "unknown_key": {"path": "text", "schema": "text"},
    "unknown_preset": {"name": "text"},
    "unknown_accelerator": {"name": "text"},
    "not_json": {"line": "count"},
    "file_too_large": {"size": "bytes", "limit": "bytes"},
}

# formula → what it computes; "sum", "product", "quotient" and "difference" are of the inputs in their order
FORMULAS = (
    "answer", "assumption", "constant", "catalog", "same", "none", "sum", "product", "quotient", "difference",
    "shared_product", "search", "envelope", "model.params", "model.active_params", "model.trainable_params",
    "model.shape", "model.sequence_tokens", "data.tokens", "data.cycle_tokens", "data.bytes", "data.sample_bytes",
    "data.copies", "data.epochs", "horizon.factor", "memory.params_on_rank", "memory.weight_bytes_per_param",
    "memory.gathered", "memory.weights_beside", "memory.trainable_on_rank", "memory.gradient_bytes_per_param",
    "memory.gradient_shards", "memory.gradient_block", "memory.optimizer_bytes_per_param", "memory.optimizer_shards",
    "memory.optimizer_temporaries", "memory.tokens_on_rank", "memory.layers_on_rank", "memory.micro_batches_kept",
    "memory.saved_per_token_layer", "memory.activations_working", "memory.logit_bytes_per_token",
    "memory.fragmentation", "memory.context", "memory.buffers", "memory.workspace", "memory.usable",
    "time.flops_per_token", "time.mfu", "time.tokens_per_s_gpu", "time.compute", "time.data_stall", "time.cycle",
    "step.time", "step.compute", "step.exchange", "step.bubble", "step.optimizer", "step.tokens", "link.dp_bytes",
    "link.tp_bytes", "link.required", "link.slower", "fabric.required", "cpu.rate_per_core", "cpu.samples_s_gpu",
    "cpu.workers_per_gpu", "cpu.cores_per_gpu", "cpu.cores", "ram.processes", "ram.load_once", "ram.load_every_rank",
    "ram.offload", "ram.staging", "ram.workers", "ram.needed", "ram.floor", "ram.required", "ram.cache",
    "storage.capacity", "storage.read", "storage.iops", "storage.location", "storage.drive", "storage.drives",
    "checkpoints.adapters", "checkpoints.params", "checkpoints.volume", "checkpoints.write_background",
    "checkpoints.write_blocking", "checkpoints.write_offered", "checkpoints.blocking_time",
    "checkpoints.blocking_share", "checkpoints.stall_share", "power.accelerators", "power.server_peak",
    "rack.servers", "rack.units", "rack.depth", "rack.weight", "heat.required", "use.utilisation", "use.year",
    "energy.run", "energy.quarter", "growth.gpus", "growth.slots", "technique.time", "technique.master",
    "technique.ram", "compare.weights", "compare.gradients", "compare.optimizer", "compare.activations",
    "compare.logits", "compare.overhead", "curve.time", "cpu_only.time", "cpu_only.ram", "cpu_only.cells",
)  # fmt: skip
