"""What a buyer needs from one kind of server; knows servers and rooms, no assessment."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The room; None = not asked or not known."""

    place: str | None = None
    racks: float | None = None
    rack_w: float | None = None
    feeds: float | None = None
    feed_w: float | None = None
    cooling: str | None = None
    cooling_w: float | None = None
    free_units: float | None = None
    depth_mm: float | None = None
    load_kg: float | None = None
    inlet_c: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Needs of one server and how many there are; None = no such need.

    gpus_per_server: accelerators working in one server
    link: least link between them, `ServerAccelerator.Link`; None or "pcie" = any
    memory_bytes: memory that one accelerator must have
    storage_bytes: raw local NVMe capacity of one server
    peak_w: draw of one server at full load, used where neither sheet nor formula gives one
    growth_slots: accelerators that may be added to each server later
    """

    accelerator: str
    gpus_per_server: int
    servers: int = 1
    link: str | None = None
    memory_bytes: float | None = None
    cpu_cores: float | None = None
    ram_bytes: float | None = None
    storage_bytes: float | None = None
    drives: float | None = None
    fabric_ports: float | None = None
    growth_slots: float | None = None
    peak_w: float | None = None
    max_servers: float | None = None
    vendors: frozenset[str] = frozenset()
    excluded_vendors: frozenset[str] = frozenset()
    site: Site = field(default_factory=Site)
