"""The choice: up to three non-dominated machines that hold every scenario, or what stands in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.defaults import default
from assessments.sizing.explain_time import QUARTER_H
from assessments.sizing.horizon import Outlook
from assessments.sizing.machines import Machine
from assessments.sizing.rack import Site, cooling_limit_w, feed_limit_w, peak_w, servers_in_rack
from assessments.sizing.resolve import Case
from assessments.sizing.search import Found
from assessments.sizing.setup import Floats

type Bools = NDArray[np.bool_]

KEYS = ("economical", "balanced", "growth")
USUAL_DRIVES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Every machine with what all scenarios make of it; arrays of one length.

    hours: of each group of stages, shape (groups, machines); heavy: held only by offloading or an 8-bit optimizer that
    nobody asked for
    """

    machines: Sequence[Machine]
    found: tuple[Found, ...]
    groups: tuple[tuple[int, ...], ...]
    fits: Bools
    hours: Floats
    latest: Floats
    wanted: Floats
    utilisation: Floats
    rack: Bools
    heavy: Bools
    watts: Floats
    servers: Floats
    slots: Floats

    @property
    def possible(self) -> Bools:
        """Fits memory and site and leaves the quarter room, whatever the time."""
        return self.fits & self.rack & (self.utilisation <= 1.0)

    def in_time(self, limits: Floats, share: float = 1.0) -> Bools:
        """Every group of stages is ready within a share of its limit."""
        with np.errstate(invalid="ignore"):
            return np.all(self.hours <= share * limits[:, None], axis=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Chosen machines by option key (merged keys together), in the order of the keys; index into the field."""

    index: int
    keys: tuple[str, ...]
    breaks_rack: bool = False


def groups_of(cases: Sequence[Case]) -> tuple[tuple[int, ...], ...]:
    """Positions of cases that follow each other in one cycle; the first stage's times bind the sum."""
    by_scenario = {case.index: position for position, case in enumerate(cases)}
    parent = list(range(len(cases)))
    for position, case in enumerate(cases):
        if case.after is not None and case.after in by_scenario:
            parent[position] = by_scenario[case.after]

    def root(position: int) -> int:
        while parent[position] != position:
            position = parent[position]
        return position

    rows: dict[int, list[int]] = {}
    for position in range(len(cases)):
        rows.setdefault(root(position), []).append(position)
    return tuple(tuple(row) for row in rows.values())


def field_of(machines: Sequence[Machine], found: Sequence[Found], site: Site) -> Field:
    """Join what the scenarios found, machine by machine."""
    cases = [row.case for row in found]
    groups = groups_of(cases)
    hours = np.array([np.sum([found[i].hours for i in group], axis=0) for group in groups])
    used = sum((_runs_per_quarter(row.case) * row.hours / QUARTER_H for row in found), np.zeros(len(machines)))
    known: dict[tuple[str, int, str, int], float] = {}
    return Field(
        machines=machines,
        found=tuple(found),
        groups=groups,
        fits=np.all([row.fits for row in found], axis=0),
        hours=hours,
        latest=np.array([cases[group[0]].times.latest_h for group in groups]),
        wanted=np.array([cases[group[0]].times.wanted_h for group in groups]),
        utilisation=np.where(np.isfinite(used), used, np.inf),
        rack=np.array([rack_takes(machine, site, known) for machine in machines], dtype=bool),
        heavy=np.any([row.heavy for row in found], axis=0),
        watts=np.array([machine.accelerator_w for machine in machines], dtype=np.float64),
        servers=np.array([machine.servers for machine in machines], dtype=np.float64),
        slots=np.array([machine.growth_slots * machine.servers for machine in machines], dtype=np.float64),
    )


def _runs_per_quarter(case: Case) -> float:
    times = case.times
    runs = times.runs_per_quarter.typical
    if times.runs_in_all is not None and runs == 0:
        runs = times.runs_in_all / 4
    return runs + times.continuous_per_quarter * times.continuous_share


def rack_takes(machine: Machine, site: Site, known: dict[tuple[str, int, str, int], float]) -> bool:
    """A first look whether the site carries the machine; the option's own table decides in the end."""
    key = (machine.accelerator.slug, machine.per_server, machine.link, machine.fabric_ports)
    if key not in known:
        known[key] = peak_w(machine, 0.0, USUAL_DRIVES, liquid=site.cooling in ("direct_to_chip", "immersion")).typical
    server = known[key]
    in_rack = servers_in_rack(machine, site, server)
    peak = server * in_rack
    if site.rack_w is not None and peak > site.rack_w:
        return False
    feed = feed_limit_w(site)
    if feed is not None and peak > feed:
        return False
    heat = cooling_limit_w(site) if site.is_described or site.cooling == "none" else None
    if heat is not None and 0.76 * 1.1 * peak > heat:
        return False
    racks = [p for p in machine.platforms if p.form != "tower"]
    units = [p.units for p in racks if p.units is not None]
    if site.free_units is not None and units and min(units) * in_rack > site.free_units:
        return False
    depths = [p.depth_mm for p in machine.platforms if p.depth_mm is not None]
    if site.depth_mm is not None and depths and min(depths) + 150 > site.depth_mm:
        return False
    if site.inlet_c is not None:
        inlets = [p.inlet_c_max for p in machine.platforms if p.inlet_c_max is not None]
        if inlets and max(inlets) < site.inlet_c:
            return False
    if site.cooling not in ("direct_to_chip", "immersion") and machine.platforms:
        return any(p.cooling in (None, "air") for p in machine.platforms)
    return True


def choose(field: Field, outlook: Outlook, preferred: Bools, banned: frozenset[int] = frozenset()) -> list[Choice]:
    """Machines for the three keys; equal and dominated ones are merged.

    preferred: machines that the customer wishes; they are taken where one of them will do
    banned: machines that an option's own table has already refused
    """
    allowed = np.ones(len(field.machines), dtype=bool)
    allowed[list(banned)] = False
    margin = default("deadline.margin").typical
    masks = {
        "economical": field.in_time(field.latest),
        "balanced": field.in_time(field.wanted, margin),
        "growth": _grows(field, outlook, margin),
    }
    chosen: dict[str, Choice] = {}
    for key, mask in masks.items():
        index = cheapest(field, field.possible & allowed & mask, preferred)
        if index is not None:
            chosen[key] = Choice(index=index, keys=(key,))
    if chosen:
        for key, mask in masks.items():
            if key not in chosen:
                index = cheapest(
                    field, field.fits & (field.utilisation <= 1.0) & ~field.rack & allowed & mask, preferred
                )
                if index is not None:
                    chosen[key] = Choice(index=index, keys=(key,), breaks_rack=True)
    return _merged(field, chosen)


def _grows(field: Field, outlook: Outlook, margin: float) -> Bools:
    """Balanced with the horizon's reserve: in speed, or in free slots that the added cards take."""
    if outlook.factor.typical <= 1.0:
        return np.zeros(len(field.machines), dtype=bool)
    in_speed = field.in_time(field.wanted, margin / outlook.factor.typical)
    gpus = np.array([machine.gpus for machine in field.machines], dtype=np.float64)
    in_slots = field.in_time(field.wanted, margin) & (field.slots >= np.ceil(gpus * (outlook.factor.typical - 1.0)))
    return (in_speed | in_slots) & (field.utilisation * outlook.factor.typical <= 1.0)


def cheapest(field: Field, mask: Bools, preferred: Bools) -> int | None:
    """Fewest watts of accelerators, then fewest servers, then least time; the first in the catalog's order.

    What the customer wishes comes before what they do not, a machine that holds the task by itself before one that
    needs offloading.
    """
    pools = (mask & preferred & ~field.heavy, mask & preferred, mask & ~field.heavy, mask)
    pool = np.flatnonzero(next((rows for rows in pools if rows.any()), mask))
    if not len(pool):
        return None
    time = np.nansum(field.hours[:, pool], axis=0)
    order = np.lexsort((time, field.servers[pool], field.watts[pool]))
    return int(pool[order[0]])


def _merged(field: Field, chosen: Mapping[str, Choice]) -> list[Choice]:
    rows: list[Choice] = []
    for key in KEYS:
        choice = chosen.get(key)
        if choice is None:
            continue
        same = next((i for i, row in enumerate(rows) if row.index == choice.index), None)
        if same is not None:
            rows[same] = Choice(
                index=rows[same].index, keys=(*rows[same].keys, key), breaks_rack=rows[same].breaks_rack
            )
        else:
            rows.append(choice)
    kept: list[Choice] = []
    for row in rows:
        by = next((other for other in rows if other is not row and _dominates(field, other, row)), None)
        if by is None:
            kept.append(row)
    for row in rows:
        by = next((other for other in rows if other is not row and _dominates(field, other, row)), None)
        if by is not None:
            at = next((i for i, other in enumerate(kept) if other.index == by.index), None)
            if at is not None:
                keys = tuple(key for key in KEYS if key in (*kept[at].keys, *row.keys))
                kept[at] = Choice(index=kept[at].index, keys=keys, breaks_rack=kept[at].breaks_rack)
    return kept


def _dominates(field: Field, one: Choice, other: Choice) -> bool:
    """No worse in servers, watts, time and free slots, better in one; a choice that breaks the rack dominates none."""
    if one.breaks_rack or one.index == other.index:
        return False

    def measures(choice: Choice) -> tuple[float, ...]:
        i = choice.index
        return (
            float(field.servers[i]),
            float(field.watts[i]),
            float(field.hours[int(np.argmax(field.hours[:, i] / field.latest)), i]),
            -float(field.slots[i]),
        )

    a, b = measures(one), measures(other)
    return all(x <= y for x, y in zip(a, b, strict=True)) and a != b


def preferred_of(machines: Sequence[Machine], accelerators: Sequence[str], vendors: Sequence[str]) -> Bools:
    """Machines that agree with the customer's wishes; all when there are none."""
    wished = {name.casefold() for name in vendors}
    rows = [
        (not accelerators or machine.accelerator.slug in accelerators)
        and (
            not wished
            or machine.accelerator.vendor.casefold() in wished
            or any(platform.vendor.casefold() in wished for platform in machine.platforms)
        )
        for machine in machines
    ]
    return np.array(rows, dtype=bool)
