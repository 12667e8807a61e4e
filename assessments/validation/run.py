"""The whole validation: tables in, judged rows and summaries out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assessments.sizing.calibration import CALIBRATION, Calibration
from assessments.sizing.cases import Case
from assessments.sizing.fitting import fit_left_out
from assessments.validation.judged import Judged, Statistics, plain_statistics, voted_statistics
from assessments.validation.judging import anchor_turns, anchored_rows, judge
from assessments.validation.mlperf import mlperf_case
from assessments.validation.ms_swift import swift_case
from assessments.validation.pipeline import pipeline_row
from assessments.validation.rows import Skipped, case_of, is_counted, modality_of
from assessments.validation.scaling import scaling_row
from assessments.validation.tables import Table

KINDS = ("memory", "throughput", "ms-swift", "mlperf", "interconnect", "datapipeline", "memory-parts")
MODALITIES = ("text", "vision", "diffusion", "speech")
SUBSETS = {"memory": ("known",), "throughput": ("dense", "moe", "ordinary")}


@dataclass(frozen=True, slots=True)
class Validation:
    """Judged rows of all tables, and the anchored turns of each source."""

    rows: tuple[Judged, ...]
    anchored: dict[str, tuple[dict[str, float], ...]]

    def of(self, kind: str) -> list[Judged]:
        """Rows of one kind."""
        return [r for r in self.rows if r.kind == kind]

    def as_dict(self) -> dict[str, Any]:
        """The JSON output."""
        kinds = [k for k in KINDS if self.of(k)]
        return {
            "summary": {k: voted_statistics(self.of(k)).as_dict() for k in kinds},
            "by_class": {k: _classes(self.of(k)) for k in kinds},
            "by_subset": {k: _subsets(self.of(k), SUBSETS[k]) for k in kinds if k in SUBSETS},
            "anchored": {k: _anchored_summary(turns) for k, turns in self.anchored.items()},
            "by_source": {k: _sources(self.of(k)) for k in kinds},
            "rows": [r.as_dict() for r in self.rows],
        }


def validate(
    tables: Sequence[Table],
    own_cases: Sequence[Case],
    *,
    leave_one_source_out: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Judge every row; with leave_one_source_out each source is judged by constants fitted without it.

    own_cases: the repository's calibration rows; a source that they do not have gets the ordinary constants.
    """
    rows: list[Judged] = []
    cases: list[Case] = []
    for table in tables:
        for row in table.rows:
            _sort(row, table, cases, rows)
    own_sources = {c.source for c in own_cases}
    by_source: dict[str, list[Case]] = {}
    for case in cases:
        by_source.setdefault(case.source, []).append(case)
    anchored: dict[str, list[dict[str, float]]] = {}
    for source, group in by_source.items():
        calibration = CALIBRATION
        if leave_one_source_out and source in own_sources:
            tell(f"fitting without {source}")
            calibration = fit_left_out(own_cases, source)
        judged = judge(group, calibration)
        rows += judged
        for kind in ("memory", "throughput"):
            turns = _anchored_turns([r for r in judged if r.kind == kind], calibration)
            anchored.setdefault(kind, []).extend(turns)
    rows.sort(key=lambda r: KINDS.index(r.kind))
    return Validation(tuple(rows), {k: tuple(v) for k, v in anchored.items() if v})


def _sort(row: Any, table: Table, cases: list[Case], rows: list[Judged]) -> None:
    if table.is_orientation:
        rows.append(_skipped(row, table.kind, "orientation table: rules of thumb, in no statistic"))
        return
    if table.kind == "interconnect":
        rows.append(scaling_row(row, CALIBRATION))
        return
    if table.kind == "datapipeline":
        rows.append(pipeline_row(row, CALIBRATION))
        return
    readers: dict[str, Callable[[Any], Case | Skipped]] = {
        "memory": lambda r: case_of(r, "memory"),
        "throughput": lambda r: case_of(r, "throughput"),
        "ms-swift": swift_case,
        "mlperf": mlperf_case,
    }
    found = readers[table.kind](row)
    if isinstance(found, Skipped):
        rows.append(_skipped(row, table.kind, found.reason))
    else:
        cases.append(found)


def _skipped(row: Any, kind: str, reason: str) -> Judged:
    return Judged(
        kind=kind,
        id=row["id"],
        source=row.get("source", ""),
        modality=modality_of(row["modality"]) if row.get("modality") else "other",
        counted=is_counted(row.get("quality", "measured")),
        skipped=reason,
    )


def _anchored_turns(rows: Sequence[Judged], calibration: Calibration) -> list[dict[str, float]]:
    """Statistics of a source's other rows, one entry per anchor."""
    counted = [r for r in rows if r.is_compared and r.modality == "text"]
    found = []
    for anchor in anchor_turns(counted):
        others = anchored_rows(counted, calibration, anchor)
        if others:
            statistics = plain_statistics(others).as_dict()
            found.append({"source": anchor.source} | {k: v for k, v in statistics.items() if v is not None})
    return found


def _anchored_summary(turns: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Median over the turns of each source, then the usual votes: median of sources, mean of shares."""
    by_source: dict[str, list[dict[str, Any]]] = {}
    for turn in turns:
        by_source.setdefault(turn["source"], []).append(turn)
    shares = {"in_range", "under_high", "fit_right", "called_fit_ran"}
    summary: dict[str, Any] = {}
    for name in Statistics.__dataclass_fields__:
        found = ([t[name] for t in group if name in t] for group in by_source.values())
        values = [float(np.median(v)) for v in found if v]
        if not values:
            summary[name] = None
        elif name in {"n", "skipped", "fit_n", "called_fit"}:
            summary[name] = int(np.sum(values))
        elif name == "p90_ape":
            summary[name] = float(np.quantile(values, 0.9))
        else:
            summary[name] = float(np.mean(values) if name in shares else np.median(values))
    return summary


def _classes(rows: Sequence[Judged]) -> dict[str, Any]:
    return {m: voted_statistics([r for r in rows if r.modality == m]).as_dict() for m in MODALITIES}


def _subsets(rows: Sequence[Judged], names: Sequence[str]) -> dict[str, Any]:
    text = [r for r in rows if r.modality == "text"]
    return {name: voted_statistics([r for r in text if r.subset == name]).as_dict() for name in names}


def _sources(rows: Sequence[Judged]) -> dict[str, Any]:
    sources = sorted({r.source for r in rows})
    return {s: plain_statistics([r for r in rows if r.source == s]).as_dict() for s in sources}
