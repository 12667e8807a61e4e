"""Configurations of encoders, hybrids, speech and two-tower models with the counts of their transformers classes."""

from typing import Any

ALBERT_XXL = {
    "model_type": "albert", "vocab_size": 30000, "embedding_size": 128, "hidden_size": 4096, "num_hidden_layers": 12,
    "num_attention_heads": 64, "intermediate_size": 16384, "max_position_embeddings": 512, "type_vocab_size": 2,
}  # fmt: skip
ELECTRA_SMALL = {
    "model_type": "electra", "vocab_size": 30522, "embedding_size": 128, "hidden_size": 256, "num_hidden_layers": 12,
    "num_attention_heads": 4, "intermediate_size": 1024, "max_position_embeddings": 512, "type_vocab_size": 2,
}  # fmt: skip
DEBERTA_V3_BASE = {
    "model_type": "deberta-v2", "vocab_size": 128100, "hidden_size": 768, "num_hidden_layers": 12,
    "num_attention_heads": 12, "intermediate_size": 3072, "max_position_embeddings": 512, "type_vocab_size": 0,
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": "p2c|c2p", "position_biased_input": False, "max_relative_positions": -1,
}  # fmt: skip
DISTILBERT = {
    "model_type": "distilbert", "vocab_size": 30522, "dim": 768, "n_layers": 6, "n_heads": 12, "hidden_dim": 3072,
    "max_position_embeddings": 512,
}  # fmt: skip
MPNET = {
    "model_type": "mpnet", "vocab_size": 30527, "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": 3072, "max_position_embeddings": 514, "relative_attention_num_buckets": 32,
}  # fmt: skip
NLLB_600M = {
    "model_type": "m2m_100", "vocab_size": 256206, "d_model": 1024, "encoder_layers": 12, "decoder_layers": 12,
    "encoder_attention_heads": 16, "decoder_attention_heads": 16, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096,
    "max_position_embeddings": 1024,
}  # fmt: skip
WAV2VEC2_BASE = {
    "model_type": "wav2vec2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
    "intermediate_size": 3072, "conv_dim": [512] * 7, "conv_kernel": [10, 3, 3, 3, 3, 2, 2], "conv_bias": False,
    "feat_extract_norm": "group", "num_conv_pos_embeddings": 128, "num_conv_pos_embedding_groups": 16,
}  # fmt: skip
SIGLIP_BASE = {
    "model_type": "siglip", "text_config": {"model_type": "siglip_text_model"},
    "vision_config": {"model_type": "siglip_vision_model"},
}  # fmt: skip
QWEN3_NEXT_80B = {
    "model_type": "qwen3_next", "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 5120,
    "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 2, "head_dim": 256,
    "linear_conv_kernel_dim": 4, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_num_key_heads": 16,
    "linear_num_value_heads": 32, "decoder_sparse_step": 1, "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512, "num_experts_per_tok": 10, "num_experts": 512, "tie_word_embeddings": False,
}  # fmt: skip
JAMBA = {
    "model_type": "jamba", "vocab_size": 65536, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "num_experts": 16,
    "num_experts_per_tok": 2, "expert_layer_period": 2, "expert_layer_offset": 1, "attn_layer_period": 8,
    "attn_layer_offset": 4, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2, "tie_word_embeddings": False,
}  # fmt: skip
FALCON_MAMBA = {
    "model_type": "falcon_mamba", "vocab_size": 50280, "hidden_size": 768, "num_hidden_layers": 32, "state_size": 16,
    "expand": 2, "conv_kernel": 4, "tie_word_embeddings": True,
}  # fmt: skip
PHI_35_MOE = {
    "model_type": "phimoe", "vocab_size": 32064, "hidden_size": 4096, "intermediate_size": 6400,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "num_local_experts": 16,
    "num_experts_per_tok": 2, "attention_bias": True, "lm_head_bias": True, "tie_word_embeddings": False,
}  # fmt: skip
COMMAND_R = {
    "model_type": "cohere", "vocab_size": 256000, "hidden_size": 8192, "intermediate_size": 22528,
    "num_hidden_layers": 40, "num_attention_heads": 64, "logit_scale": 0.0625,
}  # fmt: skip
MINICPM3 = {
    "model_type": "minicpm3", "vocab_size": 73448, "hidden_size": 2560, "intermediate_size": 6400,
    "num_hidden_layers": 62, "num_attention_heads": 40, "q_lora_rank": 768, "kv_lora_rank": 256,
    "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "v_head_dim": 64, "tie_word_embeddings": True,
}  # fmt: skip

OTHER_COUNTS: dict[str, tuple[dict[str, Any], int]] = {
    "albert xxl: one layer stored for twelve": (ALBERT_XXL, 222_595_584),
    "electra small": (ELECTRA_SMALL, 13_483_008),
    "deberta v3 base": (DEBERTA_V3_BASE, 183_831_552),
    "distilbert": (DISTILBERT, 66_362_880),
    "mpnet base": (MPNET, 109_486_464),
    "nllb 600m": (NLLB_600M, 615_073_792),
    "wav2vec 2.0 base": (WAV2VEC2_BASE, 94_371_712),
    "siglip base": (SIGLIP_BASE, 203_155_970),
    "qwen3-next 80b": (QWEN3_NEXT_80B, 79_674_391_296),
    "jamba": (JAMBA, 51_570_323_328),
    "falcon mamba defaults": (FALCON_MAMBA, 159_308_544),
    "phi 3.5 moe": (PHI_35_MOE, 41_873_153_344),
    "command r": (COMMAND_R, 34_980_831_232),
    "minicpm 3": (MINICPM3, 4_073_875_968),
}
