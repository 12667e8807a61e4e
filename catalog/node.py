"""One server fitted out for a requirement: memory, cores, drives, network cards, draw and load of the supplies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from catalog.fleet import Fleet, Floats
from catalog.requirement import Requirement

BTU_H_PER_W = 3.412
GIB = 1 << 30
DIMM_GIB = (16, 32, 64, 96, 128, 256)
LARGEST_PLAIN_DIMM_GIB = 128
"""The largest module that is bought without a second thought; counts where the sheet names no maximum."""
DRIVE_TB = (3.84, 7.68, 15.36)
LEAST_DRIVES, USUAL_DRIVES = 2, 8
CORES_PER_CPU = (16, 24, 32, 48, 64, 72, 86, 96, 128, 144, 160, 192)
ONE_PER_CHANNEL = {32: (16, 32), 48: (24, 48), 16: (8, 16)}
"""Modules that fill every channel evenly, by slots: one or two per channel; other boards are filled whole."""

BOARD_FACTOR, CARD_FACTOR = 1.25, 1.0
"""Switches and regulators of an HGX or OAM board on top of the accelerators' TDP; PCIe cards hold theirs."""
AIR_FANS, LIQUID_FANS = 0.10, 0.03
CPU_W, DIMM_W, DRIVE_W, NIC_W, REST_W, PSU_EFFICIENCY = 350.0, 7.0, 9.0, 60.0, 200.0, 0.95
TYPICAL_SHARE = 0.76
"""Draw in training over the maximum: Newkirk et al., arXiv:2506.14551, 0.65 to 0.85."""
BOARD_NICS_BESIDE, BOARD_DRIVES = 2, 8
"""What stands in a server with an accelerator board beside one network card per accelerator, when it is filled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One server as it would be ordered; None = the sheet does not allow to say."""

    gpus: int
    dimms: int | None
    dimm_gib: int | None
    ram_gib: int | None
    cores_per_cpu: int | None
    cpu_cores: int | None
    drives: int
    drive_tb: float
    storage_tb: float
    fabric_ports: int
    peak_w: float | None
    is_peak_stated: bool
    heat_btu_h: float | None
    psu_carried_w: float | None
    psu_load: float | None


def heat_btu_h(watts: float) -> float:
    """Heat of a draw [BTU/h]."""
    return watts * BTU_H_PER_W


def estimated_peak_w(fleet: Fleet, requirement: Requirement) -> Floats:
    """Draw of each server at full load [W].

    Valid for 1 to 8 accelerators per server; eight systems, leave-one-out median error 4 %, at most 13 %.
    Source: nameplates of DGX A100 to B300 and four itemised builds.
    """
    gpus = requirement.gpus_per_server
    is_board = fleet.of_card("is_on_board") == 1
    drives, ports = drives_needed(requirement), requirement.fabric_ports or 0
    fans = np.where(fleet.is_text("cooling", {"direct_to_chip", "immersion"}), LIQUID_FANS, AIR_FANS)
    dimms = np.nan_to_num(fleet.numbers["ram_slots"], nan=16.0)
    sockets = np.nan_to_num(fleet.numbers["cpu_sockets"], nan=2.0)
    parts = (
        np.where(is_board, BOARD_FACTOR, CARD_FACTOR) * gpus * fleet.of_card("tdp_w")
        + CPU_W * sockets
        + DIMM_W * dimms
        + DRIVE_W * np.where(is_board, max(drives, BOARD_DRIVES), drives)
        + NIC_W * np.where(is_board, max(ports, gpus + BOARD_NICS_BESIDE), ports)
    )
    return np.asarray((parts * (1 + fans) + REST_W) / PSU_EFFICIENCY, dtype=np.float64)


