"""Whole published runs, asked as a customer would have asked for them: the class of answer, what fits, how long."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from assessments.sizing import Catalog, machine_named, parse_task, size

INDEX = "index.json"
CPU = "cpu"

SHOWN = {
    "class": "class with the cards of today or of the run",
    "time": "time",
    "fits": "fits",
    "does_not_fit": "does not fit",
}

type Kind = Literal["class", "time", "fits", "does_not_fit", "finding", "assumption", "ram"]
type Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What really ran: the machine, its hours, and how far off those may be (x/÷ tolerance)."""

    machine: str
    hours: float
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCheck:
    """A machine that holds the run or does not; changes = keys of strategy or recipe that the statement ties to it."""

    machine: str
    is_fitting: bool
    changes: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One published run: the task as it was asked, and what an honest answer says.

    missing: the fact that neither the statement nor the source has, where a miss is known to come from it, by kind
    """

    name: str
    title: str
    source: str
    expected: str
    task: Json
    references: tuple[Reference, ...] = ()
    fit_checks: tuple[FitCheck, ...] = ()
    findings: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    ram_bytes: tuple[float, float] | None = None
    note: str = ""
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that an answer is held to."""

    kind: Kind
    subject: str
    expected: str
    found: str
    is_hit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRun:
    """A run beside the engine's answer."""

    run: Run
    checks: tuple[Check, ...]

    def of(self, kind: Kind) -> list[Check]:
        """Checks of one kind."""
        return [check for check in self.checks if check.kind == kind]

    @property
    def is_hit(self) -> bool:
        """Whether every check holds."""
        return all(check.is_hit for check in self.checks)


def read_runs(folder: Path) -> tuple[Run, ...]:
    """The runs of a folder: index.json and one task/1 beside it for each of its names."""
    index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
    return tuple(_run(name, row, folder) for name, row in index.items())


def check_run(run: Run, catalog: Catalog) -> CheckedRun:
    """Size the run, also on its own hardware, and hold the answer to what is published."""
    named = [row.machine for row in run.references if row.machine != CPU]
    named += [row.machine for row in run.fit_checks if not row.changes]
    machines = list(dict.fromkeys(named))
    result = _sized(run.task, machines, catalog)
    checks = [_class(run, result, catalog)]
    checks += [_cpu(row, result) if row.machine == CPU else _time(row, result, machines, run) for row in run.references]
    for row in run.fit_checks:
        judged, given = (result, machines) if not row.changes else (None, [row.machine])
        judged = judged or _sized(_changed(run.task, row.changes), given, catalog)
        checks.append(_fit(row, _given(judged, run, given, row.machine)))
    codes = sorted({row["code"] for row in result["findings"]})
    paths = sorted({row["path"] for row in result["assumptions"]})
    checks += [_contained("finding", code, codes) for code in run.findings]
    checks += [_contained("assumption", path, paths) for path in run.assumed]
    if run.ram_bytes is not None:
        checks.append(_ram(run.ram_bytes, result))
    return CheckedRun(run=run, checks=tuple(checks))


def page(checked: Sequence[CheckedRun]) -> str:
    """All runs as a page of the documentation."""
    return "\n".join([*_lines(checked), ""])


def _lines(checked: Sequence[CheckedRun]) -> Iterator[str]:
    hits = sum(row.is_hit for row in checked)
    yield "# Published runs, asked before they ran"
    yield ""
    yield "Made by `manage.py check_runs --page`; do not edit by hand."
    yield ""
    yield (
        f"{len(checked)} published trainings as tasks with their unknowns left open (`tests/assessments/runs/`), and"
        f" what the engine says: {hits} right in every respect. Time is the range on the hardware that really ran,"
        " beside its hours x/÷ the tolerance of the source. A machine holds a run where the typical memory is within"
        " the card. A class in brackets is that of the answer with the cards of the run: what took a cluster of A100"
        " takes some servers today. Misses are bold."
    )
    yield ""
    kinds: tuple[Kind, ...] = ("class", "time", "fits", "does_not_fit")
    classes = [check for row in checked for check in row.of("class")]
    yield "| what | held | of |"
    yield "|---|---|---|"
    yield f"| class with the cards of today alone | {sum(c.found == c.expected for c in classes)} | {len(classes)} |"
    for kind in kinds:
        rows = [check for row in checked for check in row.of(kind)]
        yield f"| {SHOWN[kind]} | {sum(check.is_hit for check in rows)} | {len(rows)} |"
    yield ""
    yield "| run | class of answer | time on the real hardware [h] | what fits and what does not | also said |"
    yield "|---|---|---|---|---|"
    for row in checked:
        also = [*row.of("finding"), *row.of("assumption"), *row.of("ram")]
        cells = [f"{row.run.name}: {row.run.title}", _cell(row.of("class")), _cell(row.of("time"))]
        cells += [_cell([*row.of("fits"), *row.of("does_not_fit")]), _cell(also)]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield "## Why the misses"
    yield ""
    for row in checked:
        for check in row.checks:
            if not check.is_hit:
                why = row.run.missing.get(check.kind, "not explained")
                yield f"- {row.run.name}, {check.subject}: {why}"
    yield ""
    yield "## Sources and notes"
    yield ""
    for row in checked:
        yield f"- {row.run.name}: {row.run.source}." + (f" {row.run.note}" if row.run.note else "")


def _cell(checks: Sequence[Check]) -> str:
    texts = []
    for check in checks:
        if check.kind == "class":
            text = check.found if check.is_hit else f"{check.found}, expected {check.expected}"
        elif check.kind == "time":
            text = f"{check.subject}: {check.found}, was {check.expected}"
        else:
            text = f"{check.subject}: {check.found}"
        texts.append(text if check.is_hit else f"**{text}**")
    return "<br>".join(texts) or "–"


