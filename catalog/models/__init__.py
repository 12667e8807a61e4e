"""The tables of the catalog."""

from catalog.models.accelerator import Accelerator
from catalog.models.imports import CatalogImport
from catalog.models.parts import Drive, Fabric
from catalog.models.row import CatalogQuerySet, CatalogRow, Status
from catalog.models.server import Server, ServerAccelerator
from catalog.models.source import Source
from catalog.models.vendor import Vendor
from catalog.models.version import CatalogVersion, CatalogVersionIsImmutable

__all__ = [
    "Accelerator",
    "CatalogImport",
    "CatalogQuerySet",
    "CatalogRow",
    "CatalogVersion",
    "CatalogVersionIsImmutable",
    "Drive",
    "Fabric",
    "Server",
    "ServerAccelerator",
    "Source",
    "Status",
    "Vendor",
]
