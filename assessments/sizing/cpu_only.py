"""Tasks that need no GPU: boosted trees on tables, answered with RAM and hours of one CPU server."""

from __future__ import annotations

from typing import Any

from assessments.sizing import verdict
from assessments.sizing.assumptions import Assumptions, closed, span_of_answer
from assessments.sizing.defaults import DEFAULTS, default
from assessments.sizing.host import filled, host
from assessments.sizing.quantity import Ledger, Span, combined
from assessments.sizing.task import TrainingTask

FLOAT_BYTES = 4.0


def cpu_answer(ledger: Ledger, task: TrainingTask, taken: Assumptions) -> dict[str, Any]:
    """Quantities cpu_only.* of the hardest scenario and the verdict.

    time = cells × rounds / rate, RAM = cells × bytes per cell; one machine.
    Source: LightGBM docs/Experiments.rst (1.7 billion rows, 67 features: 176 GB, about 17 h).
    """
    worst = max(range(len(task.scenarios)), key=lambda index: _cells(task, index, Assumptions()).typical)
    cells = _cells(task, worst, taken)
    data = task.scenarios[worst].dataset
    rounds = taken.number(f"scenarios[{worst}].dataset.rounds", data.rounds, "trees.rounds", "rounds_usual")
    rate = default("trees.cells_s")
    hours = cells.typical * rounds.typical / rate.typical / 3600
    time = combined(hours, [cells, rounds, Span(1 / rate.high, 1 / rate.typical, 1 / rate.low)])
    ledger.add("cpu_only.cells", cells, unit="count", formula="cpu_only.cells", source="task")
    time = ledger.add(
        "cpu_only.time",
        time,
        unit="h",
        formula="cpu_only.time",
        inputs=["cpu_only.cells", rounds.typical, rate.typical],
        source="default.trees.cells_s",
    )
    per_cell = default("trees.bytes_per_cell")
    needed = combined(cells.typical * per_cell.typical, [cells, per_cell])
    base = host("ram_base_node").scaled(1e9)
    ram = Span(*(filled((n + b) / 0.85) for n, b in zip(needed, base, strict=True)))
    ledger.add(
        "cpu_only.ram",
        ram,
        unit="bytes",
        formula="cpu_only.ram",
        inputs=["cpu_only.cells", per_cell.typical],
        source="default.trees.bytes_per_cell",
    )
    return verdict.cpu_verdict(time)


def _cells(task: TrainingTask, index: int, taken: Assumptions) -> Span:
    """Rows × features [count]."""
    data, path = task.scenarios[index].dataset, f"scenarios[{index}].dataset"
    features = taken.number(f"{path}.features", data.features, "features", "features_usual")
    rows = span_of_answer(data.samples)
    stored = span_of_answer(data.bytes)
    if rows is None and stored is not None and stored.high > 0:
        each = closed(data.sample_bytes) or features.typical * FLOAT_BYTES
        rows = stored.scaled(1 / each).at_least(1.0)
        taken.note(f"{path}.samples", rows.typical, "samples_of_bytes", rate=each)
    if rows is None:
        rows = default("samples.vision")
        taken.note(f"{path}.samples", rows.typical, "samples_usual", DEFAULTS["samples.vision"].source)
    return combined(rows.typical * features.typical, [rows, features])
