"""Make the committed sample assessment anew: result and PDF in both languages, from the committed task."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from assessments.documents import DocumentContext, render_pdf
from assessments.sizing import parse_catalog, parse_task, size
from catalog.snapshot import snapshot
from portal.web import samples

NUMBER = "SW-2026-0000"  # no request ever has it: numbers of a year begin with 0001


class Command(BaseCommand):
    help = "Size the sample task with the present engine and catalog, and print its PDF in both languages."

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
        (folder / samples.PAGES).write_text(json.dumps(pages) + "\n", encoding="utf-8")
        self.stdout.write(f"{len(result['options'])} options, {pages['ru']} pages in Russian, {pages['en']} in English")
