"""Where Celery looks for tasks; they live in `assessments.pipeline.tasks`."""

from assessments.pipeline.tasks import announce, render_document, rendering_failed, run_sizing, sizing_failed

__all__ = ["announce", "render_document", "rendering_failed", "run_sizing", "sizing_failed"]
