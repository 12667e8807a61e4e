"""The time of a cycle as a chain: work per token, reached share of the peak, speed, stalls, cycle, use."""

from __future__ import annotations

from assessments.sizing.defaults import default
from assessments.sizing.quantity import Scope, Span, combined
from assessments.sizing.resolve import Case
from assessments.sizing.setup import Estimate, Setup

QUARTER_H = 2190.0
EXPOSED = ("tp_exposed", "dp_exposed", "ep_exposed", "cp_exposed", "pp_exposed")


def inverse(span: Span) -> Span:
    """One over a positive span."""
    return Span(1 / span.high, 1 / span.typical, 1 / span.low)


def exposed_share(estimate: Estimate) -> float:
    """Share of the step in which the cards only exchange [share]."""
    return float(sum(getattr(estimate.time, name) for name in EXPOSED) / estimate.time.step)


def time_quantities(
    scope: Scope, case: Case, setup: Setup, least: Estimate, typical: Estimate, most: Estimate, *, stall: Span
) -> Span:
    """Store time.* of one cycle and return its length [h].

    stall: share of the time in which the cards wait for data

    Pinned knobs (mfu, speed, share of the run, stall, cycle) replace their value and everything after them follows.
    """
    step = typical.time
    flops = scope.add(
        "time.flops_per_token",
        step.flops_per_token,
        unit="flops",
        formula="time.flops_per_token",
        inputs=["^model.active_params"],
    )
    peak = scope.add(
        "time.peak",
        step.peak_flops,
        unit="flops_s",
        formula="catalog",
        inputs=[setup.accelerator.slug, setup.recipe.precision],
        source="catalog",
    )
    factor = flops.typical / peak.typical
    slow = min(step.tokens_per_s_gpu_low, most.time.tokens_per_s_gpu_low)
    fast = max(step.tokens_per_s_gpu_high, least.time.tokens_per_s_gpu_high)
    mfu = scope.add(
        "time.mfu",
        Span(slow * factor, step.tokens_per_s_gpu * factor, fast * factor),
        unit="share",
        formula="time.mfu",
        inputs=[
            round(step.gemm_share, 6),
            _share(step.launch, step.step),
            exposed_share(typical),
            _share(step.bubble, step.step),
        ],
        source="calibration.time.gemm_share",
        bounds=(0.001, 0.95),
    )
    speed = scope.add(
        "time.tokens_per_s_gpu",
        mfu.scaled(1 / factor),
        unit="tokens_s",
        formula="time.tokens_per_s_gpu",
        inputs=[".time.mfu", ".time.peak", ".time.flops_per_token"],
        bounds=(1e-6, 1e9),
    )
    together = scope.add(
        "time.tokens_per_s",
        speed.scaled(setup.gpus),
        unit="tokens_s",
        formula="product",
        inputs=[".time.tokens_per_s_gpu", setup.gpus],
        bounds=(1e-6, 1e12),
    )
    tokens = case.feed.cycle_tokens
    passes = case.typical.sequences_per_sample * (1.0 + case.typical.rollout_tokens)
    spread = case.least.rollout_tokens, case.most.rollout_tokens
    sampling = Span(1.0 + spread[0], 1.0 + case.typical.rollout_tokens, 1.0 + spread[1])
    compute = tokens.typical * passes / together.typical / 3600
    compute_span = scope.add(
        "time.compute",
        combined(compute, [inverse(together), tokens, sampling]),
        unit="h",
        formula="time.compute",
        inputs=["^data.cycle_tokens", passes, ".time.tokens_per_s"],
    )
    share = scope.add(
        "time.run_share",
        default("run_share.many_nodes" if setup.servers > 1 else "run_share.one_node"),
        unit="share",
        formula="assumption",
        source=f"default.run_share.{'many_nodes' if setup.servers > 1 else 'one_node'}",
        origin="assumption",
        bounds=(0.05, 1.0),
    )
    stall = scope.add("time.data_stall", stall, unit="share", formula="time.data_stall", bounds=(0.0, 0.99))
    cycle = compute / share.typical / (1 - stall.typical)
    return scope.add(
        "time.cycle",
        combined(cycle, [compute_span, inverse(share)]),
        unit="h",
        formula="time.cycle",
        inputs=[".time.compute", ".time.run_share", ".time.data_stall"],
        bounds=(1e-4, 1e6),
    )


def step_quantities(scope: Scope, setup: Setup, estimate: Estimate) -> None:
    """Store what one optimizer step consists of under step.*."""
    step = estimate.time
    scope.add(
        "step.time",
        Span(step.step_low, step.step, step.step_high),
        unit="s",
        formula="step.time",
        inputs=[f".step.{name}" for name in ("compute", "exchange", "bubble", "optimizer")],
    )
    exchange = float(sum(getattr(step, name) for name in EXPOSED))
    compute = step.step - exchange - step.bubble - step.optimizer - step.offload
    rows = {"compute": compute, "exchange": exchange, "bubble": step.bubble, "optimizer": step.optimizer + step.offload}
    for name, value in rows.items():
        scope.add(f"step.{name}", max(value, 0.0), unit="s", formula=f"step.{name}")
    scope.add(
        "step.tokens",
        step.tokens_per_step,
        unit="tokens",
        formula="step.tokens",
        inputs=[setup.layout.micro_batch, "^model.sequence_tokens", step.data_parallel, step.accumulation],
    )
    scope.add(
        "link.exchange_share",
        exposed_share(estimate),
        unit="share",
        formula="quotient",
        inputs=[".step.exchange", ".step.time"],
    )
    scope.add("link.dp_bytes", step.dp_bytes, unit="bytes", formula="link.dp_bytes")
    scope.add("link.tp_bytes", step.tp_bytes * step.accumulation, unit="bytes", formula="link.tp_bytes")


def _share(part: float, whole: float) -> float:
    return round(part / whole, 6) if whole else 0.0
