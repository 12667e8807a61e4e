"""Encoders that differ from BERT in their embeddings, sharing or positions; self-supervised speech encoders."""

from dataclasses import replace

from assessments.sizing.architectures.encoder import FFN, encoder_blocks
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Block, ModelShape
from assessments.sizing.architectures.widths import CONTEXT, HEADS, HIDDEN, LAYERS


def _encoder(fields: Fields, name: str, *, rest: int, vocab: int, embedding: int, sharing: bool = False) -> ModelShape:
    """A plain encoder; `sharing` stores one layer's parameters and runs them in all layers."""
    hidden = fields.integer(*HIDDEN)
    layers = fields.layers(*LAYERS)
    block = encoder_blocks(
        1 if sharing else layers, hidden, fields.integer(*HEADS), fields.integer(*FFN, default=4 * hidden)
    )
    blocks: tuple[Block, ...] = (block,)
    if sharing and layers > 1:
        again = tuple(replace(m, copies=0) for m in block.matrices)
        blocks += (replace(block, count=layers - 1, matrices=again, vector_params=0),)
    return ModelShape(
        name=name,
        family="encoder",
        hidden=hidden,
        blocks=blocks,
        vocab=vocab,
        embedding_params=vocab * embedding,
        tied=True,
        rest_params=rest,
        max_context=fields.integer(*CONTEXT, default=512, most=100_000_000),
        assumptions=tuple(fields.assumptions),
    )


def read_narrow_embedding(fields: Fields, *, name: str) -> ModelShape:
    """ELECTRA and ALBERT: embeddings narrower than the layers; ALBERT stores one layer for all.

    Source: Clark et al. 2020, arXiv:2003.10555; Lan et al. 2019, arXiv:1909.11942, section 3.1.
    """
    is_albert = fields.text("model_type") == "albert"
    hidden = fields.integer(*HIDDEN)
    width = fields.integer("embedding_size", default=128)
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    positions = fields.integer(*CONTEXT, default=512, most=100_000_000)
    types = fields.integer("type_vocab_size", default=2, least=0)
    rest = (positions + types) * width + 2 * width
    if width != hidden or is_albert:
        rest += (width + 1) * hidden
    rest += hidden * (hidden + 1) if is_albert else 0
    return _encoder(fields, name, rest=rest, vocab=vocab, embedding=width, sharing=is_albert)


def read_deberta(fields: Fields, *, name: str) -> ModelShape:
    """DeBERTa v2 and v3: relative positions shared by all layers. Source: He et al. 2021, arXiv:2111.09543."""
    hidden, layers = fields.integer(*HIDDEN), fields.layers(*LAYERS)
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    positions = fields.integer(*CONTEXT, default=512, most=100_000_000)
    rest = 2 * hidden + fields.integer("type_vocab_size", default=0, least=0) * hidden
    if fields.boolean("position_biased_input", default=True):
        rest += positions * hidden
    if fields.boolean("relative_attention", default=False):
        buckets = fields.integer("position_buckets", default=-1, least=-1, most=1_000_000)
        reach = fields.integer("max_relative_positions", default=-1, least=-1, most=1_000_000)
        rest += 2 * (buckets if buckets > 0 else reach if reach > 0 else positions) * hidden
        if not fields.boolean("share_att_key", default=False):
            kinds = str(fields.raw("pos_att_type") or "")
            rest += layers * sum(kind in kinds for kind in ("c2p", "p2c")) * hidden * (hidden + 1)
    if "layer_norm" in fields.text("norm_rel_ebd", default="none"):
        rest += 2 * hidden
    kernel = fields.integer("conv_kernel_size", default=0, least=0, most=1000)
    if kernel:
        rest += kernel * hidden * hidden + 3 * hidden
    return _encoder(fields, name, rest=rest, vocab=vocab, embedding=hidden)


def read_mpnet(fields: Fields, *, name: str) -> ModelShape:
    """MPNet: BERT without token types, with one table of relative positions. Source: arXiv:2004.09297."""
    hidden = fields.integer(*HIDDEN)
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    positions = fields.integer(*CONTEXT, default=512, most=100_000_000)
    buckets = fields.integer("relative_attention_num_buckets", default=32)
    rest = positions * hidden + 2 * hidden + hidden * (hidden + 1) + buckets * fields.integer(*HEADS)
    return _encoder(fields, name, rest=rest, vocab=vocab, embedding=hidden)


def read_wav2vec(fields: Fields, *, name: str) -> ModelShape:
    """wav2vec 2.0, HuBERT, WavLM: convolutions over the waveform, 50 frames a second, a biased encoder.

    Source: Baevski et al. 2020, arXiv:2006.11477, section 2; Wav2Vec2Model in transformers.
    """
    hidden = fields.integer("hidden_size", default=768)
    widths = fields.integers("conv_dim", default=(512,) * 7, least=1)
    kernels = fields.integers("conv_kernel", default=(10, 3, 3, 3, 3, 2, 2), least=1)
    if len(widths) != len(kernels) or not 1 <= len(widths) <= 50:
        raise ConfigError("config_inconsistent", key="conv_kernel", value=len(kernels), limit=len(widths))
    bias = fields.boolean("conv_bias", default=False)
    every = fields.text("feat_extract_norm", default="group") == "layer"
    rest, before = 0, 1
    for i, (width, kernel) in enumerate(zip(widths, kernels, strict=True)):
        rest += before * width * kernel + (width if bias else 0) + (2 * width if every or not i else 0)
        before = width
    span = fields.integer("num_conv_pos_embeddings", default=128)
    groups = fields.integer("num_conv_pos_embedding_groups", default=16)
    rest += 2 * before + (before + 1) * hidden
    rest += hidden * (hidden // groups) * span + span + hidden
    rest += 2 * hidden + hidden
    vocab = fields.integer("vocab_size", default=32, most=MOST_VOCAB)
    has_head = any("CTC" in str(a) for a in fields.items("architectures") or ())
    block = encoder_blocks(
        fields.layers("num_hidden_layers"),
        hidden,
        fields.integer("num_attention_heads"),
        fields.integer("intermediate_size", default=4 * hidden),
    )
    return ModelShape(
        name=name,
        family="speech",
        hidden=hidden,
        blocks=(block,),
        head_params=(hidden + 1) * vocab if has_head else 0,
        head_width=vocab if has_head else 0,
        rest_params=rest,
        patches=Patches(frames_per_second=50.0),
        assumptions=tuple(fields.assumptions),
    )
