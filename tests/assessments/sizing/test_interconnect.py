"""Links and scaling: bus bandwidth by link, the sum of a server's ports, what compute hides."""

import numpy as np
import pytest

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.interconnect import (
    all_reduce_bytes,
    bus_bytes_s,
    exposed_s,
    gather_bytes,
    links_of,
    scaling_efficiency,
)
from assessments.sizing.setup import Fabric, Layout, Setup, SetupArrays
from assessments.validation.cards import cards
from tests.assessments.sizing.machines import A100, H100, MIXED


def test_switched_links_reach_their_measured_bus_bandwidth() -> None:
    assert bus_bytes_s(H100, "nvswitch", CALIBRATION) == pytest.approx(370e9, rel=0.05)
    assert bus_bytes_s(A100, "nvswitch", CALIBRATION) == pytest.approx(220e9, rel=0.15)
    assert bus_bytes_s(cards()["mi300x"], "xgmi", CALIBRATION) == pytest.approx(330e9, rel=0.05)


def test_pcie_is_slower_than_any_bridge_and_slower_still_without_peer_to_peer() -> None:
    geforce = cards()["rtx-3090"]
    without, plain = (bus_bytes_s(geforce, link, CALIBRATION) for link in ("pcie_no_p2p", "pcie"))
    assert without < plain < bus_bytes_s(A100, "nvlink_bridge", CALIBRATION)


def test_a_collective_across_servers_sees_all_ports_of_the_server() -> None:
    setup = Setup(
        accelerator=H100,
        gpus=16,
        servers=2,
        link="nvswitch",
        fabric=Fabric(slug="ndr", gbit_s=400.0),
        fabric_ports=8,
        recipe=MIXED,
        layout=Layout(sharding="zero3"),
    )
    links = links_of(SetupArrays.of([setup]), np.array([16.0]), CALIBRATION)
    ports = 0.93 * 8 * 400e9 / 8
    assert links.collective[0] == pytest.approx(min(ports, float(links.in_server[0])))
    assert links.single[0] == pytest.approx(ports / 8)


def test_ring_traffic_is_the_textbook_one() -> None:
    assert all_reduce_bytes(np.array(8e9), np.array(8.0)) == pytest.approx(14e9)
    assert gather_bytes(np.array(8e9), np.array(8.0)) == pytest.approx(7e9)


def test_compute_hides_communication_up_to_a_ratio_and_never_shows_more_than_there_is() -> None:
    compute = np.array([1.0, 1.0, 1.0])
    found = exposed_s(np.array([0.1, 1.0, 50.0]), compute, np.array([0.1, 0.1, 0.1]), 0.8)
    assert found.tolist() == pytest.approx([0.01, 0.3, 50.0])


def test_doubling_the_servers_costs_the_measured_share() -> None:
    loss = CALIBRATION.host["loss_per_doubling_rdma_accum"].typical
    assert scaling_efficiency(np.array(3.0), loss) == pytest.approx(0.99**3)
