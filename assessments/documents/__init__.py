"""The PDF of an assessment: plain data in, the same bytes out."""

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
from assessments.documents.render import render_pdf

__all__ = [
    "Adjusted",
    "Approval",
    "DocumentContext",
    "PickedServer",
    "Remark",
    "RenderedDocument",
    "Requirement",
    "Seller",
    "render_pdf",
]
