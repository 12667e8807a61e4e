"""The document beside a bare WeasyPrint render of the same HTML, and memory over many renders.

Run: python -m tests.benchmarks.document [RENDERS]
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from django.utils.translation import override  # noqa: E402 – settings come first
from weasyprint import HTML  # noqa: E402 – settings come first
from weasyprint.text.fonts import FontConfiguration  # noqa: E402 – settings come first

from assessments.documents import DocumentContext  # noqa: E402 – settings come first
from assessments.documents.render import (  # noqa: E402 – settings come first
    document_html,
    fetcher,
    render_pdf,
)
from assessments.sizing import parse_catalog, parse_task, size  # noqa: E402 – settings come first

ROOT = Path(__file__).parents[2]
ROUNDS = 5


def context() -> DocumentContext:
    """The LoRA example in Russian."""
    task = parse_task(json.loads((ROOT / "assessments/examples/lora-8b.json").read_text(encoding="utf-8")))
    catalog = json.loads((ROOT / "tests/assessments/sizing/catalog.json").read_text(encoding="utf-8"))
    return DocumentContext(
        result=size(task, parse_catalog(catalog)).as_result(),
        task=task.canonical(),
        language="ru",
        number="SW-2026-0000",
        revision=1,
        made_at=datetime(2026, 11, 14, tzinfo=UTC),
        input_sha256="00" * 32,
    )


def bare(html: str) -> None:
    """The same HTML, style sheet and tags through WeasyPrint alone."""
    HTML(string=html, url_fetcher=fetcher()).write_pdf(font_config=FontConfiguration(), pdf_variant="pdf/ua-1")


def median_s(call: Callable[[], object]) -> float:
    """Median processor time of the rounds [s]."""
    taken = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        taken.append(time.process_time() - started)
    return statistics.median(taken)


def memory_mb() -> float:
    """Largest resident memory so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    """Print time and ratio; with a number of renders, also the growth of memory."""
    made = context()
    document = render_pdf(made)
    with override(made.language):
        html = document_html(made, document.result_sha256)
    ours, alone = median_s(lambda: render_pdf(made)), median_s(lambda: bare(html))
    kb = len(document.content) // 1000
    print(f"{document.pages} pages, {kb} kB: {ours:.2f} s, {ours / alone:.2f} × bare WeasyPrint")
    renders = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    before = memory_mb()
    for _ in range(renders):
        render_pdf(made)
    if renders:
        print(f"memory: {before:.0f} MB before, {memory_mb():.0f} MB after {renders} more renders")


if __name__ == "__main__":
    main()
