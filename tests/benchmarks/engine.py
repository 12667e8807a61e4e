"""Microseconds per layout of the vectorised physics, beside the bare arithmetic and one setup at a time.

Run: python -m tests.benchmarks.engine
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assessments.sizing.architectures import preset
from assessments.sizing.estimate import estimate, estimate_many
from assessments.sizing.setup import Layout, Recipe, Scenario, Setup, SetupArrays
from assessments.validation.cards import cards

LAYOUTS = 20_000
ROUNDS = 15
# one training layout in llm-analysis 0.2.2 (Python 3.11 in an environment of its own, one core, median of 200 calls);
# typed in, not measured by this run
PEER_S = 0.16e-3


def seconds_per_call(call: Callable[[], object]) -> float:
    """Median of the rounds, process time: other work on the machine does not count."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        taken.append(time.process_time() - started)
    return statistics.median(taken)


def grid(count: int) -> SetupArrays:
    """Different cards, tensor and pipeline splits, shardings and micro-batches."""
    known = cards()
    slugs = [s for s in known if known[s].peak_flops.get("bf16")][:32]
    setups = [
        Setup(accelerator=known[s], gpus=64, servers=8, link="nvswitch", recipe=Recipe(stack="megatron", tuned=True))
        for s in slugs
    ]
    arrays = SetupArrays.of(setups)
    index = np.arange(count)
    picked = {
        name: getattr(arrays, name)[index % len(setups)]
        for name in ("accelerator", "recipe", "link", "fabric", "fabric_ports", "gpus", "servers", "virtual_stages")
    }
    return replace(
        arrays,
        **picked,
        tp=np.exp2(index % 4, dtype=np.float64),
        pp=np.exp2(index // 4 % 3, dtype=np.float64),
        cp=np.ones(count),
        ep=np.ones(count),
        sharding=index % 4,
        offload=np.zeros(count, dtype=np.int64),
        recompute=index // 7 % 4,
        micro_batch=np.exp2(index // 5 % 4, dtype=np.float64),
        accumulation=np.full(count, np.nan),
        sequence_parallel=np.ones(count, dtype=bool),
    )


def main() -> None:
    """Print the ratios."""
    scenario = Scenario(shape=preset("llama-3.1-70b"), global_batch=1024.0)
    many, half = grid(LAYOUTS), grid(LAYOUTS // 2)
    ours = seconds_per_call(lambda: estimate_many(scenario, many)) / LAYOUTS
    less = seconds_per_call(lambda: estimate_many(scenario, half)) / (LAYOUTS // 2)
    one = Setup(
        accelerator=many.accelerators[0],
        gpus=64,
        servers=8,
        link="nvswitch",
        recipe=many.recipes[0],
        layout=Layout(tp=8),
    )
    single = seconds_per_call(lambda: estimate(scenario, one))
    base = np.arange(LAYOUTS, dtype=np.float64) + 1.0
    bare = seconds_per_call(lambda: [base * 2.0 / base for _ in range(200)]) / LAYOUTS
    print(
        f"estimate_many: {1e6 * ours:.2f} µs per layout ({LAYOUTS:,} layouts), {ours / bare:.1f} × 200 bare operations"
    )
    print(f"half as many layouts: {1e6 * less:.2f} µs per layout, {less / ours:.2f} × (1 = cost grows linearly)")
    print(f"one at a time: {1e6 * single:.0f} µs, {single / ours:.0f} × the vectorised cost per layout")
    print(f"llm-analysis at {1e6 * PEER_S:.0f} µs per layout: {PEER_S / ours:.0f} × ours")


if __name__ == "__main__":
    main()
