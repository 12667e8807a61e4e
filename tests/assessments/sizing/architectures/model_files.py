"""Configurations as their publishers write them, reduced to a few keys, with the counts that they publish.

Figures: the model cards on the hub and the configuration classes of transformers, diffusers and open_clip.
"""

from typing import Any

LLAMA_31_8B = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "bos_token_id": 128000, "hidden_act": "silu",
    "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 131072, "mlp_bias": False,
    "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "tie_word_embeddings": False,
    "torch_dtype": "bfloat16", "vocab_size": 128256,
}  # fmt: skip
QWEN3_06B = {
    "model_type": "qwen3", "head_dim": 128, "hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16,
    "num_hidden_layers": 28, "num_key_value_heads": 8, "sliding_window": None, "tie_word_embeddings": True,
    "use_sliding_window": False, "max_window_layers": 28, "vocab_size": 151936, "max_position_embeddings": 40960,
}  # fmt: skip
QWEN3_32B = QWEN3_06B | {
    "hidden_size": 5120, "intermediate_size": 25600, "num_attention_heads": 64, "num_hidden_layers": 64,
    "tie_word_embeddings": False,
}  # fmt: skip
DEEPSEEK_V2_LITE = {
    "model_type": "deepseek_v2", "first_k_dense_replace": 1, "head_dim": 64, "hidden_size": 2048,
    "intermediate_size": 10944, "kv_lora_rank": 512, "max_position_embeddings": 163840, "moe_intermediate_size": 1408,
    "moe_layer_freq": 1, "n_routed_experts": 64, "n_shared_experts": 2, "num_attention_heads": 16,
    "num_experts_per_tok": 6, "num_hidden_layers": 27, "num_key_value_heads": 16, "q_lora_rank": None,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "tie_word_embeddings": False, "topk_method": "greedy",
    "v_head_dim": 128, "vocab_size": 102400,
}  # fmt: skip
DEEPSEEK_V3 = DEEPSEEK_V2_LITE | {
    "model_type": "deepseek_v3", "first_k_dense_replace": 3, "hidden_size": 7168, "intermediate_size": 18432,
    "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128,
    "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128, "q_lora_rank": 1536,
    "topk_method": "noaux_tc", "vocab_size": 129280, "num_nextn_predict_layers": 1,
}  # fmt: skip
MIXTRAL_8X7B = {
    "model_type": "mixtral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
    "num_experts_per_tok": 2, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
    "tie_word_embeddings": False, "vocab_size": 32000, "max_position_embeddings": 32768, "sliding_window": None,
}  # fmt: skip
GPT_OSS_20B = {
    "model_type": "gpt_oss", "attention_bias": True, "experts_per_token": 4, "head_dim": 64, "hidden_size": 2880,
    "intermediate_size": 2880, "layer_types": ["sliding_attention", "full_attention"] * 12, "num_attention_heads": 64,
    "num_experts_per_tok": 4, "num_hidden_layers": 24, "num_key_value_heads": 8, "num_local_experts": 32,
    "quantization_config": {"quant_method": "mxfp4"}, "sliding_window": 128, "tie_word_embeddings": False,
    "vocab_size": 201088,
}  # fmt: skip
FALCON_40B = {
    "model_type": "RefinedWeb", "alibi": False, "bias": False, "hidden_size": 8192, "n_head": 128, "n_head_kv": 8,
    "n_layer": 60, "vocab_size": 65024,
}  # fmt: skip
BLOOM_560M = {
    "model_type": "bloom", "hidden_size": 1024, "n_head": 16, "n_inner": None, "n_layer": 24, "vocab_size": 250880,
}  # fmt: skip
LLAMA_4_SCOUT = {
    "model_type": "llama4",
    "text_config": {
        "model_type": "llama4_text", "attention_bias": False, "attention_chunk_size": 8192, "head_dim": 128,
        "hidden_size": 5120, "interleave_moe_layer_step": 1, "intermediate_size": 8192, "intermediate_size_mlp": 16384,
        "num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8,
        "num_local_experts": 16, "use_qk_norm": True, "vocab_size": 202048,
    },
}  # fmt: skip
LLAMA_4_MAVERICK = {
    "model_type": "llama4",
    "text_config": LLAMA_4_SCOUT["text_config"] | {"interleave_moe_layer_step": 2, "num_local_experts": 128},
}  # fmt: skip
GEMMA_3_4B = {
    "model_type": "gemma3", "mm_tokens_per_image": 256,
    "text_config": {
        "model_type": "gemma3_text", "head_dim": 256, "hidden_size": 2560, "intermediate_size": 10240,
        "num_attention_heads": 8, "num_hidden_layers": 34, "num_key_value_heads": 4, "sliding_window": 1024,
        "sliding_window_pattern": 6, "vocab_size": 262208, "max_position_embeddings": 131072,
    },
    "vision_config": {
        "model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 896, "intermediate_size": 4304,
        "num_attention_heads": 16, "num_hidden_layers": 27, "patch_size": 14, "vision_use_head": False,
    },
}  # fmt: skip
QWEN25_VL_3B = {
    "model_type": "qwen2_5_vl", "hidden_size": 2048, "intermediate_size": 11008, "num_attention_heads": 16,
    "num_hidden_layers": 36, "num_key_value_heads": 2, "tie_word_embeddings": True, "vocab_size": 151936,
    "vision_config": {
        "depth": 32, "hidden_size": 1280, "intermediate_size": 3420, "num_heads": 16, "out_hidden_size": 2048,
        "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2, "window_size": 112,
        "fullatt_block_indexes": [7, 15, 23, 31],
    },
}  # fmt: skip
LLAVA_15_7B = {
    "model_type": "llava", "hidden_size": 4096, "intermediate_size": 11008, "mm_hidden_size": 1024,
    "mm_projector_type": "mlp2x_gelu", "mm_vision_tower": "openai/clip-vit-large-patch14-336",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32, "tie_word_embeddings": False,
    "vocab_size": 32000,
}  # fmt: skip
DEEPSEEK_NATIVE = {
    "vocab_size": 129280, "dim": 7168, "inter_dim": 18432, "moe_inter_dim": 2048, "n_layers": 61, "n_dense_layers": 3,
    "n_heads": 128, "n_routed_experts": 256, "n_shared_experts": 1, "n_activated_experts": 8, "q_lora_rank": 1536,
    "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "dtype": "fp8",
}  # fmt: skip
META_PARAMS_8B = {
    "dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256, "multiple_of": 1024,
    "ffn_dim_multiplier": 1.3, "norm_eps": 1e-05, "rope_theta": 500000.0,
}  # fmt: skip
NEMOTRON_NANO = {
    "model_type": "nemotron_h", "conv_kernel": 4, "head_dim": 128, "hidden_size": 2688,
    "hybrid_override_pattern": "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", "intermediate_size": 1856,
    "mamba_head_dim": 64, "mamba_num_heads": 64, "moe_intermediate_size": 1856,
    "moe_shared_expert_intermediate_size": 3712, "n_groups": 8, "n_routed_experts": 128, "n_shared_experts": 1,
    "num_attention_heads": 32, "num_experts_per_tok": 6, "num_hidden_layers": 52, "num_key_value_heads": 2,
    "ssm_state_size": 128, "tie_word_embeddings": False, "vocab_size": 131072, "use_conv_bias": True,
}  # fmt: skip
MAMBA_130M = {
    "model_type": "mamba", "conv_kernel": 4, "d_model": 768, "hidden_size": 768, "expand": 2, "n_layer": 24,
    "num_hidden_layers": 24, "state_size": 16, "time_step_rank": 48, "use_bias": False, "use_conv_bias": True,
}  # fmt: skip
SDXL = {
    "_class_name": "UNet2DConditionModel", "addition_embed_type": "text_time", "attention_head_dim": [5, 10, 20],
    "block_out_channels": [320, 640, 1280], "cross_attention_dim": 2048,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"], "in_channels": 4,
    "layers_per_block": 2, "out_channels": 4, "projection_class_embeddings_input_dim": 2816, "sample_size": 128,
    "transformer_layers_per_block": [1, 2, 10],
    "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], "use_linear_projection": True,
}  # fmt: skip
SEARCHED: dict[str, Any] = {
    "model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": None,
    "intermediate_size": None, "vocab_size": 128256, "tie_word_embeddings": False,
    "block_configs": [
        {"attention": {"n_heads_in_group": 8, "no_op": False}, "ffn": {"ffn_mult": 5.25, "no_op": False}},
        {"attention": {"n_heads_in_group": None, "no_op": True}, "ffn": {"ffn_mult": 1.3125, "no_op": False}},
    ],
}  # fmt: skip

