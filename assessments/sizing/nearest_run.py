"""The published run that is nearest to an option, and whether the task lies where the engine was calibrated."""

from __future__ import annotations

from typing import Any

from assessments.sizing.engine import Sized
from assessments.sizing.modelling import TEXT
from assessments.sizing.options import Option

CALIBRATED_ARCHITECTURES = frozenset({"volta", "turing", "ampere", "ada", "hopper", "blackwell", "cdna3"})
CALIBRATED_SERVERS = 128
CALIBRATED_PRECISIONS = frozenset({"bf16", "fp16", "fp8", "fp32"})


def nearest_run(option: Option) -> dict[str, Any] | None:
    """The nearest row of the calibration data of the same class of task; None where there is none."""
    return None


def scope_of_calibration(answer: Sized, main: Option | None) -> dict[str, Any]:
    """inside, and what lies outside: family, accelerator, scale, precision, shape."""
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
