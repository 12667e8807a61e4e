"""One option, complete: machine, memory bar, time, host, storage, rack, what is required, offered and left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assessments.sizing.estimate import estimate_many
from assessments.sizing.explain_memory import memory_quantities, moment_of, rank_of
from assessments.sizing.explain_time import step_quantities, time_quantities
from assessments.sizing.horizon import Outlook, energy_quantities, growth_quantities, use_quantities
from assessments.sizing.host import HostLoad, cpu_needs, ram_needs, whole_load
from assessments.sizing.machines import Machine
from assessments.sizing.quantity import Ledger, Quantity, Scope, Span
from assessments.sizing.rack import Site, body_needs, power_needs
from assessments.sizing.resolve import TUNED_STACKS, Case
from assessments.sizing.resources import Resource, resource_rows
from assessments.sizing.setup import Estimate, Measurement, Setup, SetupArrays, estimate_at
from assessments.sizing.stalls import Given, data_stall
from assessments.sizing.storage import CheckpointLoad, checkpoint_bytes, checkpoint_needs, drives_needs, storage_needs

SUBJECTS = {  # subject → the quantity by which scenarios are compared
    "memory": "memory.total",
    "cpu": "cpu.cores",
    "ram": "ram.required",
    "storage": "storage.capacity",
    "checkpoints": "checkpoints.size",
}
TIME_SUBJECTS = ("time", "step", "link")
LOAD_SHARDED_FROM = 0.5e12  # RAM of one server from which every rank reading the whole model is no plan [bytes]
REINFORCED = frozenset({"grpo"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One case on one machine: its layout and the estimate at both ends of the open answers."""

    case: Case
    setup: Setup
    least: Estimate
    typical: Estimate
    most: Estimate


@dataclass(slots=True, kw_only=True)
class Option:
    """An option under construction.

    decides: position of the scenario that decides each subject; repairs: changes that would make its memory fit
    """

    key: str
    keys: tuple[str, ...]
    machine: Machine
    rows: tuple[Evaluated, ...]
    scope: Scope
    groups: tuple[tuple[int, ...], ...]
    given: Given | None = None
    decides: dict[str, int] = field(default_factory=dict)
    resources: list[Resource] = field(default_factory=list)
    sharded_load: bool = False
    drives: int = 0
    repairs: tuple[Mapping[str, Any], ...] = ()

    @property
    def deciding(self) -> Evaluated:
        """The scenario that decides memory."""
        return self.rows[self.decides["memory"]]

    @property
    def slowest(self) -> Evaluated:
        """The scenario that decides time."""
        return self.rows[self.decides["time"]]

    def value(self, name: str) -> Span:
        """A stored quantity of this option."""
        return self.scope.value(name)

    def has(self, name: str) -> bool:
        """Whether the option has this quantity."""
        return self.scope.id(name) in self.scope.ledger.quantities

    @property
    def fit(self) -> str:
        """The worst fit of its resources."""
        return worst(resource.fit for resource in self.resources)


def worst(fits: Any) -> str:
    """The worst of several fits; what is not known counts for nothing."""
    order = ("fits", "at_limit", "does_not_fit")
    return order[max((order.index(fit) for fit in fits if fit is not None), default=0)]


def evaluated(case: Case, setup: Setup, anchor: Measurement | None) -> Evaluated:
    """Estimates of one setup at both ends of what is open."""
    arrays = SetupArrays.of([setup])
    typical = estimate_at(estimate_many(case.typical, arrays, anchor=anchor), 0)
    if not case.is_open:
        return Evaluated(case=case, setup=setup, least=typical, typical=typical, most=typical)
    least = estimate_at(estimate_many(case.least, arrays, anchor=anchor), 0)
    most = estimate_at(estimate_many(case.most, arrays, anchor=anchor), 0)
    return Evaluated(case=case, setup=setup, least=least, typical=typical, most=most)


def case_prefix(case: Case, cases: int) -> str:
    """Prefix of quantities of a scenario: none when there is one scenario only."""
    return "" if cases == 1 else f"s{case.index + 1}"


