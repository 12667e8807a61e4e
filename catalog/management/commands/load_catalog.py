"""Load the default catalog; as often as one likes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.loading import CatalogFileError, load_default
from catalog.snapshot import current_version


class Command(BaseCommand):
    """manage.py load_catalog [--overwrite]"""

    help = "Load the default catalog from its CSV files; rows edited by people are kept unless --overwrite."

    def add_arguments(self, parser: CommandParser) -> None:
        """One switch."""
        parser.add_argument("--overwrite", action="store_true", help="bring edited rows back to the files as well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what happened to each file and the version that results."""
        try:
            for table in load_default(overwrite=options["overwrite"]):
                self.stdout.write(
                    f"{table.name}: {table.created} created, {table.changed} changed, "
                    f"{table.unchanged} unchanged, {table.kept} kept as edited"
                )
        except CatalogFileError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"version {current_version()}")
