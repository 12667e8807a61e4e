"""Attention of one layer: plain, with latent keys, with windows and biases as the file says."""

from assessments.sizing.architectures.blocks import attention_matrices, latent_attention
from assessments.sizing.architectures.dialects import Dialect
from assessments.sizing.architectures.fields import Fields
from assessments.sizing.architectures.shape import Attention, Matrix
from assessments.sizing.architectures.widths import Widths


def layer_windows(fields: Fields, dialect: Dialect, layers: int) -> list[int | None]:
    """How far each layer looks back [tokens]; None = all."""
    window = fields.integer(
        "sliding_window", "attention_chunk_size", "window_size", default=None, least=-1, most=1_000_000_000
    )
    if window is None or window < 1 or fields.data.get("use_sliding_window") is False:
        return [None] * layers
    kinds = fields.items("layer_types", "attention_layers")
    if kinds is not None and len(kinds) == layers:
        return [window if kind in {"sliding_attention", "chunked_attention", "local"} else None for kind in kinds]
    if fields.data.get("use_sliding_window"):
        first = fields.integer("max_window_layers", default=0, least=0)
        return [window if i >= first else None for i in range(layers)]
    if fields.has("attention_chunk_size"):
        every = fields.integer("no_rope_layer_interval", default=4)
        return [window if (i + 1) % every else None for i in range(layers)]
    every = (
        fields.integer("sliding_window_pattern", "_sliding_window_pattern", default=dialect.window_every)
        if not isinstance(fields.data.get("sliding_window_pattern"), str)
        else dialect.window_every
    )
    if every is not None:
        return [window if (i + 1) % every else None for i in range(layers)]
    return [window if dialect.windowed else None] * layers


def attention_biases(fields: Fields, dialect: Dialect) -> tuple[bool, bool, bool]:
    """Biases of (query, key, value), of the output and of the MLP: the file's keys over the family's rule."""
    qkv, out, mlp = dialect.qkv_bias, dialect.out_bias, dialect.mlp_bias
    if fields.has("attention_bias") and dialect.bias_reach != "none":
        qkv = fields.boolean("attention_bias", default=qkv)
        out = qkv if dialect.bias_reach == "qkvo" else out
    if isinstance(fields.data.get("use_bias", fields.data.get("bias")), bool):
        qkv = out = fields.boolean("use_bias", "bias", default=qkv)
        mlp = qkv if fields.data.get("model_type") not in {"internlm", "internlm2"} else mlp
    if fields.data.get("no_bias") is False:
        qkv = out = mlp = not fields.boolean("no_bias", default=True)
    for key in ("qkv_bias", "use_qkv_bias", "add_qkv_bias"):
        if fields.has(key):
            qkv = fields.boolean(key, default=qkv)
    if fields.has("attention_out_bias"):
        out = fields.boolean("attention_out_bias", default=out)
    if fields.has("mlp_bias"):
        mlp = fields.boolean("mlp_bias", default=mlp)
    return qkv, out, mlp


def read_attention(
    fields: Fields,
    dialect: Dialect,
    widths: Widths,
    *,
    window: int | None,
    qkv_bias: bool,
    out_bias: bool,
    gate: bool = False,
) -> tuple[Attention, tuple[Matrix, ...], int]:
    """Attention of one layer: the core, its matrices, and the parameters of its own norms and sinks."""
    if fields.has("kv_lora_rank"):
        return _read_latent(fields, widths, bias=qkv_bias)
    core = Attention(
        heads=widths.heads,
        kv_heads=widths.kv_heads,
        key_dim=widths.head_dim,
        value_dim=widths.head_dim,
        window=window,
    )
    matrices = attention_matrices(widths.hidden, core, qkv_bias=qkv_bias, out_bias=out_bias, gate=gate)
    vectors = widths.heads if dialect.sinks else 0
    keys = core.kv_heads * core.key_dim
    has_qk_norm = fields.boolean(
        "use_qk_norm", "qk_layernorm", "qk_norm", "use_query_key_norm", default=bool(dialect.qk_norm)
    )
    if has_qk_norm and dialect.qk_norm == "width":
        vectors += core.query_width + keys
    elif has_qk_norm and dialect.qk_norm == "head_each":
        vectors += 2 * 2 * core.key_dim
    elif has_qk_norm and fields.data.get("model_type") in {"cohere", "stablelm"}:
        vectors += core.query_width + keys
    elif has_qk_norm and fields.data.get("model_type") != "llama4_text":  # Llama 4 normalises without a scale
        vectors += 2 * core.key_dim
    return core, matrices, vectors


def _read_latent(fields: Fields, widths: Widths, *, bias: bool) -> tuple[Attention, tuple[Matrix, ...], int]:
    """Latent attention, with the sparse indexer of DeepSeek-V3.2 where the file has one."""
    rank = fields.integer("q_lora_rank", default=0, least=0)
    core, matrices, vectors = latent_attention(
        widths.hidden,
        heads=widths.heads,
        query_rank=rank,
        key_value_rank=fields.integer("kv_lora_rank"),
        nope_dim=fields.integer("qk_nope_head_dim"),
        rope_dim=fields.integer("qk_rope_head_dim"),
        value_dim=fields.integer("v_head_dim"),
        bias=bias,
    )
    if fields.has("index_n_heads"):
        index_heads = fields.integer("index_n_heads", most=100_000)
        index_dim = fields.integer("index_head_dim", most=100_000)
        matrices += (
            Matrix(name="index_q", role="attention", inputs=rank or widths.hidden, outputs=index_heads * index_dim),
            Matrix(name="index_k", role="attention", inputs=widths.hidden, outputs=index_dim),
            Matrix(name="index_weights", role="attention", inputs=widths.hidden, outputs=index_heads),
        )
        vectors += 2 * index_dim
        fields.assume("sparse_attention_counted_dense", topk=fields.integer("index_topk", default=0, least=0))
    return core, matrices, vectors
