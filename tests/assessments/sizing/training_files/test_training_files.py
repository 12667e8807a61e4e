"""Training configurations fill what they say, leave open what they leave open, and name what was not used."""

import pytest

from assessments.sizing.architectures import ConfigError
from assessments.sizing.task import parse_task
from assessments.sizing.training_files import read_training_config, training_kind

AXOLOTL_QLORA = {
    "base_model": "NousResearch/Llama-2-7b-hf", "load_in_4bit": True, "adapter": "qlora", "sequence_len": 512,
    "sample_packing": False, "lora_r": 32, "lora_alpha": 16, "lora_dropout": 0.05, "lora_target_linear": True,
    "micro_batch_size": 4, "gradient_accumulation_steps": 4, "num_epochs": 4, "optimizer": "adamw_torch_fused",
    "bf16": "auto", "gradient_checkpointing": True, "attn_implementation": "flash_attention_2",
    "fsdp": ["full_shard", "auto_wrap"],
    "fsdp_config": {
        "fsdp_offload_params": True, "fsdp_sharding_strategy": "FULL_SHARD", "fsdp_limit_all_gathers": True,
    },
}  # fmt: skip
LLAMA_FACTORY_VL = {
    "model_name_or_path": "Qwen/Qwen2.5-VL-7B-Instruct", "stage": "sft", "finetuning_type": "full",
    "freeze_vision_tower": True, "freeze_multi_modal_projector": True, "freeze_language_model": False,
    "image_max_pixels": 262144, "deepspeed": "examples/deepspeed/ds_z3_config.json", "template": "qwen2_vl",
    "cutoff_len": 2048, "per_device_train_batch_size": 1, "gradient_accumulation_steps": 2, "num_train_epochs": 3.0,
    "bf16": True,
}  # fmt: skip
TORCHTUNE = {
    "model": {"_component_": "torchtune.models.llama3_1.qlora_llama3_1_405b", "lora_attn_modules": ["q_proj", "v_proj"],
              "apply_lora_to_mlp": True, "lora_rank": 16, "lora_alpha": 32},
    "tokenizer": {"_component_": "torchtune.models.llama3.llama3_tokenizer", "max_seq_len": None},
    "dataset": {"_component_": "torchtune.datasets.alpaca_cleaned_dataset", "packed": False},
    "optimizer": {"_component_": "torchao.optim.AdamW8bit", "lr": 3e-4}, "batch_size": 1, "epochs": 1,
    "loss": {"_component_": "torchtune.modules.loss.LinearCrossEntropyLoss"}, "dtype": "bf16",
    "enable_activation_checkpointing": True, "fsdp": {"cpu_offload": True},
}  # fmt: skip
DEEPSPEED = {
    "train_batch_size": "auto", "train_micro_batch_size_per_gpu": 2, "fp16": {"enabled": "auto", "loss_scale": 0},
    "bf16": {"enabled": True}, "data_types": {"grad_accum_dtype": "fp32"},
    "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "nvme"},
                          "sub_group_size": 1e9},
}  # fmt: skip
ACCELERATE = {
    "compute_environment": "LOCAL_MACHINE", "distributed_type": "FSDP", "mixed_precision": "bf16", "num_processes": 8,
    "fsdp_config": {"fsdp_sharding_strategy": "HYBRID_SHARD", "fsdp_activation_checkpointing": True},
}  # fmt: skip
TRAINER_ORPO = {
    "model_name_or_path": "mistral-community/Mixtral-8x22B-v0.1", "bf16": True, "beta": 0.05, "max_length": 2048,
    "max_prompt_length": 1792, "gradient_checkpointing": True, "hub_model_id": "zephyr-orpo", "num_train_epochs": 3,
    "optim": "adamw_bnb_8bit", "per_device_train_batch_size": 1, "output_dir": "data", "learning_rate": 5e-6,
}  # fmt: skip


def read(data):
    task, unused = read_training_config(data)
    return task["scenarios"][0], unused


def test_axolotl_qlora_with_offloaded_full_sharding():
    scenario, unused = read(AXOLOTL_QLORA)
    assert scenario == {
        "strategy": {
            "method": "qlora",
            "lora": {"rank": 32, "dropout": 0.05, "targets": ["attention", "mlp"]},
        },
        "model": {"preset": "llama-2-7b", "context_tokens": 512},
        "dataset": {"epochs": 4.0},
        "recipe": {
            "stack": "axolotl", "packing": False, "micro_batch": 4, "optimizer": "adamw", "precision": "bf16",
            "flash_attention": True, "recompute": "full", "layout": {"sharding": "zero3", "offload": "parameters"},
        },
    }  # fmt: skip
    assert unused == ("lora_alpha", "gradient_accumulation_steps", "fsdp_config.fsdp_limit_all_gathers")


def test_axolotl_knows_the_whole_batch_when_it_says_its_ranks():
    scenario, unused = read(AXOLOTL_QLORA | {"dp_shard_size": 16, "tensor_parallel_size": 2})
    assert scenario["recipe"]["global_batch"] == 4 * 4 * 16
    assert scenario["recipe"]["layout"]["tp"] == 2
    assert "gradient_accumulation_steps" not in unused


