"""A file of people into the catalog: look at every row first, write all or nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from django.db import models, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from catalog.cells import cell_text
from catalog.files import UnreadableFile, read_table
from catalog.models import CatalogImport
from catalog.tables import TABLES, RowError, Rows, Table, save_rows, slug_of
from portal.outbox import queue as outbox

if TYPE_CHECKING:
    from portal.accounts.models import User

TABLE_OF = {table.file: table for table in TABLES}
STEP = 500
"""Rows between two signs of progress."""
CHANGES_KEPT = 300


@dataclass(slots=True)
class Plan:
    """What applying a file would do."""

    created: list[models.Model] = field(default_factory=list)
    changed: list[models.Model] = field(default_factory=list)
    columns: set[str] = field(default_factory=set)
    unchanged: int = 0
    errors: list[RowError] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)


def plan_of(table: Table, cells: list[dict[str, str]], progress: Callable[[int], None] = lambda done: None) -> Plan:
    """Look at every row; nothing is written. Columns that a file lacks are left as they are."""
    plan = Plan()
    given = set(cells[0]) if cells else set()
    plan.errors += [
        RowError(line=1, column=name, reason=_("There is no such column."))
        for name in sorted(given - set(table.columns))
    ]
    plan.errors += [
        RowError(line=1, column=name, reason=_("This column is missing.")) for name in table.key if name not in given
    ]
    if plan.errors:
        return plan
    rows = Rows(table)
    seen: dict[tuple[Any, ...], int] = {}
    for number, texts in enumerate(cells):
        look_at(plan, rows, texts, number + 2, seen)
        if (number + 1) % STEP == 0:
            progress(number + 1)
    return plan


def look_at(plan: Plan, rows: Rows, texts: dict[str, str], line: int, seen: dict[tuple[Any, ...], int]) -> None:
    """Look at one row and note what it does or what is wrong with it."""
    values, errors = rows.typed(texts, line)
    if errors:
        plan.errors += errors
        return
    key = rows.key_of(values)
    first = seen.setdefault(key, line)
    if first != line:
        reason = _("The same row stands in line %(line)s already.") % {"line": first}
        plan.errors.append(RowError(line=line, column=rows.table.key[0], reason=reason))
        return
    stored = rows.stored.get(key)
    row = rows.table.model(**values) if stored is None else copy.copy(stored)
    different = (
        {} if stored is None else {name: value for name, value in values.items() if getattr(stored, name) != value}
    )
    if stored is not None and not different:
        plan.unchanged += 1
        return
    for name, value in different.items():
        setattr(row, name, value)
    if errors := rows.checked(row, line):
        plan.errors += errors
        return
    (plan.created if stored is None else plan.changed).append(row)
    plan.columns |= set(different)
    if len(plan.changes) < CHANGES_KEPT:
        fields = {name: [text_of(getattr(stored, name)), text_of(value)] for name, value in different.items()}
        plan.changes.append(
            {"line": line, "row": " × ".join(map(str, key)), "is_new": stored is None, "fields": fields}
        )


def text_of(value: Any) -> str:
    """A value as files show it."""
    return slug_of(value) if isinstance(value, models.Model) else cell_text(value)


@transaction.atomic
def import_start(*, table: str, file_name: str, content: bytes, author: User | None) -> CatalogImport:
    """Take a file; it is checked in the background."""
    entry = CatalogImport.objects.create(table=table, file_name=file_name[:200], content=content, author=author)
    outbox.add("catalog.check_import", queue="bulk", import_id=entry.pk)
    return entry


def import_check(import_id: int) -> None:
    """Look at every row of a file and keep what would change, or every error with line and column."""
    entry = CatalogImport.objects.get(pk=import_id)
    if entry.state != CatalogImport.State.CHECKING:
        return
    with translation.override(entry.author.language if entry.author else None):
        try:
            cells = read_table(bytes(entry.content))
            CatalogImport.objects.filter(pk=entry.pk).update(rows=len(cells), done=0)
            plan = plan_of(TABLE_OF[entry.table], cells, progress_of(entry.pk))
        except UnreadableFile as error:
            cells, plan = [], Plan(errors=[RowError(line=1, column="", reason=str(error))])
    state = CatalogImport.State.REFUSED if plan.errors else CatalogImport.State.CHECKED
    CatalogImport.objects.filter(pk=entry.pk, state=CatalogImport.State.CHECKING).update(
        state=state,
        done=len(cells),
        created=len(plan.created),
        changed=len(plan.changed),
        unchanged=plan.unchanged,
        errors=[asdict(error) for error in plan.errors],
        changes=plan.changes,
    )


def progress_of(import_id: int) -> Callable[[int], None]:
    """Say how many rows are read, for the page that waits."""

    def note(done: int) -> None:
        CatalogImport.objects.filter(pk=import_id).update(done=done)

    return note


@transaction.atomic
def import_confirm(import_id: int) -> bool:
    """Have a checked file written; False when it is not in that state any more."""
    waiting = CatalogImport.objects.filter(pk=import_id, state=CatalogImport.State.CHECKED)
    if not waiting.update(state=CatalogImport.State.APPLYING):
        return False
    outbox.add("catalog.apply_import", queue="bulk", import_id=import_id)
    return True


@transaction.atomic
def import_apply(import_id: int) -> None:
    """Write a confirmed file, all or nothing; the rows are looked at again, for the catalog may have moved on."""
    entry = CatalogImport.objects.select_for_update().get(pk=import_id)
    if entry.state != CatalogImport.State.APPLYING:
        return
    table = TABLE_OF[entry.table]
    plan = plan_of(table, read_table(bytes(entry.content)))
    entry.errors = [asdict(error) for error in plan.errors]
    entry.state = CatalogImport.State.REFUSED if plan.errors else CatalogImport.State.APPLIED
    if not plan.errors:
        save_rows(
            table.model,
            created=plan.created,
            changed=plan.changed,
            columns=plan.columns,
            reason=f"import {entry.pk}",
            author=entry.author,
        )
        entry.created, entry.changed, entry.unchanged = len(plan.created), len(plan.changed), plan.unchanged
    entry.finished_at = timezone.now()
    entry.save(update_fields=["errors", "state", "created", "changed", "unchanged", "finished_at"])


def import_fail(import_id: int) -> None:
    """The last try of a task failed: show it."""
    CatalogImport.objects.filter(pk=import_id).update(state=CatalogImport.State.FAILED, finished_at=timezone.now())
