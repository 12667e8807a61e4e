"""What every process counts as it happens: requests and tasks, with their times.

The counters of several processes meet in the folder that PROMETHEUS_MULTIPROC_DIR names; `manage.py metrics` serves it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.http import HttpRequest, HttpResponse
from prometheus_client import Histogram

SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)

REQUESTS = Histogram(
    "sizewright_request_seconds", "HTTP requests by address", ["method", "address", "status"], buckets=SECONDS
)
TASKS = Histogram(
    "sizewright_task_seconds", "Tasks by name: sizing, rendering, mail", ["task", "outcome"], buckets=SECONDS
)


class MetricsMiddleware:
    """Times every request under the name of its address, never under the address itself, which may hold a secret."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        address = (match.view_name or match.route) if match else "none"
        REQUESTS.labels(request.method, address, response.status_code).observe(time.perf_counter() - begun)
        return response


@contextmanager
def task_timed(name: str) -> Iterator[None]:
    """Time one task; an exception counts as failed."""
    begun, outcome = time.perf_counter(), "failed"
    try:
        yield
        outcome = "done"
    finally:
        TASKS.labels(name, outcome).observe(time.perf_counter() - begun)
