"""Reading published tables: which kind a file is, and its rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

KIND_BY_COLUMN = (
    ("peak_mem_gib_per_gpu", "memory"),
    ("tokens_per_s_per_gpu", "throughput"),
    ("noted_gib_per_gpu", "ms-swift"),
    ("throughput_median", "mlperf"),
    ("scaling_efficiency_pct", "interconnect"),
    ("value_per_accelerator", "datapipeline"),
)
ORIENTATION = "-orientation.csv"


class UnknownTable(ValueError):
    """The header is none of the known kinds."""


@dataclass(frozen=True, slots=True)
class Table:
    """One file: its kind, its rows with an id each, and whether it only orients."""

    name: str
    kind: str
    rows: tuple[Mapping[str, str], ...]
    is_orientation: bool


def read_table(path: Path) -> Table:
    """The table in a file; raises UnknownTable for another header."""
    return parse_table(path.read_text(encoding="utf-8-sig"), name=path.name)


def parse_table(text: str, *, name: str) -> Table:
    """The table in CSV text; rows without an id get their line number (header = 1)."""
    reader = csv.DictReader(io.StringIO(text))
    header = reader.fieldnames or []
    kind = next((kind for column, kind in KIND_BY_COLUMN if column in header), None)
    if kind is None:
        raise UnknownTable(f"{name}: no column of a known kind ({', '.join(c for c, _ in KIND_BY_COLUMN)})")
    rows = []
    for row in reader:
        filled = {key: (value or "").strip() for key, value in row.items() if key is not None}
        filled["id"] = filled.get("id") or str(reader.line_num)
        if kind == "ms-swift":
            filled["source"] = "ms-swift"
        elif kind == "mlperf":
            filled["source"] = filled.get("submitter", "")
        rows.append(filled)
    return Table(name=name, kind=kind, rows=tuple(rows), is_orientation=name.endswith(ORIENTATION))