def _run(name: str, row: Json, folder: Path) -> Run:
    task = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    checks = [
        FitCheck(
            machine=entry["machine"],
            is_fitting=key == "fits",
            changes={k: v for k, v in entry.items() if k != "machine"},
        )
        for key in ("fits", "does_not_fit")
        for entry in row.get(key, ())
    ]
    ram = row.get("ram_bytes")
    return Run(
        name=name,
        title=row["title"],
        source=row["source"],
        expected=row["class"],
        task=task,
        references=tuple(Reference(**entry) for entry in row.get("reference", ())),
        fit_checks=tuple(checks),
        findings=tuple(row.get("findings", ())),
        assumed=tuple(row.get("assumed", ())),
        ram_bytes=None if ram is None else (float(ram[0]), float(ram[1])),
        note=row.get("note", ""),
        missing=row.get("missing", {}),
    )


def _sized(task: Json, machines: Sequence[str], catalog: Catalog) -> Json:
    first = len(task.get("hardware", ())) + 1
    setups = {f"given-{first + i}": machine_named(name, catalog) for i, name in enumerate(machines)}
    result: Json = size(parse_task(task), catalog, setups=setups).as_result()
    return result


def _given(result: Json, run: Run, machines: Sequence[str], machine: str) -> Json | None:
    """The option of a machine; None where the engine has no layout for it at all."""
    key = f"given-{len(run.task.get('hardware', ())) + 1 + list(machines).index(machine)}"
    return next((option for option in result["options"] if option["key"] == key), None)


def _class(run: Run, result: Json, catalog: Catalog) -> Check:
    found = shown = str(result["verdict"]["class"])
    if found != run.expected and run.references and not run.task.get("hardware"):
        cards = list(dict.fromkeys(_slug(row.machine) for row in run.references))
        then = _sized({**run.task, "preferences": {"accelerators": cards}}, [], catalog)["verdict"]["class"]
        found, shown = then, f"{found} ({then})"
    return Check(kind="class", subject="class", expected=run.expected, found=shown, is_hit=found == run.expected)


def _time(row: Reference, result: Json, machines: Sequence[str], run: Run) -> Check:
    option = _given(result, run, machines, row.machine)
    if option is None:
        return _overlap("time", row.machine, row, None)
    return _overlap("time", row.machine, row, result["quantities"][f"{option['key']}.time.cycle"]["v"])


def _cpu(row: Reference, result: Json) -> Check:
    return _overlap("time", "one CPU server", row, result["quantities"].get("cpu_only.time", {}).get("v"))


def _overlap(kind: Kind, subject: str, row: Reference, span: Sequence[float] | None) -> Check:
    least, most = row.hours / row.tolerance, row.hours * row.tolerance
    expected = f"{_figure(row.hours)} (x/÷ {row.tolerance:g})"
    if span is None:
        return Check(kind=kind, subject=subject, expected=expected, found="no layout", is_hit=False)
    found = " – ".join(_figure(value) for value in span)
    overlaps = span[0] <= most and span[2] >= least
    return Check(kind=kind, subject=subject, expected=expected, found=found, is_hit=overlaps)


def _fit(row: FitCheck, option: Json | None) -> Check:
    fits = {} if option is None else {r["code"]: r["fit"] for r in option["resources"]}
    is_held = option is not None and fits["memory"] != "does_not_fit"
    in_time = option is not None and fits["time"] != "does_not_fit"
    kind: Kind = "fits" if row.is_fitting else "does_not_fit"
    hit = is_held if row.is_fitting else not (is_held and in_time)
    found = "no layout" if option is None else str(fits["memory"]).replace("_", " ")
    if option is not None and is_held and not in_time and not row.is_fitting:
        found = "too slow"
    tied = ", ".join(str(v) if k == "method" else f"{k} {_plain(v)}" for k, v in row.changes.items())
    return Check(
        kind=kind,
        subject=f"{row.machine} ({tied})" if tied else row.machine,
        expected=kind,
        found=found,
        is_hit=hit,
    )


def _contained(kind: Kind, wanted: str, found: Sequence[str]) -> Check:
    is_hit = wanted in found
    return Check(kind=kind, subject=wanted, expected=wanted, found="said" if is_hit else "not said", is_hit=is_hit)


def _ram(bounds: tuple[float, float], result: Json) -> Check:
    low, high = bounds
    typical = float(result["quantities"].get("cpu_only.ram", {}).get("v", [0, 0, 0])[1])
    return Check(
        kind="ram",
        subject="RAM",
        expected=f"{low / 1e9:.0f} – {high / 1e9:.0f} GB",
        found=f"{typical / 1e9:.0f} GB",
        is_hit=low < typical <= high,
    )


def _changed(task: Json, changes: Mapping[str, Any]) -> Json:
    """The task with keys of every scenario's strategy (method) or recipe replaced; the customer's hardware stays."""
    scenarios = []
    for scenario in task["scenarios"]:
        strategy, recipe = dict(scenario["strategy"]), dict(scenario.get("recipe", {}))
        for key, value in changes.items():
            (strategy if key == "method" else recipe)[key] = value
        scenarios.append({**scenario, "strategy": strategy, "recipe": recipe})
    return {**task, "scenarios": scenarios}


def _slug(machine: str) -> str:
    """The card in the name of a machine: digits and x before it count servers and cards."""
    parts = machine.split("x")
    while len(parts) > 1 and parts[0].isdigit():
        parts = parts[1:]
    return "x".join(parts)


def _figure(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _plain(value: Any) -> str:
    return " and ".join(value) if isinstance(value, list) else str(value)
