"""Every assumption that reading a model may state, with the kinds of its figures."""

ASSUMPTIONS: dict[str, dict[str, str]] = {
    "tied_by_family": {},
    "untied_by_family": {},
    "vocab_by_family": {"value": "count"},
    "labels_assumed": {"value": "count"},
    "experts_per_token_assumed": {"value": "count"},
    "ffn_usual": {"value": "count"},
    "decoder_deep_as_encoder": {"layers": "count"},
    "prediction_heads_not_counted": {},
    "sparse_attention_counted_dense": {"topk": "count"},
    "stored_quantized": {"method": "text"},
    "native_key_names": {},
    "model_type_by_keys": {"model_type": "text"},
    "model_type_unknown": {"model_type": "text"},
    "mlp_gated_assumed": {"activation": "text"},
    "mlp_not_gated_assumed": {"activation": "text"},
    "norms_assumed": {"kind": "text"},
    "tower_not_described": {},
    "tower_only_named": {"tower": "text"},
    "tower_by_clip": {"model_type": "text"},
    "shape_of_nearest": {"model": "text", "params": "params"},
}
