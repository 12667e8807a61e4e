"""Machines that may be offered: accelerator × count × servers that some platform of the catalog takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assessments.sizing.answers import UNKNOWN
from assessments.sizing.catalog import Catalog, Platform
from assessments.sizing.questions import SiteFabric
from assessments.sizing.setup import Accelerator, Fabric, Setup
from assessments.sizing.task import TrainingTask, low_of

COUNTS_IN_SERVER = (1, 2, 4, 8, 16, 72)
SERVERS = (
    1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024, 1536,
    2048,
)  # fmt: skip
SWITCHED = frozenset({"nvswitch", "xgmi", "hccs", "roce"})
JOINED = SWITCHED | {"nvlink_mesh", "nvlink_bridge"}
LINK_ORDER = ("nvswitch", "xgmi", "hccs", "roce", "nvlink_mesh", "nvlink_bridge", "pcie")
NO_PEER_TO_PEER = ("rtx-40", "rtx-50", "rtx-30")  # consumer cards: the driver offers no peer-to-peer over PCIe
PORTS_OF_PCIE_SERVER = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What stands in the rack: one accelerator type, cards in all, servers, links; no layout yet."""

    accelerator: Accelerator
    gpus: int
    servers: int
    link: str
    fabric: Fabric | None = None
    fabric_ports: int = 0
    platforms: tuple[Platform, ...] = ()

    @property
    def per_server(self) -> int:
        """Cards in one server."""
        return max(self.gpus // self.servers, 1)

    @property
    def accelerator_w(self) -> float:
        """Rated power of all cards [W]; an unknown rating counts as 700 W, that of an H100."""
        return self.gpus * (self.accelerator.tdp_w or 700.0)

    @property
    def growth_slots(self) -> int:
        """Cards that the roomiest platform still takes in each server."""
        most = max((max(platform.counts, default=0) for platform in self.platforms), default=0)
        return max(most - self.per_server, 0)

    @property
    def physical_link(self) -> str:
        """The link as the physics names it."""
        slow = self.link == "pcie" and self.accelerator.slug.startswith(NO_PEER_TO_PEER)
        return "pcie_no_p2p" if slow else self.link


def machine_of(setup: Setup, catalog: Catalog) -> Machine:
    """The machine of a setup, with the platforms of the catalog that take it."""
    link = "pcie" if setup.link == "pcie_no_p2p" else setup.link
    platforms = catalog.platforms_of(setup.accelerator.slug, max(setup.gpus // setup.servers, 1))
    return Machine(
        accelerator=setup.accelerator,
        gpus=setup.gpus,
        servers=setup.servers,
        link=link,
        fabric=setup.fabric,
        fabric_ports=setup.fabric_ports,
        platforms=tuple(platform for platform in platforms if platform.link == link) or platforms,
    )


def offered_machines(task: TrainingTask, catalog: Catalog) -> list[Machine]:
    """Every machine that may be offered, by accelerator, cards per server, servers."""
    excluded = {name.casefold() for name in task.preferences.excluded_vendors}
    most_servers = low_of(task.preferences.max_servers) or float(SERVERS[-1])
    rows: list[Machine] = []
    for accelerator in catalog.accelerators.values():
        named = accelerator.slug in task.preferences.accelerators
        if accelerator.vendor.casefold() in excluded or not (named or accelerator.status == "current"):
            continue
        if not accelerator.peak_flops:
            continue
        platforms = [p for p in catalog.by_accelerator.get(accelerator.slug, ()) if p.vendor.casefold() not in excluded]
        if named and not platforms:
            platforms = [
                p
                for p in catalog.platforms
                if p.accelerator == accelerator.slug and p.vendor.casefold() not in excluded
            ]
        rows += _of_accelerator(accelerator, platforms, most_servers, task, catalog)
    return rows


def _of_accelerator(
    accelerator: Accelerator, platforms: Sequence[Platform], most_servers: float, task: TrainingTask, catalog: Catalog
) -> list[Machine]:
    by_count: dict[int, list[Platform]] = {}
    for platform in platforms:
        for count in platform.counts:
            if count in COUNTS_IN_SERVER:
                by_count.setdefault(count, []).append(platform)
    rows = []
    for count in sorted(by_count):
        takes = by_count[count]
        link = link_of(accelerator, count, takes)
        able = tuple(platform for platform in takes if platform.link == link) or tuple(takes)
        rows.append(Machine(accelerator=accelerator, gpus=count, servers=1, link=link, platforms=able))
        racked = tuple(platform for platform in able if platform.form != "tower")
        if count == max(by_count) and racked:
            fabric, ports = fabric_of(catalog, link, count, task.facility.fabric)
            rows += [
                Machine(
                    accelerator=accelerator,
                    gpus=count * n,
                    servers=n,
                    link=link,
                    fabric=fabric,
                    fabric_ports=ports,
                    platforms=racked,
                )
                for n in SERVERS[1:]
                if n <= most_servers
            ]
    return rows


def link_of(accelerator: Accelerator, count: int, platforms: Sequence[Platform]) -> str:
    """The best link that platforms of this count have; one card needs none."""
    links = {platform.link for platform in platforms}
    if count == 1:
        return "pcie" if "pcie" in links or not links else next(iter(sorted(links)))
    if links:
        return next((link for link in LINK_ORDER if link in links), "pcie")
    if accelerator.link is None or count > max(accelerator.link_domain, 1):
        return "pcie"
    return {"nvlink": "nvswitch" if accelerator.link_domain >= 8 else "nvlink_bridge"}.get(
        accelerator.link, accelerator.link
    )


def fabric_of(catalog: Catalog, link: str, per_server: int, site: SiteFabric | None) -> tuple[Fabric | None, int]:
    """Network between servers: the site's own where it is RDMA, else one fast port per card of a switched board."""
    if site is not None:
        own = site_fabric(catalog, site)
        if own is not None and own.rdma:
            usual = per_server if link in SWITCHED else PORTS_OF_PCIE_SERVER
            return own, int(min(usual, low_of(site.ports) or usual)) or 1
    wanted = ("ib-ndr", "roce-400gbe") if link in SWITCHED else ("roce-200gbe", "ib-hdr", "roce-100gbe")
    if link in ("roce", "hccs"):
        wanted = ("roce-400gbe", "roce-200gbe")
    found = next((catalog.fabrics[slug] for slug in wanted if slug in catalog.fabrics), None)
    if found is None:
        rdma = [fabric for fabric in catalog.fabrics.values() if fabric.rdma]
        found = min(rdma, key=lambda fabric: abs(fabric.gbit_s - 400), default=None)
    return found, per_server if link in SWITCHED else PORTS_OF_PCIE_SERVER


def site_fabric(catalog: Catalog, site: SiteFabric) -> Fabric | None:
    """The fabric that the customer described, named after the catalog's nearest one."""
    kind = site.kind if isinstance(site.kind, str) and site.kind != UNKNOWN else None
    speed = low_of(site.gbit_s)
    if kind is None and speed is None:
        return None
    same = [fabric for fabric in catalog.fabrics.values() if kind is None or fabric.kind == kind]
    near = min(same, key=lambda fabric: (abs(fabric.gbit_s - (speed or 100.0)), fabric.slug), default=None)
    slug, name = (near.slug, near.name) if near is not None else (kind or "ethernet", kind or "ethernet")
    return Fabric(
        slug=slug, name=name, kind=kind or "ethernet", gbit_s=speed or 100.0, rdma=kind in ("infiniband", "roce")
    )
