"""The pulse of scheduler, broker and worker together: every sweep that ran leaves its time in the cache."""

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

KEY = "outbox-heartbeat"
KEPT_S = 86_400
SHORTEST_SILENCE_S = 60


def beat() -> None:
    """Note that a worker has run a sweep now."""
    cache.set(KEY, timezone.now().timestamp(), timeout=KEPT_S)


def age_s() -> float | None:
    """Seconds since the last sweep; None when there was none in a day, or the cache is away."""
    last = cache.get(KEY)
    return None if last is None else max(0.0, timezone.now().timestamp() - last)


def is_alive() -> bool:
    """Whether a sweep ran lately: six of them may be missed, a busy worker does not sweep on the second."""
    age = age_s()
    return age is not None and age <= max(SHORTEST_SILENCE_S, 6 * settings.OUTBOX_SWEEP_S)
