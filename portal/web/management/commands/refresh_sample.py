"""Make anew what the public pages show of the engine: the sample with its PDFs, and the measured accuracy."""

import json
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from assessments.documents import DocumentContext
from assessments.documents.render import render_pdf
from assessments.sizing import parse_catalog, parse_task, size
from catalog.snapshot import snapshot
from portal.web import samples

NUMBER = "SW-2026-0000"  # no request ever has it: numbers of a year begin with 0001


def measured_accuracy() -> dict[str, dict[str, float]]:
    """Published runs against the engine, each source left out; `validate_sizing --page` measures and writes it."""
    data = resources.files("assessments.sizing").joinpath("data")
    found: dict[str, dict[str, float]] = json.loads(data.joinpath("accuracy.json").read_text(encoding="utf-8"))
    return found


class Command(BaseCommand):
    help = "Size the sample task with the present engine and catalog, print its PDFs, and take over the accuracy."

    def handle(self, *_args: Any, **_options: Any) -> None:
        folder = Path(samples.__file__).parent / "sample"
        task = parse_task(json.loads((folder / samples.TASK).read_text(encoding="utf-8"))).canonical()
        result = size(parse_task(task), parse_catalog(snapshot())).as_result()
        text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        (folder / samples.RESULT).write_text(text + "\n", encoding="utf-8")
        pages = {}
        for language in ("ru", "en"):
            document = render_pdf(
                DocumentContext(
                    result=result,
                    task=task,
                    language=language,
                    number=NUMBER,
                    revision=1,
                    made_at=datetime.now(UTC),
                    input_sha256=result["task_sha256"],
                )
            )
            (folder / samples.pdf_name(language)).write_bytes(document.content)
            pages[language] = document.pages
        (folder / samples.ACCURACY).write_text(json.dumps(measured_accuracy(), indent=1) + "\n", encoding="utf-8")
        (folder / samples.PAGES).write_text(json.dumps(pages) + "\n", encoding="utf-8")
        self.stdout.write(f"{len(result['options'])} options, {pages['ru']} pages in Russian, {pages['en']} in English")
