"""result/1: the sizing as plain JSON, language-neutral, the same bytes for the same input."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assessments.sizing import sensitivity, verdict
from assessments.sizing.assumptions import Assumption
from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.catalog import Catalog
from assessments.sizing.comparison import comparison
from assessments.sizing.curves import curves
from assessments.sizing.engine import Sized, main_option, sized
from assessments.sizing.findings import Findings, option_findings
from assessments.sizing.interchange import techniques, weaker_links
from assessments.sizing.machines import Machine
from assessments.sizing.methods import methods_shown
from assessments.sizing.nearest_run import nearest_run, scope_of_calibration
from assessments.sizing.options import Option, moment_and_rank, setup_json
from assessments.sizing.quantity import Span, envelope, rounded
from assessments.sizing.repairs import breach, enough_cards, repairs
from assessments.sizing.requirement import requirement_of
from assessments.sizing.resources import profile_of
from assessments.sizing.setup import Setup
from assessments.sizing.storage import tier_of
from assessments.sizing.task import TrainingTask
from assessments.sizing.task_findings import task_findings

SCHEMA = "result/1"
ENGINE_VERSION = "1.2"
CALIBRATION_VERSION = CALIBRATION.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """The outcome of one sizing."""

    result: Mapping[str, Any]
    layouts_examined: int

    def as_result(self) -> dict[str, Any]:
        """result/1 as plain JSON."""
        return dict(self.result)


def canonical_json(value: object) -> bytes:
    """One spelling of hashed JSON: sorted keys, no spaces, UTF-8."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def size(
    task: TrainingTask,
    catalog: Catalog,
    *,
    overrides: Mapping[str, float] | None = None,
    setups: Mapping[str, Setup | Machine | None] | None = None,
) -> Sizing:
    """Size a task against a catalog; infeasible is an answer too.

    overrides: knob id → value in the knob's unit; raises KnobOutOfBounds
    setups: option key → a setup (or a machine whose layout is searched) that is given, None = not offered
    """
    answer = sized(task, catalog, overrides or {}, setups or {})
    found = Findings()
    shown = [*answer.options, *answer.given]
    ranking = sensitivity.unknowns(answer)
    strongest = ranking[0].path if ranking else None
    for option in answer.given:
        if option.value("memory.total").typical > option.value("memory.capacity").typical:
            option.repairs = enough_cards(answer, option)
    for option in shown:
        option_findings(found, option, answer.site, answer.options, strongest)
    fixes: list[dict[str, Any]] = []
    if answer.verdict is None:
        kind, need, limit, machine = breach(answer)
        fixes = repairs(answer, kind, need)
        first = {"code": fixes[0]["code"], "params": fixes[0]["params"]} if fixes else None
        answer.verdict = verdict.infeasible_verdict(need, limit, first, machine)
        _infeasible_finding(found, answer, kind, need, limit, fixes)
    task_findings(found, answer, ranking)
    main = main_option(answer)
    compared = []
    shown_methods: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    options = [_option(option, answer) for option in shown]
    if answer.resolved.deciding:
        card = main.machine.accelerator if main is not None else next(iter(catalog.accelerators.values()), None)
        if card is not None:
            compared = comparison(answer.ledger, answer.resolved.deciding[0], card)
        lines = curves(answer)
        shown_methods = methods_shown(answer)
    inside = scope_of_calibration(answer, main)
    summary = _summary(answer, shown)
    canonical = task.canonical()
    result: dict[str, Any] = {
        "schema": SCHEMA,
        "engine": ENGINE_VERSION,
        "calibration": CALIBRATION_VERSION,
        "catalog": {"label": catalog.label, "sha256": catalog.sha256},
        "task_sha256": hashlib.sha256(canonical_json(canonical)).hexdigest(),
        "overrides": {name: rounded(float(value)) for name, value in sorted(answer.overrides.items())},
        "setups": {key: _setup_json(value) for key, value in sorted(answer.setups.items())},
        "calibrated": inside,
        "scenarios": _scenarios(answer, main),
        "verdict": answer.verdict,
        "repairs": fixes,
        "summary": summary,
        "assumptions": [_assumption(row) for row in answer.resolved.assumptions.rows],
        "options": options,
        "methods": shown_methods,
        "curves": lines,
        "comparison": compared,
        "findings": found.as_json(),
        "sensitivity": sensitivity.as_json(ranking),
        "quantities": answer.ledger.as_result(),
        "knobs": answer.ledger.knobs_as_result(),
    }
    return Sizing(result=result, layouts_examined=answer.examined)


