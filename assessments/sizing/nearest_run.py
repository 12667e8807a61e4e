"""The published run that is nearest to an option, and whether the task lies where the engine was calibrated."""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assessments.sizing.engine import Sized
from assessments.sizing.modelling import TEXT
from assessments.sizing.options import Option
from assessments.sizing.quantity import rounded

CALIBRATED_ARCHITECTURES = frozenset({"volta", "turing", "ampere", "ada", "hopper", "blackwell", "cdna3"})
CALIBRATED_SERVERS = 128
CALIBRATED_PRECISIONS = frozenset({"bf16", "fp16", "fp8", "fp32"})
CARD = re.compile(r"v100|a100|a800|h100|h200|h800|gb?200|gb?300|l40s?|l4|a10g?|mi\d{3}x|t4|rtx[ -]?\w*[ -]?\d{4}|\d{4}")
REPOSITORY = re.compile(r"^([\w.-]+/[\w.-]+)(?=[ @:]|$)")
FAR = 2.2  # beyond this distance no run is called near
SAME_SIZE, SAME_SCALE = math.log(1.35), math.log(2.1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRun:
    """One measured row: speed per card or peak memory."""

    id: str
    source: str
    reference: str
    model: str
    params: float
    method: str
    card: str
    gpus: float
    sequence: float
    figures: tuple[tuple[str, float, str], ...]


@cache
def published_runs() -> tuple[PublishedRun, ...]:
    """Every text row of the calibration tables that names its card, size and figure."""
    rows: list[PublishedRun] = []
    for name, column, metric, unit, factor in (
        ("calibration-throughput.csv", "tokens_per_s_per_gpu", "tokens_s_gpu", "tokens_s", 1.0),
        ("calibration-memory.csv", "peak_mem_gib_per_gpu", "peak_memory", "bytes", 2.0**30),
    ):
        text = (files("assessments.sizing") / "data" / name).read_text(encoding="utf-8")
        for row in csv.DictReader(text.splitlines()):
            value, params, card = _number(row[column]), _number(row["params_b"]), card_of(row["gpu_model"])
            sequence, gpus = _number(row["seq_len"]), _number(row["n_gpus"])
            if row["modality"] != "text" or not value or not params or not card or not sequence or not gpus:
                continue
            rows.append(
                PublishedRun(
                    id=row["id"],
                    source=row["source"],
                    reference=row["source_ref"],
                    model=row["model"],
                    params=params * 1e9,
                    method=row["method"],
                    card=card,
                    gpus=gpus,
                    sequence=sequence,
                    figures=((metric, value * factor, unit),),
                )
            )
    return tuple(rows)


def card_of(name: str) -> str:
    """The kind of card that a published name means, form and memory left out; empty when it names none."""
    found = CARD.search(name.lower())
    return "" if found is None else re.sub(r"[^a-z0-9]", "", found.group())


def nearest_run(option: Option) -> dict[str, Any] | None:
    """The nearest run of the same class of task; None where none is near or the model is not a text model.

    Distance: logarithms of size, cards and context, and whether method and card are the same.
    """
    row = option.slowest
    if row.case.model.family not in TEXT:
        return None
    card = card_of(option.machine.accelerator.slug)
    method = "full" if row.case.method in ("from_scratch", "full", "frozen") else row.case.method
    wanted = (row.case.model.params.typical, float(option.machine.gpus), row.case.typical.sequence_tokens)

    def distance(run: PublishedRun) -> float:
        return (
            0.6 * abs(math.log(run.params / wanted[0]))
            + 0.15 * abs(math.log(run.gpus / wanted[1]))
            + 0.2 * abs(math.log(run.sequence / wanted[2]))
            + (0.0 if run.method == method else 1.0)
            + (0.0 if run.card == card else 0.7)
        )

    runs = published_runs()
    best = min(range(len(runs)), key=lambda i: (distance(runs[i]), i), default=None)
    if best is None or distance(runs[best]) > FAR:
        return None
    run = runs[best]
    same = {
        "method": run.method == method,
        "accelerator": run.card == card,
        "params": abs(math.log(run.params / wanted[0])) <= SAME_SIZE,
        "gpus": run.gpus == wanted[1],
        "context_tokens": abs(math.log(run.sequence / wanted[2])) <= SAME_SCALE / 2,
    }
    return {
        "source": run.source,
        "title": f"{run.model}, {rounded(run.gpus)} × {run.card.upper()}, {rounded(run.sequence)}",
        "url": _address(run.reference),
        "reference": run.reference,
        "same": [name for name, is_same in same.items() if is_same],
        "differs": [name for name, is_same in same.items() if not is_same],
        "figures": [{"metric": metric, "value": rounded(value), "unit": unit} for metric, value, unit in run.figures],
    }


def scope_of_calibration(answer: Sized, main: Option | None) -> dict[str, Any]:
    """inside, and what lies outside: family, accelerator, scale, precision."""
    why: list[str] = []
    for case in answer.resolved.deciding:
        if case.model.family not in TEXT and "family" not in why:
            why.append("family")
        if case.recipe.precision not in CALIBRATED_PRECISIONS and "precision" not in why:
            why.append("precision")
    if main is not None:
        if main.machine.accelerator.architecture not in CALIBRATED_ARCHITECTURES:
            why.append("accelerator")
        if main.machine.servers > CALIBRATED_SERVERS:
            why.append("scale")
    return {"inside": not why, "why": why}


def _address(reference: str) -> str | None:
    """Web address of a reference that begins with a repository's name."""
    found = REPOSITORY.match(reference)
    return None if found is None else f"https://github.com/{found.group(1)}"


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None
