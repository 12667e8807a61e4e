"""The numbers of an assessment are printed as the result has them, for every example in both languages."""

import json
import math
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import override

from assessments.documents import DocumentContext
from assessments.documents.render import render_pdf
from assessments.sizing import parse_catalog, parse_task, size
from assessments.wording import amount, decimal, quantity, shown_unit
from tests.assessments.documents.reading import text_of

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted(path.stem for path in (ROOT / "assessments" / "examples").glob("*.json"))
CATALOG = ROOT / "tests" / "assessments" / "sizing" / "catalog.json"
GIB = 2.0**30


@cache
def sized(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Task and result of an example, as JSON gives them back."""
    task = parse_task(json.loads((ROOT / "assessments" / "examples" / f"{name}.json").read_text(encoding="utf-8")))
    catalog = parse_catalog(json.loads(CATALOG.read_text(encoding="utf-8")))
    return json.loads(json.dumps(task.canonical())), json.loads(json.dumps(size(task, catalog).as_result()))


def expected(result: dict[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Where a number stands in the result, and how it may read."""
    known = result["quantities"]
    for name in (result.get("summary") or {}).values():
        if name:
            q = known[name]
            unit = shown_unit("memory" if name.endswith("memory") else name, q["unit"])
            yield name, (amount(q["v"], unit),)
    for option in result["options"]:
        for row in option["resources"]:
            for key in ("required", "offered", "left"):
                if row.get(key) in known:
                    q = known[row[key]]
                    yield row[key], (amount(q["v"], shown_unit(row["code"], q["unit"])),)
        for technique in option["techniques"]:
            if technique.get("costs") in known:
                yield technique["costs"], (quantity(known[technique["costs"]], technique["costs"]),)
        for part in option["memory"]["parts"]:
            yield part, tenths(known[part]["v"][1] / GIB)
    for case in result.get("comparison") or []:
        for part in case["parts"]:
            yield part, tenths(known[part]["v"][1] / GIB)
    for row in result.get("methods") or []:
        for key in ("memory", "time"):
            if row.get(key) in known:
                yield row[key], (quantity(known[row[key]], row[key]),)


def tenths(value: float) -> tuple[str, ...]:
    """A part of a sum: rounded down or up, so that the printed column adds up."""
    return decimal(math.floor(value * 10) / 10, 1), decimal(math.ceil(value * 10) / 10, 1)


def plain(text: str) -> str:
    """Single ordinary spaces; a range that breaks after its dash is one word again."""
    return re.sub(r"–\s+", "–", re.sub(r"\s+", " ", text.replace("\u00a0", " ").replace("\u202f", " ")))


def is_printed(said: str, text: str) -> bool:
    """Whether a number stands in the text and is not the tail or the head of a longer one."""
    return re.search(rf"(?<![\d,.]){re.escape(said)}(?![\d]|[,.]\d)", text) is not None


@pytest.mark.parametrize("language", ["ru", "en"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_numbers_of_the_document_are_those_of_the_result(name, language):
    task, result = sized(name)
    document = render_pdf(
        DocumentContext(
            result=result,
            task=task,
            language=language,
            number="SW-2026-0147",
            revision=1,
            made_at=datetime(2026, 11, 14, 12, 30, tzinfo=UTC),
            input_sha256="ab" * 32,
        )
    )
    text = plain(text_of(document.content))
    with override(language):
        wanted = [(where, [plain(said) for said in ways]) for where, ways in expected(result)]
    assert [(where, ways) for where, ways in wanted if not any(is_printed(said, text) for said in ways)] == []
    assert bool(wanted) == bool(result["options"])
    assert document.pages <= 15
    assert len(document.content) <= 600_000
