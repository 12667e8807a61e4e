"""Storage: what must be read per second, what must be kept, and where checkpoints go."""

from __future__ import annotations

import math
from dataclasses import dataclass

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.dataset import Feed
from assessments.sizing.defaults import default
from assessments.sizing.host import host, source_of
from assessments.sizing.quantity import Scope, Span, exactly

GB = 1e9
TIERS = (
    ("tier_sata_max", "sata_or_network"),
    ("tier_nvme_small_max", "nvme_few"),
    ("tier_nvme_large_max", "nvme_many"),
)
CHECKPOINT_BYTES = {  # recipe → host constant, or bytes per trained parameter where it is plain arithmetic
    "mixed": "ckpt_bytes_mixed_adamw",
    "amp": "ckpt_bytes_fp32_adamw",
    "fp32": "ckpt_bytes_fp32_adamw",
    "pure": "ckpt_bytes_pure_bf16",
}
WEIGHT_BYTES = 2.0  # a frozen parameter is saved as it is, in 16 bits
STATE_BYTES = {
    "adamw_8bit": 2.0,
    "paged_adamw_8bit": 2.0,
    "lion": 4.0,
    "sgd": 4.0,
    "muon": 4.0,
    "adafactor": 0.0,
    "none": 0.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointLoad:
    """What one checkpoint holds: parameters whose states are saved, the recipe's name, cycle time."""

    trained_params: Span
    total_params: Span
    weights: str
    optimizer: str
    adapters_only: bool
    cycle_h: float
    servers: int
    per_server: int


def checkpoint_bytes(scope: Scope, load: CheckpointLoad) -> Span:
    """Size of one full checkpoint [bytes], stored as checkpoints.size.

    Mixed precision with AdamW: 14 bytes per parameter (2 + 12); other optimizers change the two moments.
    Source: printed sizes of 8B to 405B runs (12.9 to 14), BLOOM; adapters: theirs alone.
    """
    name = CHECKPOINT_BYTES.get(load.weights, "ckpt_bytes_mixed_adamw")
    per_param = host(name)
    moments = STATE_BYTES.get(load.optimizer)
    if moments is not None:
        # AdamW keeps 8 bytes of moments in fp32; another optimizer keeps its own
        change = moments - 8.0
        per_param = Span(*(max(value + change, 2.0) for value in per_param))
    scope.add("checkpoints.bytes_per_param", per_param, unit="bytes", formula="constant", source=source_of(name))
    scope.add(
        "checkpoints.params",
        load.trained_params,
        unit="params",
        formula="checkpoints.adapters" if load.adapters_only else "checkpoints.params",
    )
    states = Span(*(p * b for p, b in zip(load.trained_params, per_param, strict=True)))
    scope.add(
        "checkpoints.states",
        states,
        unit="bytes",
        formula="product",
        inputs=[".checkpoints.params", ".checkpoints.bytes_per_param"],
    )
    still = 0.0 if load.adapters_only else max(load.total_params.typical - load.trained_params.typical, 0.0)
    frozen = scope.add(
        "checkpoints.frozen", still * WEIGHT_BYTES, unit="bytes", formula="product", inputs=[still, WEIGHT_BYTES]
    )
    return scope.add(
        "checkpoints.size",
        states.plus(frozen),
        unit="bytes",
        formula="sum",
        inputs=[".checkpoints.states", ".checkpoints.frozen"],
    )


def checkpoint_needs(scope: Scope, load: CheckpointLoad) -> None:
    """Volume and write rate of checkpoints, and the share of time that writing stops; stored under checkpoints.*.

    volume = kept × size + one export of weights; an asynchronous write stops only while the state is copied to RAM.
    """
    size = scope.value("checkpoints.size")
    kept = scope.add(
        "checkpoints.kept", host("ckpt_kept_full"), unit="count", formula="constant", source=source_of("ckpt_kept_full")
    )
    export = size.scaled(2.0 / 14.0) if load.adapters_only else load.total_params.scaled(2.0)
    volume = Span(*(s * k + e for s, k, e in zip(size, kept, export, strict=True))).scaled(
        1 / host("shared_fs_usable").typical
    )
    scope.add(
        "checkpoints.volume",
        volume,
        unit="bytes",
        formula="checkpoints.volume",
        inputs=[".checkpoints.size", ".checkpoints.kept", export.typical, host("shared_fs_usable").typical],
    )
    interval = scope.add(
        "checkpoints.interval",
        exactly(default("checkpoint.interval_h").typical),
        unit="h",
        formula="assumption",
        source="default.checkpoint.interval_h",
        bounds=(0.01, 1000),
        origin="assumption",
    )
    seconds = interval.typical * 3600
    share = default("checkpoint.stall_share").typical
    scope.add(
        "checkpoints.write_background",
        size.scaled(2.0 / seconds),
        unit="bytes_s",
        formula="checkpoints.write_background",
        inputs=[".checkpoints.size", ".checkpoints.interval"],
    )
    scope.add(
        "checkpoints.write_blocking",
        size.scaled(1.0 / (share * seconds)),
        unit="bytes_s",
        formula="checkpoints.write_blocking",
        inputs=[".checkpoints.size", share, ".checkpoints.interval"],
    )
    node = host("ckpt_write_parallel_node").scaled(GB)
    offered = scope.add(
        "checkpoints.write_offered",
        node.scaled(load.servers),
        unit="bytes_s",
        formula="checkpoints.write_offered",
        inputs=[load.servers, node.typical],
        source=source_of("ckpt_write_parallel_node"),
    )
    blocking = size.over(offered)
    scope.add(
        "checkpoints.blocking_time",
        blocking.scaled(1 / 3600),
        unit="h",
        formula="checkpoints.blocking_time",
        inputs=[".checkpoints.size", ".checkpoints.write_offered", 3600],
    )
    scope.add(
        "checkpoints.blocking_share",
        Span(*(b / (b + seconds) for b in blocking)),
        unit="share",
        formula="checkpoints.blocking_share",
        inputs=[".checkpoints.blocking_time", ".checkpoints.interval"],
    )
    copy = host("ckpt_d2h_per_gpu").scaled(GB * load.per_server * load.servers)
    stall = size.over(copy)
    scope.add(
        "checkpoints.stall_share",
        Span(*(s / (s + seconds) for s in stall)),
        unit="share",
        formula="checkpoints.stall_share",
        inputs=[".checkpoints.size", copy.typical, ".checkpoints.interval"],
        source=source_of("ckpt_d2h_per_gpu"),
    )


def storage_needs(scope: Scope, feed: Feed, *, samples_s: Span, servers: int, per_server: int, years: float) -> None:
    """Capacity, read rate and opens of the dataset; stored under storage.*.

    samples_s: samples per second of one card. Read rate = samples × bytes as stored × utilisation target.
    Source: MLPerf Storage (the formula holds within 3 %); a shard divides opens by up to 1,000.
    """
    gpus = servers * per_server
    growth = (1 + feed.growth_per_year) ** years
    usable = host("shared_fs_usable").typical
    scope.add("storage.dataset", feed.dataset_bytes, unit="bytes", formula="same", inputs=["^data.bytes"])
    scope.add("storage.copies", feed.copies, unit="count", formula="same", inputs=["^data.copies"])
    capacity = Span(*(d * c for d, c in zip(feed.dataset_bytes, feed.copies, strict=True))).scaled(growth / usable)
    scope.add(
        "storage.capacity",
        capacity,
        unit="bytes",
        formula="storage.capacity",
        inputs=[".storage.dataset", ".storage.copies", growth, usable],
        source=source_of("shared_fs_usable"),
    )
    target = host("read_utilisation_target").typical
    read = Span(*(s * b * target * gpus for s, b in zip(samples_s, feed.sample_bytes, strict=True)))
    scope.add("storage.sample", feed.sample_bytes, unit="bytes", formula="same", inputs=["^data.sample_bytes"])
    scope.add(
        "storage.read",
        read,
        unit="bytes_s",
        formula="storage.read",
        inputs=[".cpu.samples_s_gpu", ".storage.sample", target, gpus],
        source=source_of("read_utilisation_target"),
        bounds=(0, 1e13),
    )
    opens = samples_s.scaled(feed.files_per_sample * gpus)
    scope.add(
        "storage.iops",
        opens,
        unit="iops",
        formula="storage.iops",
        inputs=[".cpu.samples_s_gpu", feed.files_per_sample, gpus],
        bounds=(0, 1e10),
    )
    scope.add(
        "storage.location_read",
        feed.location_read,
        unit="bytes_s",
        formula="storage.location",
        inputs=[feed.location],
        source="default.location",
    )
    scope.add(
        "storage.location_iops",
        feed.location_iops,
        unit="iops",
        formula="storage.location",
        inputs=[feed.location],
        source="default.location",
    )


def drives_needs(scope: Scope, servers: int) -> int:
    """Local NVMe drives of one server [count] for capacity, reading, opens and checkpoints; stored under storage.*."""
    capacity = (scope.value("storage.capacity").typical + scope.value("checkpoints.volume").typical) / servers
    read = scope.value("storage.read").typical / servers
    opens = scope.value("storage.iops").typical / servers
    write = scope.value("checkpoints.write_background").typical / servers
    drive = default("drive.bytes")
    by_rate = max(
        read / default("drive.read_bytes_s").typical,
        opens / default("drive.iops").typical,
        write / default("drive.write_bytes_s").typical,
    )
    count = max(2, math.ceil(by_rate))
    # larger drives before more of them: a server has eight bays
    size = next((s for s in (drive.typical, 7.68e12, drive.high) if capacity <= s * max(count, 8)), drive.high)
    count = max(count, math.ceil(capacity / size))
    scope.add(
        "storage.drive",
        exactly(size),
        unit="bytes",
        formula="storage.drive",
        inputs=[capacity],
        source="default.drive.bytes",
    )
    scope.add(
        "storage.drives",
        exactly(float(count)),
        unit="drives",
        formula="storage.drives",
        inputs=[
            ".storage.capacity",
            ".checkpoints.volume",
            ".storage.read",
            ".storage.iops",
            servers,
            ".storage.drive",
        ],
        bounds=(0, 512),
    )
    return count


def tier_of(read_per_gpu: float, servers: int, per_server: int) -> str:
    """Class of storage for this read rate per card [bytes/s]."""
    if servers > 1 and read_per_gpu * per_server > 5e9:
        return "parallel_fs"
    for name, tier in TIERS:
        if read_per_gpu <= CALIBRATION.host[name].typical * GB:
            return tier
    return "parallel_fs"
