"""The host around the cards: CPU cores that feed them, and RAM as firm as GPU memory."""

from __future__ import annotations

from dataclasses import dataclass

from assessments.sizing.calibration import CALIBRATION
from assessments.sizing.dataset import Feed
from assessments.sizing.defaults import span_of
from assessments.sizing.quantity import Scope, Span

GB = 1e9
# what a board takes with every memory channel filled [bytes]: DIMM counts of host-model section 2
POPULATIONS = tuple(
    size * GB
    for size in (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 16_384)
)
SMALL_CARD = 80.5e9  # up to this card size 128 GB of RAM per card are usual, 256 GB above


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLoad:
    """What the training puts on one server.

    samples_s: samples per second of one card; offload_bytes_per_param: states kept in RAM; checkpoint_bytes: full state
    """

    per_server: int
    servers: int
    card_bytes: float
    params: Span
    samples_s: Span
    offload: str
    checkpoint_bytes: Span
    is_async: bool
    loads_model: bool
    sharded_load: bool
    is_rl: bool


def host(name: str) -> Span:
    """A host constant as a span."""
    return span_of(CALIBRATION.host[name])


def source_of(name: str) -> str:
    """Key of a host constant's source."""
    return f"host.{name}"


def cpu_needs(scope: Scope, feed: Feed, load: HostLoad) -> Span:
    """Cores of one server [count], stored under cpu.*.

    cores = system + cards × max(floor, 1 + samples_s × units / (headroom × rate per core)); a core is two threads.
    Valid for decoding on the CPU; GPU decoding moves it away. Source: host constants cpu_*; spread 0.6 to 1.7.
    """
    headroom, threads = host("cpu_loader_headroom").typical, host("cpu_vcpu_per_core").typical
    rate = scope.add(
        "cpu.rate_per_core",
        host(feed.cpu_rate).scaled(threads),
        unit="samples_s",
        formula="cpu.rate_per_core",
        inputs=[threads],
        source=source_of(feed.cpu_rate),
    )
    scope.add(
        "cpu.samples_s_gpu",
        load.samples_s,
        unit="samples_s",
        formula="cpu.samples_s_gpu",
        inputs=[".time.tokens_per_s_gpu", feed.tokens_per_sample],
    )
    floor = scope.add(
        "cpu.floor_per_gpu", host(feed.cpu_floor), unit="cores", formula="constant", source=source_of(feed.cpu_floor)
    )
    # the middle of rate and speed: both ends at once would be a case that nobody meets
    workers = Span(
        load.samples_s.typical * feed.cpu_units / (headroom * rate.high),
        load.samples_s.typical * feed.cpu_units / (headroom * rate.typical),
        load.samples_s.typical * feed.cpu_units / (headroom * rate.low),
    )
    scope.add(
        "cpu.workers_per_gpu",
        workers,
        unit="cores",
        formula="cpu.workers_per_gpu",
        inputs=[".cpu.samples_s_gpu", feed.cpu_units, headroom, ".cpu.rate_per_core"],
    )
    per_gpu = Span(*(max(f, 1 + w) for f, w in zip(floor, workers, strict=True)))
    per_gpu = scope.add(
        "cpu.cores_per_gpu",
        per_gpu,
        unit="cores",
        formula="cpu.cores_per_gpu",
        inputs=[".cpu.floor_per_gpu", ".cpu.workers_per_gpu"],
        bounds=(1, 512),
    )
    system = scope.add(
        "cpu.system", host("cpu_system_cores"), unit="cores", formula="constant", source=source_of("cpu_system_cores")
    )
    total = Span(*(_even(s + load.per_server * p) for s, p in zip(system, per_gpu, strict=True)))
    return scope.add(
        "cpu.cores",
        total,
        unit="cores",
        formula="cpu.cores",
        inputs=[".cpu.system", load.per_server, ".cpu.cores_per_gpu"],
        bounds=(1, 4096),
    )


