"""Size a task and rank the servers of the catalog for each of its options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import translation

from assessments.matching import matching_of
from assessments.sizing import TaskErrors, parse_catalog, parse_task, size
from catalog import words
from catalog.matching import Match, Matching
from catalog.snapshot import current_version


class Command(BaseCommand):
    """manage.py match TASK.json [--json] [--language ru]"""

    help = "Size the task of a JSON file and print the ranked servers of the catalog for every option."

    def add_arguments(self, parser: CommandParser) -> None:
        """The file and the form of the answer."""
        parser.add_argument("task", type=Path, help="a task/1 JSON file")
        parser.add_argument("--json", action="store_true", help="JSON instead of a table")
        parser.add_argument("--language", default="en", choices=("en", "ru"))

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one block per option."""
        try:
            task = parse_task(json.loads(options["task"].read_text(encoding="utf-8")))
        except (OSError, json.JSONDecodeError) as error:
            raise CommandError(f"{options['task']}: {error}") from error
        except TaskErrors as error:
            raise CommandError("\n".join(f"{e.path}: {e.code}" for e in error.errors)) from error
        version = current_version()
        result = size(task, parse_catalog(version.snapshot)).as_result()
        answers = matching_of(result["options"])
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {"catalog": version.label, "options": {key: a.as_json() for key, a in answers.items()}}, indent=1
                )
            )
            return
        with translation.override(options["language"]):
            self.stdout.write(f"{options['task'].name}: {result['verdict']['class']}")
            for option in result["options"]:
                self.print_option(option, answers.get(option["key"]))

    def print_option(self, option: dict[str, Any], answer: Matching | None) -> None:
        """The ranking of one option."""
        self.stdout.write(
            f"\n{option['key']}: {option['servers']} × {option['accelerator']} × {option['gpus']}, {option['link']}"
        )
        if answer is None:
            self.stdout.write("  no server needed")
            return
        self.stdout.write(f"  {words.answer(answer)} ({answer.fitting} of {answer.considered})")
        for place, match in enumerate(answer.matches or answer.near, start=1):
            self.stdout.write(self.row(place, match))
        for entry in (answer.matches or answer.near)[:1]:
            for line in entry.lines:
                self.stdout.write(f"       {words.line(line)}")

    def row(self, place: int, match: Match) -> str:
        """One server."""
        card = f" [{match.accelerator}]" if match.is_equivalent else ""
        why = f" | {words.reason(match.before_next)}" if match.before_next else ""
        return f"  {place:2}. {match.quantity} × {match.label}{card}: {words.verdict(match)}{why}"
