"""The memory bar of one card as a tree of quantities that a newcomer can recompute by hand."""

from __future__ import annotations

from collections.abc import Sequence

from assessments.sizing.quantity import Scope, Span, exactly
from assessments.sizing.setup import MOMENTS, RANKS, Estimate, MemoryOf, Setup

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "overhead")
SOFT = frozenset({"activations", "logits", "overhead"})  # parts that carry the range; the others are arithmetic
BYTES_BOUNDS = (0.0, 1e14)


def memory_quantities(
    scope: Scope, setup: Setup, least: Estimate, typical: Estimate, most: Estimate, reserve: Span
) -> Span:
    """Store memory.* of one card and return the total.

    least, most: the estimate at both ends of the open answers (equal to typical where nothing is open). The typical
    values of the six parts sum to total.typical; the total's range is the physics' own.
    """
    memory = typical.memory
    total = Span(min(least.memory.low, memory.low), memory.typical, max(most.memory.high, memory.high))
    spans = _part_spans(least.memory, memory, most.memory, total)
    _weights(scope, setup, memory, spans["weights"])
    _gradients(scope, memory, spans["gradients"])
    _optimizer(scope, memory, spans["optimizer"])
    _activations(scope, setup, memory, spans["activations"])
    _logits(scope, memory, spans["logits"])
    _overhead(scope, memory, spans["overhead"])
    scope.add("memory.total", total, unit="bytes", formula="sum", inputs=[f".memory.{part}" for part in PARTS])
    scope.ledger.add_parts([scope.id(f"memory.{part}") for part in PARTS], scope.id("memory.total"))
    capacity = scope.add(
        "memory.capacity",
        setup.accelerator.memory_bytes,
        unit="bytes",
        formula="catalog",
        inputs=[setup.accelerator.slug],
        source="catalog",
    )
    usable = scope.add(
        "memory.usable",
        capacity.scaled(1 - reserve.typical),
        unit="bytes",
        formula="memory.usable",
        inputs=[".memory.capacity", "memory.reserve"],
    )
    scope.add(
        "memory.reserved",
        capacity.scaled(reserve.typical),
        unit="bytes",
        formula="product",
        inputs=[".memory.capacity", "memory.reserve"],
    )
    scope.add(
        "memory.free",
        usable.minus(total),
        unit="bytes",
        formula="difference",
        inputs=[".memory.usable", ".memory.total"],
    )
    return total


def moment_of(memory: MemoryOf[float]) -> str:
    """Code of the moment of the peak."""
    return MOMENTS[int(memory.moment)]


def rank_of(memory: MemoryOf[float]) -> str:
    """Code of the fullest rank."""
    return RANKS[int(memory.rank)]


def fit_of(total: Span, usable: float, capacity: float) -> str:
    """fits when the upper bound is usable, does_not_fit when the typical is beyond the card, else at_limit."""
    if total.high <= usable * (1 + 1e-12):
        return "fits"
    return "does_not_fit" if total.typical > capacity else "at_limit"


def _part_spans(least: MemoryOf[float], memory: MemoryOf[float], most: MemoryOf[float], total: Span) -> dict[str, Span]:
    soft = sum(getattr(memory, part) for part in SOFT)
    below, above = total.typical - total.low, total.high - total.typical
    spans = {}
    for part in PARTS:
        value = float(getattr(memory, part))
        ends = sorted((float(getattr(least, part)), value, float(getattr(most, part))))
        share = value / soft if part in SOFT and soft > 0 else 0.0
        spans[part] = Span(max(min(ends[0], value - below * share), 0.0), value, max(ends[2], value + above * share))
    return spans


def _weights(scope: Scope, setup: Setup, m: MemoryOf[float], span: Span) -> None:
    layout = setup.layout
    at_step = moment_of(m) == "step"
    gathered = 0.0 if at_step else m.gathered
    params = scope.add(
        "memory.params_on_rank",
        m.params_per_rank,
        unit="params",
        formula="memory.params_on_rank",
        inputs=["^model.params", layout.tp, layout.pp, layout.ep, m.weight_shards],
    )
    stored = max(m.weights - gathered, 0.0)
    per_param = m.weight_bytes_per_param
    if setup.recipe.quant_bits is not None or stored < params.typical * per_param * (1 - 1e-9):
        # packed matrices beside 16-bit embeddings, or weights that live in host RAM: the mean over all of them
        per_param = min(stored / params.typical, per_param) if params.typical else 0.0
    scope.add(
        "memory.weight_bytes_per_param",
        per_param,
        unit="bytes",
        formula="memory.weight_bytes_per_param",
        inputs=[m.weight_bytes_per_param],
        source="recipe",
    )
    plain = params.typical * per_param
    scope.add(
        "memory.weights_stored",
        plain,
        unit="bytes",
        formula="product",
        inputs=[".memory.params_on_rank", ".memory.weight_bytes_per_param"],
    )
    scope.add(
        "memory.weights_gathered",
        gathered,
        unit="bytes",
        formula="memory.gathered",
        source="calibration.memory.gathered_blocks",
    )
    scope.add("memory.weights_beside", max(stored - plain, 0.0), unit="bytes", formula="memory.weights_beside")
    scope.add(
        "memory.weights",
        span,
        unit="bytes",
        formula="sum",
        inputs=[".memory.weights_stored", ".memory.weights_gathered", ".memory.weights_beside"],
    )


