"""Write the PDF of a request into a file, outside the pipeline."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from assessments.documents.render import render_pdf
from assessments.models import Assessment, Inquiry
from assessments.pipeline.document_data import document_context


class Command(BaseCommand):
    """`manage.py render NUMBER`: the document as it would be made now; nothing is stored or sent."""

    help = "Render the PDF of a request into a file; nothing is stored or sent."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Number, revision, language, kind, target."""
        parser.add_argument("number")
        parser.add_argument("--revision", type=int, help="default: the latest")
        parser.add_argument("--lang", choices=("ru", "en"), help="default: the language of the request")
        parser.add_argument("--out", type=Path, help="default: NUMBER-LANG.pdf in this folder")

    def handle(self, *, number: str, revision: int | None, lang: str | None, out: Path | None, **_: Any) -> None:
        """Find the run, render, write."""
        inquiry = Inquiry.objects.filter(number=number).first()
        if inquiry is None:
            raise CommandError(f"There is no request {number}.")
        assessments = Assessment.objects.filter(inquiry=inquiry)
        if revision is not None:
            assessments = assessments.filter(revision=revision)
        assessment = assessments.order_by("-revision").first()
        if assessment is None:
            raise CommandError(f"Request {number} has no revision {revision}.")
        run = assessment.run or assessment.first_run
        if run is None or run.finished_at is None:
            raise CommandError(f"Revision {assessment.revision} of {number} is not sized yet.")
        language = lang or inquiry.language
        kind = "approved" if assessment.approved_at else "automatic"
        rendered = render_pdf(document_context(run, kind=kind, language=language))
        target = out or Path(f"{number}-{language}.pdf")
        target.write_bytes(rendered.content)
        self.stdout.write(
            f"{target}: {rendered.pages} pages, {len(rendered.content):,} bytes, SHA-256 {rendered.sha256}"
        )
