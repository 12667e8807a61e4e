"""A model known only by its count: the nearest public shape, scaled until the count is exact."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.extent import Grid
from assessments.sizing.architectures.presets import PRESETS, preset
from assessments.sizing.architectures.shape import Assumption, Attention, Block, FeedForward, Matrix, ModelShape

# Families without presets of their own behave, to first order, like these.
STAND_IN = {
    "detection": "vision",
    "segmentation": "vision",
    "graph": "tabular_net",
    "other": "decoder",
    "trees": "tabular_net",
}
SPARSE_BELOW = 0.9  # active share under which a model counts as a mixture of experts
STEPS = 60  # halvings of the scale; 2^-60 is finer than one parameter in 10^15


def nearest(params: float, family: str = "decoder", active: float | None = None) -> ModelShape:
    """The public model of this family whose count is nearest, scaled to exactly `params` parameters.

    params, active: total and active parameters [count]; active below 0.9 × params asks for a mixture of experts.
    Widths are scaled by one factor, depth and head counts stay; the remainder of rounding is kept outside the
    blocks, so that the count is exact and the dimensions are right to first order.
    """
    return _nearest(round(params), family, None if active is None else round(active))


@cache
def _nearest(params: int, family: str, active: int | None) -> ModelShape:
    if params < 1:
        raise ConfigError("config_out_of_range", key="params", value=params, low=1, high=10**15)
    is_sparse = active is not None and active < SPARSE_BELOW * params
    candidates = _candidates(family, is_sparse=is_sparse) or _candidates(family, is_sparse=False)
    model = min(candidates, key=lambda s: _distance(s, params, active if is_sparse else None))
    scaled = _scaled(model, params, active if is_sparse else None)
    stated = Assumption(code="shape_of_nearest", params=(("model", model.name), ("params", params)))
    return replace(scaled, name=model.name, family=family, obtained="nearest", assumptions=(stated,))


@cache
def _candidates(family: str, *, is_sparse: bool) -> tuple[ModelShape, ...]:
    """Presets of the family; of its stand-in where it has none."""
    for wanted in (family, STAND_IN.get(family, "decoder")):
        shapes = tuple(preset(slug) for slug, entry in PRESETS.items() if entry.family == wanted and entry.is_usual)
        chosen = tuple(s for s in shapes if s.is_moe == is_sparse)
        if chosen:
            return chosen
    return ()


def _distance(shape: ModelShape, params: int, active: int | None) -> float:
    """Ratio of sizes; of a mixture of experts first the ratio of active shares, which fixes how many are routed."""
    size = abs(math.log(shape.total_params / params))
    if active is None:
        return size
    return size / 4 + abs(math.log(shape.active_params / shape.total_params * params / active))


def _scaled(model: ModelShape, params: int, active: int | None) -> ModelShape:
    """The same network, wider or narrower, with exactly `params` parameters in all."""
    target = params - sum(p.shape.total_params for p in model.parts)
    if target < 1:
        model, target = replace(model, parts=(), patches=None), params
    if not model.blocks:
        return replace(
            model,
            rest_params=target - model.embedding_params if target > model.embedding_params else target,
            embedding_params=model.embedding_params if target > model.embedding_params else 0,
            head_params=0,
            grid=_scaled_grid(model.grid, params / model.total_params),
        )
    if active is not None and model.expert_params:
        return _scaled_sparse(model, target, active)
    factor = _largest(lambda w: _count(model, w, w) <= target)
    shape = _widened(model, factor, factor)
    return replace(shape, rest_params=shape.rest_params + target - shape.own_params)


def _scaled_sparse(model: ModelShape, target: int, active: int) -> ModelShape:
    """Experts and the rest scaled apart, and as many experts per token, that total and active parameters come out."""
    block = max(model.blocks, key=lambda b: b.expert_params)
    experts = block.feed_forward.experts if block.feed_forward else 1
    dense = target * (1 - model.expert_params / model.own_params)
    routed = round(experts * (active - dense) / (target - dense))
    routed = min(max(routed, 1), experts - 1)
    model = _routing(model, routed)
    expert_params = min((target - active) / (1 - routed / experts), target * 0.98)
    factor = _largest(lambda w: _count(model, w, None) <= target - expert_params)
    expert_factor = _largest(lambda w: _count(model, factor, w) <= target)
    shape = _widened(model, factor, expert_factor)
    return replace(shape, rest_params=shape.rest_params + target - shape.own_params)


def _routing(model: ModelShape, experts_per_token: int) -> ModelShape:
    """The same network with another number of experts per token."""

    def routed(block: Block) -> Block:
        mlp = block.feed_forward
        if mlp is None or not mlp.is_moe:
            return block
        width = experts_per_token * mlp.expert_width + mlp.shared_width
        return replace(
            block,
            matrices=tuple(replace(m, used=experts_per_token) if m.role == "expert" else m for m in block.matrices),
            feed_forward=replace(mlp, experts_per_token=experts_per_token, width=width),
        )

    return replace(model, blocks=tuple(routed(block) for block in model.blocks))


def _largest(fits: Callable[[float], bool]) -> float:
    """The largest factor that still fits, by halving."""
    low, high = 0.0, 1.0
    while fits(high) and high < 1e6:
        low, high = high, high * 2
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _count(model: ModelShape, factor: float, expert_factor: float | None) -> int:
    """Parameters of the widened network without building it; None leaves routed experts out."""
    count = int(model.embedding_params * factor) + int(model.head_params * factor) + int(model.rest_params * factor)
    for block in model.blocks:
        params = int(block.vector_params * factor)
        for m in block.matrices:
            if m.role != "expert" or expert_factor is not None:
                inputs, outputs = _widths(m, factor, expert_factor or 0.0)
                params += m.copies * (inputs + m.bias) * outputs
        count += block.count * params
    return count


def _widths(matrix: Matrix, factor: float, expert_factor: float) -> tuple[int, int]:
    """Inputs and outputs of a widened matrix, at least 1; a router keeps its outputs, one per expert."""
    into = expert_factor if matrix.role == "expert" and matrix.name == "down" else factor
    out = expert_factor if matrix.role == "expert" and matrix.name != "down" else factor
    outputs = matrix.outputs if matrix.role == "router" else int(matrix.outputs * out)
    return max(1, int(matrix.inputs * into)), max(1, outputs)


def _widened(model: ModelShape, factor: float, expert_factor: float) -> ModelShape:
    """Every width × factor, rounded down; experts' own widths × expert_factor."""
    hidden = max(1, int(model.hidden * factor))
    return replace(
        model,
        hidden=hidden,
        blocks=tuple(_widened_block(b, factor, expert_factor) for b in model.blocks),
        embedding_params=int(model.embedding_params * factor),
        head_params=int(model.head_params * factor),
        rest_params=int(model.rest_params * factor),
        grid=None,
    )


