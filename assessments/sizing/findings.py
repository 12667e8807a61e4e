"""Findings of an option and of a task: codes with numbers, most severe first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assessments.sizing.codes import FINDINGS, SEVERITIES
from assessments.sizing.estimate import estimate
from assessments.sizing.host import HostLoad, whole_load
from assessments.sizing.interchange import is_switched, technique_codes
from assessments.sizing.machines import LINK_ORDER
from assessments.sizing.options import Option
from assessments.sizing.quantity import rounded
from assessments.sizing.rack import Site, cooling_limit_w, feed_limit_w, supplies_hold

SAVING = frozenset(
    {
        "recompute_full",
        "recompute_selective",
        "zero2",
        "zero3",
        "fsdp",
        "tp",
        "pp",
        "optimizer_8bit",
        "offload",
        "chunked_loss",
    }
)
MONTH_H = 730.5
# remarks that say the same of every option: one finding with the largest figure, by the parameter that is compared
ONE_PER_RESULT = {
    "storage_enough": "need",
    "link_enough": "loss",
    "memory_logits": "logits",
    "checkpoint_async": "ram",
    "storage_shared": "need",
    "ram_load_peak": "load",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One remark: code, numbers, options that it is about, single changes that repair it."""

    code: str
    params: Mapping[str, Any]
    options: tuple[str, ...] = ()
    repairs: tuple[Mapping[str, Any], ...] = ()

    @property
    def severity(self) -> str:
        """stop, warn, assumed or note."""
        return FINDINGS[self.code][0]

    def as_json(self) -> dict[str, Any]:
        """The finding as plain JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "params": {name: _plain(value) for name, value in self.params.items()},
            "options": list(self.options),
            "repairs": [dict(repair) for repair in self.repairs],
        }


@dataclass(slots=True)
class Findings:
    """Collects findings; one code with the same numbers for several options becomes one."""

    rows: list[Finding] = field(default_factory=list)

    def add(
        self, code: str, about: Option | None = None, /, *, repairs: Sequence[Mapping[str, Any]] = (), **params: Any
    ) -> None:
        """Add a finding; its parameters must be those of its code."""
        if set(params) != set(FINDINGS[code][1]):
            raise KeyError(f"{code} takes {sorted(FINDINGS[code][1])}, given {sorted(params)}")
        options = () if about is None else (about.key,)
        measure = ONE_PER_RESULT.get(code)
        if measure is not None:
            before = next((i for i, row in enumerate(self.rows) if row.code == code), None)
            if before is not None:
                old = self.rows[before]
                larger = params if params[measure] > old.params[measure] else old.params
                self.rows[before] = replace(old, params=larger, options=(*old.options, *options))
                return
        same = next((i for i, row in enumerate(self.rows) if row.code == code and row.params == params), None)
        if same is not None:
            self.rows[same] = replace(self.rows[same], options=(*self.rows[same].options, *options))
        else:
            self.rows.append(Finding(code=code, params=params, options=options, repairs=tuple(repairs)))

    def as_json(self) -> list[dict[str, Any]]:
        """All findings, the most severe first, else in the order of their making."""
        ordered = sorted(self.rows, key=lambda row: SEVERITIES.index(row.severity))
        return [row.as_json() for row in ordered]


def _plain(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return rounded(float(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value]


def option_findings(
    found: Findings, option: Option, site: Site, options: Sequence[Option], unknown: str | None
) -> None:
    """Everything that is to be said of one option."""
    _memory(found, option)
    _time(found, option, options, unknown)
    _exchange(found, option)
    _host(found, option)
    _storage(found, option)
    _rack(found, option, site)


def _memory(found: Findings, option: Option) -> None:
    total, usable, capacity = (
        option.value("memory.total"),
        option.value("memory.usable"),
        option.value("memory.capacity"),
    )
    row = option.deciding
    if total.typical > capacity.typical:
        technique = (
            "qlora"
            if row.case.method == "lora"
            else "lora"
            if row.case.method in ("full", "frozen")
            else "recompute_full"
        )
        found.add(
            "memory_short",
            option,
            repairs=option.repairs,
            need=total.typical,
            limit=usable.typical,
            gap=total.typical - usable.typical,
            technique=technique,
        )
    elif total.high > usable.typical:
        found.add("memory_at_limit", option, typical=total.typical, high=total.high, limit=usable.typical)
    saving = [code for code in technique_codes(row) if code in SAVING]
    if saving and total.typical <= capacity.typical:
        plain = _plain_setup_memory(option)
        if plain > usable.typical:
            found.add("memory_needs_techniques", option, plain=plain, reduced=total.typical, techniques=saving)
    if "optimizer_8bit" in saving and row.case.recipe.optimizer != row.setup.recipe.optimizer:
        ordinary = replace(row.setup, recipe=replace(row.setup.recipe, optimizer=row.case.recipe.optimizer))
        need = estimate(row.case.typical, ordinary).memory.typical
        found.add("memory_8bit_optimizer", option, need=need, limit=usable.typical)
    logits, activations = option.value("memory.logits").typical, option.value("memory.activations").typical
    if logits > activations and logits > 0.1 * total.typical:
        found.add("memory_logits", option, vocab=row.case.model.shape.head_width, logits=logits, peak=total.typical)


def _plain_setup_memory(option: Option) -> float:
    """Memory of the same machine without any saving technique: data parallel, nothing recomputed, micro-batch 1."""
    row = option.deciding
    layout = replace(
        row.setup.layout, tp=1, pp=1, cp=1, ep=1, sharding="none", offload="none", recompute="none", micro_batch=1.0
    )
    plain = replace(
        row.setup,
        layout=layout,
        recipe=replace(row.setup.recipe, loss=row.case.recipe.loss, optimizer=row.case.recipe.optimizer),
    )
    return float(estimate(row.case.typical, plain).memory.typical)


def _time(found: Findings, option: Option, options: Sequence[Option], unknown: str | None) -> None:
    cycle, wanted, latest = (
        option.value("time.cycle"),
        option.value("time.wanted").typical,
        option.value("time.latest").typical,
    )
    if cycle.typical > latest:
        needed = -(-option.machine.gpus * cycle.typical // latest)
        found.add("time_latest_missed", option, time=cycle.typical, latest=latest, n_gpus=needed)
    elif cycle.typical > wanted:
        better = next((other.key for other in options if other.value("time.cycle").typical <= wanted), None)
        if better is not None or len(options) == 1:
            found.add(
                "time_wanted_missed",
                option,
                time=cycle.typical,
                wanted=wanted,
                latest=latest,
                option=better or option.key,
            )
    elif cycle.high > wanted:
        found.add(
            "time_at_limit",
            option,
            typical=cycle.typical,
            high=cycle.high,
            wanted=wanted,
            unknown=unknown or "recipe.stack",
        )
    if cycle.typical > 2 * MONTH_H:
        found.add("time_months", option, time=cycle.typical, interval=option.value("checkpoints.interval").typical)
    use = option.value("use.utilisation").typical
    if use > 1.0:
        runs = option.slowest.case.times.runs_per_quarter.typical
        found.add("utilisation_over", option, n_runs=runs, time=cycle.typical, share=use)
    batch = option.slowest.case.typical.global_batch
    if batch is not None and option.machine.gpus >= batch:
        found.add("time_batch_cap", option, batch=batch, n_gpus=batch)


def _exchange(found: Findings, option: Option) -> None:
    machine, loss = option.machine, option.value("link.exchange_share").typical
    row = option.slowest
    if machine.gpus == 1:
        return
    if machine.servers > 1:
        fabric = machine.fabric
        if fabric is not None and not fabric.rdma:
            found.add("fabric_tcp", option, loss=loss)
        else:
            ports = {"fabric": None if fabric is None else fabric.slug, "ports": machine.fabric_ports}
            found.add("fabric_required", option, n_nodes=machine.servers, ports=ports, loss=loss)
        return
    splits = row.setup.layout.tp > 1 or row.setup.layout.ep > 1
    if is_switched(machine.link):
        return
    if splits and loss > 0.35:
        found.add("link_required", option, link=machine.link, loss=loss)
    elif loss > 0.15:
        better = "nvswitch" if machine.link in LINK_ORDER[4:] else "xgmi"
        faster = estimate(row.case.typical, replace(row.setup, link="nvswitch", accelerator=_with_fast_link(option)))
        share = sum(
            getattr(faster.time, name)
            for name in ("tp_exposed", "dp_exposed", "ep_exposed", "cp_exposed", "pp_exposed")
        )
        found.add(
            "link_slow", option, link=machine.link, loss=loss, better=better, better_loss=share / faster.time.step
        )
    else:
        found.add("link_enough", option, loss=loss)


def _with_fast_link(option: Option) -> Any:
    """The same card with the usual link of a switched board, for comparison only."""
    card = option.machine.accelerator
    return card if card.link_bytes_s else replace(card, link="nvlink", link_bytes_s=900e9, link_domain=8)


def _host(found: Findings, option: Option) -> None:
    fits = {resource.code: resource for resource in option.resources}
    if fits["cpu_cores"].fit == "at_limit":
        have = option.value("cpu.offered").high / option.machine.per_server
        need = option.value("cpu.cores").typical / option.machine.per_server
        stall = max(option.value("time.data_stall").typical, 1 - have / need)
        found.add("cpu_short", option, need=need, have=have, work=option.deciding.case.feed.cpu_rate, stall=stall)
    if fits["ram"].fit == "does_not_fit":
        found.add("ram_short", option, need=option.value("ram.needed").typical, have=option.value("ram.offered").high)
    row = option.rows[option.decides["ram"]]
    load = HostLoad(
        per_server=option.machine.per_server,
        servers=option.machine.servers,
        card_bytes=option.machine.accelerator.memory_bytes,
        params=row.case.model.params,
        samples_s=option.value("cpu.samples_s_gpu"),
        offload="none",
        checkpoint_bytes=option.value("checkpoints.size"),
        is_async=False,
        loads_model=row.case.method != "from_scratch",
        sharded_load=False,
        is_rl=False,
    )
    whole, run = whole_load(load).typical, option.value("ram.run").typical
    if load.loads_model and whole > max(run, 0.5e12) and option.machine.per_server > 1:
        found.add("ram_load_peak", option, load=whole, run=run)
    staging = option.value("ram.staging").typical
    if staging > 0.05 * option.value("ram.required").typical:
        found.add("checkpoint_async", option, ram=staging)


def _storage(found: Findings, option: Option) -> None:
    need, have = option.value("storage.read").typical, option.value("storage.location_read").typical
    opens, can = option.value("storage.iops").typical, option.value("storage.location_iops").low
    feed = option.rows[option.decides["storage"]].case.feed
    if feed.location != "local_nvme":
        if need > have:
            drives = option.value("storage.drives").typical * option.machine.servers
            found.add("storage_read_short", option, need=need, have=have, stall=1 - have / need, n_drives=drives)
        else:
            found.add("storage_enough", option, need=need, have=have)
        if opens > can and feed.profile in ("small_files", "large_images", "audio"):
            found.add("storage_iops", option, need=opens, have=can)
    storage = next(resource for resource in option.resources if resource.code == "storage")
    if storage.fit == "at_limit":
        found.add(
            "storage_capacity",
            option,
            need=option.value("storage.required").typical,
            have=option.value("storage.offered").high,
        )
    if option.machine.servers > 1:
        found.add("storage_shared", option, n_nodes=option.machine.servers, need=need)
    share = option.value("checkpoints.blocking_share").typical
    if share > 0.03 and option.value("ram.staging").typical == 0:
        found.add(
            "checkpoint_stall",
            option,
            size=option.value("checkpoints.size").typical,
            time=option.value("checkpoints.blocking_time").typical,
            share=share,
            rate=option.value("checkpoints.write_blocking").typical,
        )


def _rack(found: Findings, option: Option, site: Site) -> None:
    need, machine = option.value("power.required").typical, option.machine
    in_rack = option.value("rack.servers").typical
    feed = feed_limit_w(site)
    if site.rack_w is not None:
        if need > site.rack_w:
            found.add("rack_power_over", option, need=need, have=site.rack_w, feed=need / 0.8)
        elif need > 0.7 * site.rack_w:
            found.add("rack_power_at_limit", option, share=need / site.rack_w, left=site.rack_w - need)
    if feed is not None and need > feed:
        found.add("feed_short", option, need=need, have=feed, feed=need / 0.8)
    if site.feeds == 1 and (site.is_described or site.feed_w is not None):
        found.add("feed_single", option)
    supplies = supplies_hold(machine, option.value("power.server_peak").low, site.feeds)
    if supplies is not None and not supplies[0] and site.feeds_known:
        found.add("psu_redundancy", option, need=option.value("power.server_peak").typical, have=supplies[1])
    heat, limit = option.value("heat.required").typical, cooling_limit_w(site)
    if limit is not None and (site.is_described or site.cooling == "none") and heat > limit:
        found.add("cooling_over", option, need=heat, have=limit)
    liquid_only = bool(machine.platforms) and all(p.cooling not in (None, "air") for p in machine.platforms)
    if liquid_only and site.cooling not in ("direct_to_chip", "immersion"):
        found.add("cooling_liquid_only", option, server=machine.platforms[0].name)
    limits = (
        ("units_over", "units", site.free_units),
        ("depth_over", "depth", site.depth_mm),
        ("weight_over", "weight", site.load_kg),
    )
    for code, subject, have in limits:
        if have is not None and option.has(f"{subject}.required") and option.value(f"{subject}.required").low > have:
            found.add(code, option, need=option.value(f"{subject}.required").low, have=have)
    inlets = [p.inlet_c_max for p in machine.platforms if p.inlet_c_max is not None]
    if site.inlet_c is not None and inlets and max(inlets) < site.inlet_c:
        found.add("inlet_over", option, have=site.inlet_c, max=max(inlets))
    if site.rack_w is not None and need * 2 > site.rack_w >= need and in_rack >= 1:
        needed = option.value("growth_slots.required").typical
        slots = option.value("growth_slots.offered").typical
        if needed > slots:
            found.add("growth_rack", option, when=12 * MONTH_H, need=need * 2, have=site.rack_w)
