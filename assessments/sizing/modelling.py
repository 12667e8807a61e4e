"""The model of a scenario, closed: shape, sequence, networks beside it, at both ends of what was left open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assessments.sizing import architectures
from assessments.sizing.answers import UNKNOWN
from assessments.sizing.architectures.samples import SampleSize, grid_units, sample_work
from assessments.sizing.architectures.shape import ModelShape
from assessments.sizing.assumptions import Assumptions, closed, span_of_answer
from assessments.sizing.defaults import default
from assessments.sizing.quantity import Span
from assessments.sizing.questions import Component, Model, Scenario
from assessments.sizing.setup import Component as Beside

TEXT = frozenset({"decoder", "encoder", "encoder_decoder", "state_space"})
LORA_METHODS = frozenset({"lora", "qlora"})
# a convolution works on many places of one sample at once: 16 × 16 pixels count like one token of a transformer
CHANNELS = 256  # width of a convolution where most of the work is, for networks that state no hidden size
UNITS_OF_A_PLACE = {"pixel": 256, "audio_frame": 4}
SMALLEST_IMAGE_TEXT = 256  # tokens of text beside pictures when the context does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedModel:
    """One model as the formulas take it; triples are low, typical, high.

    sequence_tokens: tokens of one sequence, 1 for networks without tokens (a sequence is then a sample)
    """

    family: str
    shapes: tuple[ModelShape, ModelShape, ModelShape]
    sequence_tokens: tuple[float, float, float]
    components: tuple[Beside, ...]
    trainable_params: float | None
    shape_known: bool
    inputs: tuple[str, ...]
    image_px: float
    images: float
    frames: float
    audio_s: float

    @property
    def shape(self) -> ModelShape:
        """The typical shape."""
        return self.shapes[1]

    @property
    def params(self) -> Span:
        """Parameters of the whole model [count]."""
        low, typical, high = (float(shape.total_params) for shape in self.shapes)
        return Span(min(low, typical), typical, max(high, typical))


def family_of(scenario: Scenario) -> str:
    """The family that was named, or the one that the kind of data suggests."""
    model = scenario.model
    if isinstance(model.family, str) and model.family != UNKNOWN:
        return model.family
    if isinstance(model.family, tuple):
        return model.family[0]
    if model.preset is not None:
        return architectures.preset(model.preset).family
    if model.config is not None:
        return architectures.read_model_config(model.config).family
    inputs = model.inputs if isinstance(model.inputs, tuple) else ()
    if "tabular" in inputs or scenario.dataset.profile == "table":
        return "trees" if scenario.dataset.rounds is not None or len(inputs) <= 1 else "tabular_net"
    if "video" in inputs:
        return "video_diffusion"
    if "image" in inputs:
        return "vision_language" if "text" in inputs else "vision"
    return "speech" if "audio" in inputs else "decoder"


def model_of(scenario: Scenario, path: str, method: str, taken: Assumptions) -> ResolvedModel:
    """Close the second parameter: what is trained, on sequences of which length."""
    model, family = scenario.model, family_of(scenario)
    shapes = _shapes(model, family, f"{path}.model", taken)
    family = shapes[1].family if model.family is None or model.family == UNKNOWN else family
    size = _sample_size(scenario, family, shapes[1], f"{path}.model", taken)
    context = _context(model, family, shapes[1], f"{path}.model", taken)
    ends = [
        _sized(shape, family, replace(size, text_tokens=int(tokens)))
        for shape, tokens in zip(shapes, context, strict=True)
    ]
    beside = _beside(scenario, method, shapes[1], family, replace(size, text_tokens=int(context.typical)))
    return ResolvedModel(
        family=family,
        shapes=(ends[0][0], ends[1][0], ends[2][0]),
        sequence_tokens=(ends[0][1], ends[1][1], ends[2][1]),
        components=beside,
        trainable_params=_trainable(scenario, method, shapes[1], path, taken),
        shape_known=shapes[1].obtained != "nearest",
        inputs=model.inputs if isinstance(model.inputs, tuple) else (),
        image_px=float(size.image_width_px or 0),
        images=float(size.images),
        frames=float(size.frames or 0),
        audio_s=float(size.audio_s or 0),
    )


def _shapes(model: Model, family: str, path: str, taken: Assumptions) -> tuple[ModelShape, ModelShape, ModelShape]:
    shape: ModelShape | None = None
    if model.preset is not None:
        shape = architectures.preset(model.preset)
    elif model.config is not None:
        shape = architectures.read_model_config(model.config)
    elif model.shape is not None:
        shape = architectures.from_dimensions(model.shape)
    if shape is not None:
        for item in shape.assumptions:
            taken.note(path, shape.name, item.code, shape.source or "config.json", **dict(item.params))
        return shape, shape, shape
    params = span_of_answer(model.params)
    if params is None:
        size = model.class_ if isinstance(model.class_, str) and model.class_ != UNKNOWN else "unknown"
        code = "params_of_class" if size != "unknown" else "params_usual"
        params = taken.number(f"{path}.params", model.params, f"params.{size}", code, **{"class": size})
    elif params.low < params.high:
        taken.ranges[f"{path}.params"] = params
    active = closed(model.active_params)
    shares = None if active is None else min(active / params.typical, 1.0)
    low, typical, high = (
        architectures.nearest(value, family, None if shares is None else value * shares) for value in params
    )
    taken.note(path, typical.name, "shape_nearest", "nearest public model", model=typical.name, params=params.typical)
    return low, typical, high


def _context(model: Model, family: str, shape: ModelShape, path: str, taken: Assumptions) -> Span:
    """Tokens of text in one sequence; zero for models that read none."""
    if family not in TEXT and family not in ("vision_language", "other") and not shape.vocab:
        return Span(0.0, 0.0, 0.0)
    answer = span_of_answer(model.context_tokens)
    if answer is not None:
        if answer.low < answer.high:
            taken.ranges[f"{path}.context_tokens"] = answer
        return answer
    if family in ("speech", "diffusion", "video_diffusion", "two_tower"):
        return Span(0.0, 0.0, 0.0)
    usual, longest = default("context.text"), float(shape.max_context or 1e9)
    capped = Span(*(min(bound, longest) for bound in usual))
    taken.note(f"{path}.context_tokens", capped.typical, "context_usual", "judgement: public fine-tuning recipes")
    taken.ranges[f"{path}.context_tokens"] = capped
    return capped


def _sample_size(scenario: Scenario, family: str, shape: ModelShape, path: str, taken: Assumptions) -> SampleSize:
    model = scenario.model
    inputs = model.inputs if isinstance(model.inputs, tuple) else ()
    width, height = closed(model.image_width_px), closed(model.image_height_px)
    sees = family in (
        "vision",
        "detection",
        "segmentation",
        "diffusion",
        "video_diffusion",
        "vision_language",
        "gan",
        "two_tower",
    )
    if sees or "image" in inputs or "video" in inputs:
        native = shape.patches.native_size if shape.patches is not None else None
        if width is None and height is None:
            if native is not None:
                width = float(native)
            else:
                width = taken.number(f"{path}.image_width_px", None, "images.width_px", "image_usual").typical
        width = width if width is not None else height
        height = height if height is not None else width
    frames = closed(model.frames)
    if frames is None and (family == "video_diffusion" or "video" in inputs):
        frames = taken.number(f"{path}.frames", None, "frames", "frames_usual").typical
    audio = closed(model.audio_s)
    if audio is None and (family == "speech" or "audio" in inputs):
        audio = taken.number(f"{path}.audio_s", None, "audio.s", "audio_usual").typical
    images = closed(model.images_per_sample)
    return SampleSize(
        image_width_px=None if width is None else int(width),
        image_height_px=None if height is None else int(height),
        images=1 if images is None else int(images),
        frames=None if frames is None else int(frames),
        audio_s=audio,
    )


def _sized(shape: ModelShape, family: str, size: SampleSize) -> tuple[ModelShape, float]:
    """The shape at this size of sample, and tokens of one sequence; of a grid its places, 1 for a row of a table."""
    if shape.grid is not None:
        units = grid_units(shape, size)
        ratio = max(shape.grid.scale(units), 1e-6)
        places = max(round(units / UNITS_OF_A_PLACE.get(shape.grid.unit, 1)), 1)
        grid = replace(
            shape.grid,
            forward_flops=shape.grid.flops(units) / places,
            activation_bytes=shape.grid.activation_bytes * ratio / places,
        )
        return replace(shape, grid=grid, hidden=max(shape.hidden, CHANNELS)), float(places)
    if family in TEXT and size.image_width_px is None and size.audio_s is None:
        return shape, float(max(size.text_tokens, 1))
    if family == "vision_language":
        pictures = sample_work(shape, replace(size, text_tokens=0))[0].tokens
        return shape, max(float(size.text_tokens), pictures + SMALLEST_IMAGE_TEXT)
    return shape, max(float(sample_work(shape, size)[0].tokens), 1.0)


def _beside(scenario: Scenario, method: str, shape: ModelShape, family: str, size: SampleSize) -> tuple[Beside, ...]:
    """Networks that work beside the main one: towers (work only), frozen companions, reference, teacher."""
    strategy, rows = scenario.strategy, []
    frozen = set(strategy.frozen_parts if isinstance(strategy.frozen_parts, tuple) else ())
    has_parts = bool(shape.parts or shape.companions)
    companions = {part.role for part in shape.companions}
    for work in sample_work(shape, size)[1:] if has_parts and shape.grid is None else ():
        inside = work.role not in companions
        still = work.frozen or work.role in frozen or (inside and method in LORA_METHODS)
        rows.append(
            Beside(
                shape=work.shape,
                role=work.role,
                frozen=still,
                tokens_per_sample=work.tokens,
                weight_bytes=0.0 if inside else 2.0,
            )
        )
    if shape.grid is not None:
        rows += [
            Beside(shape=part.shape, role=part.role, tokens_per_sample=float(size.text_tokens))
            for part in shape.companions
        ]
    known = {part.role for part in (*shape.parts, *shape.companions)} | {"language_model"}
    for component in scenario.model.components:
        extra = _component_shape(component)
        if extra is not None and component.role not in known:
            role = component.role if isinstance(component.role, str) else "vision_tower"
            rows.append(Beside(shape=extra, role=role, frozen=component.frozen is not False))
    wants_reference = strategy.reference_model is True or (
        strategy.objective in ("dpo", "grpo") and method not in LORA_METHODS and strategy.reference_model is not False
    )
    if wants_reference:
        rows.append(Beside(shape=shape, role="reference", tokens_per_sample=None))
    if strategy.teacher is not None:
        teacher = _other_shape(strategy.teacher.preset, closed(strategy.teacher.params), family)
        if teacher is not None:
            rows.append(Beside(shape=teacher, role="teacher", tokens_per_sample=None))
    return tuple(rows)


def _component_shape(component: Component) -> ModelShape | None:
    families = {"vision_tower": "vision", "text_encoder": "encoder", "vae": "vision"}
    role = component.role if isinstance(component.role, str) else "vision_tower"
    return _other_shape(component.preset, closed(component.params), families.get(role, "encoder"))


def _other_shape(preset: str | None, params: float | None, family: str) -> ModelShape | None:
    if preset is not None:
        return architectures.preset(preset)
    return None if params is None else architectures.nearest(params, family)


def _trainable(scenario: Scenario, method: str, shape: ModelShape, path: str, taken: Assumptions) -> float | None:
    stated = closed(scenario.model.trainable_params)
    if stated is not None:
        return min(stated, float(shape.total_params))
    parts = scenario.strategy.frozen_parts
    if isinstance(parts, tuple) and method in ("full", "frozen", "from_scratch"):
        still = sum(part.shape.total_params for part in shape.parts if part.role in parts)
        if "language_model" in parts:
            still += shape.own_params
        if still:
            return float(max(shape.total_params - still, 1))
    if method == "frozen":
        share = taken.number(f"{path}.model.trainable_params", None, "trainable_share", "trainable_usual").typical
        return share * shape.total_params
    return None
