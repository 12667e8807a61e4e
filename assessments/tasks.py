"""Where Celery looks for tasks; they live in the rooms whose work they do."""

from assessments.intake.tasks import expire_drafts
from assessments.pipeline.tasks import announce, render_document, rendering_failed, run_sizing, sizing_failed
from assessments.services.erasure import erase_files, retention

__all__ = [
    "announce",
    "erase_files",
    "expire_drafts",
    "render_document",
    "rendering_failed",
    "retention",
    "run_sizing",
    "sizing_failed",
]
