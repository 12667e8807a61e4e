"""From a task and a catalog to a sizing: resolve, search, choose, build, judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assessments.sizing import cpu_only, verdict
from assessments.sizing.catalog import Catalog
from assessments.sizing.choose import Field, choose, field_of, preferred_of
from assessments.sizing.defaults import default
from assessments.sizing.explain_task import task_quantities
from assessments.sizing.given import GivenMachine, given_hardware, given_setups
from assessments.sizing.horizon import Outlook, outlook_of
from assessments.sizing.machines import Machine, offered_machines
from assessments.sizing.measured import anchor_of
from assessments.sizing.options import Evaluated, Option, build, evaluated
from assessments.sizing.quantity import Ledger
from assessments.sizing.rack import Site, site_of
from assessments.sizing.resolve import Case, Resolved, resolve, unbound
from assessments.sizing.search import Found, plausible, search
from assessments.sizing.setup import Measurement, Setup
from assessments.sizing.task import TrainingTask

MOST_TRIES = 6
LIMIT_OF = {"feed": "power", "heat": "power", "cooling": "power"}  # one shortage seen from several sides


@dataclass(slots=True, kw_only=True)
class Sized:
    """Everything that the result is written from."""

    task: TrainingTask
    catalog: Catalog
    overrides: Mapping[str, float]
    setups: Mapping[str, Setup | Machine | None]
    resolved: Resolved
    ledger: Ledger
    site: Site
    outlook: Outlook
    machines: list[Machine]
    field: Field | None
    options: list[Option]
    given: list[Option]
    anchor: Measurement | None
    verdict: dict[str, Any] | None
    examined: int


def sized(
    task: TrainingTask, catalog: Catalog, overrides: Mapping[str, float], setups: Mapping[str, Setup | Machine | None]
) -> Sized:
    """Search, choose and build every option of a task; the verdict of an infeasible task is left open."""
    resolved = resolve(task)
    taken = resolved.assumptions
    site, outlook = site_of(task.facility, taken), outlook_of(task.horizon, taken)
    ledger = Ledger(overrides)
    reserve = task_quantities(ledger, resolved, outlook)
    answer = Sized(
        task=task,
        catalog=catalog,
        overrides=overrides,
        setups=setups,
        resolved=resolved,
        ledger=ledger,
        site=site,
        outlook=outlook,
        machines=[],
        field=None,
        options=[],
        given=[],
        anchor=None,
        verdict=None,
        examined=0,
    )
    cases = resolved.deciding
    if not cases:
        only_serving = all(method == "inference" for methods in resolved.methods for method in methods)
        answer.verdict = verdict.inference_verdict() if only_serving else cpu_only.cpu_answer(ledger, task, taken)
        return answer
    answer.anchor = anchor_of(task, catalog, cases)
    answer.machines = plausible(cases, offered_machines(task, catalog))
    if answer.machines:
        found = [search(case, answer.machines, reserve.typical, answer.anchor) for case in cases]
        answer.examined = sum(row.examined for row in found)
        answer.field = field_of(answer.machines, found, site)
        answer.options = _chosen(answer, found)
    rows = [*given_hardware(task.hardware, catalog, taken), *given_setups(setups, catalog)]
    answer.given = [option for row in rows if (option := _given(answer, row, reserve.typical)) is not None]
    replaced = {option.key for option in answer.given}
    dropped = {key for key, value in setups.items() if value is None}
    answer.options = [option for option in answer.options if option.key not in replaced | dropped]
    answer.verdict = verdict.verdict_of(answer.options, answer.given, answer.field)
    return answer


def is_feasible(task: TrainingTask, catalog: Catalog) -> bool:
    """Whether some machine holds every scenario in time; the search alone, nothing is built."""
    resolved = resolve(task)
    cases = resolved.deciding
    machines = plausible(cases, offered_machines(task, catalog)) if cases else []
    if not machines:
        return False
    reserve, anchor = default("memory.reserve").typical, anchor_of(task, catalog, cases)
    found = [search(case, machines, reserve, anchor) for case in cases]
    field = field_of(machines, found, site_of(task.facility, resolved.assumptions))
    return bool((field.possible & field.in_time(field.latest)).any())


def _chosen(answer: Sized, found: Sequence[Found]) -> list[Option]:
    """Options of the choice; one whose own table refuses it is banned and the choice repeated."""
    field = answer.field
    if field is None:
        return []
    preferences = answer.task.preferences
    preferred = preferred_of(field.machines, preferences.accelerators, preferences.vendors)
    banned: set[int] = set()
    options: list[Option] = []
    for _ in range(MOST_TRIES):
        choices = choose(field, answer.outlook, preferred, frozenset(banned))
        options = []
        refused = False
        for choice in choices:
            machine = field.machines[choice.index]
            rows = [_row(answer, row.case, row.setups[choice.index]) for row in found]
            machine, rows = _with_pinned_gpus(answer, choice.keys[0], machine, rows)
            _forget(answer.ledger, choice.keys[0])
            option = _build(answer, choice.keys, machine, rows, None)
            if option.fit == "does_not_fit" and not choice.breaks_rack and not _is_pinned(answer, choice.keys[0]):
                banned.add(choice.index)
                refused = True
            options.append(option)
        if not refused:
            return _with_one_misfit(options)
        for option in options:
            _forget(answer.ledger, option.key)
    return []


def _with_one_misfit(options: list[Option]) -> list[Option]:
    """Fitting options, and at most one that breaks a single limit of the site: power with heat, or one dimension."""
    kept: list[Option] = []
    has_misfit = False
    for option in options:
        broken = {LIMIT_OF.get(r.code, r.code) for r in option.resources if r.fit == "does_not_fit"}
        if not broken:
            kept.append(option)
        elif len(broken) == 1 and not has_misfit:
            kept.append(option)
            has_misfit = True
        else:
            _forget(option.scope.ledger, option.key)
    return kept


def _row(answer: Sized, case: Case, setup: Setup | None) -> Evaluated:
    if setup is None:
        raise ValueError("a chosen machine has a layout for every case")
    return evaluated(case, setup, answer.anchor)


def _build(
    answer: Sized, keys: tuple[str, ...], machine: Machine, rows: Sequence[Evaluated], given: GivenMachine | None
) -> Option:
    groups = answer.field.groups if answer.field is not None else tuple((i,) for i in range(len(rows)))
    return build(
        answer.ledger,
        keys=keys,
        machine=machine,
        rows=rows,
        groups=groups,
        site=answer.site,
        outlook=answer.outlook,
        given=None if given is None else given.given,
    )


def _is_pinned(answer: Sized, key: str) -> bool:
    return any(name.startswith(f"{key}.") for name in answer.overrides)


def _with_pinned_gpus(
    answer: Sized, key: str, machine: Machine, rows: list[Evaluated]
) -> tuple[Machine, list[Evaluated]]:
    """The option on as many cards of its kind as an engineer pinned."""
    pinned = answer.overrides.get(f"{key}.gpus.total")
    if pinned is None or int(pinned) == machine.gpus:
        return machine, rows
    count = max(int(pinned), 1)
    servers = max(-(-count // machine.per_server), 1)
    while count % servers:
        servers += 1
    other = replace(machine, gpus=count, servers=servers)
    found = [search(row.case, [other], answer.ledger.typical("memory.reserve"), answer.anchor) for row in rows]
    if any(row.setups[0] is None for row in found):
        return machine, rows
    return other, [_row(answer, row.case, row.setups[0]) for row in found]


def _given(answer: Sized, row: GivenMachine, reserve: float) -> Option | None:
    """An option on a given machine; its layout is searched where none is given."""
    rows = []
    for case in answer.resolved.deciding:
        setup = row.setup
        if setup is None:
            setup = search(case, [row.machine], reserve, answer.anchor).setups[0]
        if setup is None:  # the bound layout does not go on this machine: judge it with a free one, and say so
            answer.resolved.assumptions.note(f"{case.prefix}.recipe.layout", None, "layout_impossible", "convention")
            setup = search(unbound(case), [row.machine], reserve, answer.anchor).setups[0]
        if setup is None:
            return None
        rows.append(evaluated(case, setup, answer.anchor))
    _forget(answer.ledger, row.key)
    return _build(answer, (row.key,), row.machine, rows, row)


def _forget(ledger: Ledger, key: str) -> None:
    """Remove an option's quantities and knobs before it is built again."""
    for table in (ledger.quantities, ledger.knobs):
        for name in [name for name in table if name.startswith(f"{key}.")]:
            del table[name]


def main_option(answer: Sized) -> Option | None:
    """The option that the verdict speaks of: balanced, else the first, else the first given one."""
    balanced = next((option for option in answer.options if "balanced" in option.keys), None)
    return balanced or next(iter([*answer.options, *answer.given]), None)
