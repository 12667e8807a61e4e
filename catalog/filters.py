"""What the public list and the API filter servers and accelerators by."""

from __future__ import annotations

import django_filters
from django.db.models import F, QuerySet
from django.utils.translation import gettext_lazy as _

from catalog.models import Accelerator, Server, ServerAccelerator, Status, Vendor


class ServerFilter(django_filters.FilterSet):
    """Servers by accelerator and how many of them, cooling, height, maker, form, status and words."""

    q = django_filters.CharFilter(label=_("Words in the name"), method="by_words")
    accelerator = django_filters.ModelChoiceFilter(
        label=_("Accelerator"),
        queryset=Accelerator.objects.filter(server_accelerators__isnull=False).distinct().order_by("name"),
        to_field_name="slug",
        method="by_accelerator",
    )
    gpus = django_filters.NumberFilter(label=_("Accelerators in a server"), min_value=1, method="by_count")
    vendor = django_filters.ModelChoiceFilter(
        label=_("Maker"), queryset=Vendor.objects.filter(servers__isnull=False).distinct(), to_field_name="slug"
    )
    cooling = django_filters.ChoiceFilter(label=_("Cooling"), choices=Server.Cooling.choices)
    form = django_filters.ChoiceFilter(label=_("Form"), choices=Server.Form.choices)
    units_max = django_filters.NumberFilter(label=_("Rack units, at most"), field_name="units", lookup_expr="lte")
    status = django_filters.ChoiceFilter(label=_("Status"), choices=Status.choices)

    class Meta:
        model = Server
        fields = ("q", "accelerator", "gpus", "vendor", "cooling", "form", "units_max", "status")

    def by_words(self, servers: QuerySet[Server], name: str, value: str) -> QuerySet[Server]:
        """Every word stands somewhere in maker and model, whatever the case."""
        for word in value.casefold().split():
            servers = servers.filter(search_text__contains=word)
        return servers

    def by_accelerator(self, servers: QuerySet[Server], name: str, value: Accelerator) -> QuerySet[Server]:
        """Servers that take this accelerator."""
        return servers.filter(pk__in=ServerAccelerator.objects.filter(accelerator=value).values("server"))

    def by_count(self, servers: QuerySet[Server], name: str, value: int) -> QuerySet[Server]:
        """Servers in which exactly so many can be fitted; of the chosen accelerator, if one is chosen."""
        pairs = ServerAccelerator.objects.filter(min_count__lte=value, max_count__gte=value)
        if slug := self.data.get("accelerator"):
            pairs = pairs.filter(accelerator__slug=slug)
        reached = pairs.annotate(rest=(value - F("min_count")) % F("step")).filter(rest=0)
        return servers.filter(pk__in=reached.values("server"))


class AcceleratorFilter(django_filters.FilterSet):
    """Accelerators by maker, architecture, least memory, status and words."""

    q = django_filters.CharFilter(label=_("Words in the name"), field_name="name", lookup_expr="icontains")
    vendor = django_filters.ModelChoiceFilter(
        label=_("Maker"), queryset=Vendor.objects.filter(accelerators__isnull=False).distinct(), to_field_name="slug"
    )
    architecture = django_filters.CharFilter(label=_("Architecture"))
    memory_min_mib = django_filters.NumberFilter(
        label=_("Memory at least, MiB"), field_name="memory_mib", lookup_expr="gte"
    )
    status = django_filters.ChoiceFilter(label=_("Status"), choices=Status.choices)

    class Meta:
        model = Accelerator
        fields = ("q", "vendor", "architecture", "memory_min_mib", "status")
