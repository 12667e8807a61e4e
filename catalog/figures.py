"""The figures of a row as people read them, each with the documents it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from catalog.models import Source
from catalog.models.row import SourcedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of a specification; `value` is empty when it is not stated."""

    label: str
    value: str
    sources: tuple[Source, ...]


def shown(row: SourcedRow, name: str) -> str:
    """A figure in the active language; empty when it is not stated."""
    value: Any = getattr(row, name)
    if value is None or value == "":
        return ""
    field = row._meta.get_field(name)
    if getattr(field, "choices", None):
        return str(getattr(row, f"get_{name}_display")())
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name == "launch_year":
        return str(value)
    if isinstance(value, int | float):
        text = number_format(value, use_l10n=True, force_grouping=abs(value) >= 10_000)
        return text.rstrip("0").rstrip(".,") if isinstance(value, float) and value == int(value) else text
    return str(value)


def sources_by_slug(row: SourcedRow) -> dict[str, Source]:
    """The documents of one row; one query."""
    slugs = {slug for slugs in row.sources.values() for slug in slugs}
    return {source.slug: source for source in Source.objects.filter(slug__in=slugs)}


def figures_of(row: SourcedRow, documents: Mapping[str, Source]) -> list[Figure]:
    """All figures of a row in the order of its table, unknown ones too."""
    return [
        Figure(
            label=capfirst(str(getattr(row._meta.get_field(name), "verbose_name", name))),
            value=shown(row, name),
            sources=tuple(documents[slug] for slug in row.sources_of(name) if slug in documents),
        )
        for name in row.FIGURES
    ]
