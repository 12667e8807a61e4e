"""The catalog of accelerators and servers."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CatalogConfig(AppConfig):
    """The catalog as Django sees it."""

    name = "catalog"
    label = "catalog"
    verbose_name = _("Catalog")
    default_auto_field = "django.db.models.BigAutoField"
