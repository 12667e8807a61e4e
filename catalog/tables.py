"""The tables of the catalog as files: columns, keys, typed values, and writing with history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from simple_history.utils import bulk_create_with_history, bulk_update_with_history

from catalog.cells import CellError, field_value
from catalog.models import Accelerator, Drive, Fabric, Server, ServerAccelerator, Source, Vendor

if TYPE_CHECKING:
    from portal.accounts.models import User

BATCH = 500
NOT_IN_FILES = frozenset({"id", "created_at", "search_text"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One file: its model and the columns that identify a row."""

    file: str
    model: type[models.Model]
    key: tuple[str, ...] = ("slug",)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of its file, in the order of the model."""
        return tuple(field.name for field in self.model._meta.fields if field.name not in NOT_IN_FILES)


TABLES = (
    Table(file="vendors.csv", model=Vendor),
    Table(file="sources.csv", model=Source),
    Table(file="accelerators.csv", model=Accelerator),
    Table(file="servers.csv", model=Server),
    Table(file="server_accelerators.csv", model=ServerAccelerator, key=("server", "accelerator")),
    Table(file="fabrics.csv", model=Fabric),
    Table(file="drives.csv", model=Drive),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowError:
    """What is wrong in one line of a file, in words; the first line is 1, `column` is empty for the whole row."""

    line: int
    column: str
    reason: str


class Rows:
    """The stored rows of one table and those that its foreign keys may point at, read once."""

    def __init__(self, table: Table) -> None:
        """Read them."""
        self.table = table
        self.related: dict[str, dict[str, models.Model]] = {
            field.name: {slug_of(row): row for row in field.related_model._default_manager.all()}
            for field in table.model._meta.get_fields()
            if isinstance(field, models.ForeignKey)
        }
        stored = table.model._default_manager.all()
        if self.related:
            stored = stored.select_related(*self.related)
        self.stored = {self.key_of({name: getattr(row, name) for name in table.key}): row for row in stored}
        self.documents = set(Source.objects.values_list("slug", flat=True))

    def key_of(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """What identifies a row."""
        found = (values.get(name) for name in self.table.key)
        return tuple(slug_of(value) if isinstance(value, models.Model) else value for value in found)

    def typed(self, cells: Mapping[str, str], line: int) -> tuple[dict[str, Any], list[RowError]]:
        """The values of one row and what could not be read."""
        values: dict[str, Any] = {}
        errors = []
        for column, text in cells.items():
            try:
                values[column] = self.value(column, text)
            except CellError as error:
                errors.append(RowError(line=line, column=column, reason=str(error)))
        return values, errors

    def value(self, column: str, text: str) -> Any:
        """One cell; raises CellError."""
        if column not in self.related:
            return field_value(self.table.model, column, text)
        if text.strip() not in self.related[column]:
            raise CellError(_("“%(text)s” is not known.") % {"text": text})
        return self.related[column][text.strip()]

    def checked(self, row: models.Model, line: int) -> list[RowError]:
        """What the model says against a row as a whole."""
        errors = []
        try:
            row.full_clean(exclude=set(self.related), validate_unique=False, validate_constraints=False)
        except ValidationError as error:
            errors = [
                RowError(line=line, column="" if name == "__all__" else name, reason=" ".join(reasons))
                for name, reasons in error.message_dict.items()
            ]
        named = {slug for slugs in getattr(row, "sources", {}).values() for slug in slugs}
        if unknown := sorted(named - self.documents):
            reason = _("These sources are not known: %(slugs)s.") % {"slugs": ", ".join(unknown)}
            errors.append(RowError(line=line, column="sources", reason=reason))
        return errors


def slug_of(row: models.Model) -> str:
    """The name by which files point at a row."""
    return str(getattr(row, "slug"))  # noqa: B009 – not every model has one; those that files point at do


def save_rows(
    model: type[models.Model],
    *,
    created: list[models.Model],
    changed: list[models.Model],
    columns: Iterable[str],
    reason: str,
    author: User | None = None,
) -> None:
    """Write in batches, with history where the table keeps one."""
    for row in (*created, *changed):
        if isinstance(row, Server):
            row.search_text = row.folded_text()
    names = sorted({*columns, "search_text"} if model is Server else columns)
    if hasattr(model, "history"):
        history = {"batch_size": BATCH, "default_user": author, "default_change_reason": reason}
        bulk_create_with_history(created, model, **history)
        if changed:
            bulk_update_with_history(changed, model, names, **history)
        return
    model._default_manager.bulk_create(created, batch_size=BATCH)
    if changed:
        model._default_manager.bulk_update(changed, names, batch_size=BATCH)
