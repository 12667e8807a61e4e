"""The catalog as the engine sees it: accelerators, fabrics and platforms, parsed from a plain JSON snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assessments.sizing.errors import TaskError, TaskErrors
from assessments.sizing.setup import Accelerator, Fabric


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """One server model with one accelerator type; None = not stated by the vendor."""

    slug: str
    vendor: str
    name: str
    accelerator: str
    counts: tuple[int, ...]
    link: str
    form: str
    units: float | None
    depth_mm: float | None
    weight_kg: float | None
    psu_count: int | None
    psu_w: float | None
    psu_redundant: int | None
    max_power_w: float | None
    cooling: str | None
    inlet_c_max: float | None
    cpu_sockets: int | None
    cpu_cores_max: int | None
    ram_slots: int | None
    ram_max_bytes: float | None
    nvme_bays: int | None
    fabric_slots: int | None
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Everything that may be offered, in the order of the snapshot."""

    label: str
    sha256: str
    accelerators: Mapping[str, Accelerator]
    fabrics: Mapping[str, Fabric]
    platforms: tuple[Platform, ...]
    by_accelerator: Mapping[str, tuple[Platform, ...]] = field(default_factory=dict)

    def platforms_of(self, accelerator: str, count: int, link: str | None = None) -> tuple[Platform, ...]:
        """Platforms on sale that take this many of the accelerator in one node, over this link where given."""
        return tuple(
            platform
            for platform in self.by_accelerator.get(accelerator, ())
            if count in platform.counts and (link is None or platform.link == link)
        )


def parse_catalog(snapshot: Mapping[str, Any]) -> Catalog:
    """Read a catalog/1 snapshot; raises TaskErrors with the path of what is wrong.

    snapshot: plain JSON of the catalog room; null means unknown, never zero
    """
    reader = _Reader()
    accelerators = {
        card.slug: card
        for i, item in enumerate(reader.rows(snapshot, "accelerators"))
        if (card := reader.accelerator(item, f"accelerators[{i}]"))
    }
    fabrics = {
        fabric.slug: fabric
        for i, item in enumerate(reader.rows(snapshot, "fabrics"))
        if (fabric := reader.fabric(item, f"fabrics[{i}]"))
    }
    platforms = tuple(
        server
        for i, item in enumerate(reader.rows(snapshot, "platforms"))
        if (server := reader.platform(item, f"platforms[{i}]", accelerators))
    )
    if reader.errors:
        raise TaskErrors(tuple(reader.errors))
    offered: dict[str, list[Platform]] = {}
    for platform in platforms:
        if platform.status == "current":
            offered.setdefault(platform.accelerator, []).append(platform)
    return Catalog(
        label=str(snapshot.get("label", "")),
        sha256=str(snapshot.get("sha256", "")),
        accelerators=accelerators,
        fabrics=fabrics,
        platforms=platforms,
        by_accelerator={slug: tuple(rows) for slug, rows in offered.items()},
    )


