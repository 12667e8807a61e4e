"""Machines that are given, not searched: the customer's hardware, an engineer's own setup, what-if."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assessments.sizing.answers import UNKNOWN
from assessments.sizing.assumptions import Assumptions, closed
from assessments.sizing.catalog import Catalog
from assessments.sizing.errors import TaskError, TaskErrors
from assessments.sizing.machines import Machine, fabric_of, link_of, machine_of, site_fabric
from assessments.sizing.questions import Hardware
from assessments.sizing.setup import Accelerator, Fabric, Layout, Recipe, Setup
from assessments.sizing.stalls import Given

MOST_GIVEN_GPUS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenMachine:
    """One given option: its key, the machine, the layout where it is fixed too."""

    key: str
    machine: Machine
    setup: Setup | None
    given: Given


def given_hardware(rows: tuple[Hardware, ...], catalog: Catalog, taken: Assumptions) -> list[GivenMachine]:
    """The machines that the customer named; what was not said is taken from the catalog."""
    found = []
    for number, row in enumerate(rows):
        path = f"hardware[{number}]"
        accelerator = _accelerator(row, catalog, path, taken)
        if accelerator is None:
            continue
        servers = int(closed(row.servers) or 1)
        gpus = closed(row.gpus)
        if gpus is None:
            gpus = float(
                max((max(p.counts, default=8) for p in catalog.by_accelerator.get(accelerator.slug, ())), default=1)
                * servers
            )
            taken.note(f"{path}.gpus", gpus, "hardware_gpus")
        count = int(gpus)
        most = max(
            (max(p.counts, default=8) for p in catalog.platforms if p.accelerator == accelerator.slug), default=8
        )
        if closed(row.servers) is None and count > most:
            servers, total = -(-count // most), count
            taken.note(f"{path}.servers", servers, "hardware_servers")
        else:
            total = count * servers  # the question asks for cards in one server
        machine = _machine(accelerator, total, servers, row, catalog)
        given = Given(
            number=number,
            cpu_cores=closed(row.cpu_cores),
            ram_bytes=closed(row.ram_bytes),
            is_owned=row.owned is not False,
        )
        found.append(GivenMachine(key=f"given-{number + 1}", machine=machine, setup=None, given=given))
    return found


def given_setups(setups: Mapping[str, Setup | Machine | None], catalog: Catalog) -> list[GivenMachine]:
    """The setups that were passed in, in the order of their keys; None is an option that is not offered."""
    rows = []
    for key in sorted(setups):
        value = setups[key]
        if value is None:
            continue
        if isinstance(value, Machine):
            rows.append(GivenMachine(key=key, machine=value, setup=None, given=Given()))
        else:
            rows.append(GivenMachine(key=key, machine=machine_of(value, catalog), setup=value, given=Given()))
    return rows


def setups_of(data: Mapping[str, Mapping[str, Any] | None], catalog: Catalog) -> dict[str, Setup | Machine | None]:
    """Stored setups as the engine takes them: with a layout a Setup, without one a Machine whose layout is searched.

    Raises TaskErrors with the path of what is wrong. Keys: accelerator (slug), gpus, servers, link, fabric (slug),
    layout, recipe.
    """
    return {key: None if row is None else _setup(key, row, catalog) for key, row in data.items()}


def machine_named(text: str, catalog: Catalog) -> Machine:
    """The machine of a short name such as 8xa100-sxm4-80gb or 2x8xh100-sxm5-80gb (servers x cards x slug)."""
    match = re.fullmatch(r"(?:(\d{1,6})x)?(?:(\d{1,6})x)?(.+)", text)
    first, second, slug = match.groups() if match else (None, None, text)
    servers, count = (int(first or 1), int(second)) if second else (1, int(first or 1))
    if slug not in catalog.accelerators or not 0 < servers * count <= MOST_GIVEN_GPUS:
        raise TaskErrors(
            (TaskError(path="setups.accelerator", code="unknown_accelerator", params={"name": slug[:60]}),)
        )
    return _machine(catalog.accelerators[slug], servers * count, servers, None, catalog)


def _setup(key: str, row: Mapping[str, Any], catalog: Catalog) -> Setup | Machine:
    errors = []
    accelerator = catalog.accelerators.get(str(row.get("accelerator")))
    if accelerator is None:
        errors.append(
            TaskError(
                path=f"setups.{key}.accelerator",
                code="unknown_accelerator",
                params={"name": str(row.get("accelerator"))[:60]},
            )
        )
    counts = {}
    for name, otherwise in (("gpus", None), ("servers", 1)):
        value = row.get(name, otherwise)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 1 <= value <= MOST_GIVEN_GPUS
            or value != int(value)
        ):
            errors.append(
                TaskError(
                    path=f"setups.{key}.{name}",
                    code="out_of_range",
                    params={"low": 1, "high": MOST_GIVEN_GPUS, "given": str(value)[:60]},
                )
            )
        else:
            counts[name] = int(value)
    if errors or accelerator is None:
        raise TaskErrors(tuple(errors))
    if counts["gpus"] % counts["servers"]:
        raise TaskErrors(
            (TaskError(path=f"setups.{key}.gpus", code="not_whole", params={"given": str(counts["gpus"])}),)
        )
    machine = _machine(accelerator, counts["gpus"], counts["servers"], None, catalog)
    link, fabric = row.get("link"), catalog.fabrics.get(str(row.get("fabric")))
    machine = Machine(
        accelerator=accelerator,
        gpus=machine.gpus,
        servers=machine.servers,
        link=str(link) if link else machine.link,
        fabric=fabric or machine.fabric,
        fabric_ports=machine.fabric_ports,
        platforms=machine.platforms,
    )
    layout = row.get("layout")
    if not layout:
        return machine
    known = {name: layout[name] for name in Layout.__dataclass_fields__ if name in layout}
    recipe = {
        name: value for name, value in dict(row.get("recipe") or {}).items() if name in Recipe.__dataclass_fields__
    }
    return Setup(
        accelerator=accelerator,
        gpus=machine.gpus,
        servers=machine.servers,
        link=machine.physical_link,
        fabric=machine.fabric,
        fabric_ports=machine.fabric_ports,
        layout=Layout(**known),
        recipe=Recipe(**recipe),
    )


def _accelerator(row: Hardware, catalog: Catalog, path: str, taken: Assumptions) -> Accelerator | None:
    memory = closed(row.memory_bytes)
    known = catalog.accelerators.get(row.accelerator) if row.accelerator is not None else None
    if known is not None:
        return known
    if memory is None:
        taken.note(f"{path}.accelerator", None, "hardware_unknown", name=row.accelerator or "")
        return None
    near = min(catalog.accelerators.values(), key=lambda a: (abs(a.memory_bytes - memory), a.slug), default=None)
    if near is not None:
        taken.note(f"{path}.accelerator", near.slug, "hardware_nearest", name=row.accelerator or "", model=near.name)
    return near


def _machine(accelerator: Accelerator, gpus: int, servers: int, row: Hardware | None, catalog: Catalog) -> Machine:
    servers = min(servers, gpus)
    gpus -= gpus % servers
    count = gpus // servers
    platforms = tuple(p for p in catalog.platforms if p.accelerator == accelerator.slug and count in p.counts)
    link = row.link if row is not None and isinstance(row.link, str) and row.link != UNKNOWN else None
    link = link or link_of(accelerator, count, platforms)
    fabric: Fabric | None = None
    ports = 0
    if servers > 1:
        fabric, ports = fabric_of(catalog, link, count, row.fabric if row is not None else None)
        if row is not None and row.fabric is not None:
            fabric = site_fabric(catalog, row.fabric) or fabric
    return Machine(
        accelerator=accelerator,
        gpus=gpus,
        servers=servers,
        link=link,
        fabric=fabric,
        fabric_ports=ports,
        platforms=platforms,
    )
