"""What every row of the catalog has: who may see it, when it came, where its figures stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.sources import sources_text

if TYPE_CHECKING:
    from portal.accounts.viewer import Viewer

EVERY_OTHER_FIGURE = "*"


class Status(models.TextChoices):
    """Where a product stands in its life; only what is current is offered unasked."""

    ANNOUNCED = "announced", _("announced")
    CURRENT = "current", _("on sale")
    END_OF_SALE = "end_of_sale", _("end of sale")


class CatalogQuerySet[RowT: models.Model](models.QuerySet[RowT]):
    """Reads of the catalog."""

    def visible_to(self, viewer: Viewer) -> Self:
        """Rows this reader may know about: the catalog is public, retired rows included."""
        return self

    def current(self) -> Self:
        """Products that are on sale."""
        return self.filter(status=Status.CURRENT)


class CatalogRow(models.Model):
    """A row with a stable name of its own; `slug` is what tasks, results and files refer to."""

    slug = models.SlugField(
        _("identifier"), max_length=80, unique=True, help_text=_("Short Latin name, never changed.")
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        abstract = True


class SourcedRow(CatalogRow):
    """A product whose figures come from documents.

    `sources` maps the name of a figure to the slugs of the documents it stands in; the key `*` holds for all others.
    """

    FIGURES: ClassVar[tuple[str, ...]] = ()

    sources = models.JSONField(_("sources"), default=dict, blank=True)
    notes = models.TextField(_("notes"), blank=True, default="")

    class Meta:
        abstract = True

    def sources_of(self, figure: str) -> list[str]:
        """Slugs of the documents in which this figure stands; empty when the figure is unknown."""
        if getattr(self, figure) in {None, ""}:
            return []
        found: list[str] = self.sources.get(figure) or self.sources.get(EVERY_OTHER_FIGURE) or []
        return found

    @property
    def sources_line(self) -> str:
        """The sources as one line of text, as files and forms show them."""
        return sources_text(self.sources)

    def clean(self) -> None:
        """A stated figure has a document behind it."""
        super().clean()
        bare = [name for name in self.FIGURES if getattr(self, name) not in {None, ""} and not self.sources_of(name)]
        if bare:
            raise ValidationError(
                {"sources": _("These figures name no source: %(names)s.") % {"names": ", ".join(bare)}}
            )
