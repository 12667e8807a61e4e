"""The tables of the catalog as files that an import takes back unchanged."""

from __future__ import annotations

from typing import Any

from django.db import models
from import_export import resources
from import_export.formats.base_formats import CSV, XLSX
from import_export.resources import modelresource_factory

from catalog.cells import cell_text, guarded
from catalog.tables import TABLES, slug_of


class SpreadsheetCSV(CSV):
    """CSV as a Russian spreadsheet opens it without questions: UTF-8 with a mark, semicolons."""

    def export_data(self, dataset: Any, **kwargs: Any) -> bytes:
        """The file."""
        text: str = dataset.export("csv", delimiter=";")
        return text.encode("utf-8-sig")

    def is_binary(self) -> bool:
        """The mark is part of the file."""
        return True


FORMATS = (SpreadsheetCSV, XLSX)


class CatalogResource(resources.ModelResource):
    """Cells as `catalog.cells` writes them; text that a spreadsheet would run is guarded."""

    def export_field(self, field: Any, instance: models.Model, **kwargs: Any) -> str:
        """One cell."""
        value = getattr(instance, field.column_name)
        return guarded(slug_of(value) if isinstance(value, models.Model) else cell_text(value))


RESOURCES = {
    table.model: modelresource_factory(
        table.model,
        resource_class=CatalogResource,
        meta_options={"fields": table.columns, "export_order": table.columns},
    )
    for table in TABLES
}
