"""What the catalog is asked for: one option as figures that servers are matched against."""

from __future__ import annotations

from typing import Any

from assessments.sizing.horizon import Outlook
from assessments.sizing.options import Option
from assessments.sizing.quantity import rounded
from assessments.sizing.rack import Site
from assessments.sizing.task import TrainingTask, low_of


def requirement_of(option: Option, task: TrainingTask, site: Site, outlook: Outlook) -> dict[str, Any]:
    """Figures of one server in base units; None = not required or not known."""
    machine = option.machine
    cross = machine.servers > 1 and machine.fabric is not None
    per_server = option.value("storage.required").typical / machine.servers
    slots = option.value("growth_slots.required").typical
    tied = None if machine.per_server == 1 else machine.link

    def watts(kw: float | None) -> float | int | None:
        return None if kw is None else rounded(kw)

    return {
        "accelerator": machine.accelerator.slug,
        "gpus_per_server": machine.per_server,
        "servers": machine.servers,
        "link": tied,
        "cpu_cores": rounded(option.value("cpu.cores").typical),
        "ram_bytes": rounded(option.value("ram.required").typical),
        "storage_bytes": rounded(per_server),
        "drives": rounded(option.value("storage.drives").typical),
        "fabric": machine.fabric.slug if cross and machine.fabric is not None else None,
        "fabric_gbit_s": rounded(machine.fabric.gbit_s) if cross and machine.fabric is not None else None,
        "fabric_ports": machine.fabric_ports if cross else None,
        "growth_slots": min(int(slots), machine.growth_slots) if outlook.use == "platform" else 0,
        "peak_w": rounded(option.value("power.server_peak").typical),
        "horizon_years": rounded(outlook.years),
        "place": site.place,
        "racks": site.racks,
        "rack_w": watts(site.rack_w),
        "feeds": site.feeds if site.is_described else None,
        "feed_w": watts(site.feed_w),
        "cooling": site.cooling if site.is_described else None,
        "cooling_w": watts(site.cooling_w),
        "free_units": watts(site.free_units),
        "depth_mm": watts(site.depth_mm),
        "load_kg": watts(site.load_kg),
        "inlet_c": watts(site.inlet_c),
        "vendors": list(task.preferences.vendors),
        "excluded_vendors": list(task.preferences.excluded_vendors),
        "max_servers": low_of(task.preferences.max_servers),
    }
