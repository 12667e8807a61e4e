"""One accelerator as software sees it: one device."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from catalog.models.row import CatalogQuerySet, SourcedRow, Status
from catalog.models.vendor import Vendor

PRECISIONS = ("fp32", "tf32", "bf16", "fp16", "fp8", "fp4")
POSITIVE = [MinValueValidator(0.001)]


class Accelerator(SourcedRow):
    """Figures per device, as the data sheet prints them; empty means not stated.

    Peaks are dense, without structured sparsity, with fp32 accumulation. Memory is what the driver shows.
    """

    class Link(models.TextChoices):
        """What joins cards beyond PCIe."""

        NVLINK = "nvlink", "NVLink"
        XGMI = "xgmi", "XGMI"
        ROCE = "roce", "RoCE"
        HCCS = "hccs", "HCCS"

    FIGURES = (
        "launch_year", "memory_mib", "memory_type", "bandwidth_gb_s", "fp32_tflops", "tf32_tflops",
        "bf16_tflops", "fp16_tflops", "fp8_tflops", "fp4_tflops", "link", "link_gb_s", "link_domain",
        "pcie_gen", "pcie_lanes", "tdp_w", "cooling", "mig_max", "status",
    )  # fmt: skip

    vendor = models.ForeignKey(Vendor, models.PROTECT, related_name="accelerators", verbose_name=_("vendor"))
    name = models.CharField(_("name"), max_length=120)
    architecture = models.SlugField(_("architecture"), max_length=40)
    form_factor = models.CharField(_("form factor"), max_length=40, blank=True, default="")
    launch_year = models.PositiveSmallIntegerField(_("year of launch"), null=True, blank=True)
    memory_mib = models.PositiveIntegerField(
        _("memory, MiB"), null=True, blank=True, validators=POSITIVE, help_text=_("As the driver shows it.")
    )
    memory_type = models.CharField(_("kind of memory"), max_length=20, blank=True, default="")
    bandwidth_gb_s = models.FloatField(_("memory bandwidth, GB/s"), null=True, blank=True, validators=POSITIVE)
    fp32_tflops = models.FloatField(_("FP32, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    tf32_tflops = models.FloatField(_("TF32 dense, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    bf16_tflops = models.FloatField(_("BF16 dense, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    fp16_tflops = models.FloatField(_("FP16 dense, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    fp8_tflops = models.FloatField(_("FP8 dense, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    fp4_tflops = models.FloatField(_("FP4 dense, TFLOPS"), null=True, blank=True, validators=POSITIVE)
    link = models.CharField(_("link between cards"), max_length=10, choices=Link, blank=True, default="")
    link_gb_s = models.FloatField(
        _("link, GB/s"), null=True, blank=True, validators=POSITIVE, help_text=_("Per card, sum of both directions.")
    )
    link_domain = models.PositiveSmallIntegerField(_("cards in one link domain"), null=True, blank=True)
    pcie_gen = models.PositiveSmallIntegerField(_("PCIe generation"), null=True, blank=True)
    pcie_lanes = models.PositiveSmallIntegerField(_("PCIe lanes"), null=True, blank=True)
    tdp_w = models.PositiveIntegerField(_("TDP, W"), null=True, blank=True, validators=POSITIVE)
    cooling = models.CharField(_("cooling"), max_length=80, blank=True, default="")
    mig_max = models.PositiveSmallIntegerField(_("MIG instances"), null=True, blank=True)
    status = models.CharField(_("status"), max_length=12, choices=Status, default=Status.CURRENT)

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("accelerator")
        verbose_name_plural = _("accelerators")
        ordering = ("vendor__name", "name")
        indexes = (models.Index(fields=("status", "architecture"), name="accelerator_status_arch"),)
        constraints = (
            models.CheckConstraint(condition=models.Q(status__in=Status.values), name="accelerator_status_known"),
        )

    @property
    def memory_gib(self) -> float | None:
        """Memory as lists show it [GiB]."""
        return None if self.memory_mib is None else self.memory_mib / 1024

    def __str__(self) -> str:
        return self.name
