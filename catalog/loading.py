"""The default catalog from the CSV files beside this module into the tables, as often as one likes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO

from django.db import models, transaction

from catalog.tables import TABLES, Rows, Table, save_rows

LOAD_REASON = "default catalog"


class CatalogFileError(ValueError):
    """A file of the default catalog that cannot be taken; names file, line and column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What loading one file did."""

    name: str
    created: int
    changed: int
    unchanged: int
    kept: int


def read_rows(file: str) -> list[dict[str, str]]:
    """The rows of one file of the default catalog as text."""
    return list(csv.DictReader(StringIO(files("catalog").joinpath("data", file).read_text(encoding="utf-8"))))


@transaction.atomic
def load_default(*, overwrite: bool = False) -> list[Loaded]:
    """Bring the tables to the files: new rows come in, differing rows are brought back.

    A row that somebody edited after the last load is kept unless `overwrite`. Nothing is deleted. All or nothing.
    """
    return [load_table(table, read_rows(table.file), overwrite=overwrite) for table in TABLES]


def load_table(table: Table, cells: Iterable[Mapping[str, str]], *, overwrite: bool) -> Loaded:
    """Bring one table to these rows.

    Raises CatalogFileError for the first row that is wrong.
    """
    rows = Rows(table)
    edited = set() if overwrite else edited_keys(table.model)
    created: list[models.Model] = []
    changed: list[models.Model] = []
    columns: set[str] = set()
    kept = unchanged = 0
    for line, texts in enumerate(cells, start=2):
        values, errors = rows.typed(texts, line)
        errors = errors or rows.checked(table.model(**values), line)
        if errors:
            raise CatalogFileError(f"{table.file}, line {line}, {errors[0].column}: {errors[0].reason}")
        row = rows.stored.get(rows.key_of(values))
        if row is None:
            created.append(table.model(**values))
            continue
        different = {name for name, value in values.items() if getattr(row, name) != value}
        if not different:
            unchanged += 1
        elif row.pk in edited:
            kept += 1
        else:
            for name in different:
                setattr(row, name, values[name])
            columns |= different
            changed.append(row)
    save_rows(table.model, created=created, changed=changed, columns=columns, reason=LOAD_REASON)
    return Loaded(name=table.file, created=len(created), changed=len(changed), unchanged=unchanged, kept=kept)


def edited_keys(model: type[models.Model]) -> set[int]:
    """Primary keys of the rows whose latest history entry is not ours."""
    history = getattr(model, "history", None)
    if history is None:
        return set()
    latest = history.filter(history_id__in=history.values("id").annotate(last=models.Max("history_id")).values("last"))
    return set(latest.exclude(history_change_reason=LOAD_REASON).values_list("id", flat=True))
