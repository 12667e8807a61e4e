"""From a requirement to ranked servers, as codes and figures; words are made where they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.checks import AT_LIMIT, DOES_NOT_FIT, FIT_CODES, NOT_STATED, Check, all_checks
from catalog.fleet import Fleet, Floats, equivalents, fleet_for
from catalog.node import Node, configured, known, peak_w
from catalog.requirement import Requirement

SHOWN = 10
"""Matches that are written out; more helps nobody who has to choose."""
NEAR_SHOWN = 5
VARIETY_WITHIN = 5
"""Among so many first ones a second maker stands, where the catalog has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One requirement of one server; numbers in `unit`, None = not stated or not a number."""

    code: str
    fit: str
    unit: str
    required: float | None
    offered: float | None
    left: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a server stands before the next one: the first criterion in which they differ."""

    code: str
    this: float | None
    next: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One server with one accelerator, so many times, and how it fits."""

    slug: str
    vendor: str
    name: str
    accelerator: str
    is_equivalent: bool
    quantity: int
    link: str
    units: int | None
    fit: str
    lines: tuple[Line, ...]
    failing: tuple[str, ...]
    unknown: tuple[str, ...]
    node: Node
    before_next: Reason | None = None

    @property
    def label(self) -> str:
        """Maker and model."""
        return f"{self.vendor} {self.name}"

    def line(self, code: str) -> Line:
        """The line of one requirement; raises StopIteration when it was not asked."""
        return next(line for line in self.lines if line.code == code)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"label": self.label}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """The answer for one requirement; `code` is that of the finding that says it, never empty.

    match_fits: the first match meets every requirement · match_unknown: it does as far as its sheet says ·
    match_near: none fits, the first near one fails one thing · match_none: nothing fits, `obstacles` says why
    """

    code: str
    matches: tuple[Match, ...]
    near: tuple[Match, ...]
    obstacles: tuple[str, ...]
    fitting: int
    considered: int

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"matches": [m.as_json() for m in self.matches], "near": [m.as_json() for m in self.near]}


def match(requirement: Requirement, *, server_id: int | None = None) -> Matching:
    """Rank the catalog for one requirement, or judge one server for it; three queries."""
    return match_all([requirement], server_id=server_id)[0]


def match_all(requirements: Sequence[Requirement], *, server_id: int | None = None) -> list[Matching]:
    """Rank the catalog for several requirements; three queries, however many there are."""
    fleet = fleet_for([requirement.accelerator for requirement in requirements], server_id=server_id)
    return [ranking(fleet, requirement) for requirement in requirements]


def ranking(fleet: Fleet, requirement: Requirement) -> Matching:
    """Rank those servers of the fleet that take the accelerator or one that replaces it."""
    replacements = equivalents(requirement.accelerator, fleet.cards)
    part = fleet.where(fleet.is_text("accelerator", {requirement.accelerator, *replacements}))
    if not len(part):
        return Matching(code="match_none", matches=(), near=(), obstacles=("accelerator",), fitting=0, considered=0)
    peak, is_stated = peak_w(part, requirement)
    checks = all_checks(part, requirement, peak, is_stated)
    table = np.stack([check.state for check in checks])
    criteria = criteria_of(part, requirement, table, peak)
    order = np.lexsort([criteria[name] for name in reversed(criteria)])
    fails = criteria["fewer_failures"]
    order = with_variety(order, part, fails, criteria["exact_accelerator"])
    fitting = int((fails == 0).sum())
    shown = order[: max(min(fitting, SHOWN), NEAR_SHOWN) + 1]
    written = [written_out(part, int(i), requirement, checks, peak, is_stated) for i in shown]
    reasons = [reason(criteria, int(a), int(b)) for a, b in pairwise(shown)]
    written = [with_reason(match, why) for match, why in zip(written, [*reasons, None], strict=False)]
    if fitting:
        matches = tuple(written[: min(fitting, SHOWN)])
        code = "match_unknown" if matches[0].unknown else "match_fits"
        return Matching(code=code, matches=matches, near=(), obstacles=(), fitting=fitting, considered=len(part))
    near = tuple(written[:NEAR_SHOWN])
    is_near = len(near[0].failing) == 1
    return Matching(
        code="match_near" if is_near else "match_none",
        matches=(),
        near=near,
        obstacles=near[0].failing,
        fitting=0,
        considered=len(part),
    )


def criteria_of(fleet: Fleet, requirement: Requirement, table: NDArray[np.int8], peak: Floats) -> dict[str, Floats]:
    """What ranks, in this order, less is better: failures, another card, silence of the sheet, tightness, waste."""
    spare = fleet.numbers["max_count"] - requirement.gpus_per_server - (requirement.growth_slots or 0)
    return {
        "fewer_failures": (table == DOES_NOT_FIT).sum(axis=0).astype(np.float64),
        "exact_accelerator": (~fleet.is_text("accelerator", {requirement.accelerator})).astype(np.float64),
        "fewer_unknown": (table == NOT_STATED).sum(axis=0).astype(np.float64),
        "fewer_tight": (table == AT_LIMIT).sum(axis=0).astype(np.float64),
        "less_waste": np.fmax(spare, 0),
        "fewer_units": np.nan_to_num(fleet.numbers["units"], nan=99.0),
        "less_power": np.nan_to_num(peak.round(-2), nan=1e9),
        "more_memory_slots": -np.nan_to_num(fleet.numbers["ram_slots"]),
        "name": np.arange(len(fleet), dtype=np.float64),
    }


def with_variety(
    order: NDArray[np.intp], fleet: Fleet, fails: NDArray[np.float64], other: NDArray[np.float64]
) -> NDArray[np.intp]:
    """If the first ones come from one maker only, the best of another maker takes the last of their places."""
    makers = fleet.texts["vendor"].codes[order]
    if len(order) <= VARIETY_WITHIN or len(set(makers[:VARIETY_WITHIN].tolist())) > 1:
        return order
    worst = order[VARIETY_WITHIN - 1]
    is_as_good = (fails[order] <= fails[worst]) & (other[order] <= other[worst])
    places = np.flatnonzero(is_as_good & (makers != makers[0]))
    if not len(places):
        return order
    return np.insert(np.delete(order, places[0]), VARIETY_WITHIN - 1, order[places[0]])


def reason(criteria: dict[str, NDArray[np.float64]], this: int, following: int) -> Reason:
    """Why one server stands before the next."""
    for code, values in criteria.items():
        if values[this] < values[following]:
            return Reason(code=code, this=known(abs(values[this])), next=known(abs(values[following])))
        if values[this] > values[following]:
            return Reason(code="second_maker", this=None, next=None)
    return Reason(code="name", this=None, next=None)


def with_reason(match: Match, why: Reason | None) -> Match:
    """The same match with its reason."""
    return Match(**{name: getattr(match, name) for name in Match.__slots__} | {"before_next": why})


def written_out(
    fleet: Fleet, index: int, requirement: Requirement, checks: list[Check], peak: Floats, is_stated: Floats
) -> Match:
    """One server with all its lines."""
    lines = tuple(line_of(check, index) for check in checks)
    failing = tuple(line.code for line in lines if line.fit == "does_not_fit")
    unknown = tuple(line.code for line in lines if line.fit == "not_stated")
    is_tight = any(line.fit == "at_limit" for line in lines)
    units = known(float(fleet.numbers["units"][index]))
    return Match(
        slug=fleet.texts["slug"][index],
        vendor=fleet.texts["vendor_name"][index],
        name=fleet.texts["name"][index],
        accelerator=fleet.texts["accelerator"][index],
        is_equivalent=fleet.texts["accelerator"][index] != requirement.accelerator,
        quantity=requirement.servers,
        link=fleet.texts["link"][index],
        units=None if units is None else int(units),
        fit="does_not_fit" if failing else "at_limit" if is_tight else "fits",
        lines=lines,
        failing=failing,
        unknown=unknown,
        node=configured(fleet, index, requirement, float(peak[index]), is_peak_stated=bool(is_stated[index])),
    )


def line_of(check: Check, index: int) -> Line:
    """One check for one server."""
    required, offered = float(check.required[index]), float(check.offered[index])
    return Line(
        code=check.code,
        fit=FIT_CODES[check.state[index]],
        unit=check.unit,
        required=known(required),
        offered=known(offered),
        left=known(offered - required),
    )