def _infeasible_finding(
    found: Findings,
    answer: Sized,
    kind: str,
    need: Mapping[str, Any],
    limit: Mapping[str, Any],
    fixes: list[dict[str, Any]],
) -> None:
    first = {"code": fixes[0]["code"], "params": fixes[0]["params"]} if fixes else None
    short = [{"path": fix["path"], "value": fix["value"], "verified": fix["verified"]} for fix in fixes]
    if kind == "time":
        field = answer.field
        gpus = 0.0
        if field is not None and field.fits.any():
            best = min(
                (
                    field.machines[i].gpus * float(field.hours[:, i].max())
                    for i in range(len(field.machines))
                    if field.fits[i]
                ),
                default=0.0,
            )
            gpus = float(-(-best // limit["v"]))
        found.add("time_unreachable", wanted=limit["v"], n_gpus=gpus, repair=first, repairs=short)
    elif kind == "memory":
        code = fixes[0]["code"] if fixes else "recompute_full"
        technique = (
            code if code in ("lora", "qlora", "optimizer_8bit", "offload", "recompute_full") else "recompute_full"
        )
        found.add(
            "memory_short",
            need=need["v"],
            limit=limit["v"],
            gap=need["v"] - limit["v"],
            technique=technique,
            repairs=short,
        )
    elif kind == "rack":
        found.add("rack_power_over", need=need["v"], have=limit["v"], feed=need["v"] / 0.8, repairs=short)
    elif kind == "utilisation":
        case = answer.resolved.deciding[0]
        field = answer.field
        hours = float(field.hours.max()) if field is not None else 0.0
        found.add(
            "utilisation_over",
            n_runs=case.times.runs_per_quarter.typical,
            time=min(1000000.0, hours),
            share=need["v"],
            repairs=short,
        )
    else:
        found.add("exclusions_empty", memory=need["v"], repairs=short)


def _option(option: Option, answer: Sized) -> dict[str, Any]:
    row, machine, scope = option.deciding, option.machine, option.scope
    moment, rank = moment_and_rank(option)
    wanted, latest, cycle = (
        option.value("time.wanted").typical,
        option.value("time.latest").typical,
        option.value("time.cycle"),
    )
    target = "wanted" if cycle.typical <= wanted else "latest" if cycle.typical <= latest else "none"
    limit = wanted if target == "wanted" else latest
    setup = setup_json(row.setup)
    per_gpu = option.value("storage.read").typical / machine.gpus
    return {
        "key": option.key,
        "merged": list(option.keys[1:]),
        "accelerator": machine.accelerator.slug,
        "accelerator_name": machine.accelerator.name,
        "vendor": machine.accelerator.vendor,
        "gpus": machine.gpus,
        "servers": machine.servers,
        "link": machine.link,
        "fabric": None if machine.fabric is None or machine.servers == 1 else machine.fabric.slug,
        "fabric_name": None if machine.fabric is None or machine.servers == 1 else machine.fabric.name,
        "fabric_ports": machine.fabric_ports if machine.servers > 1 else 0,
        "layout": setup["layout"],
        "recipe": setup["recipe"],
        "methods": {str(each.case.index): each.case.method for each in option.rows},
        "techniques": techniques(option),
        "memory": {
            "moment": moment,
            "rank": rank,
            "parts": [
                scope.id(f"memory.{part}")
                for part in ("weights", "gradients", "optimizer", "activations", "logits", "overhead")
            ],
            "total": scope.id("memory.total"),
            "usable": scope.id("memory.usable"),
            "reserve": scope.id("memory.reserved"),
            "capacity": scope.id("memory.capacity"),
            "free": scope.id("memory.free"),
        },
        "ram": {
            "parts": [
                scope.id(f"ram.{part}")
                for part in ("base", "processes", "load", "offload", "staging", "workers", "cache")
            ],
            "total": scope.id("ram.required"),
            "needed": scope.id("ram.needed"),
        },
        "storage": {
            "tier": tier_of(per_gpu, machine.servers, machine.per_server),
            "drives": scope.id("storage.drives"),
            "drive": scope.id("storage.drive"),
        },
        "deadline": {"target": target, "sure": cycle.high <= limit},
        "resources": [
            {
                "code": resource.code,
                "required": resource.required,
                "offered": resource.offered,
                "left": resource.left,
                "fit": resource.fit,
            }
            for resource in option.resources
        ],
        "fit": option.fit,
        "decides": {subject: option.rows[position].case.index for subject, position in sorted(option.decides.items())},
        "interconnect": {"profile": profile_of(option), "weaker": weaker_links(option, answer.catalog)},
        "nearest_run": nearest_run(option),
        "requirement": requirement_of(option, answer.task, answer.site, answer.outlook),
    }


def _scenarios(answer: Sized, main: Option | None) -> list[dict[str, Any]]:
    rows = []
    for index, scenario in enumerate(answer.task.scenarios):
        decides = (
            []
            if main is None
            else [subject for subject, at in main.decides.items() if main.rows[at].case.index == index]
        )
        rows.append(
            {"name": scenario.name, "methods": list(answer.resolved.methods[index]), "decides": sorted(decides)}
        )
    return rows


def _summary(answer: Sized, shown: list[Option]) -> dict[str, str | None]:
    """The four measures and the cards, as envelopes over the options that are offered."""
    ledger, rows = answer.ledger, answer.options or shown
    if not rows:
        return {
            "gpus": None,
            "servers": None,
            "time": "cpu_only.time" if "cpu_only.time" in ledger.quantities else None,
            "memory": None,
            "power": None,
        }
    names = {
        "gpus": "gpus.total",
        "servers": "servers.total",
        "time": "time.cycle",
        "memory": "memory.total",
        "power": "power.total",
    }
    units = {"gpus": "gpus", "servers": "servers", "time": "h", "memory": "bytes", "power": "w"}
    main = main_option(answer)
    for name, of in names.items():
        span = envelope(option.value(of) for option in rows)
        if main is not None:
            span = Span(span.low, main.value(of).typical, span.high)
        ledger.add(
            f"summary.{name}",
            span,
            unit=units[name],
            formula="envelope",
            inputs=[option.scope.id(of) for option in rows],
        )
    return {name: f"summary.{name}" for name in names}


def _assumption(row: Assumption) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float):
            return rounded(float(value))
        return [plain(item) for item in value]

    return {
        "path": row.path,
        "value": plain(row.value),
        "code": row.code,
        "params": {name: plain(value) for name, value in row.params.items()},
        "source": row.source,
    }


def _setup_json(value: Setup | Machine | None) -> dict[str, Any] | None:
    if value is None:
        return None
    row: dict[str, Any] = {
        "accelerator": value.accelerator.slug,
        "gpus": value.gpus,
        "servers": value.servers,
        "link": value.link,
        "fabric": None if value.fabric is None else value.fabric.slug,
    }
    if isinstance(value, Setup):
        row |= setup_json(value)
    return row
