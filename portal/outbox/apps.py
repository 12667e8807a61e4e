"""The outbox application."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OutboxConfig(AppConfig):
    """Registers the outbox under its short label."""

    name = "portal.outbox"
    label = "outbox"
    verbose_name = _("Outbox")
