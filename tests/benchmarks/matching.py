"""Matching five options against 10,000 servers: time beside the bare read of the same rows, and the queries it takes.

Run with `python -m tests.benchmarks.matching`; a database of its own is made and dropped.
"""

import os
import statistics
import time
from collections.abc import Callable

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
django.setup()

from django.db import connection  # noqa: E402 – models can be imported after setup only
from django.test.utils import CaptureQueriesContext, setup_databases, teardown_databases  # noqa: E402

from catalog.fleet import fleet_for  # noqa: E402
from catalog.loading import load_default  # noqa: E402
from catalog.matching import match_all  # noqa: E402
from catalog.models import Accelerator, Server, ServerAccelerator  # noqa: E402
from catalog.requirement import Requirement, Site  # noqa: E402

SERVERS = 10_000
ROUNDS = 15
SITE = Site(
    place="datacentre", racks=2, rack_w=20_000, feeds=2, feed_w=22_000, cooling="air", free_units=24, depth_mm=1_200
)
OPTIONS = [
    Requirement(
        accelerator="h100-sxm5-80gb", gpus_per_server=8, servers=2, link="nvswitch", ram_bytes=2 << 40, site=SITE
    ),
    Requirement(accelerator="h200-sxm5-141gb", gpus_per_server=8, link="nvswitch", fabric_ports=8, site=SITE),
    Requirement(accelerator="b200-sxm-180gb", gpus_per_server=8, link="nvswitch", storage_bytes=30e12, site=SITE),
    Requirement(accelerator="h200-nvl-141gb", gpus_per_server=4, link="nvlink_bridge", site=SITE),
    Requirement(accelerator="l40s", gpus_per_server=4, growth_slots=4, site=SITE),
]


def grow(servers: int) -> None:
    """Copy the default servers until there are so many."""
    originals = list(Server.objects.all())
    pairs: dict[int, list[ServerAccelerator]] = {}
    for pair in ServerAccelerator.objects.all():
        pairs.setdefault(pair.server_id, []).append(pair)
    copies, sources = [], []
    for number in range(servers - len(originals)):
        original = originals[number % len(originals)]
        copy = Server.objects.model(
            **{f.attname: getattr(original, f.attname) for f in Server._meta.fields if f.name != "id"}
        )
        copy.slug = f"{original.slug}-{number}"
        copies.append(copy)
        sources.append(original.pk)
    Server.objects.bulk_create(copies, batch_size=500)
    ServerAccelerator.objects.bulk_create(
        (
            ServerAccelerator(
                server=copy,
                accelerator_id=p.accelerator_id,
                min_count=p.min_count,
                max_count=p.max_count,
                step=p.step,
                link=p.link,
            )
            for copy, source in zip(copies, sources, strict=True)
            for p in pairs.get(source, [])
        ),
        batch_size=500,
    )


def all_on_one(slug: str) -> None:
    """The worst case: every server takes the same accelerator."""
    card = Accelerator.objects.get(slug=slug)
    taken = set(ServerAccelerator.objects.filter(accelerator=card).values_list("server_id", flat=True))
    ServerAccelerator.objects.bulk_create(
        (
            ServerAccelerator(server_id=pk, accelerator=card, min_count=8, max_count=8, link="nvswitch")
            for pk in Server.objects.exclude(pk__in=taken).values_list("pk", flat=True)
        ),
        batch_size=500,
    )


def median_s(call: Callable[[], object]) -> float:
    """Median processor time of several calls [s]; the database works in this process, others do not count."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times)


def queries(call: Callable[[], object]) -> int:
    """Queries of one call."""
    with CaptureQueriesContext(connection) as captured:
        call()
    return len(captured)


def main() -> None:
    """Measure a mixed catalog and the worst case."""
    databases = setup_databases(verbosity=0, interactive=False)
    try:
        load_default()
        small = queries(lambda: match_all(OPTIONS))
        grow(SERVERS)
        report("10,000 servers, mixed", small)
        all_on_one(OPTIONS[0].accelerator)
        report("10,000 servers, all of one accelerator", small)
    finally:
        teardown_databases(databases, verbosity=0)


def report(name: str, small: int) -> None:
    """Print one line."""
    ours = median_s(lambda: match_all(OPTIONS))
    bare = median_s(lambda: fleet_for([option.accelerator for option in OPTIONS]))
    large = queries(lambda: match_all(OPTIONS))
    print(
        f"{name}: 5 options in {ours * 1e3:.0f} ms = "
        f"{ours / bare:.2f} × the bare read of the rows ({bare * 1e3:.0f} ms), "
        f"{large} queries (168 servers: {small})"
    )


if __name__ == "__main__":
    main()
