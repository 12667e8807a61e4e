"""Where Celery looks for tasks; they live in `assessments.pipeline.tasks`."""

from assessments.pipeline.tasks import announce, render_document, run_sizing

__all__ = ["announce", "render_document", "run_sizing"]
