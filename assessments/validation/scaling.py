"""Scaling tables: speed per card kept when more cards work on a job."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from assessments.sizing.calibration import Calibration, Constant
from assessments.sizing.interconnect import scaling_efficiency
from assessments.validation.judged import Judged
from assessments.validation.rows import is_counted

RDMA = re.compile(r"infiniband|roce|rdma|omni", re.IGNORECASE)

SCATTER = 0.05  # an efficiency is the ratio of two measured rates; each repeats within some 4 %


def scaling_row(row: Mapping[str, str], calibration: Calibration) -> Judged:
    """Scaling efficiency in percent, from the loss per doubling of the link that the added cards use."""
    base = Judged(
        kind="interconnect",
        id=row["id"],
        source=row["source"],
        metric="scaling_efficiency",
        unit="%",
        counted=is_counted(row["quality"]),
        weight_key="|".join(v for k, v in row.items() if k not in {"id", "value", "scaling_efficiency_pct"}),
    )
    try:
        published = float(row["scaling_efficiency_pct"])
        gpus, before = float(row["n_gpus"]), float(row["baseline_n_gpus"])
    except ValueError:
        return _skip(base, "no scaling efficiency, or numbers of cards not stated")
    if gpus == before:
        return _skip(base, "same number of cards: not scaling")
    loss = loss_per_doubling(row, gpus, calibration)
    doublings = np.array(np.log2(gpus / before))
    low, typical, high = (100.0 * float(scaling_efficiency(doublings, d)) for d in (loss.high, loss.typical, loss.low))
    low, high = low * (1.0 - SCATTER), high * (1.0 + SCATTER)
    return Judged(
        kind="interconnect",
        id=row["id"],
        source=row["source"],
        metric=base.metric,
        unit=base.unit,
        modality="text" if re.search(r"bert|gnmt|transformer|gpt|bart", row["workload"].lower()) else "other",
        published=published,
        low=low,
        typical=typical,
        high=high,
        counted=base.counted,
        subset="multi_node" if (row["n_nodes"] or "1") != "1" else "",
        weight_key=base.weight_key,
    )


def loss_per_doubling(row: Mapping[str, str], gpus: float, calibration: Calibration) -> Constant:
    """Share of speed lost per doubling: by fabric across servers, by link inside one."""
    host, link = calibration.host, row["interconnect"].lower()
    if (row["n_nodes"] or "1") != "1":
        if "omni" in link:
            return host["loss_per_doubling_congested"]
        per_card = "dgx-2" in (link + row["gpu_model"].lower())
        return host["loss_per_doubling_50g"] if per_card and gpus > 64 else host["loss_per_doubling_rdma_accum"]
    if "pcie" in link and "nvlink" not in link:
        has_no_p2p = re.search(r"rtx [34]0|geforce", row["gpu_model"].lower())
        return calibration.time["loss_pcie_no_p2p" if has_no_p2p else "loss_pcie"]
    return calibration.time["loss_nvlink"]


def _skip(row: Judged, reason: str) -> Judged:
    return Judged(
        kind=row.kind, id=row.id, source=row.source, metric=row.metric, unit=row.unit, counted=False, skipped=reason
    )
