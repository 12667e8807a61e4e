"""Training configurations of other programs: recognised by their keys, read or refused by name."""

from collections.abc import Callable, Mapping
from typing import Any

from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.training_files.fields import PartialTask, TrainingFields, refuse
from assessments.sizing.training_files.programs import (
    read_accelerate,
    read_axolotl,
    read_deepspeed,
    read_llama_factory,
    read_torchtune,
    read_trainer,
)

__all__ = ["TRAINING_KINDS", "read_training_config", "training_kind"]

READERS: dict[str, Callable[[TrainingFields], PartialTask]] = {
    "axolotl": read_axolotl,
    "llamafactory": read_llama_factory,
    "torchtune": read_torchtune,
    "accelerate": read_accelerate,
    "deepspeed": read_deepspeed,
    "trainer": read_trainer,
}
TRAINING_KINDS = tuple(READERS)

# Programs whose files are recognised by these keys together, and not read yet.
REFUSED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Nanotron", ("parallelism", "tokens", "model")),
    ("GPT-NeoX", ("pipe_parallel_size",)),
    ("GPT-NeoX", ("pipe-parallel-size",)),
    ("LLM Foundry", ("train_loader", "max_duration")),
    ("XTuner llm_calc", ("MBS", "LN")),
    ("XTuner llm_calc", ("MBN", "D")),
    ("Calculon", ("mem1", "networks")),
    ("Calculon", ("attn_heads", "num_blocks")),
    ("torchtitan", ("job", "training")),
    ("torchtitan", ("parallelism", "training", "model")),
    ("Primus", ("modules", "work_group")),
    ("Primus", ("modules", "exp_name")),
    ("NeMo", ("trainer", "exp_manager")),
    ("Megatron-LM", ("tensor_model_parallel_size",)),
    ("Megatron-LM", ("tensor-model-parallel-size",)),
    ("MaxText", ("ici_fsdp_parallelism",)),
    ("verl", ("actor_rollout_ref",)),
    ("ms-swift", ("train_type", "max_length", "dataset")),
    ("kohya sd-scripts", ("pretrained_model_name_or_path", "network_module")),
    ("SimpleTuner", ("--model_type",)),
    ("OneTrainer", ("training_method", "concepts")),
    ("LitGPT", ("checkpoint_dir", "lora_r", "train")),
    ("LitGPT", ("checkpoint_dir", "devices", "train")),
)


def training_kind(data: Mapping[str, Any]) -> str:
    """Which program this configuration is for; ConfigError for one that is refused by name or not known."""
    sections = [section for section in data.values() if isinstance(section, Mapping)]
    if any(str(section.get("_component_", "")).startswith("torchtune.") for section in sections[:200]):
        return "torchtune"
    for label, keys in REFUSED:
        if all(key in data for key in keys):
            raise refuse(label)
    if "base_model" in data:
        return "axolotl"
    if "finetuning_type" in data or "cutoff_len" in data or ("stage" in data and "template" in data):
        return "llamafactory"
    if "compute_environment" in data or "distributed_type" in data:
        return "accelerate"
    if "zero_optimization" in data or "train_micro_batch_size_per_gpu" in data:
        return "deepspeed"
    if "per_device_train_batch_size" in data or ("output_dir" in data and "learning_rate" in data):
        return "trainer"
    raise ConfigError("training_unknown_format", keys=", ".join(sorted(map(str, data))[:8])[:200])


def read_training_config(data: Mapping[str, Any], kind: str | None = None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A partial task (one scenario) from a training configuration, and the keys that were not used.

    kind: one of TRAINING_KINDS; None = recognise it. What the file leaves open ("auto", null) stays open.
    Raises ConfigError.
    """
    fields = TrainingFields(data)
    reader = READERS.get(kind or training_kind(data))
    if reader is None:
        raise refuse(str(kind))
    task = reader(fields)
    return task.as_task(), fields.unused()
