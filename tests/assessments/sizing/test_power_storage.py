"""Power of published systems by parts, and storage rates of MLPerf Storage by samples × bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.machines import Machine
from assessments.sizing.rack import peak_w
from assessments.validation.cards import cards


@pytest.mark.parametrize(
    ("card", "tdp_w", "cores", "drives", "ports", "published_w"),
    [
        ("a100-sxm4-80gb", 400, 128, 6, 9, 6_500),  # NVIDIA DGX A100 data sheet
        ("h100-sxm5-80gb", 700, 112, 10, 10, 10_200),  # NVIDIA DGX H100 data sheet
        ("h200-sxm5-141gb", 700, 112, 10, 10, 10_200),  # NVIDIA DGX H200 data sheet
        ("b200-sxm-180gb", 1000, 112, 10, 10, 14_300),  # NVIDIA DGX B200 data sheet
    ],
)
def test_power_by_parts_is_within_ten_percent_of_the_nameplate(
    card: str, tdp_w: float, cores: float, drives: float, ports: int, published_w: float
) -> None:
    accelerator = replace(cards()[card], tdp_w=tdp_w)
    machine = Machine(accelerator=accelerator, gpus=8, servers=1, link="nvswitch", fabric_ports=ports)
    found = peak_w(machine, cores, drives, liquid=False)
    assert found.typical == pytest.approx(published_w, rel=0.10)
    assert found.low <= published_w <= found.high


@pytest.mark.parametrize(
    ("name", "batch", "record_bytes", "step_s"),
    [  # mlcommons/storage, configs/dlio/workload: batch size, record length, computation time
        ("unet3d_a100", 7, 146_600_628, 0.636),
        ("unet3d_h100", 7, 146_600_628, 0.323),
        ("image224_a100", 400, 114_660.07, 0.435),
        ("image224_h100", 400, 114_660.07, 0.224),
    ],
)
def test_read_rate_of_a_card_is_samples_times_bytes(name: str, batch: int, record_bytes: float, step_s: float) -> None:
    constant = CALIBRATION.host[f"read_gbps_gpu_{name}"]
    assert constant.typical == pytest.approx(batch * record_bytes / step_s / 1e9, rel=0.05)
