"""The rack: power, heat, feeds, cooling, height, depth and weight against what the site has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assessments.sizing.answers import UNKNOWN
from assessments.sizing.assumptions import Assumptions, closed
from assessments.sizing.catalog import Platform
from assessments.sizing.defaults import default
from assessments.sizing.host import host, source_of
from assessments.sizing.machines import JOINED, Machine
from assessments.sizing.quantity import Scope, Span
from assessments.sizing.questions import Facility

BOARD_FACTOR_LINKS = JOINED - {"nvlink_bridge"}
COOLING_LIMIT = {
    "none": "cool_room_air_max",
    "air": "cool_room_air_max",
    "contained_aisle": "cool_contained_max",
    "rear_door": "cool_active_rdhx_max",
}
LIQUID = frozenset({"direct_to_chip", "immersion"})
DIMMS = 16
AMBIENT_WITHOUT_COOLING_W = 2000.0  # what a room without cooling carries away


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The customer's limits; None = not stated. Power in W, one rack unless said otherwise."""

    place: str | None
    racks: int | None
    rack_w: float | None
    feeds: int
    feed_w: float | None
    cooling: str
    cooling_w: float | None
    free_units: float | None
    depth_mm: float | None
    load_kg: float | None
    inlet_c: float | None
    feeds_known: bool
    is_described: bool


def site_of(facility: Facility, taken: Assumptions) -> Site:
    """Close what was said about the site."""
    rack_kw, feed_kw, cooling_kw = closed(facility.rack_kw), closed(facility.feed_kw), closed(facility.cooling_kw)
    feeds, racks = closed(facility.feeds), closed(facility.racks)
    described = any(value is not None for value in (rack_kw, feed_kw, cooling_kw, closed(facility.free_units)))
    cooling = facility.cooling if isinstance(facility.cooling, str) and facility.cooling != UNKNOWN else None
    if isinstance(facility.cooling, tuple):
        cooling = facility.cooling[0]
    if feeds is None:
        taken.note("facility.feeds", 2, "feeds_two")
    if cooling is None:
        cooling = "none" if facility.place == "office" else "air"
        limit = host(COOLING_LIMIT[cooling]).typical * 1000 if cooling == "air" else AMBIENT_WITHOUT_COOLING_W
        taken.note("facility.cooling", cooling, "cooling_air", source_of("cool_room_air_max"), value=limit)
    depth = closed(facility.depth_mm)
    if depth is None and facility.depth_mm == UNKNOWN:
        depth = 1000.0
        taken.note("facility.depth_mm", depth, "depth_old_rack", source_of("chassis_depth"))
    return Site(
        place=facility.place if isinstance(facility.place, str) and facility.place != UNKNOWN else None,
        racks=None if racks is None else max(int(racks), 1),
        rack_w=None if rack_kw is None else rack_kw * 1000,
        feeds=2 if feeds is None else int(feeds),
        feed_w=None if feed_kw is None else feed_kw * 1000,
        cooling=cooling,
        cooling_w=None if cooling_kw is None else cooling_kw * 1000,
        free_units=closed(facility.free_units),
        depth_mm=depth,
        load_kg=closed(facility.load_kg),
        inlet_c=closed(facility.inlet_c),
        feeds_known=feeds is not None,
        is_described=described,
    )


def installed_cores(machine: Machine, required: float) -> float:
    """Cores that a server of this kind ships with, at least those required [count]: they draw power all the same."""
    if machine.link in BOARD_FACTOR_LINKS:
        return max(required, host("cores_per_gpu_hgx8").typical * machine.per_server)
    return max(required, 8.0 * machine.per_server, 16.0)


def peak_w(machine: Machine, cores: float, drives: float, *, liquid: bool) -> Span:
    """Peak draw of one server [W].

    W = ((k·Σ TDP + CPU + DIMM + SSD + NIC)·(1 + f) + base) / PSU efficiency; k 1.25 with a switched board, else 1.
    Eight systems (DGX A100 to B300, four itemised builds): median error 4.3 %, at most 13 %; the range is 13 %.
    """
    tdp = (machine.accelerator.tdp_w or 700.0) * machine.per_server
    factor = host("power_hgx_gpu_factor").typical if machine.link in BOARD_FACTOR_LINKS else 1.0
    cpu = installed_cores(machine, cores) * default("cpu.socket_w_per_core").typical
    fabric = machine.fabric_ports * host("power_fabric_nic").typical
    parts = factor * tdp + cpu + DIMMS * host("power_dimm").typical + drives * host("power_ssd").typical + fabric
    fans = host("power_fan_share_dlc" if liquid else "power_fan_share_air").typical
    typical = (parts * (1 + fans) + host("power_base").typical) / host("psu_efficiency").typical
    return Span(typical * 0.87, typical, typical * 1.13)