def build(
    ledger: Ledger,
    *,
    keys: tuple[str, ...],
    machine: Machine,
    rows: Sequence[Evaluated],
    groups: tuple[tuple[int, ...], ...],
    site: Site,
    outlook: Outlook,
    given: Given | None = None,
) -> Option:
    """All quantities of one option in the ledger, and its table of resources."""
    scope = ledger.scope(keys[0])
    option = Option(key=keys[0], keys=keys, machine=machine, rows=tuple(rows), scope=scope, groups=groups, given=given)
    many = len(rows) > 1
    reserve = ledger.quantities["memory.reserve"].value
    for row in rows:
        own = ledger.scope(keys[0], case_prefix(row.case, len(rows)))
        _case_quantities(own, row, reserve, outlook, option)
    _decide(option, many=many)
    _together(option, site, outlook, many=many)
    option.resources = resource_rows(option, site)
    return option


def _case_quantities(scope: Scope, row: Evaluated, reserve: Span, outlook: Outlook, option: Option) -> None:
    case, setup, machine = row.case, row.setup, option.machine
    memory_quantities(scope, setup, row.least, row.typical, row.most, reserve)
    step_quantities(scope, setup, row.typical)
    stall = data_stall(case, row.typical, machine, option.given)
    cycle = time_quantities(scope, case, setup, row.least, row.typical, row.most, stall=stall)
    speed = scope.value("time.tokens_per_s_gpu")
    samples_s = speed.scaled(1 / case.feed.tokens_per_sample)
    trained = trained_params(case)
    checkpoint = CheckpointLoad(
        trained_params=trained,
        total_params=case.model.params,
        weights=setup.recipe.weights,
        optimizer=setup.recipe.optimizer,
        adapters_only=case.method in ("lora", "qlora"),
        cycle_h=cycle.typical,
        servers=machine.servers,
        per_server=machine.per_server,
    )
    size = checkpoint_bytes(scope, checkpoint)
    load = HostLoad(
        per_server=machine.per_server,
        servers=machine.servers,
        card_bytes=machine.accelerator.memory_bytes,
        params=case.model.params,
        samples_s=samples_s,
        offload=setup.layout.offload,
        checkpoint_bytes=size,
        is_async=case.method not in ("lora", "qlora"),
        loads_model=case.method != "from_scratch",
        sharded_load=setup.recipe.stack in TUNED_STACKS,
        is_rl=case.typical.objective in REINFORCED,
    )
    if not load.sharded_load and load.loads_model and whole_load(load).typical > LOAD_SHARDED_FROM:
        load = replace(load, sharded_load=True)
        option.sharded_load = True
    cpu_needs(scope, case.feed, load)
    ram_needs(scope, case.feed, load)
    storage_needs(
        scope,
        case.feed,
        samples_s=samples_s,
        servers=machine.servers,
        per_server=machine.per_server,
        years=outlook.years,
    )
    checkpoint_needs(scope, checkpoint)
    use_quantities(scope, case.times, machine, cycle)


def trained_params(case: Case) -> Span:
    """Parameters whose states a checkpoint holds [count]."""
    shape = case.model.shape
    if case.method in ("lora", "qlora"):
        roles = {"attention": {"attention"}, "mlp": {"mlp", "expert", "shared_expert"}}
        chosen = frozenset().union(*(roles.get(target, set()) for target in case.recipe.lora_targets))
        adapters = float(shape.adapter_params(int(case.recipe.lora_rank), chosen))
        return Span(adapters, adapters, adapters)
    if case.model.trainable_params is not None:
        stated = case.model.trainable_params
        return Span(stated, stated, stated)
    return case.model.params


