"""The horizon: reserve for growth, free slots, use of a quarter, and the people who run it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assessments.sizing.assumptions import Assumptions, closed
from assessments.sizing.defaults import default
from assessments.sizing.explain_time import QUARTER_H
from assessments.sizing.machines import Machine
from assessments.sizing.quantity import Scope, Span, combined
from assessments.sizing.questions import Horizon
from assessments.sizing.resolve import Times


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What the platform must still take: years, growth of the work, when."""

    use: str
    years: float
    operation: str
    factor: Span
    in_months: float
    is_planned: bool


def outlook_of(horizon: Horizon, taken: Assumptions) -> Outlook:
    """Close the fifth parameter."""
    use = taken.choice("horizon.use", horizon.use, "platform", "use_platform", ("platform", "one_off"))
    operation = taken.choice("horizon.operation", horizon.operation, "one_team", "operation_one_team")
    years = closed(horizon.years)
    if years is None:
        years = 3.0 if use == "platform" else 0.0
        taken.note("horizon.years", years, "years_usual")
    planned = [(closed(row.times) or 1.0, closed(row.in_months) or 12.0) for row in horizon.planned]
    if planned:
        times, months = max(planned)
        factor = Span(max(times, 1.0), max(times, 1.0), max(times, 1.0))
        return Outlook(use=use, years=years, operation=operation, factor=factor, in_months=months, is_planned=True)
    if use == "one_off":
        return Outlook(
            use=use, years=years, operation=operation, factor=Span(1.0, 1.0, 1.0), in_months=0.0, is_planned=False
        )
    return Outlook(
        use=use, years=years, operation=operation, factor=default("horizon.reserve"), in_months=18.0, is_planned=False
    )


def use_quantities(scope: Scope, times: Times, machine: Machine, cycle: Span, *, name: str = "") -> Span:
    """Store use.* of one scenario and return its share of a quarter.

    utilisation = runs × duration / 2190 h; a continuous cycle works on its share of the data, on top of full runs.
    """
    runs = times.runs_per_quarter
    if times.runs_in_all is not None and runs.typical == 0:
        runs = Span(times.runs_in_all / 4, times.runs_in_all / 4, times.runs_in_all / 4)
    repeats = times.continuous_per_quarter * times.continuous_share
    typical = (runs.typical + repeats) * cycle.typical / QUARTER_H
    low = Span(max(runs.low + repeats, 1e-9), max(runs.typical + repeats, 1e-9), max(runs.high + repeats, 1e-9))
    share = combined(typical, [low, cycle]) if typical > 0 else Span(0.0, 0.0, 0.0)
    share = scope.add(
        f"use.utilisation{name}",
        share,
        unit="share",
        formula="use.utilisation",
        inputs=[runs.typical + repeats, ".time.cycle", QUARTER_H],
    )
    scope.add(
        f"use.gpu_hours_run{name}",
        cycle.scaled(machine.gpus),
        unit="gpu_h",
        formula="product",
        inputs=[".time.cycle", machine.gpus],
    )
    scope.add(
        f"use.gpu_hours_quarter{name}",
        share.scaled(QUARTER_H * machine.gpus),
        unit="gpu_h",
        formula="product",
        inputs=[f".use.utilisation{name}", QUARTER_H, machine.gpus],
    )
    return share


def energy_quantities(scope: Scope, cycle: Span, utilisation: Span) -> None:
    """Store energy.* of a run and of a quarter [kWh]."""
    power = scope.value("power.total_typical")
    run = combined(cycle.typical * power.typical / 1000, [cycle, power])
    scope.add("energy.run", run, unit="kwh", formula="energy.run", inputs=[".time.cycle", ".power.total_typical"])
    quarter = utilisation.typical * QUARTER_H * power.typical / 1000
    spans = [span for span in (utilisation, power) if span.typical > 0]
    scope.add(
        "energy.quarter",
        combined(quarter, spans) if quarter > 0 else Span(0.0, 0.0, 0.0),
        unit="kwh",
        formula="energy.quarter",
        inputs=[".use.utilisation", QUARTER_H, ".power.total_typical"],
    )


def growth_quantities(scope: Scope, machine: Machine, outlook: Outlook, *, cycle: Span, times: Times) -> float:
    """Store growth.*: cards that the horizon will want, and free slots; returns the cards that are missing.

    cycle: time of a cycle now [h]. The grown work shall keep the date that the option meets: cards × growth × time ÷
    date, less the cards that are there. Several servers grow by a further server, not by slots.
    """
    date, date_h = ("wanted", times.wanted_h) if cycle.typical <= times.wanted_h else ("latest", times.latest_h)
    wanted = machine.gpus * (outlook.factor.typical * cycle.typical / date_h - 1.0)
    if machine.servers > 1 or (outlook.use == "one_off" and not outlook.is_planned):
        wanted = 0.0
    wanted = max(float(math.ceil(wanted - 1e-9)), 0.0)
    scope.add(
        "growth_slots.required",
        wanted,
        unit="gpus",
        formula="growth.gpus",
        inputs=[machine.gpus, "horizon.factor", ".time.cycle", f".time.{date}"],
        bounds=(0, 100_000),
    )
    slots = float(machine.growth_slots * machine.servers)
    scope.add(
        "growth_slots.offered",
        slots,
        unit="gpus",
        formula="growth.slots",
        inputs=[machine.per_server, machine.servers],
        source="catalog",
    )
    scope.add(
        "growth_slots.left",
        slots - wanted,
        unit="gpus",
        formula="difference",
        inputs=[".growth_slots.offered", ".growth_slots.required"],
    )
    return max(wanted - slots, 0.0)


def people_for(servers: int, operation: str) -> int:
    """Engineers that usually run a system of this size [people]; judgement, one sentence of the result."""
    people = 1 if servers <= 2 else 2 if servers <= 8 else 4 if servers <= 32 else 8
    return people + (2 if operation == "service" else 0)
