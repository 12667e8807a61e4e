"""Encoders and encoder-decoders: BERT and its kin, CLIP's text tower, T5, BART, Whisper."""

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Attention, Block, Matrix, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, HEADS, HIDDEN, LAYERS

FFN = ("intermediate_size", "hidden_dim", "ffn_dim", "d_ff")


def encoder_blocks(
    layers: int,
    hidden: int,
    heads: int,
    width: int,
    *,
    bias: bool = True,
    norm: int = 2,
    gated: bool = False,
    head_dim: int | None = None,
    causal: bool = False,
    key_bias: bool = True,
    extra_vectors: int = 0,
    stack: str = "encoder",
) -> Block:
    """`layers` classic transformer layers: biased attention, MLP, two norms.

    key_bias: False leaves out the key projection's bias (Whisper). norm: parameters per channel of one norm.
    """
    dim = head_dim or _divide(hidden, heads)
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=causal)
    feed_forward, mlp = dense_mlp(hidden, width, gated=gated, bias=bias)
    less = 0 if key_bias or not bias else heads * dim
    return Block(
        count=layers,
        hidden=hidden,
        matrices=attention_matrices(hidden, core, qkv_bias=bias, out_bias=bias) + mlp,
        attention=core,
        feed_forward=feed_forward,
        vector_params=2 * norm * hidden - less + extra_vectors,
        stack="encoder" if stack == "encoder" else "decoder",
    )


def cross_blocks(
    layers: int,
    hidden: int,
    heads: int,
    width: int,
    *,
    bias: bool = True,
    norm: int = 2,
    gated: bool = False,
    head_dim: int | None = None,
    key_bias: bool = True,
) -> Block:
    """`layers` layers of a decoder that also looks at an encoder: two attentions, MLP, three norms."""
    dim = head_dim or _divide(hidden, heads)
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim)
    cross = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False, cross=True)
    feed_forward, mlp = dense_mlp(hidden, width, gated=gated, bias=bias)
    looking = tuple(
        Matrix(name=f"cross_{m.name}", role=m.role, inputs=m.inputs, outputs=m.outputs, bias=m.bias)
        for m in attention_matrices(hidden, cross, qkv_bias=bias, out_bias=bias)
    )
    less = 0 if key_bias or not bias else 2 * heads * dim
    return Block(
        count=layers,
        hidden=hidden,
        matrices=attention_matrices(hidden, core, qkv_bias=bias, out_bias=bias) + looking + mlp,
        attention=core,
        cross=cross,
        feed_forward=feed_forward,
        vector_params=3 * norm * hidden - less,
    )


def _divide(hidden: int, heads: int) -> int:
    if hidden % heads:
        raise ConfigError("config_inconsistent", key="num_attention_heads", value=heads, limit=hidden)
    return hidden // heads


def read_bert(fields: Fields, *, name: str) -> ModelShape:
    """BERT, RoBERTa, XLM-R, DistilBERT: the bare encoder with its pooler; a task head adds under 1 %.

    Source: Devlin et al. 2018, arXiv:1810.04805; BertModel in transformers.
    """
    model_type = fields.text("model_type", default="bert")
    hidden = fields.integer(*HIDDEN)
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    positions = fields.integer(*CONTEXT, default=512, most=100_000_000)
    types = fields.integer("type_vocab_size", default=2, least=0)
    block = encoder_blocks(
        fields.layers(*LAYERS), hidden, fields.integer(*HEADS), fields.integer(*FFN, default=4 * hidden)
    )
    pooler = 0 if model_type == "distilbert" else hidden * (hidden + 1)
    if _masked_head(fields):
        pooler = hidden * (hidden + 1) + 2 * hidden + vocab
    return ModelShape(
        name=name,
        family="encoder",
        hidden=hidden,
        blocks=(block,),
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_width=vocab if _masked_head(fields) else 0,
        tied=True,
        rest_params=(positions + (0 if model_type == "distilbert" else types)) * hidden + 2 * hidden + pooler,
        max_context=positions,
        assumptions=tuple(fields.assumptions),
    )


def _masked_head(fields: Fields) -> bool:
    architectures = fields.items("architectures") or ()
    return any("MaskedLM" in str(a) or "PreTraining" in str(a) for a in architectures)


def read_modern_bert(fields: Fields, *, name: str) -> ModelShape:
    """ModernBERT: gated MLP, no biases, alternating windows. Source: arXiv:2412.13663; ModernBertModel."""
    hidden, heads = fields.integer(*HIDDEN), fields.integer(*HEADS)
    layers, width = fields.layers(*LAYERS), fields.integer(*FFN)
    vocab = fields.integer("vocab_size", default=50_368, most=MOST_VOCAB)
    window = fields.integer("local_attention", default=128, most=1_000_000)
    every = fields.integer("global_attn_every_n_layers", default=3)
    dim = _divide(hidden, heads)
    full = -(-layers // every)
    blocks = []
    for count, reach in ((full, None), (layers - full, window)):
        core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, window=reach, causal=False)
        feed_forward, mlp = dense_mlp(hidden, width, gated=True)
        blocks.append(
            Block(
                count=count,
                hidden=hidden,
                matrices=attention_matrices(hidden, core) + mlp,
                attention=core,
                feed_forward=feed_forward,
                vector_params=2 * hidden,
                stack="encoder",
            )
        )
    masked = _masked_head(fields)
    return ModelShape(
        name=name,
        family="encoder",
        hidden=hidden,
        blocks=tuple(b for b in blocks if b.count),
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_width=vocab if masked else 0,
        tied=True,
        # the first layer has no norm before its attention: one less, and one after the embedding
        rest_params=hidden + (hidden * hidden + hidden + vocab if masked else 0),
        max_context=fields.integer(*CONTEXT, default=8192, most=100_000_000),
        assumptions=tuple(fields.assumptions),
    )


def read_clip_text(fields: Fields, *, name: str) -> ModelShape:
    """CLIP's text tower. Source: Radford et al. 2021, arXiv:2103.00020; CLIPTextModel."""
    hidden = fields.integer(*HIDDEN, default=512)
    vocab = fields.integer("vocab_size", default=49_408, most=MOST_VOCAB)
    positions = fields.integer("max_position_embeddings", default=77, most=100_000_000)
    block = encoder_blocks(
        fields.layers("num_hidden_layers") if fields.has("num_hidden_layers") else 12,
        hidden,
        fields.integer("num_attention_heads", default=8),
        fields.integer("intermediate_size", default=4 * hidden),
        causal=True,
    )
    architectures = fields.items("architectures") or ()
    projection = 0
    if any("WithProjection" in str(a) for a in architectures):
        projection = hidden * fields.integer("projection_dim", default=hidden)
    return ModelShape(
        name=name,
        family="encoder",
        hidden=hidden,
        blocks=(block,),
        vocab=vocab,
        embedding_params=vocab * hidden,
        rest_params=positions * hidden + 2 * hidden + projection,
        max_context=positions,
        assumptions=tuple(fields.assumptions),
    )
