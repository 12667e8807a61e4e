"""From cases to judged rows: prediction with ranges in the row's own metric and notion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assessments.sizing.calibration import Calibration
from assessments.sizing.cases import Case
from assessments.sizing.conformal import class_of, facts_of, kept_of
from assessments.sizing.estimate import evaluate
from assessments.sizing.numbers import GIB
from assessments.sizing.prediction import DURATIONS, in_metric, prepare
from assessments.sizing.ranges import LAUNCH_BOUND_TOKENS, anchored_share, narrowed, soft_share, uncertainty
from assessments.validation.judged import Judged, fit_of

UNITS = {
    "peak_gib": "GiB",
    "tokens_per_s_gpu": "tokens/s per GPU",
    "tokens_per_s": "tokens/s",
    "samples_per_s": "samples/s",
    "step_s": "s",
    "gpu_hours": "GPU h",
    "wall_hours": "h",
    "tflops_per_gpu": "TFLOP/s per GPU",
}


def judge(cases: Sequence[Case], calibration: Calibration) -> list[Judged]:
    """Predictions of cases under one calibration, with the memory parts that a source prints."""
    if not cases:
        return []
    prepared = prepare(cases)
    estimates = evaluate(prepared.work, prepared.setups, prepared.accumulation, calibration)
    typical = in_metric(prepared, estimates, calibration)
    shares = np.broadcast_to(soft_share(estimates.memory), (len(cases),))
    rows: list[Judged] = []
    for i, case in enumerate(cases):
        low, high = range_of(case, float(typical[i]), float(shares[i]), calibration)
        memory = estimates.memory
        soft = float(memory.activations[i] + memory.logits[i] + memory.overhead[i]) / GIB
        rows.append(_row(case, low, float(typical[i]), high, soft))
        states = float(memory.optimizer[i] - memory.step_temporaries[i] * (memory.moment[i] == 2)) / GIB
        weights = float(memory.weights[i] - memory.gathered[i]) / GIB
        active = float(memory.activations[i] + memory.logits[i]) / GIB
        peak = {"weights": weights, "optimizer": states, "activations": active}
        peak["gradients"] = float(memory.trainable_per_rank[i] * memory.gradient_bytes_per_param[i]) / GIB
        if case.scenario.method in {"lora", "qlora"}:
            peak["gradients"] = float(prepared.work.adapter_params[i]) * 4.0 / GIB
        rows += [_part(case, name, published, peak[name], calibration) for name, published in case.parts]
    return rows


def range_of(case: Case, typical: float, soft: float, calibration: Calibration) -> tuple[float, float]:
    """Low and high in the metric of the case: the multiples of its class. soft: share that is not arithmetic."""
    group = "memory" if case.metric == "peak_gib" else "time"
    multiples = calibration.ranges[f"{group}.{class_of(case)}"]
    is_open = np.array(class_of(case) == "unknown")
    power = float(uncertainty(np.array(soft), is_open)) if group == "memory" else 1.0
    low, high = multiples.low**power, multiples.high**power
    tokens = case.scenario.sequence_tokens * case.setup.layout.micro_batch
    if group == "time" and tokens < LAUNCH_BOUND_TOKENS:
        low, high = low * calibration.ranges["time.short"].low, high * calibration.ranges["time.short"].high
    if case.metric in DURATIONS:
        low, high = 1.0 / high, 1.0 / low
    return typical * low, typical * high


def _row(case: Case, low: float, typical: float, high: float, soft: float) -> Judged:
    is_memory = case.metric == "peak_gib"
    card = case.card_bytes / GIB if is_memory and case.card_bytes else None
    oom = is_memory and case.published is None
    return Judged(
        kind=case.kind,
        id=case.id,
        source=case.source,
        metric=f"{case.metric} ({case.notion})" if is_memory else case.metric,
        unit=UNITS[case.metric],
        modality=case.modality,
        published="OOM" if oom else case.published,
        low=low,
        typical=typical,
        high=high,
        fits=fit_of(high, typical, card) if card else None,
        counted=case.counted,
        subset="known" if is_memory and case.known else case.subset,
        weight_key=case.configuration,
        ran=None if card is None else not oom,
        card=card,
        soft=min(soft, typical),
        facts=facts_of(case),
    )


def _part(case: Case, name: str, published: float, typical: float, calibration: Calibration) -> Judged:
    multiples = calibration.ranges["memory.parts"]
    return Judged(
        kind="memory-parts",
        id=case.id,
        source=case.source,
        metric=name,
        unit="GiB",
        modality=case.modality,
        published=published,
        low=typical * multiples.low,
        typical=typical,
        high=typical * multiples.high,
        counted=case.counted,
        subset=name,
        weight_key=f"{case.configuration}|{name}",
    )


def anchored_rows(rows: Sequence[Judged], calibration: Calibration, anchor: Judged) -> list[Judged]:
    """The other rows of the anchor's source after scaling by measured / predicted of the anchor."""
    if not isinstance(anchor.published, float) or anchor.typical is None:
        return []
    ratio = anchor.published / anchor.typical
    group = "memory" if anchor.kind == "memory" else "time"
    found = []
    for row in rows:
        if row is anchor or row.typical is None or row.low is None or row.high is None:
            continue
        kept = kept_of(anchor.facts, row.facts)
        if row.kind == "memory":
            gap = np.array(kept * (anchor.published - anchor.typical))
            share = anchored_share(gap, anchor.soft, anchor.typical)
            typical = float((row.typical + (share[0] - 1.0) * row.soft) * share[1])
        else:
            typical = row.typical * (ratio if anchor.is_duration == row.is_duration else 1.0 / ratio) ** kept
        low, high = row.low / row.typical, row.high / row.typical
        if row.is_duration:
            low, high = 1.0 / high, 1.0 / low
        near = narrowed(np.array(low), np.array(high), calibration.ranges[f"{group}.anchored"], np.array(kept))
        low, high = float(near[0]), float(near[1])
        if row.is_duration:
            low, high = 1.0 / high, 1.0 / low
        found.append(replace(row, typical=typical, low=typical * low, high=typical * high))
    return found


def anchor_turns(rows: Sequence[Judged], most: int = 20) -> list[Judged]:
    """The counted rows of a source that take turns as the anchor, evenly spaced, at most 20."""
    able = [r for r in rows if r.is_compared]
    if len(able) <= most:
        return able
    return [able[int(i)] for i in np.linspace(0, len(able) - 1, most)]
