"""A cache that may be away: rate limits and counters are not worth an error page."""

from collections.abc import Callable
from typing import Any

import structlog
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

log = structlog.get_logger(__name__)


class LenientRedisCache(RedisCache):
    """Redis; while it cannot be reached, reads find nothing and writes are forgotten.

    Limits are open for that time, which gives nothing away: the codes that they protect travel through the same Redis.
    """

    def add(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(_or(True, super().add, key, value, *args, **kwargs))

    def get(self, key: Any, default: Any = None, *args: Any, **kwargs: Any) -> Any:
        return _or(default, super().get, key, default, *args, **kwargs)

    def set(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> None:
        _or(None, super().set, key, value, *args, **kwargs)

    def incr(self, key: Any, delta: int = 1, *args: Any, **kwargs: Any) -> int:
        try:
            return int(_or(delta, super().incr, key, delta, *args, **kwargs))
        except ValueError:  # the key expired or was evicted between `add` and here
            return delta

    def delete(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(_or(False, super().delete, key, *args, **kwargs))


def _or[T](otherwise: T, call: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
    try:
        return call(*args, **kwargs)
    except (RedisConnectionError, RedisTimeoutError) as error:
        log.warning("cache unreachable", error=type(error).__name__)
        return otherwise
