"""Fabrics and drives."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from catalog.models.accelerator import POSITIVE
from catalog.models.row import CatalogQuerySet, SourcedRow, Status


class Fabric(SourcedRow):
    """A network between servers, per port."""

    class Kind(models.TextChoices):
        """Its family."""

        INFINIBAND = "infiniband", "InfiniBand"
        ROCE = "roce", "RoCE"
        ETHERNET = "ethernet", "Ethernet"

    FIGURES = ("gbit_s", "status")

    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(_("kind"), max_length=12, choices=Kind)
    gbit_s = models.FloatField(_("rate of a port, Gbit/s"), validators=POSITIVE)
    has_rdma = models.BooleanField(_("direct memory access"), default=True)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.CURRENT)

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("fabric")
        verbose_name_plural = _("fabrics")
        ordering = ("kind", "gbit_s")

    def __str__(self) -> str:
        return self.name


class Drive(SourcedRow):
    """A drive as the maker describes it; rates are of large blocks."""

    class Kind(models.TextChoices):
        """How it is attached."""

        NVME = "nvme", "NVMe"
        SAS = "sas", "SAS"
        SATA = "sata", "SATA"
        HDD = "hdd", _("hard disk")

    FIGURES = ("capacity_tb", "read_mb_s", "write_mb_s", "read_kiops", "write_kiops", "dwpd", "max_power_w", "status")

    name = models.CharField(_("name"), max_length=120)
    kind = models.CharField(_("kind"), max_length=6, choices=Kind)
    pcie_gen = models.PositiveSmallIntegerField(_("PCIe generation"), null=True, blank=True)
    capacity_tb = models.FloatField(_("capacity, TB"), null=True, blank=True, validators=POSITIVE)
    read_mb_s = models.FloatField(_("read, MB/s"), null=True, blank=True, validators=POSITIVE)
    write_mb_s = models.FloatField(_("write, MB/s"), null=True, blank=True, validators=POSITIVE)
    read_kiops = models.FloatField(_("random reads, thousand/s"), null=True, blank=True, validators=POSITIVE)
    write_kiops = models.FloatField(_("random writes, thousand/s"), null=True, blank=True, validators=POSITIVE)
    dwpd = models.FloatField(_("full writes per day"), null=True, blank=True, validators=POSITIVE)
    max_power_w = models.FloatField(_("maximum power, W"), null=True, blank=True, validators=POSITIVE)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.CURRENT)

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("drive")
        verbose_name_plural = _("drives")
        ordering = ("kind", "name")

    def __str__(self) -> str:
        return self.name
