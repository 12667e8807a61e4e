"""Server platforms and which accelerators they take."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _
from simple_history.models import HistoricalRecords

from catalog.models.accelerator import POSITIVE, Accelerator
from catalog.models.row import CatalogQuerySet, SourcedRow, Status
from catalog.models.vendor import Vendor


class Server(SourcedRow):
    """A platform that can be bought; empty means not stated, never zero."""

    class Form(models.TextChoices):
        """How it stands in the room."""

        RACK = "rack", _("rack")
        TOWER = "tower", _("tower")
        RACK_SCALE = "rack_scale", _("whole rack")

    class Cooling(models.TextChoices):
        """What carries the heat away."""

        AIR = "air", _("air")
        DIRECT_TO_CHIP = "direct_to_chip", _("liquid to the chip")
        IMMERSION = "immersion", _("immersion")

    FIGURES = (
        "units", "depth_mm", "weight_kg", "bare_weight_kg", "psu_count", "psu_w", "psu_redundant",
        "max_power_w", "heat_btu_h", "cooling", "inlet_c_max", "cpu_sockets", "cpu_family", "cpu_cores_max",
        "ram_slots", "ram_max_gib", "ram_type", "nvme_bays", "pcie_gen", "fabric_slots", "status",
    )  # fmt: skip
    REMARKS = ("weight_basis", "psu_note", "has_liquid_option", "bays_note", "fabric_note", "notes")

    vendor = models.ForeignKey(Vendor, models.PROTECT, related_name="servers", verbose_name=_("vendor"))
    name = models.CharField(_("name"), max_length=120)
    form = models.CharField(_("form"), max_length=10, choices=Form, default=Form.RACK)
    units = models.PositiveSmallIntegerField(_("rack units"), null=True, blank=True, validators=POSITIVE)
    depth_mm = models.FloatField(_("depth, mm"), null=True, blank=True, validators=POSITIVE)
    weight_kg = models.FloatField(_("weight, loaded, kg"), null=True, blank=True, validators=POSITIVE)
    weight_basis = models.CharField(_("what the weight includes"), max_length=80, blank=True, default="")
    bare_weight_kg = models.FloatField(_("weight of the bare chassis, kg"), null=True, blank=True, validators=POSITIVE)
    psu_count = models.PositiveSmallIntegerField(_("power supplies"), null=True, blank=True, validators=POSITIVE)
    psu_w = models.PositiveIntegerField(_("W per supply"), null=True, blank=True, validators=POSITIVE)
    psu_redundant = models.PositiveSmallIntegerField(_("supplies that may fail"), null=True, blank=True)
    psu_note = models.CharField(_("remark on the supplies"), max_length=160, blank=True, default="")
    max_power_w = models.PositiveIntegerField(_("maximum power, W"), null=True, blank=True, validators=POSITIVE)
    heat_btu_h = models.PositiveIntegerField(_("heat, BTU/h"), null=True, blank=True, validators=POSITIVE)
    cooling = models.CharField(_("cooling"), max_length=16, choices=Cooling, blank=True, default="")
    has_liquid_option = models.BooleanField(_("liquid version exists"), null=True, blank=True)
    inlet_c_max = models.FloatField(_("highest inlet temperature, °C"), null=True, blank=True)
    cpu_sockets = models.PositiveSmallIntegerField(_("CPU sockets"), null=True, blank=True, validators=POSITIVE)
    cpu_family = models.CharField(_("CPU family"), max_length=120, blank=True, default="")
    cpu_cores_max = models.PositiveIntegerField(_("most CPU cores"), null=True, blank=True, validators=POSITIVE)
    ram_slots = models.PositiveSmallIntegerField(_("RAM slots"), null=True, blank=True, validators=POSITIVE)
    ram_max_gib = models.PositiveIntegerField(_("most RAM, GiB"), null=True, blank=True, validators=POSITIVE)
    ram_type = models.CharField(_("kind of RAM"), max_length=40, blank=True, default="")
    nvme_bays = models.PositiveSmallIntegerField(_("NVMe bays"), null=True, blank=True)
    bays_note = models.CharField(_("remark on the bays"), max_length=160, blank=True, default="")
    pcie_gen = models.PositiveSmallIntegerField(_("PCIe generation"), null=True, blank=True)
    fabric_slots = models.PositiveSmallIntegerField(_("slots for the fabric"), null=True, blank=True)
    fabric_note = models.CharField(_("remark on the fabric"), max_length=160, blank=True, default="")
    status = models.CharField(_("status"), max_length=12, choices=Status, blank=True, default="")
    search_text = models.TextField(_("search text"), blank=True, default="", editable=False)

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords(excluded_fields=["search_text"])

    class Meta:
        verbose_name = _("server")
        verbose_name_plural = _("servers")
        ordering = ("vendor__name", "name")
        indexes = (
            models.Index(fields=("status", "form"), name="server_status_form"),
            models.Index(fields=("cooling", "units"), name="server_cooling_units"),
        )
        constraints = (
            models.CheckConstraint(condition=models.Q(status__in=["", *Status.values]), name="server_status_known"),
        )

    def __str__(self) -> str:
        return f"{self.vendor.name} {self.name}"

    def save(self, *args: object, **kwargs: object) -> None:
        """Keep the text that lists search in; SQLite folds ASCII only, so it is folded here."""
        self.search_text = self.folded_text()
        super().save(*args, **kwargs)  # type: ignore[arg-type]  # Django's own arguments are passed through

    def folded_text(self) -> str:
        """What a search finds this server by."""
        return f"{self.vendor.name} {self.name} {self.slug}".casefold()

    @property
    def max_power_kw(self) -> float | None:
        """Maximum power as lists show it [kW]."""
        return None if self.max_power_w is None else self.max_power_w / 1000

    def specification(self) -> dict[str, Any]:
        """The server as it is now, as plain JSON: what an approved assessment keeps."""
        names = ("slug", "name", "form", *self.FIGURES, *self.REMARKS)
        return {name: getattr(self, name) for name in names} | {
            "vendor": self.vendor.name,
            "sources": {name: self.sources_of(name) for name in self.FIGURES if getattr(self, name) not in {None, ""}},
            "accelerators": [
                {"accelerator": pair.accelerator.slug, "counts": pair.counts, "link": pair.link}
                for pair in self.server_accelerators.select_related("accelerator").order_by("accelerator__slug")
            ],
        }

    def clean(self) -> None:
        """Figures that contradict each other are refused."""
        super().clean()
        if self.psu_count and self.psu_redundant is not None and self.psu_redundant >= self.psu_count:
            raise ValidationError(
                {"psu_redundant": _("All supplies may not fail: there are %(count)s.") % {"count": self.psu_count}}
            )
        if self.psu_count and self.psu_w and self.max_power_w and self.psu_count * self.psu_w < self.max_power_w:
            raise ValidationError(
                {
                    "max_power_w": _("The supplies give %(supplied)s W together.")
                    % {"supplied": self.psu_count * self.psu_w}
                }
            )


class ServerAccelerator(models.Model):
    """An accelerator that a server takes: how many, in which steps, joined by what."""

    class Link(models.TextChoices):
        """What joins the accelerators inside the server."""

        NVSWITCH = "nvswitch", "NVSwitch"
        NVLINK_MESH = "nvlink_mesh", _("NVLink, each to each")
        NVLINK_BRIDGE = "nvlink_bridge", _("NVLink bridges")
        XGMI = "xgmi", "XGMI"
        ROCE = "roce", "RoCE"
        HCCS = "hccs", "HCCS"
        PCIE = "pcie", "PCIe"

    server = models.ForeignKey(Server, models.CASCADE, related_name="server_accelerators", verbose_name=_("server"))
    accelerator = models.ForeignKey(
        Accelerator, models.PROTECT, related_name="server_accelerators", verbose_name=_("accelerator")
    )
    min_count = models.PositiveSmallIntegerField(_("fewest"), validators=POSITIVE)
    max_count = models.PositiveSmallIntegerField(_("most"), validators=POSITIVE)
    step = models.PositiveSmallIntegerField(_("step"), default=1, validators=POSITIVE)
    link = models.CharField(_("link"), max_length=14, choices=Link)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = CatalogQuerySet.as_manager()
    history = HistoricalRecords()

    class Meta:
        verbose_name = _("accelerator of a server")
        verbose_name_plural = _("accelerators of servers")
        ordering = ("server__slug", "accelerator__slug")
        constraints = (
            models.UniqueConstraint(fields=("server", "accelerator"), name="server_accelerator_once"),
            models.CheckConstraint(
                condition=models.Q(min_count__lte=models.F("max_count")), name="server_accelerator_range"
            ),
        )

    def __str__(self) -> str:
        return f"{self.server_id} × {self.accelerator_id}"

    @property
    def counts(self) -> list[int]:
        """The numbers of accelerators that can be fitted, ascending."""
        return list(range(self.min_count, self.max_count + 1, self.step))

    def clean(self) -> None:
        """The range can be walked in whole steps."""
        super().clean()
        if self.min_count > self.max_count:
            raise ValidationError({"max_count": _("The most is below the fewest.")})
        if (self.max_count - self.min_count) % self.step:
            raise ValidationError({"step": _("The most cannot be reached in steps of %(step)s.") % {"step": self.step}})
