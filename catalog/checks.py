"""The hard requirements, each over all servers at once: what is needed, what is offered, and whether it fits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from catalog.fleet import Fleet, Floats
from catalog.models import Status
from catalog.node import BTU_H_PER_W, GIB, LARGEST_PLAIN_DIMM_GIB, TYPICAL_SHARE, drives_needed
from catalog.requirement import Requirement

FITS, AT_LIMIT, NOT_STATED, DOES_NOT_FIT = range(4)
FIT_CODES = ("fits", "at_limit", "not_stated", "does_not_fit")

LINK_RANK = {"pcie": 0, "nvlink_bridge": 1, "nvlink_mesh": 2, "nvswitch": 3}
"""NVLink classes in order; xgmi, roce and hccs are served by themselves only."""
CONTINUOUS_SHARE = 0.8
"""Part of a breaker's rating that may be drawn continuously; rule in North America, good margin elsewhere."""
NEARLY = 0.9
HEAT_MARGIN = 1.1
ESTIMATE_MARGIN = 1.08
"""Room that an estimated draw must leave under a circuit: the estimate misses by 4 % in the middle, by 13 % at most."""
CABLES_MM = 150
"""Room behind a chassis for cables and hoses."""
RACK_LIMIT_W = {
    "none": 2_000,
    "air": 15_000,
    "contained_aisle": 20_000,
    "rear_door": 40_000,
    "direct_to_chip": 20_000,
    "immersion": 20_000,
}
"""Heat to air that a rack gives off without harm, by the cooling of the room; sources differ twofold."""
LIQUID_ROOMS = {"direct_to_chip": {"direct_to_chip", "air"}, "immersion": {"immersion"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One requirement over the whole fleet; required and offered in `unit`, NaN = not stated or not a number."""

    code: str
    unit: str
    required: Floats
    offered: Floats
    state: NDArray[np.int8]


def all_checks(fleet: Fleet, requirement: Requirement, peak: Floats, is_stated: Floats) -> list[Check]:
    """Every check that this requirement asks for; `peak` is the draw [W], 1 where the sheet states it."""
    circuit = np.where(is_stated == 1, peak, peak * ESTIMATE_MARGIN)
    checks = [check(fleet, requirement) for check in PLAIN] + [check(fleet, requirement, peak) for check in POWERED]
    checks += [check(fleet, requirement, circuit) for check in CIRCUITS]
    return [check for check in checks if check is not None]


def need(code: str, unit: str, required: Floats | float | None, offered: Floats, *, tight: float = 1.0) -> Check | None:
    """`required` must not exceed `offered`; above `tight` of it the server is at its limit; None = no such need."""
    if required is None:
        return None
    needed = np.broadcast_to(np.asarray(required, dtype=np.float64), offered.shape)
    state = np.where(needed > offered * (1 + 1e-9), DOES_NOT_FIT, np.where(needed > tight * offered, AT_LIMIT, FITS))
    state = np.where(np.isnan(needed) | np.isnan(offered), NOT_STATED, state)
    return Check(code=code, unit=unit, required=needed, offered=offered, state=state.astype(np.int8))


def yes(code: str, state: NDArray[np.int8] | Floats) -> Check:
    """A check without numbers."""
    nothing = np.full(state.shape, np.nan)
    return Check(code=code, unit="", required=nothing, offered=nothing, state=state.astype(np.int8))


def servers_per_rack(requirement: Requirement) -> int:
    """Servers that stand in one rack; one when the number of racks is open, for racks can be added."""
    racks = requirement.site.racks
    return math.ceil(requirement.servers / racks) if racks else 1


def status(fleet: Fleet, requirement: Requirement) -> Check:
    """Only what is on sale is offered."""
    is_current, is_unknown = fleet.is_text("status", {Status.CURRENT}), fleet.is_text("status", {""})
    return yes("status", np.where(is_current, FITS, np.where(is_unknown, NOT_STATED, DOES_NOT_FIT)))


def vendor(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Makers that the buyer wants or excludes, by slug or name."""
    if not requirement.vendors and not requirement.excluded_vendors:
        return None
    wanted = {name.casefold() for name in requirement.vendors}
    excluded = {name.casefold() for name in requirement.excluded_vendors}
    names = fleet.texts["vendor_name"]
    slugs = fleet.texts["vendor"]

    def is_refused(words: set[str]) -> bool:
        return bool(words & excluded) or bool(wanted and not words & wanted)

    pairs = {(int(a), int(b)) for a, b in zip(slugs.codes, names.codes, strict=True)}
    refused = [slugs.known[a] for a, b in pairs if is_refused({slugs.known[a], names.known[b].casefold()})]
    return yes("vendor", np.where(fleet.is_text("vendor", refused), DOES_NOT_FIT, FITS))


def count(fleet: Fleet, requirement: Requirement) -> Check:
    """The number of accelerators can be fitted in one server."""
    gpus = float(requirement.gpus_per_server)
    low, high, step = (fleet.numbers[name] for name in ("min_count", "max_count", "step"))
    is_reachable = (gpus >= low) & (gpus <= high) & ((gpus - low) % step == 0)
    return Check(
        code="count", unit="count", required=np.full(high.shape, gpus), offered=high,
        state=np.where(is_reachable, FITS, DOES_NOT_FIT).astype(np.int8),
    )  # fmt: skip


def link(fleet: Fleet, requirement: Requirement) -> Check | None:
    """The accelerators are joined at least as well as asked."""
    wanted = requirement.link
    if wanted is None or wanted == "pcie" or requirement.gpus_per_server == 1:
        return None
    rank = LINK_RANK.get(wanted)
    enough = {wanted, *(offered for offered, place in LINK_RANK.items() if rank is not None and place >= rank)}
    return yes("link", np.where(fleet.is_text("link", enough), FITS, DOES_NOT_FIT))


def memory(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Memory of one accelerator."""
    return need("memory", "bytes", requirement.memory_bytes, fleet.of_card("memory_mib") * (1 << 20))


def cpu_cores(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Cores of one server."""
    return need("cpu_cores", "count", requirement.cpu_cores, fleet.numbers["cpu_cores_max"])


def ram(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Memory of one server; where no maximum is stated, its slots filled with plain modules."""
    stated = fleet.numbers["ram_max_gib"]
    offered = np.where(np.isnan(stated), fleet.numbers["ram_slots"] * LARGEST_PLAIN_DIMM_GIB, stated)
    return need("ram", "bytes", requirement.ram_bytes, offered * GIB)


def storage(fleet: Fleet, requirement: Requirement) -> Check | None:
    """NVMe bays for the local data."""
    if not requirement.storage_bytes and not requirement.drives:
        return None
    return need("storage", "count", drives_needed(requirement), fleet.numbers["nvme_bays"])


def fabric(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Slots for the network between servers."""
    return need("fabric", "count", requirement.fabric_ports or None, fleet.numbers["fabric_slots"])


def growth_slots(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Accelerators that can be added later."""
    left = fleet.numbers["max_count"] - requirement.gpus_per_server
    return need("growth_slots", "count", requirement.growth_slots or None, left)


def units(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Height of the servers of one rack; a tower takes none."""
    if requirement.site.free_units is None:
        return None
    height = np.where(fleet.is_text("form", {"tower"}), 0.0, fleet.numbers["units"] * servers_per_rack(requirement))
    return need("units", "units", height, np.full(height.shape, requirement.site.free_units))


def depth(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Depth of the chassis and its cables."""
    if requirement.site.depth_mm is None:
        return None
    deep = np.where(fleet.is_text("form", {"tower"}), 0.0, fleet.numbers["depth_mm"] + CABLES_MM)
    return need("depth", "mm", deep, np.full(deep.shape, requirement.site.depth_mm))


def weight(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Weight of the servers of one rack, loaded."""
    if requirement.site.load_kg is None:
        return None
    heavy = fleet.numbers["weight_kg"] * servers_per_rack(requirement)
    return need("weight", "kg", heavy, np.full(heavy.shape, requirement.site.load_kg))


def inlet(fleet: Fleet, requirement: Requirement) -> Check | None:
    """Temperature of the air that the server may take in."""
    return need("inlet", "celsius", requirement.site.inlet_c, fleet.numbers["inlet_c_max"])


def cooling(fleet: Fleet, requirement: Requirement) -> Check | None:
    """The room can carry the heat away in the way the server gives it off."""
    room = requirement.site.cooling
    if room is None:
        return None
    is_served = fleet.is_text("cooling", LIQUID_ROOMS.get(room, {"air"}))
    is_unknown = fleet.is_text("cooling", {""})
    return yes("cooling", np.where(is_served, FITS, np.where(is_unknown, NOT_STATED, DOES_NOT_FIT)))


def form(fleet: Fleet, requirement: Requirement) -> Check | None:
    """An office has no place for a rack; a server room takes a tower on a shelf."""
    place = requirement.site.place
    if place is None:
        return None
    is_tower = fleet.is_text("form", {"tower"})
    if place == "office":
        return yes("form", np.where(is_tower, FITS, DOES_NOT_FIT))
    return yes("form", np.where(is_tower, AT_LIMIT, FITS))


def servers(fleet: Fleet, requirement: Requirement) -> Check | None:
    """No more servers than the buyer allows."""
    if requirement.max_servers is None:
        return None
    return need("servers", "count", float(requirement.servers), np.full(len(fleet), requirement.max_servers))


def power(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """Draw of the servers of one rack at full load."""
    if requirement.site.rack_w is None:
        return None
    offered = np.full(peak.shape, requirement.site.rack_w)
    return need("power", "w", peak * servers_per_rack(requirement), offered, tight=NEARLY)


def feed(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """One feed carries the rack: with two the other may fail, so only one of them counts."""
    if requirement.site.feed_w is None:
        return None
    usable = np.full(peak.shape, requirement.site.feed_w * CONTINUOUS_SHARE)
    return need("feed", "w", peak * servers_per_rack(requirement), usable, tight=NEARLY)


def heat(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """Heat of the servers of one rack in training against the cooling that the rack gets."""
    if requirement.site.cooling_w is None:
        return None
    loss = (
        np.fmax(peak, fleet.numbers["heat_btu_h"] / BTU_H_PER_W)
        * TYPICAL_SHARE
        * HEAT_MARGIN
        * servers_per_rack(requirement)
    )
    return need("heat", "w", loss, np.full(peak.shape, requirement.site.cooling_w), tight=NEARLY)


def density(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """Heat to air of one rack against what its kind of cooling carries; liquid-cooled servers give a tenth to air."""
    room = requirement.site.cooling
    if room is None:
        return None
    to_air = np.where(fleet.is_text("cooling", {"direct_to_chip", "immersion"}), 0.1, 1.0)
    loss = peak * TYPICAL_SHARE * to_air * servers_per_rack(requirement)
    return need("density", "w", loss, np.full(peak.shape, float(RACK_LIMIT_W[room])), tight=NEARLY)


def psu(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """The supplies carry the server when the redundant ones have failed."""
    carried = (fleet.numbers["psu_count"] - fleet.numbers["psu_redundant"]) * fleet.numbers["psu_w"]
    return need("psu", "w", peak, carried, tight=NEARLY)


def psu_feed(fleet: Fleet, requirement: Requirement, peak: Floats) -> Check | None:
    """With two feeds: half of the supplies carry the server; if not, it throttles when a feed fails: no misfit."""
    if requirement.site.feeds is None or requirement.site.feeds < 2:
        return None
    check = need("psu_feed", "w", peak, fleet.numbers["psu_count"] // 2 * fleet.numbers["psu_w"])
    if check is None:
        return None
    state = np.where(check.state == DOES_NOT_FIT, AT_LIMIT, check.state).astype(np.int8)
    return Check(code=check.code, unit=check.unit, required=check.required, offered=check.offered, state=state)


PLAIN: tuple[Callable[[Fleet, Requirement], Check | None], ...] = (
    status, vendor, count, link, memory, cpu_cores, ram, storage, fabric, growth_slots, units, depth, weight, inlet,
    cooling, form, servers,
)  # fmt: skip
POWERED: tuple[Callable[[Fleet, Requirement, Floats], Check | None], ...] = (heat, density, psu, psu_feed)
CIRCUITS: tuple[Callable[[Fleet, Requirement, Floats], Check | None], ...] = (power, feed)
CHECK_CODES = ("accelerator", *(check.__name__ for check in (*PLAIN, *POWERED, *CIRCUITS)))
