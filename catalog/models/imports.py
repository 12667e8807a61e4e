"""A file on its way into the catalog: checked first, applied when a person says so."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from catalog.models.row import CatalogQuerySet


class CatalogImport(models.Model):
    """One file of one table; `errors` and `changes` say what applying it would do, row by row."""

    class Table(models.TextChoices):
        """The table that the rows go into."""

        SERVERS = "servers.csv", _("servers")
        SERVER_ACCELERATORS = "server_accelerators.csv", _("accelerators of servers")
        ACCELERATORS = "accelerators.csv", _("accelerators")
        VENDORS = "vendors.csv", _("vendors")
        SOURCES = "sources.csv", _("sources")
        FABRICS = "fabrics.csv", _("fabrics")
        DRIVES = "drives.csv", _("drives")

    class State(models.TextChoices):
        """How far it is."""

        CHECKING = "checking", _("is being checked")
        CHECKED = "checked", _("can be applied")
        REFUSED = "refused", _("has errors, nothing was changed")
        APPLYING = "applying", _("is being applied")
        APPLIED = "applied", _("applied")
        FAILED = "failed", _("failed, nothing was changed")

    table = models.CharField(_("table"), max_length=40, choices=Table)
    file_name = models.CharField(_("file"), max_length=200)
    content = models.BinaryField(_("content"))
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("author")
    )
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.CHECKING, editable=False)
    rows = models.PositiveIntegerField(_("rows"), default=0, editable=False)
    done = models.PositiveIntegerField(_("rows read"), default=0, editable=False)
    created = models.PositiveIntegerField(_("new"), default=0, editable=False)
    changed = models.PositiveIntegerField(_("changed"), default=0, editable=False)
    unchanged = models.PositiveIntegerField(_("unchanged"), default=0, editable=False)
    errors = models.JSONField(_("errors"), default=list, editable=False)
    changes = models.JSONField(_("changes"), default=list, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    finished_at = models.DateTimeField(_("finished"), null=True, editable=False)

    objects = CatalogQuerySet.as_manager()

    class Meta:
        verbose_name = _("import")
        verbose_name_plural = _("imports")
        ordering = ("-pk",)
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.file_name} → {self.get_table_display()}"

    @property
    def is_running(self) -> bool:
        """Whether somebody waits for it."""
        return self.state in {self.State.CHECKING, self.State.APPLYING}
