"""Required, offered and left of every resource of an option, each with its fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assessments.sizing.catalog import Platform
from assessments.sizing.defaults import default
from assessments.sizing.explain_memory import fit_of
from assessments.sizing.machines import SWITCHED
from assessments.sizing.quantity import Span, exactly
from assessments.sizing.rack import Site, cooling_limit_w, envelope_of, feed_limit_w

if TYPE_CHECKING:
    from assessments.sizing.options import Option

LINK_FINE, LINK_SLOW = 0.15, 0.35  # exposed exchange: below it is no topic, above it the link is the limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """One row: ids of what is required, offered and left; None = not known, and then no fit either."""

    code: str
    required: str
    offered: str | None
    left: str | None
    fit: str | None


def upper_fit(required: Span, offered: Span) -> str:
    """Need against a limit: its upper bound holds, its typical holds, or neither; the best platform counts."""
    if required.high <= offered.high * (1 + 1e-12):
        return "fits"
    return "at_limit" if required.typical <= offered.high else "does_not_fit"


def choice_fit(required: Span, offered: Span) -> str:
    """A span over platforms against a limit: most of them fit, one of them, none."""
    if required.typical <= offered.typical:
        return "fits"
    return "at_limit" if required.low <= offered.typical else "does_not_fit"


def resource_rows(option: Option, site: Site) -> list[Resource]:
    """The table, in the order of the contract."""
    return [
        *_core(option),
        *_rack(option, site),
        *_host(option),
        *_storage(option),
        *_exchange(option, site),
        _growth(option),
    ]


def _row(
    option: Option,
    code: str,
    required: str,
    offered: Span | None,
    *,
    unit: str,
    source: str = "task",
    subject: str | None = None,
    judge: Callable[[Span, Span], str] = upper_fit,
) -> Resource:
    """A row whose limit may be unknown; what is offered and left is stored under the subject."""
    scope, need = option.scope, option.value(required)
    name = subject or code
    if offered is None:
        return Resource(code=code, required=scope.id(required), offered=None, left=None, fit=None)
    formula = {"task": "answer", "catalog": "catalog"}.get(source, "constant")
    scope.add(
        f"{name}.offered",
        offered,
        unit=unit,
        formula=formula,
        source=source,
        origin="answer" if source == "task" else "computed",
    )
    scope.add(
        f"{name}.left",
        offered.minus(need),
        unit=unit,
        formula="difference",
        inputs=[f".{name}.offered", f".{required}"],
    )
    return Resource(
        code=code,
        required=scope.id(required),
        offered=scope.id(f"{name}.offered"),
        left=scope.id(f"{name}.left"),
        fit=judge(need, offered),
    )


def _core(option: Option) -> list[Resource]:
    scope = option.scope
    total, usable, capacity = (
        option.value("memory.total"),
        option.value("memory.usable"),
        option.value("memory.capacity"),
    )
    cycle, latest = option.value("time.cycle"), option.value("time.latest")
    return [
        Resource(
            code="memory",
            required=scope.id("memory.total"),
            offered=scope.id("memory.usable"),
            left=scope.id("memory.free"),
            fit=fit_of(total, usable.typical, capacity.typical),
        ),
        Resource(
            code="time",
            required=scope.id("time.cycle"),
            offered=scope.id("time.latest"),
            left=scope.id("time.left"),
            fit=upper_fit(cycle, latest),
        ),
    ]


def _rack(option: Option, site: Site) -> list[Resource]:
    rack = None if site.rack_w is None else exactly(site.rack_w)
    feed, heat = feed_limit_w(site), cooling_limit_w(site)
    known_heat = heat if site.is_described or site.cooling == "none" else None

    def by_typical(required: Span, offered: Span) -> str:
        """Power: the estimate against the limit; close to it is at the limit."""
        if required.typical > offered.typical:
            return "does_not_fit"
        return "fits" if required.typical <= 0.9 * offered.typical else "at_limit"

    rows = [
        _row(option, "power", "power.required", rack, unit="w", judge=by_typical),
        _row(option, "feed", "power.required", None if feed is None else exactly(feed), unit="w", judge=by_typical),
        _row(option, "heat", "heat.required", None, unit="w"),
        _row(
            option,
            "cooling",
            "heat.required",
            None if known_heat is None else exactly(known_heat),
            unit="w",
            judge=by_typical,
        ),
    ]
    limits = {"units": (site.free_units, "units"), "depth": (site.depth_mm, "mm"), "weight": (site.load_kg, "kg")}
    for code, (limit, unit) in limits.items():
        if option.has(f"{code}.required"):
            offered = None if limit is None else exactly(limit)
            rows.append(_row(option, code, f"{code}.required", offered, unit=unit, judge=choice_fit))
    return rows


def _of_platforms(option: Option, pick: Callable[[Platform], float | None]) -> Span | None:
    return envelope_of(option.machine.platforms, pick)


def _host(option: Option) -> list[Resource]:
    given = option.given
    cores = exactly(given.cpu_cores) if given and given.cpu_cores else _of_platforms(option, lambda p: p.cpu_cores_max)
    ram = exactly(given.ram_bytes) if given and given.ram_bytes else _of_platforms(option, lambda p: p.ram_max_bytes)
    source_cores = "task" if given and given.cpu_cores else "catalog"
    source_ram = "task" if given and given.ram_bytes else "catalog"

    def cores_fit(required: Span, offered: Span) -> str:
        """Too few cores slow the cards, they do not stop them."""
        return "fits" if required.typical <= offered.high else "at_limit"

    def ram_fit(required: Span, offered: Span) -> str:
        """Against what must be there at the peak, not the rounded population."""
        needed = option.value("ram.needed")
        if needed.typical > offered.high:
            return "does_not_fit"
        return "fits" if required.typical <= offered.high else "at_limit"

    return [
        _row(
            option, "cpu_cores", "cpu.cores", cores, unit="cores", source=source_cores, subject="cpu", judge=cores_fit
        ),
        _row(option, "ram", "ram.required", ram, unit="bytes", source=source_ram, subject="ram", judge=ram_fit),
    ]


def _storage(option: Option) -> list[Resource]:
    servers = option.machine.servers
    bays = _of_platforms(option, lambda p: p.nvme_bays)
    largest = default("drive.bytes").high
    scope = option.scope
    both = option.value("storage.capacity").plus(option.value("checkpoints.volume"))
    scope.add(
        "storage.required", both, unit="bytes", formula="sum", inputs=[".storage.capacity", ".checkpoints.volume"]
    )
    space = None if bays is None or bays.high == 0 else bays.scaled(largest * servers)
    drives = option.value("storage.drives").typical * servers
    read, opens = default("drive.read_bytes_s").scaled(drives), default("drive.iops").scaled(drives)

    def soft(required: Span, offered: Span) -> str:
        """What is short here can stand outside the server."""
        return "fits" if required.typical <= offered.high else "at_limit"

    return [
        _row(option, "storage", "storage.required", space, unit="bytes", source="catalog", judge=soft),
        _row(
            option,
            "storage_read",
            "storage.read",
            read,
            unit="bytes_s",
            source="default.drive.read_bytes_s",
            judge=soft,
        ),
        _row(option, "storage_iops", "storage.iops", opens, unit="iops", source="default.drive.iops", judge=soft),
        _row(option, "checkpoints", "checkpoints.volume", None, unit="bytes"),
        _row(
            option,
            "checkpoint_write",
            "checkpoints.write_background",
            option.value("checkpoints.write_offered"),
            unit="bytes_s",
            source="host.ckpt_write_parallel_node",
            judge=soft,
        ),
    ]


def _exchange(option: Option, site: Site) -> list[Resource]:
    scope, row = option.scope, option.slowest
    step, machine = row.typical.time, option.machine
    rows = []
    share = option.value("link.exchange_share").typical
    if machine.gpus > 1:
        busy = max(option.value("step.compute").typical, 1e-12)
        moved = option.value("link.dp_bytes").typical + option.value("link.tp_bytes").typical
        scope.add(
            "link.required",
            moved / busy,
            unit="bytes_s",
            formula="link.required",
            inputs=[".link.dp_bytes", ".link.tp_bytes", ".step.compute"],
        )

        def by_share(required: Span, offered: Span) -> str:
            """A slow link costs time, it does not stop the training."""
            return "fits" if share <= LINK_SLOW else "at_limit"

        rows.append(
            _row(
                option,
                "link",
                "link.required",
                exactly(step.link_bytes_s),
                unit="bytes_s",
                source="calibration.time.link_share",
                judge=by_share,
            )
        )
    if machine.servers > 1:
        per_server = machine.fabric_ports * (machine.fabric.gbit_s if machine.fabric else 0.0) * 1e9
        scope.add(
            "fabric.required",
            per_server,
            unit="bit_s",
            formula="fabric.required",
            inputs=[machine.fabric_ports, machine.fabric.gbit_s if machine.fabric else 0.0],
            source="catalog",
        )
        rows.append(Resource(code="fabric", required=scope.id("fabric.required"), offered=None, left=None, fit=None))
    return rows


def _growth(option: Option) -> Resource:
    scope = option.scope
    left = option.value("growth_slots.left").typical
    return Resource(
        code="growth_slots",
        required=scope.id("growth_slots.required"),
        offered=scope.id("growth_slots.offered"),
        left=scope.id("growth_slots.left"),
        fit="fits" if left >= 0 or option.value("growth_slots.required").typical == 0 else "at_limit",
    )


def profile_of(option: Option) -> str:
    """The exchange profile: pcie is enough, a link pays, a switched link is required, a fabric between servers."""
    if option.machine.servers > 1:
        return "fabric"
    layout = option.slowest.setup.layout
    if layout.tp > 1 or layout.ep > 1 or layout.cp > 1:
        return "switched"
    share = option.value("link.exchange_share").typical
    return (
        "pcie"
        if share <= LINK_FINE and option.machine.link not in SWITCHED
        else "link_pays"
        if share > 0.03
        else "pcie"
    )
