"""The accounts application."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """Registers the application; staff roles follow every migration, because permissions do."""

    name = "portal.accounts"
    label = "accounts"
    verbose_name = _("People and organisations")

    def ready(self) -> None:
        from portal.accounts.roles import grant_permissions

        post_migrate.connect(grant_permissions, dispatch_uid="portal.accounts.roles")
