"""Who makes a product."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from catalog.models.row import CatalogQuerySet, CatalogRow


class Vendor(CatalogRow):
    """A maker of accelerators, servers or parts."""

    name = models.CharField(_("name"), max_length=80, unique=True)
    country = models.CharField(
        _("country"), max_length=2, blank=True, default="", help_text=_("ISO code of two letters.")
    )
    website = models.URLField(_("website"), blank=True, default="")

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("vendor")
        verbose_name_plural = _("vendors")
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name