class _Reader:
    """Reads rows and remembers what it could not read."""

    def __init__(self) -> None:
        self.errors: list[TaskError] = []

    def rows(self, snapshot: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
        value = snapshot.get(key, ())
        if not isinstance(value, Sequence) or not all(isinstance(item, Mapping) for item in value):
            self.errors.append(TaskError(path=key, code="wrong_shape", params={"expected": "list of objects"}))
            return ()
        return value

    def accelerator(self, item: Mapping[str, Any], path: str) -> Accelerator | None:
        memory = self._number(item, "memory_bytes", path)
        slug = self._text(item, "slug", path)
        if memory is None or slug is None:
            self._missing(path, "memory_bytes" if memory is None else "slug")
            return None
        peaks = item.get("peak_flops") or {}
        return Accelerator(
            slug=slug,
            vendor=str(item.get("vendor") or ""),
            name=str(item.get("name") or slug),
            architecture=str(item.get("architecture") or "").lower(),
            form_factor=str(item.get("form_factor") or ""),
            memory_bytes=memory,
            bandwidth_bytes_s=self._number(item, "bandwidth_bytes_s", path),
            peak_flops={key: float(value) for key, value in peaks.items() if value},
            link=self._text(item, "link", path),
            link_bytes_s=self._number(item, "link_bytes_s", path),
            link_domain=int(self._number(item, "link_domain", path) or 1),
            pcie_gen=self._count(item, "pcie_gen", path),
            pcie_lanes=int(self._number(item, "pcie_lanes", path) or 16),
            tdp_w=self._number(item, "tdp_w", path),
            cooling=self._text(item, "cooling", path),
            mig_max=int(self._number(item, "mig_max", path) or 0),
            status=str(item.get("status") or "current"),
            source=_source(item.get("source")),
        )

    def fabric(self, item: Mapping[str, Any], path: str) -> Fabric | None:
        slug, speed = self._text(item, "slug", path), self._number(item, "gbit_s", path)
        if slug is None or speed is None:
            self._missing(path, "slug" if slug is None else "gbit_s")
            return None
        kind = str(item.get("kind") or "ethernet")
        return Fabric(
            slug=slug, name=str(item.get("name") or slug), kind=kind, gbit_s=speed, rdma=bool(item.get("rdma", False))
        )

    def platform(self, item: Mapping[str, Any], path: str, accelerators: Mapping[str, Accelerator]) -> Platform | None:
        slug, accelerator = self._text(item, "slug", path), self._text(item, "accelerator", path)
        if slug is None or accelerator is None or accelerator not in accelerators:
            self._missing(path, "slug" if slug is None else "accelerator")
            return None
        counts = item.get("counts") or ()
        return Platform(
            slug=slug,
            vendor=str(item.get("vendor") or ""),
            name=str(item.get("name") or slug),
            accelerator=accelerator,
            counts=tuple(sorted({int(count) for count in counts if int(count) > 0})),
            link=str(item.get("link") or "pcie"),
            form=str(item.get("form") or "rack"),
            units=self._number(item, "units", path),
            depth_mm=self._number(item, "depth_mm", path),
            weight_kg=self._number(item, "weight_kg", path),
            psu_count=self._count(item, "psu_count", path),
            psu_w=self._number(item, "psu_w", path),
            psu_redundant=self._count(item, "psu_redundant", path),
            max_power_w=self._number(item, "max_power_w", path),
            cooling=self._text(item, "cooling", path),
            inlet_c_max=self._number(item, "inlet_c_max", path),
            cpu_sockets=self._count(item, "cpu_sockets", path),
            cpu_cores_max=self._count(item, "cpu_cores_max", path),
            ram_slots=self._count(item, "ram_slots", path),
            ram_max_bytes=self._number(item, "ram_max_bytes", path),
            nvme_bays=self._count(item, "nvme_bays", path),
            fabric_slots=self._count(item, "fabric_slots", path),
            status=str(item.get("status") or "current"),
        )

    def _number(self, item: Mapping[str, Any], key: str, path: str) -> float | None:
        value = item.get(key)
        if value is None or value == "":
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            self.errors.append(
                TaskError(path=f"{path}.{key}", code="not_a_number", params={"example": "1", "given": str(value)[:80]})
            )
            return None
        return float(value)

    def _count(self, item: Mapping[str, Any], key: str, path: str) -> int | None:
        value = self._number(item, key, path)
        return None if value is None else int(value)

    def _text(self, item: Mapping[str, Any], key: str, path: str) -> str | None:
        value = item.get(key)
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            self.errors.append(TaskError(path=f"{path}.{key}", code="wrong_shape", params={"expected": "text"}))
            return None
        return value

    def _missing(self, path: str, key: str) -> None:
        self.errors.append(TaskError(path=f"{path}.{key}", code="required", params={}))


def _source(value: object) -> str:
    if isinstance(value, Mapping):
        return "; ".join(str(item) for item in value.values())
    return str(value or "")