def power_needs(scope: Scope, machine: Machine, site: Site, drives: float) -> None:
    """Power and heat of one server, of a rack and of all; stored under power.* and heat.*."""
    liquid = site.cooling in LIQUID
    cores = scope.value("cpu.cores").typical
    installed = installed_cores(machine, cores)
    tdp = machine.accelerator.tdp_w
    scope.add(
        "power.accelerators",
        machine.accelerator_w,
        unit="w",
        formula="power.accelerators",
        inputs=[machine.gpus, tdp or 700.0],
        source="catalog",
    )
    server = scope.add(
        "power.server_peak",
        peak_w(machine, cores, drives, liquid=liquid),
        unit="w",
        formula="power.server_peak",
        inputs=[machine.per_server, tdp or 700.0, installed, drives, machine.fabric_ports],
        source=source_of("power_hgx_gpu_factor"),
        bounds=(50, 500_000),
    )
    share = host("power_typical_vs_nameplate")
    mean = Span(server.typical * share.low, server.typical * share.typical, server.typical * share.high)
    scope.add(
        "power.server_typical",
        mean,
        unit="w",
        formula="product",
        inputs=[".power.server_peak", share.typical],
        source=source_of("power_typical_vs_nameplate"),
    )
    in_rack = servers_in_rack(machine, site, server.typical)
    scope.add(
        "rack.servers",
        float(in_rack),
        unit="servers",
        formula="rack.servers",
        inputs=[machine.servers, ".power.server_peak"],
    )
    scope.add(
        "power.required",
        server.scaled(in_rack),
        unit="w",
        formula="product",
        inputs=[".power.server_peak", ".rack.servers"],
    )
    scope.add(
        "power.total",
        server.scaled(machine.servers),
        unit="w",
        formula="product",
        inputs=[".power.server_peak", machine.servers],
    )
    scope.add(
        "power.total_typical",
        mean.scaled(machine.servers),
        unit="w",
        formula="product",
        inputs=[".power.server_typical", machine.servers],
    )
    btu = host("heat_btu_per_w").typical
    scope.add(
        "heat.required",
        mean.scaled(1.1 * in_rack),
        unit="w",
        formula="heat.required",
        inputs=[".power.server_typical", 1.1, ".rack.servers"],
    )
    scope.add(
        "heat.btu_h",
        server.scaled(btu * machine.servers),
        unit="btu_h",
        formula="product",
        inputs=[".power.total", btu],
        source=source_of("heat_btu_per_w"),
    )


def servers_in_rack(machine: Machine, site: Site, server_w: float) -> int:
    """Servers that share one rack: spread evenly over the racks there are, else as many as the limits carry."""
    if site.racks is not None:
        return max(-(-machine.servers // site.racks), 1)
    by_power = int(site.rack_w // server_w) if site.rack_w else 4
    return max(1, min(machine.servers, by_power, 4))


def cooling_limit_w(site: Site) -> float | None:
    """Heat that one rack gets rid of [W]: what was stated, else the usual limit of the kind of cooling."""
    if site.cooling_w is not None:
        return site.cooling_w
    if site.cooling in LIQUID:
        return None
    if site.cooling == "none":
        return AMBIENT_WITHOUT_COOLING_W
    return host(COOLING_LIMIT[site.cooling]).typical * 1000


def feed_limit_w(site: Site) -> float | None:
    """What the rack may draw so that one feed carries it [W]; a single feed is planned the same way."""
    if site.feed_w is None:
        return None
    return site.feed_w * host("feed_plan_factor").typical


def envelope_of(platforms: Sequence[Platform], pick: Callable[[Platform], float | None]) -> Span | None:
    """Smallest, middle and largest of a figure over the platforms that state it."""
    values = sorted(value for platform in platforms if (value := pick(platform)) is not None)
    return None if not values else Span(values[0], values[len(values) // 2], values[-1])


def body_needs(scope: Scope, machine: Machine) -> dict[str, Span]:
    """Units, depth with cabling and weight of one server over the catalog's platforms, by resource code."""
    cabling = host("cabling_depth").typical
    rows: dict[str, Span] = {}
    units = envelope_of(machine.platforms, lambda p: p.units)
    depth = envelope_of(machine.platforms, lambda p: None if p.depth_mm is None else p.depth_mm + cabling)
    weight = envelope_of(machine.platforms, lambda p: p.weight_kg)
    in_rack = scope.value("rack.servers").typical
    if units is not None and any(platform.form != "tower" for platform in machine.platforms):
        rows["units"] = scope.add(
            "units.required",
            units.scaled(in_rack),
            unit="units",
            formula="rack.units",
            inputs=[units.typical, ".rack.servers"],
            source="catalog",
        )
    if depth is not None:
        rows["depth"] = scope.add(
            "depth.required",
            depth,
            unit="mm",
            formula="rack.depth",
            inputs=[depth.typical - cabling, cabling],
            source="catalog",
        )
    if weight is not None:
        rows["weight"] = scope.add(
            "weight.required",
            weight.scaled(in_rack),
            unit="kg",
            formula="rack.weight",
            inputs=[weight.typical, ".rack.servers"],
            source="catalog",
        )
    return rows


def supplies_hold(machine: Machine, peak: float, feeds: int) -> tuple[bool, float] | None:
    """Whether some platform's supplies carry the server with one of two feeds lost, and the best that they give [W].

    None when no rack server states its supplies: a tower stands on one feed. Lost feed = half of the supplies.
    """
    known = [p for p in machine.platforms if (p.psu_count or 0) > 1 and p.psu_w and p.form != "tower"]
    if not known or feeds < 2:
        return None
    left = [(p.psu_count or 0) // 2 * (p.psu_w or 0.0) for p in known]
    return max(left) >= peak, max(left)
