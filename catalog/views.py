"""The public pages of the catalog; read only."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from catalog.figures import figures_of, sources_by_slug
from catalog.filters import AcceleratorFilter, ServerFilter
from catalog.models import Accelerator, Server, ServerAccelerator
from portal.accounts.http import ReaderRequest

PAGE_SIZE = 25


@require_GET
def servers(request: ReaderRequest) -> HttpResponse:
    """Servers by filters."""
    rows = Server.objects.visible_to(request.viewer).select_related("vendor")
    listed = ServerFilter(request.GET, queryset=rows.prefetch_related("server_accelerators__accelerator"))
    page = Paginator(listed.qs.order_by("vendor__name", "name", "pk"), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "catalog/servers.html", {"page": page, "form": listed.form, "rest": _without_page(request)})


@require_GET
def server(request: ReaderRequest, slug: str) -> HttpResponse:
    """One server with the documents of its figures."""
    row = get_object_or_404(Server.objects.visible_to(request.viewer).select_related("vendor"), slug=slug)
    pairs = ServerAccelerator.objects.filter(server=row).select_related("accelerator").order_by("accelerator__name")
    context = {"server": row, "figures": figures_of(row, sources_by_slug(row)), "pairs": pairs}
    return render(request, "catalog/server.html", context)


@require_GET
def accelerators(request: ReaderRequest) -> HttpResponse:
    """Accelerators by filters."""
    rows = Accelerator.objects.visible_to(request.viewer).select_related("vendor")
    listed = AcceleratorFilter(request.GET, queryset=rows)
    page = Paginator(listed.qs.order_by("vendor__name", "name", "pk"), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(
        request, "catalog/accelerators.html", {"page": page, "form": listed.form, "rest": _without_page(request)}
    )


@require_GET
def accelerator(request: ReaderRequest, slug: str) -> HttpResponse:
    """One accelerator with the documents of its figures and the servers that take it."""
    row = get_object_or_404(Accelerator.objects.visible_to(request.viewer).select_related("vendor"), slug=slug)
    pairs = ServerAccelerator.objects.filter(accelerator=row).select_related("server__vendor").order_by("server__slug")
    context = {"accelerator": row, "figures": figures_of(row, sources_by_slug(row)), "pairs": pairs}
    return render(request, "catalog/accelerator.html", context)


def _without_page(request: ReaderRequest) -> str:
    query = request.GET.copy()
    query.pop("page", None)
    return query.urlencode()
