"""The Celery application; its configuration stands in the settings under CELERY_."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")

app = Celery("sizewright", task_cls="portal.outbox.task:OutboxTask")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
