"""Compare the engine with tables of published measurements."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from assessments import sizing
from assessments.validation.own_rows import own_cases
from assessments.validation.report import figures, lines, page
from assessments.validation.run import validate
from assessments.validation.tables import UnknownTable, read_table

FIGURES = Path(sizing.__file__).parent / "data" / "accuracy.json"  # what the public pages show


class Command(BaseCommand):
    """`manage.py validate_sizing FILE… [--json OUT] [--leave-one-source-out]`."""

    help = "Print published against predicted, row by row and per source, and the summary."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--json", type=Path, metavar="OUT", help="write summary and rows as JSON")
        parser.add_argument("--page", type=Path, metavar="OUT", help="write the documentation's page of accuracy")
        parser.add_argument(
            "--leave-one-source-out", action="store_true", help="judge each source by constants fitted without it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tables = []
        for path in options["files"]:
            try:
                tables.append(read_table(path))
            except UnknownTable as error:
                self.stderr.write(f"left out: {error}")
            except OSError as error:
                raise CommandError(str(error)) from error
        if not tables:
            raise CommandError("none of the files is a table of a known kind")
        validation = validate(
            tables,
            own_cases(),
            leave_one_source_out=options["leave_one_source_out"],
            tell=lambda text: self.stderr.write(text),
        )
        for line in lines(validation):
            self.stdout.write(line)
        if options["json"]:
            options["json"].write_text(json.dumps(validation.as_dict(), indent=1), encoding="utf-8")
        if options["page"]:
            text = page(validation.as_dict(), leaves_out=options["leave_one_source_out"])
            options["page"].write_text(text, encoding="utf-8")
            if options["leave_one_source_out"]:
                shown = json.dumps(figures(validation.as_dict()), indent=1)
                FIGURES.write_text(shown + "\n", encoding="utf-8")
