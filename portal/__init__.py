"""The project and its web face."""

from portal.celery import app as celery_app

__all__ = ["celery_app"]