# The file, all parameters, those that work on one token.
COUNTS: dict[str, tuple[dict[str, Any], int, int]] = {
    "llama-3.1-8b": (LLAMA_31_8B, 8_030_261_248, 8_030_261_248),
    "qwen3-0.6b": (QWEN3_06B, 596_049_920, 596_049_920),
    "qwen3-32b": (QWEN3_32B, 32_762_123_264, 32_762_123_264),
    "deepseek-v2-lite": (DEEPSEEK_V2_LITE, 15_706_484_224, 2_661_150_208),
    "deepseek-v3": (DEEPSEEK_V3, 671_026_419_200, 37_552_297_472),
    "deepseek-v3 in its own keys": (DEEPSEEK_NATIVE, 671_026_404_352, 37_552_282_624),
    "llama 3 8b in its own keys": (META_PARAMS_8B, 8_030_261_248, 8_030_261_248),
    "mixtral-8x7b": (MIXTRAL_8X7B, 46_702_792_704, 12_879_925_248),
    "gpt-oss-20b": (GPT_OSS_20B, 20_914_757_184, 4_187_440_704),
    "falcon-40b": (FALCON_40B, 41_303_293_952, 41_303_293_952),
    "bloom-560m": (BLOOM_560M, 559_214_592, 559_214_592),
    "llama-4-scout, text": (LLAMA_4_SCOUT, 107_769_861_120, 17_172_894_720),
    "gemma-3-4b": (GEMMA_3_4B, 4_300_079_472, 4_300_079_472),
    "qwen2.5-vl-3b": (QWEN25_VL_3B, 3_754_622_976, 3_754_622_976),
    "llava-1.5-7b": (LLAVA_15_7B, 7_062_902_784, 7_062_902_784),
    "nemotron-3-nano": (NEMOTRON_NANO, 31_577_937_344, 3_580_073_408),
    "mamba-130m": (MAMBA_130M, 129_135_360, 129_135_360),
    "sdxl": (SDXL, 2_567_463_684, 2_567_463_684),
}
