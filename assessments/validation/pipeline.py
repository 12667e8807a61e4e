"""Data-pipeline tables: checkpoints, host memory, loaders and storage demand."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assessments.sizing.calibration import Calibration, Constant
from assessments.validation.judged import Judged
from assessments.validation.rows import is_counted, modality_of

TO_GB = {"GB": 1.0, "TB": 1000.0}


def pipeline_row(row: Mapping[str, str], calibration: Calibration) -> Judged:
    """Prediction of one row from the constants of the host side; kinds that are inputs are skipped with that reason."""
    host = calibration.host
    match row["kind"]:
        case "checkpoint size":
            found = _checkpoint_size(row, host)
        case "checkpoint write time":
            found = _write_time(row, host)
        case "host memory":
            found = _host_memory(row, host)
        case "loader throughput":
            found = _loader(row, host)
        case "demand per accelerator (derived)":
            found = _demand(row, host)
        case other:
            return _judged(row, None, f"{other}: an input of the engine, not a prediction")
    if found is None:
        return _judged(row, None, "the workload is not described enough")
    return _judged(row, found, None)


def _params(row: Mapping[str, str]) -> float | None:
    found = re.search(r"(\d+(?:\.\d+)?)\s*([BT])\b", row["workload"])
    if found is None:
        return None
    return float(found.group(1)) * (1e9 if found.group(2) == "B" else 1e12)


def _scaled(constant: Constant, factor: float) -> tuple[float, float, float]:
    return constant.low * factor, constant.typical * factor, constant.high * factor


def _checkpoint_size(row: Mapping[str, str], host: Mapping[str, Constant]) -> tuple[float, float, float] | None:
    params = _params(row)
    return None if params is None else _scaled(host["ckpt_bytes_mixed_adamw"], params / 1e9)


def _write_time(row: Mapping[str, str], host: Mapping[str, Constant]) -> tuple[float, float, float] | None:
    params, cards = _params(row), row["n_accelerators"]
    if params is None or not cards:
        return None
    size_gb = params / 1e9 * host["ckpt_bytes_mixed_adamw"].typical
    rate, nodes = host["ckpt_write_parallel_node"], float(cards) / 4
    return size_gb / rate.high / nodes, size_gb / rate.typical / nodes, size_gb / rate.low / nodes


def _host_memory(row: Mapping[str, str], host: Mapping[str, Constant]) -> tuple[float, float, float] | None:
    cards = float(row["n_accelerators"] or 1)
    rl = "GRPO" in row["workload"]
    return _scaled(host["ram_rl_posttraining_per_gpu" if rl else "ram_process_per_rank"], cards)


def _loader(row: Mapping[str, str], host: Mapping[str, Constant]) -> tuple[float, float, float] | None:
    cores = row["cpu_cores"]
    if not cores:
        return None
    from_disk = "disk" in row["storage"].lower()
    jpeg = "JPEG" in row["workload"]
    decoded = _scaled(host["cpu_jpeg_224_ffcv"], float(cores))
    sample_bytes = float(row["sample_bytes"]) if row["sample_bytes"] else None
    if from_disk and sample_bytes:
        disk = _scaled(host["net_disk_node"], 1e9 / sample_bytes)
        return (min(disk[0], decoded[0]), min(disk[1], decoded[1]), min(disk[2], decoded[2])) if jpeg else disk
    return decoded if jpeg and not from_disk else None


def _demand(row: Mapping[str, str], host: Mapping[str, Constant]) -> tuple[float, float, float] | None:
    workload, card = row["workload"].lower(), row["accelerator"].lower()
    kind = next((k for k in ("unet3d", "resnet50", "cosmoflow") if k in workload), None)
    if kind is None:
        return None
    card_key = "h100" if "h100" in card else "b200" if "b200" in card else "a100"
    name = {"unet3d": f"unet3d_{card_key}", "resnet50": f"image224_{card_key}", "cosmoflow": "cosmoflow"}[kind]
    constant = host.get(f"read_gbps_gpu_{name}")
    return None if constant is None else (constant.low, constant.typical, constant.high)


def _judged(row: Mapping[str, str], found: tuple[float, float, float] | None, reason: str | None) -> Judged:
    unit = row["unit"]
    scale = TO_GB.get(unit, 1.0)
    try:
        published: float | None = float(row["value"])
    except ValueError:
        published, reason = None, reason or "value is not one number"
    low, typical, high = (None, None, None) if found is None else tuple(v / scale for v in found)
    return Judged(
        kind="datapipeline",
        id=row["id"],
        source=row["source"],
        metric=row["kind"],
        unit=unit,
        modality=modality_of(row["modality"]),
        published=published,
        low=low,
        typical=typical,
        high=high,
        counted=is_counted(row["quality"]) and reason is None,
        skipped=reason,
        weight_key=row["workload"] + row["storage"] + row["n_accelerators"],
    )
