"""The catalog as plain JSON, as the engine takes it: base units, null where a figure is not stated."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog.models import Accelerator, CatalogVersion, Fabric, ServerAccelerator
from catalog.models.accelerator import PRECISIONS

SCHEMA = "catalog/1"
MIB, GIB = 1 << 20, 1 << 30
GIGA, TERA = 10**9, 10**12


def snapshot() -> dict[str, Any]:
    """The whole catalog in three queries; `sha256` is of the canonical JSON of everything but label and itself."""
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "accelerators": [
            accelerator_json(row) for row in Accelerator.objects.select_related("vendor").order_by("slug")
        ],
        "fabrics": [fabric_json(row) for row in Fabric.objects.order_by("slug")],
        "platforms": [
            platform_json(row)
            for row in ServerAccelerator.objects.select_related("server__vendor", "accelerator").order_by(
                "server__slug", "accelerator__slug"
            )
        ],
    }
    return body | {"label": f"{timezone.now():%Y-%m}", "sha256": fingerprint(body)}


def current_version() -> CatalogVersion:
    """The version that holds the catalog as it is now; made when there is none yet."""
    body = snapshot()
    known = CatalogVersion.objects.filter(sha256=body["sha256"]).first()
    if known is not None:
        return known
    try:
        with transaction.atomic():
            return CatalogVersion.objects.create(label=body["label"], sha256=body["sha256"], snapshot=body)
    except IntegrityError:  # another process froze the same state in this moment
        return CatalogVersion.objects.get(sha256=body["sha256"])


def fingerprint(body: dict[str, Any]) -> str:
    """Hexadecimal SHA-256 of the canonical JSON."""
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def accelerator_json(row: Accelerator) -> dict[str, Any]:
    """One accelerator."""
    return {
        "slug": row.slug,
        "vendor": row.vendor.name,
        "name": row.name,
        "architecture": row.architecture,
        "form_factor": row.form_factor,
        "memory_bytes": _scaled(row.memory_mib, MIB),
        "bandwidth_bytes_s": _scaled(row.bandwidth_gb_s, GIGA),
        "peak_flops": {precision: _scaled(getattr(row, f"{precision}_tflops"), TERA) for precision in PRECISIONS},
        "link": row.link or None,
        "link_bytes_s": _scaled(row.link_gb_s, GIGA),
        "link_domain": row.link_domain,
        "pcie_gen": row.pcie_gen,
        "pcie_lanes": row.pcie_lanes,
        "tdp_w": row.tdp_w,
        "cooling": row.cooling or None,
        "mig_max": row.mig_max,
        "status": row.status,
        "source": row.sources_line,
    }


def fabric_json(row: Fabric) -> dict[str, Any]:
    """One fabric."""
    return {"slug": row.slug, "name": row.name, "kind": row.kind, "gbit_s": row.gbit_s, "rdma": row.has_rdma}


def platform_json(row: ServerAccelerator) -> dict[str, Any]:
    """One server with one of the accelerators it takes."""
    server = row.server
    return {
        "slug": server.slug,
        "vendor": server.vendor.name,
        "name": server.name,
        "accelerator": row.accelerator.slug,
        "counts": row.counts,
        "link": row.link,
        "form": server.form,
        "units": server.units,
        "depth_mm": server.depth_mm,
        "weight_kg": server.weight_kg,
        "psu_count": server.psu_count,
        "psu_w": server.psu_w,
        "psu_redundant": server.psu_redundant,
        "max_power_w": server.max_power_w,
        "cooling": server.cooling or None,
        "inlet_c_max": server.inlet_c_max,
        "cpu_sockets": server.cpu_sockets,
        "cpu_cores_max": server.cpu_cores_max,
        "ram_slots": server.ram_slots,
        "ram_max_bytes": _scaled(server.ram_max_gib, GIB),
        "nvme_bays": server.nvme_bays,
        "fabric_slots": server.fabric_slots,
        "status": server.status or None,
    }


def _scaled(value: float | None, factor: int) -> int | None:
    return None if value is None else round(value * factor)