def peak_w(fleet: Fleet, requirement: Requirement) -> tuple[Floats, Floats]:
    """Draw of each server at full load [W] and 1 where the sheet states it.

    The printed maximum counts for a server that is filled; a partly filled one is estimated and never above it.
    """
    stated = fleet.numbers["max_power_w"]
    estimate = estimated_peak_w(fleet, requirement)
    if requirement.peak_w is not None:
        estimate = np.where(np.isnan(estimate), requirement.peak_w, estimate)
    is_filled = ~np.isnan(stated) & (fleet.numbers["max_count"] == requirement.gpus_per_server)
    estimate = np.where(np.isnan(stated), estimate, np.fmin(estimate, stated))
    return np.where(is_filled, stated, estimate), is_filled.astype(np.float64)


def drives_needed(requirement: Requirement) -> int:
    """NVMe drives of one server, with the largest common drive, at least a pair."""
    by_capacity = math.ceil((requirement.storage_bytes or 0) / (DRIVE_TB[-1] * 1e12))
    return max(LEAST_DRIVES, by_capacity, math.ceil(requirement.drives or 0))


def drives_chosen(requirement: Requirement, bays: float) -> tuple[int, float]:
    """Count and size [TB] of the drives: the smallest size with which the usual bays suffice."""
    need_tb = (requirement.storage_bytes or 0) / 1e12
    least = drives_needed(requirement)
    room = USUAL_DRIVES if math.isnan(bays) else min(USUAL_DRIVES, int(bays))
    for size in DRIVE_TB:
        count = max(LEAST_DRIVES, math.ceil(need_tb / size), math.ceil(requirement.drives or 0))
        if count <= room:
            return count, size
    return least, DRIVE_TB[-1]


def modules_chosen(need_bytes: float | None, slots: float, most_gib: float) -> tuple[int, int] | None:
    """Count and size [GiB] of the modules: least memory that suffices, then fewest modules; None if none does."""
    if need_bytes is None or math.isnan(slots):
        return None
    need_gib = need_bytes / GIB
    largest = DIMM_GIB[-1] if math.isnan(most_gib) else most_gib / slots
    fits = [
        (count * size, count, size)
        for count in ONE_PER_CHANNEL.get(int(slots), (int(slots),))
        for size in DIMM_GIB
        if size <= largest and count * size >= need_gib
    ]
    return min(fits)[1:] if fits else None


def configured(fleet: Fleet, index: int, requirement: Requirement, peak: float, *, is_peak_stated: bool) -> Node:
    """Fit out one server of the fleet."""
    figure = {name: float(column[index]) for name, column in fleet.numbers.items()}
    modules = modules_chosen(requirement.ram_bytes, figure["ram_slots"], figure["ram_max_gib"])
    drives, drive_tb = drives_chosen(requirement, figure["nvme_bays"])
    sockets = figure["cpu_sockets"]
    cores = None
    if requirement.cpu_cores and not math.isnan(sockets):
        most = figure["cpu_cores_max"]
        cores = next(
            (
                c
                for c in CORES_PER_CPU
                if c * sockets >= requirement.cpu_cores and (math.isnan(most) or c * sockets <= most)
            ),
            None,
        )
    carried = (figure["psu_count"] - figure["psu_redundant"]) * figure["psu_w"]
    return Node(
        gpus=requirement.gpus_per_server,
        dimms=modules[0] if modules else None,
        dimm_gib=modules[1] if modules else None,
        ram_gib=modules[0] * modules[1] if modules else None,
        cores_per_cpu=cores,
        cpu_cores=int(cores * sockets) if cores else None,
        drives=drives,
        drive_tb=drive_tb,
        storage_tb=round(drives * drive_tb, 2),
        fabric_ports=int(requirement.fabric_ports or 0),
        peak_w=known(peak),
        is_peak_stated=is_peak_stated,
        heat_btu_h=None if math.isnan(peak) else round(heat_btu_h(peak)),
        psu_carried_w=known(carried),
        psu_load=None if math.isnan(carried) or math.isnan(peak) or carried <= 0 else round(peak / carried, 3),
    )


def known(value: float) -> float | None:
    """None for what is not known."""
    return None if math.isnan(value) else round(float(value), 3)
