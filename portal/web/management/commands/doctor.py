"""What is wrong with this portal: stuck, failed and retried messages and runs, and whether anybody works.

Exit code 0: nothing needs a person; 1: something does.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db.models import CharField, Exists, OuterRef, Q, Value
from django.db.models.functions import Cast, Concat
from django.urls import reverse
from django.utils import timezone

from assessments.models import Document, SizingRun
from portal import health
from portal.outbox import heartbeat
from portal.outbox.models import OutboxMessage

MOST_LINES = 20
YOUNG_S = 60


class Command(BaseCommand):
    """Reads only; what it names is tried again on the admin's page of the outbox or by the request's own button."""

    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        parts = {"database": health.database(), "broker": health.broker(), "worker": health.worker()}
        for name, state in parts.items():
            self._line(name, state + (_swept() if name == "worker" else ""))
        is_well = set(parts.values()) == {"ok"}
        if parts["database"] == "ok":
            is_well &= self._outbox() & self._runs()
        if not is_well:
            raise SystemExit(1)

    def _outbox(self) -> bool:
        """Messages: how many wait, and those that nobody tries any more or whose time is long past."""
        waiting = OutboxMessage.objects.waiting()
        given_up = OutboxMessage.objects.given_up().order_by("created_at")
        late = waiting.filter(next_try_at__lt=timezone.now() - timedelta(seconds=YOUNG_S))
        retried = waiting.filter(Q(tries__gt=1) | ~Q(last_error=""))
        self._line(
            "outbox",
            f"{waiting.count()} waiting, {late.count()} late, {retried.count()} retried, {given_up.count()} given up",
        )
        for word, messages in (("given up", given_up), ("late", late), ("retried", retried)):
            self._list(
                f"{word:9} {message} {message.tries} tries, since {message.created_at:%Y-%m-%d %H:%M}"
                + "".join(f": {line}" for line in message.last_error.splitlines()[:1])
                for message in messages[:MOST_LINES]
            )
        if given_up.exists():
            self._list([f"try again: {settings.SITE_URL}{reverse('admin:outbox_outboxmessage_changelist')}"])
        return not given_up.exists() and not late.exists()

    def _runs(self) -> bool:
        """Runs: those without a result that no message will finish, and those that say that they failed."""
        runs = SizingRun.objects.without_result().select_related("assessment__inquiry").order_by("pk")
        old = timezone.now() - timedelta(seconds=YOUNG_S)
        queued = OutboxMessage.objects.waiting().filter(unique_key=_key_of_run("size:"))
        unfinished = runs.unfinished()
        stuck = unfinished.filter(~Exists(queued), created_at__lt=old)
        failed = runs.exclude(error_code="")
        retried = unfinished.filter(tries__gt=1)
        unprinted = runs.filter(
            ~Exists(Document.objects.filter(run=OuterRef("pk"))),
            ~Exists(OutboxMessage.objects.waiting().filter(unique_key__startswith=_key_of_run("render:", ":"))),
            step=SizingRun.Step.RENDERING,
            error_code="",
            finished_at__lt=old,
        )
        self._line(
            "runs",
            f"{unfinished.count()} unfinished, {stuck.count() + unprinted.count()} stuck, {retried.count()} retried, "
            f"{failed.count()} failed",
        )
        for word, found in (("failed", failed), ("stuck", stuck), ("unprinted", unprinted), ("retried", retried)):
            self._list(
                f"{word:9} {run.assessment.inquiry.number} r{run.assessment.revision}, run {run.pk}: "
                f"{run.error_code or run.step}, {run.tries} tries"
                for run in found[:MOST_LINES]
            )
        return not (failed.exists() or stuck.exists() or unprinted.exists())

    def _line(self, name: str, text: str) -> None:
        self.stdout.write(f"{name:9} {text}")

    def _list(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.stdout.write(f"          {line}")


def _swept() -> str:
    age = heartbeat.age_s()
    return ", never swept" if age is None else f", last sweep {age:.0f} s ago"


def _key_of_run(before: str, after: str = "") -> Concat:
    """The unique key under which a run's message waits."""
    return Concat(Value(before), Cast(OuterRef("pk"), CharField()), Value(after))
