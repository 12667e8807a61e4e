"""What catalog keepers do beside editing a row."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from django.db import transaction
from simple_history.utils import bulk_update_with_history

from catalog.models import CatalogVersion, Server, ServerAccelerator, Status
from catalog.snapshot import current_version
from portal.accounts.viewer import Viewer


@transaction.atomic
def server_clone(*, server_id: int, by: Viewer) -> Server:
    """A new server with the figures, sources and accelerators of another; announced until somebody puts it on sale."""
    original = Server.objects.visible_to(by).get(pk=server_id)
    clone = copy.copy(original)
    clone.pk = None
    clone._state.adding = True
    clone.slug = _free_slug(original.slug)
    clone.status = Status.ANNOUNCED
    clone.save()
    for pair in ServerAccelerator.objects.filter(server=original):
        pair.pk = None
        pair._state.adding = True
        pair.server = clone
        pair.save()
    return clone


@transaction.atomic
def servers_retire(*, server_ids: Sequence[int], by: Viewer) -> int:
    """End the sale of servers; returns how many were on sale. Versions and old assessments keep them as they were."""
    servers = list(Server.objects.visible_to(by).filter(pk__in=server_ids).exclude(status=Status.END_OF_SALE))
    for server in servers:
        server.status = Status.END_OF_SALE
    bulk_update_with_history(
        servers, Server, ["status"], batch_size=500, default_user=by.user, default_change_reason="retired"
    )
    return len(servers)


def version_publish(*, by: Viewer) -> CatalogVersion:
    """Freeze the present catalog; the same state gives the same version."""
    return current_version()


def _free_slug(slug: str) -> str:
    taken = set(Server.objects.filter(slug__startswith=f"{slug}-copy").values_list("slug", flat=True))
    number = next(n for n in range(1, len(taken) + 2) if f"{slug}-copy-{n}" not in taken)
    return f"{slug}-copy-{number}"