def _owned(scope: Scope, name: str, value: float, trainable: float, stated: float, shards: float) -> float:
    """Store bytes per parameter, ranks that share, and what this rank owns; returns what is left over."""
    shards = max(shards, 1.0)
    plain = trainable * stated / shards
    if plain > value * (1 + 1e-9) or (shards == 1.0 and value > 0):
        stated, plain = (value * shards / trainable if trainable else 0.0), value
    scope.add(
        f"memory.{name}_bytes_per_param",
        stated,
        unit="bytes",
        formula=f"memory.{name}_bytes_per_param",
        source="recipe",
    )
    scope.add(f"memory.{name}_shards", shards, unit="count", formula=f"memory.{name}_shards")
    scope.add(
        f"memory.{name}_owned",
        plain,
        unit="bytes",
        formula="shared_product",
        inputs=[".memory.trainable_on_rank", f".memory.{name}_bytes_per_param", f".memory.{name}_shards"],
    )
    return max(value - plain, 0.0)


def _gradients(scope: Scope, m: MemoryOf[float], span: Span) -> None:
    scope.add(
        "memory.trainable_on_rank",
        m.trainable_per_rank,
        unit="params",
        formula="memory.trainable_on_rank",
        inputs=["^model.trainable_params"],
    )
    rest = _owned(scope, "gradient", m.gradients, m.trainable_per_rank, m.gradient_bytes_per_param, m.gradient_shards)
    scope.add("memory.gradient_block", rest, unit="bytes", formula="memory.gradient_block")
    scope.add(
        "memory.gradients",
        span,
        unit="bytes",
        formula="sum",
        inputs=[".memory.gradient_owned", ".memory.gradient_block"],
    )


def _optimizer(scope: Scope, m: MemoryOf[float], span: Span) -> None:
    temporaries = m.step_temporaries if moment_of(m) == "step" else 0.0
    states = max(m.optimizer - temporaries, 0.0)
    rest = _owned(scope, "optimizer", states, m.trainable_per_rank, m.optimizer_bytes_per_param, m.optimizer_shards)
    scope.add(
        "memory.optimizer_temporaries",
        m.optimizer - states + rest,
        unit="bytes",
        formula="memory.optimizer_temporaries",
        source="calibration.memory.step_temporaries_fp32",
    )
    scope.add(
        "memory.optimizer",
        span,
        unit="bytes",
        formula="sum",
        inputs=[".memory.optimizer_owned", ".memory.optimizer_temporaries"],
    )


def _activations(scope: Scope, setup: Setup, m: MemoryOf[float], span: Span) -> None:
    moment, rank = moment_of(m), rank_of(m)
    in_flight = 1.0 if rank == "last_stage" else m.microbatches_in_flight
    counted = 0.0 if moment == "step" else in_flight - 1.0 if moment == "backward" else in_flight
    tokens = scope.add(
        "memory.tokens_on_rank",
        m.tokens_per_rank,
        unit="tokens",
        formula="memory.tokens_on_rank",
        inputs=[setup.layout.micro_batch, "^model.sequence_tokens", setup.layout.cp],
    )
    layers = scope.add(
        "memory.layers_on_rank",
        m.layers_per_stage,
        unit="count",
        formula="memory.layers_on_rank",
        inputs=[setup.layout.pp],
    )
    flight = scope.add("memory.micro_batches_kept", counted, unit="count", formula="memory.micro_batches_kept")
    saved = m.saved_per_token_layer
    product = saved * layers.typical * tokens.typical * flight.typical
    if product > m.activations:  # an interleaved or uneven stage: the mean over what is really kept
        saved = m.activations / (layers.typical * tokens.typical * flight.typical)
        product = m.activations
    scope.add(
        "memory.saved_per_token_layer",
        saved,
        unit="bytes",
        formula="memory.saved_per_token_layer",
        inputs=[setup.layout.recompute],
        source="calibration.memory.activation_multiplier",
    )
    scope.add(
        "memory.activations_kept",
        product,
        unit="bytes",
        formula="product",
        inputs=[
            ".memory.saved_per_token_layer",
            ".memory.layers_on_rank",
            ".memory.tokens_on_rank",
            ".memory.micro_batches_kept",
        ],
    )
    scope.add(
        "memory.activations_working",
        max(m.activations - product, 0.0),
        unit="bytes",
        formula="memory.activations_working",
    )
    scope.add(
        "memory.activations",
        span,
        unit="bytes",
        formula="sum",
        inputs=[".memory.activations_kept", ".memory.activations_working"],
    )


def _logits(scope: Scope, m: MemoryOf[float], span: Span) -> None:
    counted = (
        m.logits / (m.logit_bytes_per_token * m.tokens_per_rank) if m.logit_bytes_per_token * m.tokens_per_rank else 0.0
    )
    scope.add(
        "memory.logit_bytes_per_token",
        m.logit_bytes_per_token,
        unit="bytes",
        formula="memory.logit_bytes_per_token",
        inputs=["^model.vocab"],
        source="calibration.memory.loss",
    )
    inputs: Sequence[str | float] = [".memory.logit_bytes_per_token", ".memory.tokens_on_rank", round(counted, 9)]
    scope.add("memory.logits", span, unit="bytes", formula="product", inputs=inputs)


def _overhead(scope: Scope, m: MemoryOf[float], span: Span) -> None:
    rest = max(m.overhead - m.fragmentation - m.context - m.communication_buffers, 0.0)
    rows = {
        "fragmentation": (m.fragmentation, "calibration.memory.reserved_share"),
        "context": (m.context, "calibration.memory.context"),
        "buffers": (m.communication_buffers, "calibration.memory.parallel_buffers"),
        "workspace": (rest, "calibration.memory.workspace"),
    }
    for name, (value, source) in rows.items():
        scope.add(f"memory.{name}", exactly(value), unit="bytes", formula=f"memory.{name}", source=source)
    scope.add("memory.overhead", span, unit="bytes", formula="sum", inputs=[f".memory.{name}" for name in rows])