def _decide(option: Option, *, many: bool) -> None:
    """Which scenario decides what, and its quantities without a scenario in their id."""
    if not many:
        option.decides = dict.fromkeys((*SUBJECTS, *TIME_SUBJECTS, "use"), 0)
        return
    ledger, key = option.scope.ledger, option.key

    def of(position: int, name: str) -> float:
        return ledger.quantities[f"{key}.s{option.rows[position].case.index + 1}.{name}"].value.typical

    for subject, name in SUBJECTS.items():
        positions = range(len(option.rows))
        option.decides[subject] = max(positions, key=lambda position: (of(position, name), -position))
    lags = {
        group: sum(of(position, "time.cycle") for position in group) / option.rows[group[0]].case.times.latest_h
        for group in option.groups
    }
    binding = max(lags, key=lambda group: lags[group])
    slowest = max(binding, key=lambda position: of(position, "time.cycle"))
    option.decides |= dict.fromkeys(TIME_SUBJECTS, slowest)
    for subject, position in option.decides.items():
        ledger.copy(f"{key}.s{option.rows[position].case.index + 1}.{subject}", f"{key}.{subject}")
    if len(binding) > 1:
        names = [f"{key}.s{option.rows[position].case.index + 1}.time.cycle" for position in binding]
        total = Span(0.0, 0.0, 0.0)
        for name in names:
            total = total.plus(ledger.quantities[name].value)
        ledger.quantities[f"{key}.time.cycle"] = Quantity(
            value=total, unit="h", formula="sum", inputs=tuple(names), source="arithmetic", origin="computed"
        )
    uses = [f"{key}.s{row.case.index + 1}.use" for row in option.rows]
    for part in ("utilisation", "gpu_hours_quarter"):
        summed = Span(0.0, 0.0, 0.0)
        for name in uses:
            summed = summed.plus(ledger.quantities[f"{name}.{part}"].value)
        unit = ledger.quantities[f"{uses[0]}.{part}"].unit
        option.scope.add(f"use.{part}", summed, unit=unit, formula="sum", inputs=[f"{name}.{part}" for name in uses])
    ledger.copy(f"{uses[slowest]}.gpu_hours_run", f"{key}.use.gpu_hours_run")
    ledger.quantities[f"{key}.use.gpu_hours_run"] = ledger.quantities[f"{uses[slowest]}.gpu_hours_run"]
    option.decides["use"] = slowest


def _together(option: Option, site: Site, outlook: Outlook, *, many: bool) -> None:
    """What the machine as a whole needs: drives, power, body, deadline, growth, energy."""
    scope, machine = option.scope, option.machine
    scope.add("gpus.total", float(machine.gpus), unit="gpus", formula="search", bounds=(1, 100_000))
    scope.add("servers.total", float(machine.servers), unit="servers", formula="search")
    option.drives = drives_needs(scope, machine.servers)
    power_needs(scope, machine, site, float(option.drives))
    body_needs(scope, machine)
    group = next(group for group in option.groups if option.decides["time"] in group)
    times = option.rows[group[0]].case.times
    index = option.rows[group[0]].case.index
    cycle = option.value("time.cycle")
    for name, limit in (("latest", times.latest_h), ("wanted", times.wanted_h)):
        scope.add(
            f"time.{name}",
            limit,
            unit="h",
            formula="answer",
            inputs=[f"scenarios[{index}].cycle.{name}_h"],
            source="task",
            origin="answer",
        )
    scope.add(
        "time.left",
        Span(times.latest_h, times.latest_h, times.latest_h).minus(cycle),
        unit="h",
        formula="difference",
        inputs=[".time.latest", ".time.cycle"],
    )
    growth_quantities(scope, machine, outlook, cycle=cycle, times=times)
    energy_quantities(scope, cycle, option.value("use.utilisation"))
    year = option.value("use.utilisation")
    scope.add("use.year", year, unit="share", formula="use.year", inputs=[".use.utilisation"])


def setup_json(setup: Setup) -> Mapping[str, Any]:
    """Layout and recipe of a setup as plain JSON."""
    layout, recipe = setup.layout, setup.recipe
    return {
        "layout": {
            "tp": int(layout.tp),
            "pp": int(layout.pp),
            "cp": int(layout.cp),
            "ep": int(layout.ep),
            "sharding": layout.sharding,
            "offload": layout.offload,
            "recompute": layout.recompute,
            "micro_batch": int(layout.micro_batch),
        },
        "recipe": {
            "precision": recipe.precision,
            "weights": recipe.weights,
            "optimizer": recipe.optimizer,
            "gradient_bytes": recipe.gradient_bytes,
            "stack": recipe.stack,
            "tuned": recipe.tuned,
            "loss": recipe.loss,
            "flash_attention": recipe.flash_attention,
            "packing": recipe.packing,
            "lora_rank": recipe.lora_rank,
            "quantised": recipe.quant_bits is not None,
        },
    }


def moment_and_rank(option: Option) -> tuple[str, str]:
    """Codes of the peak of the scenario that decides memory."""
    memory = option.deciding.typical.memory
    return moment_of(memory), rank_of(memory)
