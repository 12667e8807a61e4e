"""`make test`: runs pytest on PostgreSQL and Redis where they are reachable, else on the embedded defaults.

TEST_DATABASE_URL and TEST_REDIS_URL name the servers; "embedded" refuses those of this machine.
"""

import getpass
import os
import sys
from typing import NoReturn
from urllib.parse import quote

import psycopg
import redis

from portal.env import ROOT
from portal.translations import compile_catalogs

EMBEDDED = "embedded"


def main() -> NoReturn:
    """Choose the servers, say which, and hand over to pytest with the remaining arguments."""
    environment = dict(os.environ) | {"DEBUG": "true", "DJANGO_SETTINGS_MODULE": "portal.settings"}
    for name in ("DATABASE_URL", "REDIS_URL", "VAR_DIR"):
        environment.pop(name, None)
    database = _database(os.environ.get("TEST_DATABASE_URL", ""))
    broker = _broker(os.environ.get("TEST_REDIS_URL", ""))
    if database:
        environment["DATABASE_URL"] = database
    if broker:
        environment["REDIS_URL"] = broker
        environment["REDIS_PREFIX"] = f"sizewright-test-{os.getpid()}:"
    sys.stdout.write(f"On {'PostgreSQL' if database else 'SQLite'}, {'Redis' if broker else 'embedded broker'}.\n")
    sys.stdout.flush()
    os.chdir(ROOT)
    compile_catalogs(ROOT / "locale")
    os.execve(sys.executable, [sys.executable, "-m", "pytest", *sys.argv[1:]], environment)  # noqa: S606 – our own tests


def _database(wanted: str) -> str:
    """Address of a database named after this run, on the server wanted or found; empty for the embedded one."""
    if wanted == EMBEDDED:
        return ""
    if wanted:
        return wanted
    for user in dict.fromkeys((getpass.getuser(), "postgres")):
        server = f"postgresql://{quote(user)}@127.0.0.1:5432"
        try:
            with psycopg.connect(f"{server}/postgres", connect_timeout=2) as connection:
                row = connection.execute("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user").fetchone()
        except psycopg.OperationalError:
            continue
        if row and row[0]:
            return f"{server}/sizewright_{os.getpid()}"
    return ""


def _broker(wanted: str) -> str:
    """Address of the Redis wanted or found; empty for the embedded one."""
    if wanted == EMBEDDED:
        return ""
    address = wanted or "redis://127.0.0.1:6379/15"
    try:
        redis.Redis.from_url(address, socket_connect_timeout=2).ping()
    except redis.RedisError:
        if wanted:
            raise
        return ""
    return address


if __name__ == "__main__":
    main()