def test_llama_factory_full_tuning_of_a_frozen_tower():
    scenario, unused = read(LLAMA_FACTORY_VL)
    assert scenario["strategy"] == {"method": "full", "frozen_parts": ["vision_tower", "projector"]}
    assert scenario["model"] == {
        "preset": "qwen2.5-vl-7b", "context_tokens": 2048, "image_width_px": 512, "image_height_px": 512,
    }  # fmt: skip
    assert scenario["recipe"]["layout"] == {"sharding": "zero3"}
    assert scenario["recipe"]["recompute"] == "full"
    assert unused == ("template", "gradient_accumulation_steps")


def test_torchtune_reads_model_and_method_from_its_builder():
    scenario, unused = read(TORCHTUNE)
    assert scenario["strategy"] == {"method": "qlora", "lora": {"rank": 16, "targets": ["attention", "mlp"]}}
    assert scenario["model"] == {"preset": "llama-3.1-405b"}
    assert scenario["recipe"] == {
        "stack": "torchtune", "packing": False, "micro_batch": 1, "optimizer": "adamw_8bit", "precision": "bf16",
        "recompute": "full", "loss": "chunked", "layout": {"offload": "parameters"},
    }  # fmt: skip
    assert "optimizer.lr" in unused


@pytest.mark.parametrize(
    ("builder", "slug"),
    [("llama3_1_8b", "llama-3.1-8b"), ("llama2_70b", "llama-2-70b"), ("qwen2_5_7b_instruct", "qwen2.5-7b"),
     ("mistral_7b", "mistral-7b"), ("gemma2_9b", "gemma-2-9b"), ("phi3_mini", "phi-3-mini"), ("llama9_9_1t", None)],
)  # fmt: skip
def test_torchtune_builders_find_their_presets(builder, slug):
    scenario, unused = read(TORCHTUNE | {"model": {"_component_": f"torchtune.models.x.{builder}"}})
    assert scenario.get("model", {}).get("preset") == slug
    assert ("model._component_" in unused) == (slug is None)


def test_deepspeed_leaves_auto_open_and_does_not_invent_a_method():
    scenario, unused = read(DEEPSPEED)
    assert scenario["strategy"] == {"method": "unknown"}
    assert scenario["recipe"] == {
        "stack": "deepspeed", "precision": "bf16", "gradient_dtype": "fp32", "micro_batch": 2,
        "layout": {"sharding": "zero3", "offload": "nvme"},
    }  # fmt: skip
    assert unused == ("fp16.loss_scale", "zero_optimization.sub_group_size")


def test_accelerate_hybrid_sharding():
    scenario, unused = read(ACCELERATE)
    assert scenario["recipe"] == {
        "stack": "hf", "precision": "bf16", "recompute": "full", "layout": {"sharding": "hybrid"},
    }  # fmt: skip
    assert unused == ("compute_environment", "num_processes")


def test_orpo_pairs_have_no_reference_model():
    scenario, _unused = read(TRAINER_ORPO)
    assert scenario["strategy"] == {"method": "full", "objective": "dpo", "reference_model": False}
    assert scenario["model"] == {"preset": "mixtral-8x22b", "context_tokens": 2048}
    assert scenario["recipe"]["optimizer"] == "adamw_8bit"


@pytest.mark.parametrize("data", [AXOLOTL_QLORA, LLAMA_FACTORY_VL, TORCHTUNE, DEEPSPEED, ACCELERATE, TRAINER_ORPO])
def test_every_partial_task_is_accepted_by_the_engine(data):
    task, _unused = read_training_config(data)
    parse_task({"schema": "task/1"} | task)


@pytest.mark.parametrize(
    ("data", "label"),
    [
        ({"parallelism": {"dp": 1}, "tokens": {}, "model": {}}, "Nanotron"),
        ({"pipe_parallel_size": 4, "model_parallel_size": 2}, "GPT-NeoX"),
        ({"train_loader": {}, "max_duration": "1ep"}, "LLM Foundry"),
        ({"MBS": 1, "LN": 94}, "XTuner llm_calc"),
        ({"hidden": 1, "attn_heads": 160, "num_blocks": 128}, "Calculon"),
        ({"job": {}, "training": {"seq_len": 8192}}, "torchtitan"),
        ({"work_group": "x", "modules": {}}, "Primus"),
        ({"trainer": {}, "exp_manager": {}}, "NeMo"),
    ],
)
def test_other_programs_are_refused_by_name(data, label):
    with pytest.raises(ConfigError) as error:
        read_training_config(data)
    assert (error.value.code, error.value.params) == ("config_format_refused", {"format": label})


def test_something_else_says_what_it_has():
    with pytest.raises(ConfigError) as error:
        training_kind({"colour": "blue"})
    assert (error.value.code, error.value.params) == ("training_unknown_format", {"keys": "colour"})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"sequence_len": "2048"}, "config_not_number"),
        ({"micro_batch_size": 10**12}, "config_out_of_range"),
        ({"lora_dropout": 7}, "config_out_of_range"),
        ({"adapter": ["qlora"]}, "config_not_text"),
        ({"num_epochs": "many"}, "config_not_number"),
    ],
)
def test_wrong_figures_are_named(change, code):
    with pytest.raises(ConfigError) as error:
        read_training_config(AXOLOTL_QLORA | change)
    assert error.value.code == code
    assert error.value.params["key"] in change
