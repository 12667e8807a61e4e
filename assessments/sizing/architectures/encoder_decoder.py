"""Encoder-decoders: T5, BART and their kin, Whisper."""

from assessments.sizing.architectures.encoder import cross_blocks, encoder_blocks
from assessments.sizing.architectures.extent import Patches
from assessments.sizing.architectures.fields import MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Block, ModelShape


def read_t5(fields: Fields, *, name: str) -> ModelShape:
    """T5 and its kin: no biases, relative positions, RMS norms; the encoder alone when the file says so.

    Source: Raffel et al. 2019, arXiv:1910.10683; T5ForConditionalGeneration, T5EncoderModel.
    """
    hidden, heads = fields.integer("d_model"), fields.integer("num_heads")
    width, head_dim = fields.integer("d_ff"), fields.integer("d_kv")
    layers = fields.layers("num_layers")
    if fields.has("num_decoder_layers"):
        decoder_layers = fields.layers("num_decoder_layers")
    else:
        decoder_layers = layers
        fields.assume("decoder_deep_as_encoder", layers=layers)
    gated = fields.text("feed_forward_proj", default="relu").startswith("gated")
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    buckets = fields.integer("relative_attention_num_buckets", default=32)
    architectures = [str(a) for a in fields.items("architectures") or ()]
    only_encoder = any("EncoderModel" in a for a in architectures)
    model_type = fields.text("model_type", default="t5")
    # umt5 keeps a bias table in every layer, t5 and mt5 one per stack
    tables = layers if model_type == "umt5" else 1
    encoder = encoder_blocks(layers, hidden, heads, width, bias=False, norm=1, gated=gated, head_dim=head_dim)
    tied = fields.boolean("tie_word_embeddings", default=model_type != "mt5")
    blocks: tuple[Block, ...] = (encoder,)
    rest = hidden + tables * buckets * heads
    if not only_encoder:
        blocks += (
            cross_blocks(decoder_layers, hidden, heads, width, bias=False, norm=1, gated=gated, head_dim=head_dim),
        )
        rest += hidden + (decoder_layers if model_type == "umt5" else 1) * buckets * heads
    return ModelShape(
        name=name,
        family="encoder" if only_encoder else "encoder_decoder",
        hidden=hidden,
        blocks=blocks,
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_params=0 if tied or only_encoder else vocab * hidden,
        head_width=0 if only_encoder else vocab,
        tied=tied,
        rest_params=rest,
        max_context=fields.integer("n_positions", default=None, most=100_000_000),
        assumptions=tuple(fields.assumptions),
    )


def read_bart(fields: Fields, *, name: str) -> ModelShape:
    """BART, mBART, Marian, Pegasus, NLLB-dense: learned or fixed positions, shared embeddings.

    Source: Lewis et al. 2019, arXiv:1910.13461; BartForConditionalGeneration.
    """
    model_type = fields.text("model_type", default="bart")
    hidden = fields.integer("d_model")
    vocab = fields.integer("vocab_size", most=MOST_VOCAB)
    positions = fields.integer("max_position_embeddings", default=1024, most=100_000_000)
    encoder = encoder_blocks(
        fields.layers("encoder_layers"),
        hidden,
        fields.integer("encoder_attention_heads"),
        fields.integer("encoder_ffn_dim"),
    )
    decoder = cross_blocks(
        fields.layers("decoder_layers"),
        hidden,
        fields.integer("decoder_attention_heads"),
        fields.integer("decoder_ffn_dim"),
    )
    rest = {
        "bart": 2 * (positions + 2) * hidden + 4 * hidden,
        "mbart": 2 * (positions + 2) * hidden + 8 * hidden,
        "pegasus": 2 * positions * hidden + 4 * hidden,
        "blenderbot": 2 * positions * hidden + 4 * hidden,
        "marian": 2 * positions * hidden,
    }.get(model_type, 4 * hidden)
    return ModelShape(
        name=name,
        family="encoder_decoder",
        hidden=hidden,
        blocks=(encoder, decoder),
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_width=vocab,
        tied=True,
        rest_params=rest,
        max_context=positions,
        assumptions=tuple(fields.assumptions),
    )


def read_whisper(fields: Fields, *, name: str) -> ModelShape:
    """Whisper: two convolutions, an encoder over 1,500 frames, a text decoder.

    Source: Radford et al. 2022, arXiv:2212.04356, table 1; WhisperForConditionalGeneration.
    """
    hidden = fields.integer("d_model")
    mels = fields.integer("num_mel_bins", default=80, most=100_000)
    vocab = fields.integer("vocab_size", default=51_865, most=MOST_VOCAB)
    frames = fields.integer("max_source_positions", default=1500, most=1_000_000)
    targets = fields.integer("max_target_positions", default=448, most=1_000_000)
    encoder = encoder_blocks(
        fields.layers("encoder_layers"),
        hidden,
        fields.integer("encoder_attention_heads"),
        fields.integer("encoder_ffn_dim"),
        key_bias=False,
    )
    decoder = cross_blocks(
        fields.layers("decoder_layers"),
        hidden,
        fields.integer("decoder_attention_heads"),
        fields.integer("decoder_ffn_dim"),
        key_bias=False,
    )
    stem = 3 * mels * hidden + hidden + 3 * hidden * hidden + hidden
    return ModelShape(
        name=name,
        family="speech",
        hidden=hidden,
        blocks=(encoder, decoder),
        vocab=vocab,
        embedding_params=vocab * hidden,
        head_width=vocab,
        tied=True,
        rest_params=stem + (frames + targets) * hidden + 4 * hidden,
        max_context=targets,
        patches=Patches(frames_per_second=50.0, max_tokens=frames, native_size=frames),
        assumptions=tuple(fields.assumptions),
    )
