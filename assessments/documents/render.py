"""Context to PDF bytes."""

from assessments.documents.context import DocumentContext, RenderedDocument


def render_pdf(context: DocumentContext) -> RenderedDocument:
    """The assessment as PDF/UA-1 with task.json and result.json attached."""
    raise NotImplementedError(context.number)
