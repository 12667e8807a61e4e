"""What the engine was given: a frozen catalog."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models.row import CatalogQuerySet


class CatalogVersionIsImmutable(RuntimeError):
    """Somebody tried to change a frozen catalog."""


class CatalogVersion(models.Model):
    """One state of the catalog as plain JSON; old assessments keep theirs, so it never changes."""

    label = models.CharField(_("label"), max_length=20)
    sha256 = models.CharField(_("fingerprint"), max_length=64, unique=True)
    snapshot = models.JSONField(_("snapshot"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = CatalogQuerySet.as_manager()

    class Meta:
        verbose_name = _("version of the catalog")
        verbose_name_plural = _("versions of the catalog")
        ordering = ("-created_at", "-pk")
        get_latest_by = ("created_at", "pk")
        permissions = (
            ("import_catalog", _("Can import the catalog")),
            ("export_catalog", _("Can export the catalog")),
            ("publish_catalogversion", _("Can publish a version of the catalog")),
        )

    def __str__(self) -> str:
        return f"{self.label} ({self.sha256[:8]})"

    def save(self, *args: object, **kwargs: object) -> None:
        """Insert once; a second save is refused."""
        if not self._state.adding:
            raise CatalogVersionIsImmutable(str(self))
        super().save(*args, **kwargs)  # type: ignore[arg-type]  # Django's own arguments are passed through

    def delete(self, *args: object, **kwargs: object) -> tuple[int, dict[str, int]]:
        """Refuse: assessments rest on it."""
        raise CatalogVersionIsImmutable(str(self))
