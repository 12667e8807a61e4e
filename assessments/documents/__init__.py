"""The PDF of an assessment: plain data in, the same bytes out. `render` alone loads WeasyPrint, for who prints."""

from assessments.documents.context import (
    Adjusted,
    Approval,
    DocumentContext,
    PickedServer,
    Remark,
    RenderedDocument,
    Requirement,
    Seller,
)

__all__ = [
    "Adjusted",
    "Approval",
    "DocumentContext",
    "PickedServer",
    "Remark",
    "RenderedDocument",
    "Requirement",
    "Seller",
]
