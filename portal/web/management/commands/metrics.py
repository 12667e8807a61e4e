"""Serve Prometheus metrics on a port of their own until told to end; no proxy may forward it."""

import argparse
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from prometheus_client import start_http_server

from portal.backlog import registry


class Command(BaseCommand):
    """One exporter per folder of counters; without a folder only what the database and the broker know."""

    help = __doc__

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=settings.METRICS_PORT)
        parser.add_argument("--address", default="127.0.0.1", help="0.0.0.0 inside a private network")

    def handle(self, *args: Any, port: int, address: str, **options: Any) -> None:
        server, _thread = start_http_server(port, addr=address, registry=registry())
        self.stdout.write(f"Metrics on http://{address}:{server.server_port}/metrics")
        self.stdout.flush()
        threading.Event().wait()
