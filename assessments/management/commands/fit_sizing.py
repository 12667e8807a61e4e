"""Refit the engine's constants on the repository's own rows and write calibration.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from assessments import sizing
from assessments.sizing.calibration import CALIBRATION, dump
from assessments.sizing.fitting import fit
from assessments.validation.own_rows import own_cases

TARGET = Path(sizing.__file__).parent / "calibration.toml"


class Command(BaseCommand):
    """`manage.py fit_sizing`: constants and ranges from published measurements."""

    help = "Fit the engine's constants and ranges on the repository's calibration rows."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--output", type=Path, default=TARGET, help="where to write; default: the engine's own file"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        fitted = fit(own_cases())
        options["output"].write_text(dump(fitted), encoding="utf-8")
        for group in ("memory", "time"):
            before, after = getattr(CALIBRATION, group), getattr(fitted, group)
            moved = [n for n, c in after.items() if c.typical != before[n].typical]
            self.stdout.write(f"{group}: {len(moved)} of {len(after)} constants moved")
        self.stdout.write(f"written: {options['output']}")
