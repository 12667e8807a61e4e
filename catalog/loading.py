"""The default catalogue from the CSV files beside this module into the tables, as often as one likes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models, transaction
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from catalog.cells import CellError, field_value
from catalog.models import Accelerator, Drive, Fabric, Server, ServerAccelerator, Source, Vendor

LOAD_REASON = "default catalogue"
BATCH = 500


class CatalogFileError(ValueError):
    """A file of the default catalogue that cannot be taken; names file, line and column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What loading one file did."""

    name: str
    created: int
    changed: int
    unchanged: int
    kept: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One file: its model and the columns that identify a row."""

    file: str
    model: type[models.Model]
    key: tuple[str, ...] = ("slug",)


TABLES = (
    Table(file="vendors.csv", model=Vendor),
    Table(file="sources.csv", model=Source),
    Table(file="accelerators.csv", model=Accelerator),
    Table(file="servers.csv", model=Server),
    Table(file="server_accelerators.csv", model=ServerAccelerator, key=("server", "accelerator")),
    Table(file="fabrics.csv", model=Fabric),
    Table(file="drives.csv", model=Drive),
)


def read_rows(file: str) -> list[dict[str, str]]:
    """The rows of one file of the default catalogue as text."""
    return list(csv.DictReader(StringIO(files("catalog").joinpath("data", file).read_text(encoding="utf-8"))))


@transaction.atomic
def load_default(*, overwrite: bool = False) -> list[Loaded]:
    """Bring the tables to the files: new rows come in, differing rows are brought back.

    A row that somebody edited after the last load is kept unless `overwrite`. Nothing is deleted. All or nothing.
    """
    return [load_table(table, read_rows(table.file), overwrite=overwrite) for table in TABLES]


def load_table(table: Table, rows: Iterable[Mapping[str, str]], *, overwrite: bool) -> Loaded:
    """Bring one table to these rows.

    Raises CatalogFileError for the first row that is wrong.
    """
    related = related_rows(table.model)
    known = {key_of(table, row): row for row in stored_rows(table.model, related)}
    edited = set() if overwrite else edited_keys(table.model)
    created: list[models.Model] = []
    changed: list[models.Model] = []
    columns: set[str] = set()
    kept = unchanged = 0
    for line, cells in enumerate(rows, start=2):
        values = row_values(table, cells, related, line)
        key = tuple(values[name] if name not in related else slug_of(values[name]) for name in table.key)
        row = known.get(key)
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
    save_rows(table.model, created, changed, columns)
    return Loaded(name=table.file, created=len(created), changed=len(changed), unchanged=unchanged, kept=kept)


def stored_rows(model: type[models.Model], related: Iterable[str]) -> models.QuerySet[models.Model]:
    """All rows, with the rows they point at."""
    rows = model._default_manager.all()
    names = tuple(related)
    return rows.select_related(*names) if names else rows


def related_rows(model: type[models.Model]) -> dict[str, dict[str, models.Model]]:
    """For every foreign key of the model: the rows it may point at, by slug."""
    return {
        field.name: {slug_of(row): row for row in field.related_model._default_manager.all()}
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
    }


def row_values(
    table: Table, cells: Mapping[str, str], related: Mapping[str, Mapping[str, Any]], line: int
) -> dict[str, Any]:
    """The typed values of one row."""
    values: dict[str, Any] = {}
    for column, text in cells.items():
        try:
            values[column] = related[column][text] if column in related else field_value(table.model, column, text)
        except KeyError as error:
            raise CatalogFileError(f"{table.file}, line {line}, {column}: {text!r} is not known") from error
        except CellError as error:
            raise CatalogFileError(f"{table.file}, line {line}, {column}: {error}") from error
    row = table.model(**values)
    try:
        row.full_clean(exclude=set(related), validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        raise CatalogFileError(f"{table.file}, line {line}: {error.message_dict}") from error
    if isinstance(row, Server):
        values["search_text"] = row.folded_text()
    return values


def key_of(table: Table, row: models.Model) -> tuple[Any, ...]:
    """What identifies a stored row, as in the file."""
    return tuple(
        slug_of(value) if isinstance(value := getattr(row, name), models.Model) else value for name in table.key
    )


def slug_of(row: models.Model) -> str:
    """The name by which files point at a row."""
    return str(getattr(row, "slug"))  # noqa: B009 – not every model has one, the tables of TABLES point at those that do


def edited_keys(model: type[models.Model]) -> set[int]:
    """Primary keys of the rows whose latest history entry is not ours."""
    history = getattr(model, "history", None)
    if history is None:
        return set()
    latest = history.filter(history_id__in=history.values("id").annotate(last=models.Max("history_id")).values("last"))
    return set(latest.exclude(history_change_reason=LOAD_REASON).values_list("id", flat=True))


def save_rows(
    model: type[models.Model], created: list[models.Model], changed: list[models.Model], columns: set[str]
) -> None:
    """Write in batches, with history where the table keeps one."""
    if hasattr(model, "history"):
        bulk_create_with_history(created, model, batch_size=BATCH, default_change_reason=LOAD_REASON)
        if changed:
            bulk_update_with_history(
                changed, model, sorted(columns), batch_size=BATCH, default_change_reason=LOAD_REASON
            )
        return
    model._default_manager.bulk_create(created, batch_size=BATCH)
    if changed:
        model._default_manager.bulk_update(changed, sorted(columns), batch_size=BATCH)
