"""The repository's own calibration rows, each with the document that it was read from."""

from __future__ import annotations

from importlib.resources import files

from assessments.sizing.cases import Case
from assessments.validation.rows import Skipped, case_of
from assessments.validation.tables import Table, parse_table

FILES = (("calibration-memory.csv", "memory"), ("calibration-throughput.csv", "throughput"))


def own_tables() -> list[Table]:
    """Tables of published memory and throughput, trimmed to the columns that the engine reads."""
    folder = files("assessments.sizing.data")
    return [parse_table((folder / name).read_text(encoding="utf-8"), name=name) for name, _ in FILES]


def own_cases() -> list[Case]:
    """Every row of them that can be predicted."""
    found = [case_of(row, table.kind) for table in own_tables() for row in table.rows]
    return [c for c in found if not isinstance(c, Skipped)]
