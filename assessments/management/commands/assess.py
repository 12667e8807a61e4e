"""Size a task from a file: what the portal does for a request, without the portal."""

from __future__ import annotations

import hashlib
import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone, translation

from assessments import wording
from assessments.documents import DocumentContext
from assessments.documents.render import render_pdf
from assessments.intake import import_messages
from assessments.sizing import (
    Catalog,
    Machine,
    TaskError,
    TaskErrors,
    TrainingTask,
    canonical_json,
    machine_named,
    parse_catalog,
    parse_task,
    size,
)
from catalog.snapshot import snapshot

INVALID = 2
LONGEST_TASK_BYTES = 1_000_000
SCHEMA_HINT = "assessments/sizing/schemas/task-1.json"


class Command(BaseCommand):
    """manage.py assess TASK.json [--json OUT.json] [--pdf OUT.pdf] [--lang ru|en] [--on 8xa100-sxm4-80gb]"""

    help = "Size the training task of a JSON file (task/1) and write the result and the document."
    requires_system_checks = ()  # no page is served here: the URLs need not load

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """The parser with the exit codes below its options."""
        kwargs.setdefault("formatter_class", RawDescriptionHelpFormatter)
        kwargs.setdefault(
            "epilog", "exit codes: 0 sized, also when nothing fits; 2 the task is not valid, nothing written"
        )
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """One task in, up to two files out."""
        parser.add_argument("task", help="file with a task/1, - for standard input")
        parser.add_argument(
            "--json", dest="json_file", metavar="OUT.json", help="write result/1 here, - for standard output"
        )
        parser.add_argument("--pdf", dest="pdf_file", type=Path, metavar="OUT.pdf", help="write the document here")
        parser.add_argument(
            "--lang", choices=("ru", "en"), default=settings.LANGUAGE_CODE[:2], help="language of document and messages"
        )
        parser.add_argument(
            "--on",
            action="append",
            default=[],
            metavar="[SERVERSx]CARDSxACCELERATOR",
            help="judge this machine too, such as 8xa100-sxm4-80gb or 2x8xh100-sxm5-80gb; may be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, size, write; files appear only when everything has worked."""
        with translation.override(options["lang"]):
            try:
                task = parse_task(read_task(options["task"]))
                catalog = parse_catalog(snapshot())
                if not catalog.accelerators:
                    raise CommandError("The catalog is empty: run manage.py load_catalog first.")
                result = size(task, catalog, setups=given_setups(options["on"], task, catalog)).as_result()
            except TaskErrors as error:
                self.refuse(error.errors)
            document = None if options["pdf_file"] is None else pdf_of(task, result, options["lang"])
            self.write(result, document, options)
            if options["json_file"] != "-":
                self.tell(result)

    def refuse(self, errors: Sequence[TaskError]) -> None:
        """Every error with its place and a hint, then exit 2."""
        for error in errors:
            self.stderr.write(f"{error.path or '$'}: {sentence(error)}")
        self.stderr.write(f"schema: {SCHEMA_HINT}")
        sys.exit(INVALID)

    def write(self, result: dict[str, Any], document: bytes | None, options: dict[str, Any]) -> None:
        """The files that were asked for."""
        text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
        try:
            if options["json_file"] == "-":
                self.stdout.write(text, ending="")
            elif options["json_file"] is not None:
                Path(options["json_file"]).write_text(text, encoding="utf-8")
            if document is not None:
                options["pdf_file"].write_bytes(document)
        except OSError as error:
            raise CommandError(str(error)) from error

    def tell(self, result: dict[str, Any]) -> None:
        """The verdict and one line per option."""
        spoken = wording.verdict(result["verdict"])
        self.stdout.write(f"{spoken.title}. {spoken.what}")
        for option in result["options"]:
            quantities = result["quantities"]
            time = wording.quantity(quantities[f"{option['key']}.time.cycle"], f"{option['key']}.time.cycle")
            memory = wording.quantity(quantities[option["memory"]["total"]], option["memory"]["total"])
            fit = wording.FITS[option["fit"]]
            self.stdout.write(
                f"{wording.option_name(option['key'])}: {wording.machine_of(option)}, {memory}, {time}, {fit}"
            )


def sentence(error: TaskError) -> str:
    """What is wrong and what would be right, in the active language."""
    if error.code.startswith("config_"):
        return import_messages.message(error.code, error.params)
    return wording.say(error.code, error.params)


def read_task(name: str) -> object:
    """The JSON of a file or of standard input; raises TaskErrors where it is not readable as such."""
    try:
        raw = sys.stdin.buffer.read(LONGEST_TASK_BYTES + 1) if name == "-" else _file_bytes(Path(name))
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}") from error
    if len(raw) > LONGEST_TASK_BYTES:
        raise TaskErrors(
            (TaskError(path="", code="file_too_large", params={"size": len(raw), "limit": LONGEST_TASK_BYTES}),)
        )
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise TaskErrors((TaskError(path="", code="not_json", params={"line": error.lineno}),)) from None
    except (UnicodeDecodeError, RecursionError, ValueError):  # ValueError: a number of thousands of digits
        raise TaskErrors((TaskError(path="", code="not_json", params={"line": 1}),)) from None


def _file_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LONGEST_TASK_BYTES + 1)


def given_setups(names: Sequence[str], task: TrainingTask, catalog: Catalog) -> dict[str, Machine]:
    """Named machines under the keys that follow those of the task's own hardware."""
    first = len(task.hardware) + 1
    return {f"given-{first + i}": machine_named(name, catalog) for i, name in enumerate(names)}


def pdf_of(task: TrainingTask, result: dict[str, Any], language: str) -> bytes:
    """The document as an automatic, unsigned assessment."""
    canonical = task.canonical()
    fingerprint = hashlib.sha256(canonical_json({"task": canonical, "result": result})).hexdigest()
    context = DocumentContext(
        result=result,
        task=canonical,
        language="ru" if language == "ru" else "en",
        number=fingerprint[:8],
        revision=1,
        made_at=timezone.now(),
        input_sha256=fingerprint,
    )
    return render_pdf(context=context).content
