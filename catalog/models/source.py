"""The documents in which the figures stand."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models.row import CatalogQuerySet, CatalogRow


class Source(CatalogRow):
    """One document, or the honest remark that a figure is a judgement."""

    class Kind(models.TextChoices):
        """How close the document is to the maker."""

        MAKER = "maker", _("maker’s document")
        TESTED = "tested", _("tested configuration")
        QUOTED = "quoted", _("document quoted by others")
        COMPUTED = "computed", _("computed from other figures")
        JUDGEMENT = "judgement", _("judgement")

    document = models.CharField(_("document"), max_length=400)
    section = models.CharField(_("section"), max_length=200, blank=True, default="")
    url = models.URLField(_("address"), max_length=400, blank=True, default="")
    kind = models.CharField(_("kind"), max_length=12, choices=Kind, default=Kind.QUOTED)

    objects = CatalogQuerySet.as_manager()

    class Meta:
        verbose_name = _("source")
        verbose_name_plural = _("sources")
        ordering = ("document", "section")

    def __str__(self) -> str:
        return f"{self.document}, {self.section}" if self.section else self.document