def ram_needs(scope: Scope, feed: Feed, load: HostLoad) -> Span:
    """RAM of one server [bytes], stored under ram.*.

    RAM = (base + ranks × process + max(load, run)) / usable share, run = offload + staging + workers; then at least the
    cards' memory or 128 to 256 GB per card, rounded up to filled channels. The page cache takes what is left.
    Source: host constants ram_*; 70 platforms of MLPerf Training v4.1 (2 TB per server of eight).
    """
    gpus, servers = load.per_server, load.servers
    base = scope.add(
        "ram.base",
        host("ram_base_node").scaled(GB),
        unit="bytes",
        formula="constant",
        source=source_of("ram_base_node"),
    )
    process = host("ram_rl_posttraining_per_gpu" if load.is_rl else "ram_process_per_rank").scaled(GB * gpus)
    name = "ram_rl_posttraining_per_gpu" if load.is_rl else "ram_process_per_rank"
    processes = scope.add(
        "ram.processes",
        process,
        unit="bytes",
        formula="ram.processes",
        inputs=[gpus, process.typical / gpus],
        source=source_of(name),
    )
    loading = scope.add(
        "ram.load",
        _loading(load),
        unit="bytes",
        formula=_load_formula(load),
        inputs=_load_inputs(load),
        source=_load_source(load),
    )
    offload = scope.add(
        "ram.offload",
        _offloaded(load),
        unit="bytes",
        formula="ram.offload",
        inputs=[load.params.typical, servers],
        source=_offload_source(load),
    )
    staging = scope.add(
        "ram.staging",
        load.checkpoint_bytes.scaled(1 / servers if load.is_async else 0.0),
        unit="bytes",
        formula="ram.staging",
        inputs=[".checkpoints.size", servers],
        source=source_of("ram_async_ckpt_copy"),
    )
    each = host("ram_worker").scaled(GB)
    workers_count = Span(*(max(1.0, value) * gpus for value in scope.value("cpu.workers_per_gpu")))
    workers = scope.add(
        "ram.workers",
        Span(*(min(max(w, 2.0 * gpus), 32.0 * gpus) * e for w, e in zip(workers_count, each, strict=True))),
        unit="bytes",
        formula="ram.workers",
        inputs=[".cpu.workers_per_gpu", gpus, each.typical],
        source=source_of("ram_worker"),
    )
    run = scope.add(
        "ram.run",
        offload.plus(staging).plus(workers),
        unit="bytes",
        formula="sum",
        inputs=[".ram.offload", ".ram.staging", ".ram.workers"],
    )
    peak = Span(*(max(a, b) for a, b in zip(loading, run, strict=True)))
    share = host("ram_usable_share").typical
    needed = scope.add(
        "ram.needed",
        base.plus(processes).plus(peak).scaled(1 / share),
        unit="bytes",
        formula="ram.needed",
        inputs=[".ram.base", ".ram.processes", ".ram.load", ".ram.run", share],
        source=source_of("ram_usable_share"),
    )
    usual_per_card = 128 * GB if load.card_bytes <= SMALL_CARD * 1.08 else 256 * GB
    floor = max(load.card_bytes * host("ram_per_vram_floor").typical, min(usual_per_card, 2 * load.card_bytes)) * gpus
    scope.add(
        "ram.floor",
        floor,
        unit="bytes",
        formula="ram.floor",
        inputs=[gpus, load.card_bytes],
        source=source_of("ram_per_vram_floor"),
    )
    total = Span(*(filled(max(value, floor)) for value in needed))
    total = scope.add(
        "ram.required",
        total,
        unit="bytes",
        formula="ram.required",
        inputs=[".ram.needed", ".ram.floor"],
        bounds=(8e9, 64e12),
    )
    left = max(total.typical * share - base.typical - processes.typical - run.typical, 0.0)
    scope.add(
        "ram.cache",
        min(left, feed.dataset_bytes.typical),
        unit="bytes",
        formula="ram.cache",
        inputs=[".ram.required", share, ".ram.base", ".ram.processes", ".ram.run"],
    )
    return total


def filled(needed: float) -> float:
    """The next size with every memory channel filled [bytes]."""
    return next((size for size in POPULATIONS if size >= needed), needed)


def _even(cores: float) -> float:
    whole = max(4, int(-(-cores // 1)))
    return float(whole + whole % 2)


def _loading(load: HostLoad) -> Span:
    """RAM at the moment when the weights are read: by every rank, or by one that hands them on."""
    if not load.loads_model:
        return Span(0.0, 0.0, 0.0)
    if load.sharded_load:
        return Span(*(p * b for p, b in zip(load.params, host("ram_load_rank0"), strict=True)))
    # an ordinary stack reads 16-bit weights in every rank; fp32 reading is the upper bound
    per_rank = Span(2.0, 2.0, 4.0)
    return Span(*(p * b * load.per_server for p, b in zip(load.params, per_rank, strict=True)))


def whole_load(load: HostLoad) -> Span:
    """RAM if every rank read the whole model in the precision that is the default [bytes]."""
    per_rank = host("ram_load_full_per_rank")
    return Span(*(p * b * load.per_server for p, b in zip(load.params, per_rank, strict=True)))


def _load_formula(load: HostLoad) -> str:
    return "none" if not load.loads_model else "ram.load_once" if load.sharded_load else "ram.load_every_rank"


def _load_source(load: HostLoad) -> str:
    return source_of("ram_load_rank0" if load.sharded_load else "ram_load_full_per_rank")


def _load_inputs(load: HostLoad) -> list[float]:
    return [load.params.typical, 2.0, 1 if load.sharded_load else load.per_server]


def _offload_source(load: HostLoad) -> str:
    return source_of("ram_offload_all" if load.offload == "parameters" else "ram_offload_optimizer")


def _offloaded(load: HostLoad) -> Span:
    """States in host RAM of one server [bytes]: 16 to 24 bytes per parameter, 18 to 27 with the weights."""
    if load.offload in ("none", "nvme"):
        return Span(0.0, 0.0, 0.0)
    rate = host("ram_offload_all" if load.offload == "parameters" else "ram_offload_optimizer")
    return Span(*(p * b / load.servers for p, b in zip(load.params, rate, strict=True)))