def _widened_block(block: Block, factor: float, expert_factor: float) -> Block:
    return replace(
        block,
        hidden=max(1, int(block.hidden * factor)),
        matrices=tuple(_widened_matrix(m, factor, expert_factor) for m in block.matrices),
        attention=_widened_attention(block.attention, factor),
        cross=_widened_attention(block.cross, factor),
        feed_forward=_widened_mlp(block.feed_forward, factor, expert_factor),
        vector_params=int(block.vector_params * factor),
        mixer_width=int(block.mixer_width * factor),
        mixer_flops=int(block.mixer_flops * factor),
    )


def _widened_matrix(matrix: Matrix, factor: float, expert_factor: float) -> Matrix:
    inputs, outputs = _widths(matrix, factor, expert_factor)
    return replace(matrix, inputs=inputs, outputs=outputs)


def _widened_attention(core: Attention | None, factor: float) -> Attention | None:
    if core is None:
        return None
    return replace(
        core,
        key_dim=max(1, int(core.key_dim * factor)),
        value_dim=max(1, int(core.value_dim * factor)),
        latent_dim=int(core.latent_dim * factor),
        query_rank=int(core.query_rank * factor),
    )


def _widened_mlp(mlp: FeedForward | None, factor: float, expert_factor: float) -> FeedForward | None:
    if mlp is None:
        return None
    if not mlp.is_moe:
        return replace(mlp, width=max(1, int(mlp.width * factor)))
    expert, shared = max(1, int(mlp.expert_width * expert_factor)), int(mlp.shared_width * factor)
    return replace(mlp, width=mlp.experts_per_token * expert + shared, expert_width=expert, shared_width=shared)


def _scaled_grid(grid: Grid | None, ratio: float) -> Grid | None:
    """Work grows with the parameters, kept bytes with the channels: their square root."""
    if grid is None:
        return None
    return replace(
        grid,
        forward_flops=grid.forward_flops * ratio,
        attention_flops=grid.attention_flops * math.sqrt(ratio),
        activation_bytes=grid.activation_bytes * math.sqrt(ratio),
    )
