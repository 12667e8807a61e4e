"""The validation as text: row by row, per source, and the summary table of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assessments.validation.judged import Judged
from assessments.validation.run import Validation

HEADER = (
    "| what | n | skipped | median error | 90th percentile | bias | inside the range | at most high | high/low"
    " | fit right | called fits | of these ran |"
)
RULE = "|---|---|---|---|---|---|---|---|---|---|---|---|"


def lines(validation: Validation) -> Iterator[str]:
    """Everything that the command prints."""
    for row in validation.rows:
        yield _row(row)
    yield ""
    yield from summary_lines(validation.as_dict())


def summary_lines(result: dict[str, Any]) -> Iterator[str]:
    """The summary as a Markdown table: kinds, classes, subsets, anchored, sources."""
    yield HEADER
    yield RULE
    for kind, statistics in result["summary"].items():
        yield _statistics(kind, statistics)
    for group in ("by_class", "by_subset"):
        for kind, table in result[group].items():
            for name, statistics in table.items():
                if statistics["n"]:
                    yield _statistics(f"{kind}: {name}", statistics)
    for kind, statistics in result["anchored"].items():
        yield _statistics(f"{kind}, anchored on one own row", statistics)
    for kind, table in result["by_source"].items():
        for source, statistics in table.items():
            yield _statistics(f"{kind} · {source}", statistics)


def figures(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What the public pages show: how many runs of language models, which share inside the range, the median error."""
    text = {kind: result["by_class"][kind]["text"] for kind in ("memory", "throughput") if kind in result["by_class"]}
    return {k: {"runs": s["n"], "inside": s["in_range"], "error": s["median_ape"]} for k, s in text.items()}


def page(result: dict[str, Any], *, leaves_out: bool) -> str:
    """The documentation's page of accuracy."""
    how = "each source judged by constants refitted without it" if leaves_out else "with the shipped constants"
    head = [
        "# How accurate the engine is",
        "",
        "Made by `manage.py validate_sizing --page`; do not edit by hand.",
        "",
        f"Published measurements against predictions, {how}. One source, one vote: medians of the sources' medians,",
        "means of their shares. Bias + = too much memory or too fast. What is done and where it fails:",
        "[sizing](sizing.md).",
        "",
    ]
    return "\n".join([*head, *summary_lines(result), ""])


def _row(row: Judged) -> str:
    name = f"{row.kind} {row.source} {row.id}"
    if row.skipped is not None:
        return f"{name}: skipped – {row.skipped}"
    error = "" if row.error is None else f" error {100 * row.error:+.1f} %"
    fits = f" {row.fits}" if row.fits else ""
    low, typical, high = (_number(v) for v in (row.low, row.typical, row.high))
    return f"{name}: published {_number(row.published)} predicted {low} – {typical} – {high} {row.unit}{error}{fits}"


def _statistics(name: str, s: dict[str, Any]) -> str:
    shares = ("median_ape", "p90_ape", "bias", "in_range", "under_high")
    ratio = "–" if s.get("median_ratio") is None else f"{s['median_ratio']:.2f}"
    cells = [name, str(s.get("n", 0)), str(s.get("skipped", 0)), *(_share(s.get(k)) for k in shares), ratio]
    cells += [_share(s.get("fit_right")), str(s.get("called_fit", 0)), _share(s.get("called_fit_ran"))]
    return "| " + " | ".join(cells) + " |"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def _number(value: float | str | None) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{value:.4g}"
