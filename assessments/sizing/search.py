"""The search: every machine of the catalog with its best layout for one case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assessments.sizing import setup as physics
from assessments.sizing.defaults import default
from assessments.sizing.estimate import estimate_many
from assessments.sizing.host import host
from assessments.sizing.layouts import Grid, grid_of, layout_table
from assessments.sizing.machines import Machine
from assessments.sizing.resolve import Case
from assessments.sizing.setup import EstimateArrays, Floats, Measurement

SIMPLER_WITHIN = 0.015  # share of time per unit of complexity that a simpler layout may cost
CLUSTER_MOST = 8.0  # machines slower than this many latest times are not looked at
OVERKILL = 0.02  # nor several servers that are done in this share of the wanted time
USUAL_MOST_RAM = 4e12  # of one server where no platform states it [bytes]
RAM_FOR_STATES = 0.8  # share of it that is left for offloaded states
OPTIMISTIC, PESSIMISTIC = 0.8, 0.1  # shares of the peak that no real run leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """For each machine the best layout of one case; arrays of one length, nan where nothing is possible.

    fits: the upper bound of memory is within the usable memory; hours: of a whole cycle; heavy: only by offloading or
    by an 8-bit optimizer that was not asked for
    """

    case: Case
    fits: NDArray[np.bool_]
    hours: Floats
    memory_typical: Floats
    memory_high: Floats
    heavy: NDArray[np.bool_]
    setups: tuple[physics.Setup | None, ...]
    examined: int


@dataclass(slots=True)
class _Best:
    """Best rows so far, by machine."""

    score: Floats
    fits: NDArray[np.bool_]
    hours: Floats
    memory_typical: Floats
    memory_high: Floats
    setups: list[physics.Setup | None]
    examined: int = 0


def techniques_after(case: Case) -> list[tuple[physics.Recipe, bool]]:
    """Recipes to try where nothing fits, in order of what they cost; the flag is for offloading to host RAM."""
    answers, rows = case.layout.recipe, []
    recipe = case.recipe
    may_chunk = not isinstance(answers.loss, str) or answers.loss == "unknown"
    if may_chunk and recipe.loss == "eager" and "chunked_loss" not in case.forbidden:
        recipe = replace(recipe, loss="chunked")
        rows.append((recipe, False))
    optimizer_is_open = not isinstance(answers.optimizer, str) or answers.optimizer == "unknown"
    trains_all = case.method in ("full", "frozen", "from_scratch")
    if optimizer_is_open and trains_all and "8bit_optimizer" not in case.forbidden:
        rows.append((replace(recipe, optimizer="adamw_8bit"), False))
    layout = answers.layout
    offload_is_open = layout is None or not isinstance(layout.offload, str)
    if offload_is_open and trains_all and "offload" not in case.forbidden and case.method != "from_scratch":
        rows.append((recipe, True))
    return rows


def plausible(cases: Sequence[Case], machines: Sequence[Machine]) -> list[Machine]:
    """Machines that could be an answer for some case: not hopelessly slow, not absurdly large, states fit in all."""
    work = [(_flops(case), case.times) for case in cases]
    states = max((_least_state_bytes(case) for case in cases), default=0.0)
    rows = []
    for machine in machines:
        peak = max((value for value in machine.accelerator.peak_flops.values() if value), default=0.0) * machine.gpus
        if machine.servers > 1:
            fast = [flops / (peak * OPTIMISTIC) / 3600 <= times.latest_h * CLUSTER_MOST for flops, times in work]
            slow = [flops / (peak * PESSIMISTIC) / 3600 >= times.wanted_h * OVERKILL for flops, times in work]
            needed = states > machine.accelerator.memory_bytes * machine.per_server * max(machine.servers // 4, 1)
            if not any(fast) or not (any(slow) or needed):
                continue
        if states > 1.2 * machine.accelerator.memory_bytes * machine.gpus and len(machines) > 1 and machine.servers > 1:
            continue
        rows.append(machine)
    return rows


def search(case: Case, machines: Sequence[Machine], reserve: float, anchor: Measurement | None = None) -> Found:
    """The best layout of this case on every machine.

    reserve: share of each card that stays free
    """
    count = len(machines)
    best = _Best(
        score=np.full(count, np.inf),
        fits=np.zeros(count, dtype=bool),
        hours=np.full(count, np.nan),
        memory_typical=np.full(count, np.nan),
        memory_high=np.full(count, np.nan),
        setups=[None] * count,
    )
    _try(case, machines, range(count), case.recipe, best, reserve, anchor, offload=False)
    for recipe, offload in techniques_after(case):
        open_machines = [i for i in range(count) if not best.fits[i] and machines[i].servers <= (1 if offload else 4)]
        if open_machines:
            _try(case, machines, open_machines, recipe, best, reserve, anchor, offload=offload)
    return Found(
        case=case,
        fits=best.fits,
        hours=best.hours,
        memory_typical=best.memory_typical,
        memory_high=best.memory_high,
        heavy=np.array([setup is not None and _is_heavy(case, setup) for setup in best.setups], dtype=bool),
        setups=tuple(best.setups),
        examined=best.examined,
    )


def _is_heavy(case: Case, setup: physics.Setup) -> bool:
    asked = case.layout.recipe.layout
    offload_asked = asked is not None and isinstance(asked.offload, str)
    return (setup.layout.offload != "none" and not offload_asked) or setup.recipe.optimizer != case.recipe.optimizer


def _try(
    case: Case,
    machines: Sequence[Machine],
    indices: Sequence[int],
    recipe: physics.Recipe,
    best: _Best,
    reserve: float,
    anchor: Measurement | None,
    *,
    offload: bool,
) -> None:
    grid = grid_of(case, machines, layout_table(case, offload=offload), recipe, indices)
    if grid is None:
        return
    best.examined += len(grid.setups)
    typical = estimate_many(case.typical, grid.setups, anchor=anchor)
    most = estimate_many(case.most, grid.setups, anchor=anchor) if case.is_open else typical
    capacity = np.array([a.memory_bytes for a in grid.setups.accelerators])[grid.setups.accelerator]
    usable = capacity * (1 - reserve)
    hours = cycle_hours(case, grid, typical)
    fits = (most.memory.high <= usable) & np.isfinite(hours)
    # among layouts that fit the fastest, a simpler one when it costs little; else the one that needs least memory
    score = np.where(fits, hours * (1 + SIMPLER_WITHIN * grid.complexity), 1e12 * (1 + most.memory.high / usable))
    if offload:
        score = np.where(_host_holds(case, machines, grid), score, np.inf)
    score = np.where(np.isfinite(score), score, np.inf)
    starts = np.flatnonzero(np.r_[True, grid.machine[1:] != grid.machine[:-1]])
    lowest = np.minimum.reduceat(score, starts)
    for k, start in enumerate(starts):
        end = starts[k + 1] if k + 1 < len(starts) else len(score)
        i = int(grid.machine[start])
        if lowest[k] < best.score[i]:
            row = int(start + np.argmin(score[start:end]))
            best.score[i] = lowest[k]
            best.fits[i] = fits[row]
            best.hours[i] = hours[row]
            best.memory_typical[i] = typical.memory.typical[row]
            best.memory_high[i] = most.memory.high[row]
            best.setups[i] = grid.setups.setup(row)


def _host_holds(case: Case, machines: Sequence[Machine], grid: Grid) -> NDArray[np.bool_]:
    """Whether the RAM of the roomiest platform takes the offloaded states; 4 TB where no platform says."""
    room = [
        max((platform.ram_max_bytes or 0.0 for platform in machine.platforms), default=0.0) or USUAL_MOST_RAM
        for machine in machines
    ]
    rates = [0.0, host("ram_offload_optimizer").typical, host("ram_offload_all").typical, 0.0]
    needed = case.model.params.typical * np.array(rates)[grid.setups.offload] / grid.setups.servers
    holds: NDArray[np.bool_] = needed <= RAM_FOR_STATES * np.array(room)[grid.machine]
    return holds


def cycle_hours(case: Case, grid: Grid, typical: EstimateArrays) -> Floats:
    """Typical time of one cycle of every setup [h]: data over speed, and what a run loses beside its steps."""
    shares = np.where(
        grid.setups.servers > 1, default("run_share.many_nodes").typical, default("run_share.one_node").typical
    )
    speed = typical.time.tokens_per_s_gpu * grid.setups.gpus
    return work_tokens(case, 1) / speed / 3600 / shares


def work_tokens(case: Case, end: int) -> float:
    """Tokens that a cycle works through: pairs count twice, sampling as many times as it costs."""
    return case.feed.cycle_tokens[end] * case.typical.sequences_per_sample * (1.0 + case.typical.rollout_tokens)


def _flops(case: Case) -> float:
    """Work of a cycle to first order [FLOP], to leave hopeless machines out."""
    shape = case.model.shape
    forward = 2.0 * (shape.block_matmul_params + shape.head_matmul_params)
    if shape.grid is not None:
        forward += shape.grid.forward_flops
    forward += shape.attention_flops(case.typical.sequence_tokens)
    return 3.0 * forward * case.feed.cycle_tokens.typical


def _least_state_bytes(case: Case) -> float:
    """Weights and states of the whole model under the thriftiest recipe [bytes]."""
    per_param = {"lora": 2.0, "qlora": 0.5, "frozen": 2.0}.get(case.method, 6.0)
    return case.model.params.low * per_param
