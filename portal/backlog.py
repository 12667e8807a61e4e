"""What waits, as gauges for Prometheus: outbox, broker's queues, the worker's pulse; read when they are asked for."""

import os
from collections.abc import Iterator

from celery import current_app
from django.db.models import Count, Min
from django.utils import timezone
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from portal.outbox import heartbeat
from portal.outbox.models import OutboxMessage

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
QUEUES = (*OutboxMessage.Queue.values, "sweep")


class Backlog(Collector):
    """Depth and age of the outbox by queue, what was given up, depth of the broker's queues, silence of the worker."""

    def collect(self) -> Iterator[Metric]:
        waiting = GaugeMetricFamily("sizewright_outbox_waiting", "Messages that wait", labels=["queue"])
        oldest = GaugeMetricFamily("sizewright_outbox_age_seconds", "Age of the oldest that waits", labels=["queue"])
        found = OutboxMessage.objects.waiting().values("queue").annotate(n=Count("pk"), since=Min("created_at"))
        by_queue = {row["queue"]: row for row in found}
        now = timezone.now()
        for queue in OutboxMessage.Queue.values:
            row = by_queue.get(queue)
            waiting.add_metric([queue], row["n"] if row else 0)
            oldest.add_metric([queue], (now - row["since"]).total_seconds() if row else 0)
        yield waiting
        yield oldest
        given_up = OutboxMessage.objects.given_up().count()
        yield GaugeMetricFamily("sizewright_outbox_given_up", "Messages that nobody tries any more", value=given_up)
        yield from _queues()
        age = heartbeat.age_s()
        if age is not None:
            yield GaugeMetricFamily("sizewright_worker_silence_seconds", "Since a worker's last sweep", value=age)


def _queues() -> Iterator[Metric]:
    """Length of the broker's queues; nothing while it is away."""
    depth = GaugeMetricFamily("sizewright_queue_depth", "Tasks that wait in the broker", labels=["queue"])
    try:
        with current_app.connection_for_read() as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
            for queue in QUEUES:
                depth.add_metric([queue], connection.default_channel.client.llen(queue))
    except (RedisError, OperationalError):
        return
    yield depth


def registry() -> CollectorRegistry:
    """Everything that `manage.py metrics` serves: the gauges, and the processes' counters where a folder is named."""
    made = CollectorRegistry()
    if os.environ.get(FOLDER):
        MultiProcessCollector(made)  # type: ignore[no-untyped-call]  # the library types its gauges only
    made.register(Backlog())
    return made
