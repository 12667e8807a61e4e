"""Re-exports the outbox's tasks, where Celery looks."""

from portal.outbox.mail import mail_send
from portal.outbox.sweep import sweep

__all__ = ["mail_send", "sweep"]
