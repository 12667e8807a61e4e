"""The catalog for programs: read only, open to everybody."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers, viewsets
from rest_framework.permissions import AllowAny
from rest_framework.routers import SimpleRouter

from catalog.filters import AcceleratorFilter, ServerFilter
from catalog.models import Accelerator, Fabric, Server, ServerAccelerator
from portal.accounts.http import reader_of


class SourcesField(serializers.Field[dict[str, list[str]], Any, Any, Any]):
    """The documents of a row by figure; `*` holds for all others."""

    def to_representation(self, value: dict[str, list[str]]) -> dict[str, list[str]]:
        """As stored."""
        return value


class ServerAcceleratorSerializer(serializers.ModelSerializer[ServerAccelerator]):
    """An accelerator that a server takes."""

    accelerator = serializers.SlugRelatedField(slug_field="slug", read_only=True)  # type: ignore[var-annotated]
    counts = serializers.ListField(child=serializers.IntegerField(), read_only=True)

    class Meta:
        model = ServerAccelerator
        fields = ("accelerator", "counts", "link")


class ServerSerializer(serializers.ModelSerializer[Server]):
    """A server; null or empty = not stated."""

    vendor = serializers.CharField(source="vendor.name", read_only=True)
    accelerators = ServerAcceleratorSerializer(source="server_accelerators", many=True, read_only=True)
    sources = extend_schema_field(serializers.DictField(child=serializers.ListField()))(SourcesField)(read_only=True)

    class Meta:
        model = Server
        fields = ("slug", "vendor", "name", "form", *Server.FIGURES, *Server.REMARKS, "accelerators", "sources")


class AcceleratorSerializer(serializers.ModelSerializer[Accelerator]):
    """An accelerator; null or empty = not stated. Peaks are dense, memory is what the driver shows."""

    vendor = serializers.CharField(source="vendor.name", read_only=True)
    sources = extend_schema_field(serializers.DictField(child=serializers.ListField()))(SourcesField)(read_only=True)

    class Meta:
        model = Accelerator
        fields = ("slug", "vendor", "name", "architecture", "form_factor", *Accelerator.FIGURES, "notes", "sources")


class FabricSerializer(serializers.ModelSerializer[Fabric]):
    """A network between servers, per port."""

    class Meta:
        model = Fabric
        fields = ("slug", "name", "kind", "gbit_s", "has_rdma", "status")


class ServerViewSet(viewsets.ReadOnlyModelViewSet[Server]):
    """Servers of the catalog."""

    queryset = Server.objects.all()
    serializer_class = ServerSerializer
    filterset_class = ServerFilter
    permission_classes = (AllowAny,)
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Server]:
        """What this reader may see, in a constant number of queries."""
        rows = Server.objects.visible_to(reader_of(self.request)).select_related("vendor").order_by("slug")
        return rows.prefetch_related("server_accelerators__accelerator")


class AcceleratorViewSet(viewsets.ReadOnlyModelViewSet[Accelerator]):
    """Accelerators of the catalog."""

    queryset = Accelerator.objects.all()
    serializer_class = AcceleratorSerializer
    filterset_class = AcceleratorFilter
    permission_classes = (AllowAny,)
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Accelerator]:
        """What this reader may see."""
        return Accelerator.objects.visible_to(reader_of(self.request)).select_related("vendor").order_by("slug")


class FabricViewSet(viewsets.ReadOnlyModelViewSet[Fabric]):
    """Fabrics of the catalog."""

    queryset = Fabric.objects.all()
    serializer_class = FabricSerializer
    permission_classes = (AllowAny,)
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[Fabric]:
        """What this reader may see."""
        return Fabric.objects.visible_to(reader_of(self.request)).order_by("slug")


router = SimpleRouter()
router.register("catalog/servers", ServerViewSet, basename="catalog-server")
router.register("catalog/accelerators", AcceleratorViewSet, basename="catalog-accelerator")
router.register("catalog/fabrics", FabricViewSet, basename="catalog-fabric")
