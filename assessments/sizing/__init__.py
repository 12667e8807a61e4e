"""Sizing of training tasks: from answers to memory, time, hardware and options. Pure: no clock, no chance, no I/O."""

from assessments.sizing.catalog import Catalog, parse_catalog
from assessments.sizing.errors import TaskError, TaskErrors
from assessments.sizing.estimate import estimate, estimate_many
from assessments.sizing.given import machine_named, setups_of
from assessments.sizing.machines import Machine
from assessments.sizing.quantity import KnobOutOfBounds
from assessments.sizing.result import CALIBRATION_VERSION, ENGINE_VERSION, Sizing, canonical_json, size
from assessments.sizing.task import TrainingTask, parse_task

__all__ = [
    "CALIBRATION_VERSION",
    "ENGINE_VERSION",
    "Catalog",
    "KnobOutOfBounds",
    "Machine",
    "Sizing",
    "TaskError",
    "TaskErrors",
    "TrainingTask",
    "canonical_json",
    "estimate",
    "estimate_many",
    "machine_named",
    "parse_catalog",
    "parse_task",
    "setups_of",
    "size",
]
