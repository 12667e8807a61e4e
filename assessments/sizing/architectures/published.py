"""Models of which only published figures are used: a count, the work of a sample and its kept activations."""

from assessments.sizing.architectures.blocks import attention_matrices, dense_mlp
from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Grid, Patches
from assessments.sizing.architectures.fields import MOST_COUNT, MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Attention, Block, Matrix, ModelShape


def read_published(fields: Fields, *, name: str) -> ModelShape:
    """A network as its publishers print it; dimensions inside are not known.

    params [count]; gmacs: multiply-adds of one sample forward [10^9]; activation_mib: kept for the backward pass in
    16-bit at the reference size [MiB]; embedding_rows × hidden: look-up tables of a recommender.
    """
    unit = fields.text("unit", default="pixel")
    reference = fields.integer("reference_units", default=224 * 224, most=MOST_COUNT)
    embedding = fields.integer("embedding_params", default=0, least=0, most=MOST_COUNT * 100)
    params = fields.integer("params", most=MOST_COUNT * 100)
    side = fields.integer("native_size", default=None, most=100_000)
    return ModelShape(
        name=name,
        family="other",
        hidden=fields.integer("hidden_size", default=1, most=MOST_VOCAB),
        blocks=(),
        embedding_params=embedding,
        rest_params=params - embedding,
        grid=Grid(
            unit="pixel" if unit == "pixel" else "audio_frame" if unit == "audio_frame" else "row",
            reference_units=reference,
            forward_flops=2e9 * fields.number("gmacs", default=0.0, most=1e9),
            attention_flops=2e9 * fields.number("attention_gmacs", default=0.0, most=1e9),
            activation_bytes=2**20 * fields.number("activation_mib", default=0.0, most=1e9),
            source=fields.text("work_source"),
        ),
        patches=Patches(
            native_size=side,
            downsample=fields.integer("downsample", default=1),
            frames_per_second=fields.number("frames_per_second", default=0.0),
        ),
        assumptions=tuple(fields.assumptions),
    )


def read_patch_transformer(fields: Fields, *, name: str) -> ModelShape:
    """A transformer over patches (pictures, clips) from published dimensions; the rest of its count is outside blocks.

    cross: tokens of a prompt attend from a second attention; prompt_tokens: tokens that join the sequence instead.
    modulation, embeddings and heads work once per sample or are small: parameters without work per token.
    """
    hidden, heads = fields.integer("hidden_size"), fields.integer("num_attention_heads", most=100_000)
    dim = fields.integer("head_dim", default=max(hidden // heads, 1))
    core = Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False)
    gated = fields.boolean("gated", default=False)
    feed_forward, matrices = dense_mlp(hidden, fields.integer("intermediate_size", default=4 * hidden), gated=gated)
    own = attention_matrices(hidden, core)
    matrices = own + matrices
    crosses = fields.boolean("cross", default=False)
    if crosses:
        matrices += tuple(
            Matrix(
                name=f"cross_{m.name}", role=m.role, inputs=m.inputs, outputs=m.outputs, used=int(m.name in {"q", "o"})
            )
            for m in own
        )
    if fields.boolean("two_streams", default=False):
        matrices += tuple(
            Matrix(name=f"text_{m.name}", role=m.role, inputs=m.inputs, outputs=m.outputs, used=0) for m in matrices
        )
    block = Block(
        count=fields.layers("num_hidden_layers"),
        hidden=hidden,
        matrices=matrices,
        attention=core,
        cross=Attention(heads=heads, kv_heads=heads, key_dim=dim, value_dim=dim, causal=False, window=512, cross=True)
        if crosses
        else None,
        feed_forward=feed_forward,
        stack="encoder",
    )
    params = fields.integer("params", most=MOST_COUNT)
    rest = params - block.count * block.params
    if rest < 0:
        raise ConfigError("config_inconsistent", key="params", value=params, limit=params - rest)
    return ModelShape(
        name=name,
        family="diffusion",
        hidden=hidden,
        blocks=(block,),
        rest_params=rest,
        patches=Patches(
            patch=fields.integer("patch_size", default=2, most=1000),
            frame_patch=fields.integer("frame_patch", default=1, most=1000),
            downsample=fields.integer("downsample", default=1, most=1000),
            extra=fields.integer("prompt_tokens", default=0, least=0),
            native_size=fields.integer("native_size", default=None, most=100_000),
            frames_per_second=fields.number("frames_per_second", default=0.0),
            resizes=fields.boolean("resizes", default=True),
        ),
        assumptions=tuple(fields.assumptions),
    )
