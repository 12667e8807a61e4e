"""The grid of layouts: every way to split a case over a machine that the search looks at, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from assessments.sizing import setup as physics
from assessments.sizing.answers import UNKNOWN
from assessments.sizing.assumptions import closed
from assessments.sizing.defaults import default
from assessments.sizing.machines import Machine
from assessments.sizing.resolve import Case
from assessments.sizing.setup import OFFLOADS, RECOMPUTES, SHARDINGS, Floats, Ints, SetupArrays

MEGATRON_STACKS = frozenset({"megatron", "torchtitan", "nemo", "deepspeed"})
SPLITS_LAYERS_FROM = 3e9  # parameters below which tensor parallelism only costs
PIPELINES_FROM = 2e10
ANY_STACK_SPLITS_FROM = 1e11
LONG_CONTEXT = 24_576
TOKENS_PER_MICRO_BATCH = 65_536
LARGE_MICRO_BATCH = 4  # from here on every second power of two will do
MOST_MODEL_RANKS = 128
GATHERING = frozenset({"zero2", "zero3", "hybrid"})
WITHOUT_BF16 = frozenset({"volta", "turing"})
WITH_FP8 = frozenset({"ada", "hopper", "blackwell", "cdna3", "cdna4", "gaudi2", "gaudi3"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Columns of layouts, not yet joined to machines; all of one length."""

    tp: Floats
    pp: Floats
    cp: Floats
    ep: Floats
    sharding: Ints
    recompute: Ints
    offload: Ints
    micro_batch: Floats
    complexity: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Setups to evaluate, with the machine that each belongs to; sorted by machine."""

    setups: SetupArrays
    machine: Ints
    complexity: Floats


def layout_table(case: Case, *, offload: bool) -> Table:
    """Layouts that make sense for this case, whatever the machine."""
    given, answers = case.layout.recipe.layout, case.layout.recipe
    params, sequence = case.model.params.typical, case.typical.sequence_tokens
    stack = case.recipe.stack
    splits = params >= SPLITS_LAYERS_FROM and (
        case.method == "from_scratch" or stack in MEGATRON_STACKS or params >= ANY_STACK_SPLITS_FROM
    )
    moe = case.model.shape.is_moe
    adapters = case.method in ("lora", "qlora")

    def free(key: str, values: tuple[int, ...], when: bool) -> tuple[int, ...]:
        bound = getattr(given, key) if given is not None else None
        if bound is not None:
            return (int(bound),)
        return values if when and key not in case.forbidden else (1,)

    tp = free("tp", (1, 2, 4, 8) if params >= PIPELINES_FROM or sequence >= LONG_CONTEXT else (1, 2), splits)
    pp = free("pp", (1, 2, 4, 8, 16), splits and params >= PIPELINES_FROM)
    cp = free("cp", (1, 2, 4, 8), sequence >= LONG_CONTEXT)
    ep = free("ep", (1, 2, 4, 8), moe and params >= SPLITS_LAYERS_FROM)
    shardings: tuple[str, ...] = ("none", "zero3") if adapters else ("none", "zero1", "zero3", "hybrid")
    if stack == "deepspeed" and not adapters:
        shardings = ("none", "zero1", "zero2", "zero3")
    shardings = _bound(shardings, given.sharding if given is not None else None)
    if "zero3" in case.forbidden:
        shardings = tuple(item for item in shardings if item not in ("zero3", "hybrid")) or ("zero2",)
    recomputes = _bound(("none", "selective", "full"), answers.recompute)
    if "recompute" in case.forbidden and "none" in recomputes:
        recomputes = ("none",)
    offloads = _bound(
        ("optimizer", "parameters") if offload else ("none",), given.offload if given is not None else None
    )
    if adapters and offload:
        offloads = _bound(("parameters",), given.offload if given is not None else None)
    every = list(product(tp, pp, cp, ep, shardings, recomputes, offloads, _micro_batches(case)))
    # full sharding with a pipeline gathers the stage again for every micro-batch: only where it was asked for
    usual = [
        row
        for row in every
        if row[0] * row[1] * row[2] <= MOST_MODEL_RANKS and not (row[1] > 1 and row[4] in GATHERING)
    ]
    rows = usual or every
    columns = list(zip(*rows, strict=True))
    weights = {"none": 0.0, "zero1": 0.2, "zero2": 0.5, "zero3": 0.7, "hybrid": 1.0}
    complexity = np.array(
        [
            (t > 1) + (p > 1) + (c > 1) + (e > 1) + weights[s] + 0.5 * (r != "none") + 2.0 * (o != "none")
            for t, p, c, e, s, r, o, _ in rows
        ],
        dtype=np.float64,
    )
    floats = [np.array(columns[i], dtype=np.float64) for i in range(4)]
    return Table(
        tp=floats[0],
        pp=floats[1],
        cp=floats[2],
        ep=floats[3],
        sharding=np.array([SHARDINGS.index(item) for item in columns[4]]),
        recompute=np.array([RECOMPUTES.index(item) for item in columns[5]]),
        offload=np.array([OFFLOADS.index(item) for item in columns[6]]),
        micro_batch=np.array(columns[7], dtype=np.float64),
        complexity=complexity,
    )


def _bound(values: tuple[str, ...], answer: object) -> tuple[str, ...]:
    if isinstance(answer, str) and answer != UNKNOWN:
        return (answer,)
    if isinstance(answer, tuple):
        return tuple(item for item in values if item in answer) or values
    return values


def _micro_batches(case: Case) -> tuple[int, ...]:
    answer = closed(case.layout.recipe.micro_batch)
    if answer is not None:
        return (int(answer),)
    sequence = case.typical.sequence_tokens
    most = 256 if sequence < 256 else 64
    whole = case.typical.global_batch
    limit = min(float(most), TOKENS_PER_MICRO_BATCH / sequence if sequence > 1 else most, whole or float(most))
    rows, size = [], 1
    while size <= max(limit, 1.0):
        rows.append(size)
        size *= 2 if size < LARGE_MICRO_BATCH else 4
    return tuple(rows)


def recipe_for(recipe: physics.Recipe, machine: Machine) -> physics.Recipe | None:
    """The recipe on this accelerator: fp16 where bf16 is missing, nothing where fp8 was asked and is missing."""
    architecture = machine.accelerator.architecture
    if recipe.precision == "bf16" and architecture in WITHOUT_BF16:
        return replace(recipe, precision="fp16")
    if recipe.precision == "fp8" and architecture not in WITH_FP8:
        return None
    return recipe


def grid_of(
    case: Case, machines: Sequence[Machine], table: Table, recipe: physics.Recipe, indices: Sequence[int]
) -> Grid | None:
    """Join layouts to machines and keep what is possible; None when nothing is.

    indices: positions of the machines in the caller's list; the grid's `machine` column holds them
    """
    recipes, recipe_index = [], []
    kept: list[int] = []
    for i in indices:
        own = recipe_for(recipe, machines[i])
        if own is None:
            continue
        if own not in recipes:
            recipes.append(own)
        recipe_index.append(recipes.index(own))
        kept.append(i)
    if not kept:
        return None
    chosen = [machines[i] for i in kept]
    accelerators, accelerator = _positions([m.accelerator for m in chosen], key=lambda a: a.slug)
    links, link = _positions([m.physical_link for m in chosen], key=str)
    fabrics, fabric = _positions([m.fabric for m in chosen], key=lambda f: f.slug if f else "")
    gpus = np.array([m.gpus for m in chosen], dtype=np.float64)
    servers = np.array([m.servers for m in chosen], dtype=np.float64)
    domain = np.array([min(m.per_server, _tensor_reach(m)) for m in chosen], dtype=np.float64)
    rows, columns = np.nonzero(_possible(case, table, gpus, servers, domain))
    if not len(rows):
        return None
    setups = SetupArrays(
        accelerators=accelerators,
        recipes=tuple(recipes),
        links=links,
        fabrics=fabrics,
        accelerator=accelerator[rows],
        recipe=np.array(recipe_index)[rows],
        link=link[rows],
        fabric=fabric[rows],
        fabric_ports=np.array([m.fabric_ports for m in chosen], dtype=np.float64)[rows],
        gpus=gpus[rows],
        servers=servers[rows],
        tp=table.tp[columns],
        pp=table.pp[columns],
        virtual_stages=np.ones(len(rows)),
        cp=table.cp[columns],
        ep=table.ep[columns],
        sharding=table.sharding[columns],
        offload=table.offload[columns],
        recompute=table.recompute[columns],
        micro_batch=table.micro_batch[columns],
        accumulation=_accumulation(case, table, gpus, rows, columns),
        sequence_parallel=np.ones(len(rows), dtype=bool),
    )
    return Grid(setups=setups, machine=np.array(kept)[rows], complexity=table.complexity[columns])


def _tensor_reach(machine: Machine) -> int:
    """Cards that one layer may be split over: those a fast link joins, two over PCIe."""
    if machine.link in ("pcie", "nvlink_bridge"):
        return 2
    return max(machine.accelerator.link_domain, machine.per_server)


def _possible(case: Case, table: Table, gpus: Floats, servers: Floats, domain: Floats) -> NDArray[np.bool_]:
    """Which layout goes on which machine, shape (machines, layouts)."""
    size, nodes = gpus[:, None], servers[:, None]
    ranks = table.tp * table.pp * table.cp
    replicas = size / ranks
    whole = np.mod(size, ranks) == 0
    fits = whole & (ranks <= size) & (table.tp <= domain[:, None]) & (table.pp <= max(case.model.shape.layers, 1))
    fits &= (table.ep <= replicas * table.cp * table.tp) & (np.mod(replicas * table.cp * table.tp, table.ep) == 0)
    none, zero1, hybrid = SHARDINGS.index("none"), SHARDINGS.index("zero1"), SHARDINGS.index("hybrid")
    alone = replicas * table.cp <= 1
    if len(set(table.sharding)) > 1:  # where the customer is bound to one way, it holds on one card too
        fits &= np.where(alone, (table.sharding == none) | (table.sharding == zero1) & (ranks > 1), True)
    fits &= (table.sharding != hybrid) | (nodes > 1)
    batch = case.typical.global_batch
    if batch is not None:
        fits &= replicas * table.micro_batch <= max(batch, 1.0)
    possible: NDArray[np.bool_] = fits
    return possible


def _accumulation(case: Case, table: Table, gpus: Floats, rows: Ints, columns: Ints) -> Floats:
    """Micro-steps per step where the batch was not stated: enough to reach a usual one."""
    if case.typical.global_batch is not None:
        return np.full(len(rows), np.nan)
    if case.method == "from_scratch" and case.typical.sequence_tokens > 64:
        usual = default("global_batch_tokens.scratch").typical / case.typical.sequence_tokens
    else:
        usual = default("global_batch.tuning").typical
    replicas = gpus[rows] / (table.tp * table.pp * table.cp)[columns]
    least = np.where(table.pp[columns] > 1, 4.0 * table.pp[columns], 1.0)
    return np.maximum(np.ceil(usual / (replicas * table.micro_batch[columns])), least)


def _positions[T](values: Sequence[T], *, key: object) -> tuple[tuple[T, ...], Ints]:
    """Distinct values by key in order of appearance, and the position of each value among them."""
    distinct: dict[object, int] = {}
    items: list[T] = []
    index = []
    for value in values:
        name = key(value)  # type: ignore[operator]  # a plain function
        if name not in distinct:
            distinct[name] = len(items)
            items.append(value)
        index.append(distinct[name])
    return tuple(items), np.array(index)
