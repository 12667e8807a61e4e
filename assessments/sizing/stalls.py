"""How long the cards wait for data on a machine whose host is given, not sized."""

from __future__ import annotations

from dataclasses import dataclass

from assessments.sizing.host import host
from assessments.sizing.machines import Machine
from assessments.sizing.quantity import Span
from assessments.sizing.resolve import Case
from assessments.sizing.setup import Estimate

LONGEST_STALL = 0.98  # beyond it the figure says no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The host of a machine that a customer named; None = not stated.

    number: position in task.hardware, None for a setup that was passed in
    """

    number: int | None = None
    cpu_cores: float | None = None
    ram_bytes: float | None = None
    is_owned: bool = False


def cpu_share(case: Case, estimate: Estimate, machine: Machine, cores: float) -> Span:
    """Share of the wanted samples that this many cores of a server deliver; 1 = the cards never wait.

    Every core feeds but those of the system and one per card; a core is two threads. Source: host constants cpu_*.
    """
    feed = case.feed
    rate = host(feed.cpu_rate)
    threads = host("cpu_vcpu_per_core").typical
    feeding = max(cores - host("cpu_system_cores").typical - machine.per_server, 0.5 * machine.per_server, 0.5)
    wanted = estimate.time.tokens_per_s_gpu / feed.tokens_per_sample * machine.per_server * feed.cpu_units
    return Span(*(min(feeding * threads * value / wanted, 1.0) for value in rate))


def storage_share(case: Case, estimate: Estimate, machine: Machine) -> Span:
    """Share of the wanted bytes and opens that the place where the data lies delivers.

    A set that is read again and fits in RAM leaves the disks alone after the first pass.
    """
    feed = case.feed
    samples = estimate.time.tokens_per_s_gpu / feed.tokens_per_sample * machine.gpus
    target = host("read_utilisation_target").typical
    by_bytes = [read / max(samples * feed.sample_bytes.typical * target, 1e-9) for read in feed.location_read]
    by_opens = [opens / max(samples * feed.files_per_sample, 1e-9) for opens in feed.location_iops]
    return Span(*(min(a, b, 1.0) for a, b in zip(by_bytes, by_opens, strict=True)))


def data_stall(case: Case, estimate: Estimate, machine: Machine, given: Given | None) -> Span:
    """Share of the time in which the cards wait; nothing where the host is sized for them."""
    if given is None:
        return Span(0.0, 0.0, 0.0)
    shares = [storage_share(case, estimate, machine)] if case.feed.location != "local_nvme" else []
    if given.cpu_cores is not None:
        shares.append(cpu_share(case, estimate, machine, given.cpu_cores))
    if not shares:
        return Span(0.0, 0.0, 0.0)
    low, typical, high = (min(share[end] for share in shares) for end in range(3))
    return Span(*(min(1 - share, LONGEST_STALL) for share in (high, typical, low)))
