"""Models of which only published figures are used: a count, the work of a sample and its kept activations."""

from assessments.sizing.architectures.fields import MOST_COUNT, MOST_VOCAB, Fields
from assessments.sizing.architectures.shape import Grid, ModelShape, Patches

UNITS = {"pixel", "audio_frame", "row"}


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
