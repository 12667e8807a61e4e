"""Bandwidth of links and fabrics, and the bytes that each kind of parallelism sends over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assessments.sizing.calibration import Calibration
from assessments.sizing.setup import Accelerator, Fabric, Floats, SetupArrays

GBPS = 1e9
BYTES_PER_GBIT = 1e9 / 8
PCIE_LANE_BYTES_S = {3: 0.985e9, 4: 1.969e9, 5: 3.938e9, 6: 7.563e9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Bandwidth that one card sees [bytes/s] for each pattern of traffic."""

    in_server: Floats
    collective: Floats  # all-reduce, all-gather, reduce-scatter of the data-parallel group
    single: Floats  # all-to-all and point-to-point across servers: one card's share of the network ports
    crosses: NDArray[np.bool_]  # the data-parallel group spans servers


def bus_bytes_s(accelerator: Accelerator, link: str, calibration: Calibration) -> float:
    """Bus bandwidth of large collectives inside a server, per card [bytes/s].

    A switched link reaches a share of its one-direction line rate (NVLink 4: 370 of 450, NVLink 3: 220 of 300, NVLink
    2: 124 of 150, XGMI: 330 of 448); PCIe its own measured figures, less without peer-to-peer.
    Source: NVIDIA/nccl-tests issues 212 and 290; ROCm blog "RCCL and xGMI"; voipmonitor/rtx6kpro PCIe measurements.
    Deviation: low 8 % (NVLink 4) to 50 % (PCIe 4, depending on the board).
    """
    host = calibration.host
    pcie = host["busbw_pcie5_p2p_8gpu"] if (accelerator.pcie_gen or 4) >= 5 else host["busbw_pcie4_ddp"]
    if link == "pcie":
        return pcie.typical * GBPS
    if link == "pcie_no_p2p" or accelerator.link_bytes_s is None:
        return min(host["busbw_geforce_nop2p"].typical, pcie.typical) * GBPS
    share = calibration.keyed("time", "link_share", link)
    return max(accelerator.link_bytes_s / 2 * share, pcie.typical * GBPS)


def fabric_bytes_s(fabric: Fabric | None, ports: Floats, calibration: Calibration) -> Floats:
    """All network ports of one server together [bytes/s]; without RDMA a quarter of the line.

    Source: NVIDIA/nccl-tests issue 290; Oracle OCI logs (189 of 200, 369 of 400). Plain TCP: no class, a warning.
    """
    if fabric is None:
        return np.full_like(ports, calibration.time["no_fabric"].typical * GBPS)
    efficiency = calibration.host["nic_efficiency"].typical if fabric.rdma else calibration.time["tcp_share"].typical
    return np.maximum(ports, 1.0) * fabric.gbit_s * BYTES_PER_GBIT * efficiency


def links_of(s: SetupArrays, data_parallel: Floats, calibration: Calibration) -> Links:
    """Bandwidth of every setup.

    Across servers a collective sees the sum of the server's ports, because each byte enters a server once; the groups
    that run side by side in a server share it. All-to-all, point-to-point and context parallelism see one card's part.
    """
    pairs = np.array([[bus_bytes_s(a, link, calibration) for link in s.links] for a in s.accelerators])
    in_server = pairs[s.accelerator, s.link]
    per_fabric = np.array([fabric_bytes_s(f, np.array(1.0), calibration) for f in s.fabrics])
    ports = np.where(np.array([f is not None for f in s.fabrics])[s.fabric], np.maximum(s.fabric_ports, 1.0), 1.0)
    server_bytes_s = per_fabric[s.fabric] * ports
    per_server = np.maximum(s.gpus / np.maximum(s.servers, 1.0), 1.0)
    replicas = data_parallel * s.cp
    group_in_server = np.clip(per_server / (s.tp * s.pp), 1.0, replicas)
    crosses = (s.servers > 1) & (replicas > group_in_server)
    across = server_bytes_s * group_in_server / per_server
    return Links(
        in_server=in_server,
        collective=np.where(crosses, np.minimum(in_server, across), in_server),
        single=np.where(s.servers > 1, np.minimum(in_server, server_bytes_s / per_server), in_server),
        crosses=crosses,
    )


def all_reduce_bytes(volume_bytes: Floats, ranks: Floats) -> Floats:
    """Bytes that one rank sends in a ring all-reduce: 2(n−1)/n × volume. Source: Patarasuk and Yuan 2009."""
    return 2.0 * (ranks - 1.0) / ranks * volume_bytes


def gather_bytes(volume_bytes: Floats, ranks: Floats) -> Floats:
    """Bytes that one rank receives in an all-gather (or sends in a reduce-scatter): (n−1)/n × volume."""
    return (ranks - 1.0) / ranks * volume_bytes


def exposed_s(communication_s: Floats, compute_s: Floats, residual: Floats, hidden_up_to: float) -> Floats:
    """Communication that compute does not hide [s]: compute × (residual · r + max(0, r − hidden_up_to)), r = the ratio.

    residual 0.1 and 0.8 in tuned full sharding; residual 1 is no overlap.
    Source: mosaicml/llm-foundry scaling tables (18 series, 8 to 512 GPUs).
    """
    ratio = communication_s / np.maximum(compute_s, 1e-12)
    return np.minimum(compute_s * (residual * ratio + np.maximum(0.0, ratio - hidden_up_to)), communication_s)


def scaling_efficiency(doublings: Floats, loss_per_doubling: float) -> Floats:
    """Speed per card kept after doubling the servers: (1 − d)^doublings [share].

    Source: NVIDIA/DeepLearningExamples (d 1 %), mosaicml/llm-foundry (2 %), DeepSpeed BERT on 50 Gbit/s per card
    (3.6 %). Valid on RDMA; congested or TCP networks lose 25 to 38 % in one doubling.
    """
    return np.power(1.0 - loss_per_doubling, doublings)
