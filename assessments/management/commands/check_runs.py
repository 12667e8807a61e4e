"""Hold the engine to whole published runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from assessments.sizing import parse_catalog
from assessments.validation.published_runs import check_run, page, read_runs
from catalog.snapshot import snapshot


class Command(BaseCommand):
    """`manage.py check_runs [FOLDER] [--page OUT.md]`."""

    help = "Size published trainings from their statements and print a table of hits and misses (Markdown)."
    requires_system_checks = ()  # no page is served here: the URLs need not load

    def add_arguments(self, parser: CommandParser) -> None:
        """Where the runs lie, where the page goes."""
        runs = settings.BASE_DIR / "tests" / "assessments" / "runs"
        parser.add_argument("folder", nargs="?", type=Path, default=runs, metavar="FOLDER")
        parser.add_argument("--page", type=Path, metavar="OUT", help="write the documentation's page too")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, size, print."""
        try:
            runs = read_runs(options["folder"])
        except OSError as error:
            raise CommandError(str(error)) from error
        catalog = parse_catalog(snapshot())
        if not catalog.accelerators:
            raise CommandError("The catalog is empty: run manage.py load_catalog first.")
        text = page([check_run(run, catalog) for run in runs])
        self.stdout.write(text, ending="")
        if options["page"] is not None:
            options["page"].write_text(text, encoding="utf-8")
