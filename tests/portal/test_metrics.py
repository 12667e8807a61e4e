"""Requests and tasks are counted under names, never under addresses; the backlog is read from where it lies."""

import os
import re
import subprocess
import sys
import urllib.request
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from prometheus_client import REGISTRY, generate_latest

from portal import processes
from portal.backlog import registry
from portal.metrics import task_timed
from portal.outbox.models import OutboxMessage
from portal.outbox.sweep import sweep
from portal.processes import ROOT

pytestmark = pytest.mark.django_db


def count_of(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"{name}_count", labels) or 0


def test_a_request_is_counted_by_the_name_of_its_address(client):
    labels = {"method": "GET", "address": "pages:shared", "status": "404"}
    before = count_of("sizewright_request_seconds", **labels)
    client.get(reverse("pages:shared", args=["secret-of-a-link"]))
    assert count_of("sizewright_request_seconds", **labels) == before + 1
    assert b"secret-of-a-link" not in generate_latest(REGISTRY)


def test_a_task_that_fails_is_counted_as_failed():
    labels = {"task": "x", "outcome": "failed"}
    before = count_of("sizewright_task_seconds", **labels)
    with pytest.raises(ZeroDivisionError), task_timed("x"):
        raise ZeroDivisionError
    assert count_of("sizewright_task_seconds", **labels) == before + 1


@pytest.mark.usefixtures("empty_cache")
def test_the_backlog_says_what_waits_and_for_how_long():
    old = OutboxMessage.objects.create(name="x", queue="bulk", next_try_at=timezone.now())
    OutboxMessage.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(seconds=90))
    OutboxMessage.objects.create(name="x", next_try_at=None)
    text = generate_latest(registry()).decode()
    assert 'sizewright_outbox_waiting{queue="bulk"} 1.0' in text
    assert 'sizewright_outbox_waiting{queue="live"} 0.0' in text
    assert "sizewright_outbox_given_up 1.0" in text
    assert 'sizewright_queue_depth{queue="live"}' in text
    age = re.search(r'sizewright_outbox_age_seconds\{queue="bulk"\} ([\d.]+)', text)
    assert age
    assert 90 <= float(age.group(1)) < 100
    assert "sizewright_worker_silence_seconds" not in text
    sweep()
    assert "sizewright_worker_silence_seconds" in generate_latest(registry()).decode()


@pytest.mark.processes
def test_the_command_serves_the_counters_of_other_processes(tmp_path):
    environment = dict(os.environ) | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "DEBUG": "true"}
    counting = "from portal.metrics import task_timed\nwith task_timed('elsewhere'): pass"
    subprocess.run([sys.executable, "manage.py", "shell", "-c", counting], cwd=ROOT, env=environment, check=True)
    port = processes.free_port()
    exporter = processes.Process(
        name="metrics",
        command=[sys.executable, "manage.py", "metrics", "--port", str(port)],
        environment=environment | {"DATABASE_URL": f"sqlite:///{tmp_path / 'db.sqlite3'}"},
    )
    for application in ("accounts", "outbox"):
        migrate = [sys.executable, "manage.py", "migrate", application, "--verbosity", "0"]
        subprocess.run(migrate, cwd=ROOT, env=dict(exporter.environment), check=True)
    exporter.start()
    try:
        processes.wait_for_port(port, exporter)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as response:
            text = response.read().decode()
    finally:
        exporter.stop()
    assert 'sizewright_task_seconds_count{outcome="done",task="elsewhere"} 1.0' in text
