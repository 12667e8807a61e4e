"""The portal as it runs for people: its own database, broker, web, worker and scheduler, for tests from outside."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from functools import cache
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

from portal import processes
from portal.processes import ROOT, Process

SHORT_DELAYS = {
    "OUTBOX_FIRST_DELAY_S": "2",
    "OUTBOX_LONGEST_DELAY_S": "4",
    "OUTBOX_LEASE_S": "3",
    "OUTBOX_EXTEND_S": "1",
    "OUTBOX_SWEEP_S": "1",
}


@dataclass(kw_only=True)
class Stack:
    """Processes of one portal and what a test does to them."""

    folder: Path
    port: int
    environment: dict[str, str]
    web: Process
    worker: Process
    scheduler: Process
    broker: Process | None
    log: IO[bytes]
    database: str | None = None
    passwords: Mapping[str, str]

    @property
    def url(self) -> str:
        """Where the web server answers, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @classmethod
    def start(cls, folder: Path, *, environment: Mapping[str, str] | None = None, own_broker: bool = False) -> "Stack":
        """A running portal in `folder`, on the kind of servers that the test session uses.

        own_broker: a broker that this test may stop and wipe, also where the session has a Redis
        """
        port = processes.free_port()
        values = dict(os.environ) | SHORT_DELAYS
        values |= {
            "DEBUG": "true",
            "VAR_DIR": str(folder),
            "SITE_URL": f"http://127.0.0.1:{port}",
            "MAIL_URL": f"file://{folder / 'mail'}",
            "REDIS_PREFIX": f"stack-{uuid.uuid4().hex[:8]}:",
            **(environment or {}),
        }
        log = (folder / "log.txt").open("ab")
        prepared = Prepared.once(values)
        database = prepared.copy(values, folder)
        broker = None
        if own_broker or not os.environ.get("REDIS_URL"):
            broker_port = processes.free_port()
            values["REDIS_URL"] = f"redis://127.0.0.1:{broker_port}/0"
            values.pop("CACHE_URL", None)
            broker = processes.broker(broker_port, folder / "broker", values, log)
            broker.start()
            processes.wait_for_port(broker_port, broker)
        stack = cls(
            folder=folder,
            port=port,
            environment=values,
            web=processes.web(port, values, log),
            worker=processes.worker(values, log),
            scheduler=processes.scheduler(values, log),
            broker=broker,
            log=log,
            database=database,
            passwords=prepared.passwords,
        )
        for process in (stack.web, stack.worker, stack.scheduler):
            process.start()
        processes.wait_for_port(port, stack.web)
        return stack

    def stop(self) -> None:
        """End every process and drop the database."""
        for process in (self.web, self.scheduler, self.worker, self.broker):
            if process:
                process.stop()
        self.log.close()
        if self.database:
            _on_server(self.database, 'DROP DATABASE IF EXISTS "{}" WITH (FORCE)')

    def manage(self, *arguments: str) -> str:
        """Run manage.py in the stack's environment; returns what it printed."""
        return _manage(self.environment, *arguments)

    def python(self, code: str) -> Any:
        """Run code with Django set up; returns what it printed last, read as JSON."""
        return json.loads(self.manage("shell", "--verbosity", "0", "--command", code).strip().splitlines()[-1])

    def password(self, email: str) -> str:
        """The password of a demo member of staff."""
        return self.passwords[email]

    def mails(self, to: str = "") -> list[EmailMessage]:
        """E-mails that were sent, oldest first; only those to `to` where it is given."""
        found = []
        for path in sorted((self.folder / "mail").glob("*.log"), key=lambda path: path.stat().st_mtime_ns):
            for part in path.read_bytes().split(b"\n" + b"-" * 79 + b"\n"):
                if part.strip():
                    mail = message_from_bytes(part.strip() + b"\n", policy=policy.default)
                    if not to or to in str(mail["To"]):
                        found.append(mail)
        return found

    def wipe_broker(self) -> None:
        """Forget every message that the broker holds, as a restart without persistence does."""
        redis.Redis.from_url(self.environment["REDIS_URL"]).flushdb()

    def get(self, path: str) -> tuple[int, bytes]:
        """Status and body of a page, read by nobody in particular."""
        request = urllib.request.Request(self.url + path)
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                return response.status, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def output(self) -> str:
        """What the processes have printed so far."""
        return (self.folder / "log.txt").read_text(errors="replace")


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A database with tables, catalog and demo accounts, made once in a session and copied for every stack."""

    file: Path | None
    address: str | None
    passwords: Mapping[str, str]

    @classmethod
    @cache
    def _made(cls, server: str) -> "Prepared":
        folder = Path(tempfile.mkdtemp(prefix="sizewright-prepared-"))
        environment = dict(os.environ) | {"DEBUG": "true", "VAR_DIR": str(folder)}
        address = None
        if server:
            address = environment["DATABASE_URL"] = _named(server, "prepared")
            _on_server(address, 'CREATE DATABASE "{}"')
            atexit.register(_on_server, address, 'DROP DATABASE IF EXISTS "{}" WITH (FORCE)')
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _manage(environment, "migrate", "--verbosity", "0")
        _manage(environment, "load_catalog")
        accounts = _manage(environment, "demo_accounts").splitlines()
        return cls(
            file=None if server else folder / "db.sqlite3",
            address=address,
            passwords=dict(line.split() for line in accounts if line.startswith("  ")),
        )

    @classmethod
    def once(cls, values: Mapping[str, str]) -> "Prepared":
        """The session's, on the kind of server that the values name."""
        server = values.get("DATABASE_URL", "")
        return cls._made(server if server.startswith("postgres") else "")

    def copy(self, values: dict[str, str], folder: Path) -> str | None:
        """Copy it for a stack and name the copy in its values; returns the address of a copy on a server."""
        if self.file is not None:
            values.pop("DATABASE_URL", None)
            shutil.copy(self.file, folder / "db.sqlite3")
            return None
        assert self.address is not None
        address = values["DATABASE_URL"] = _named(self.address, "stack")
        _on_server(address, f'CREATE DATABASE "{{}}" TEMPLATE "{urlsplit(self.address).path[1:]}"')
        return address


def _manage(environment: Mapping[str, str], *arguments: str) -> str:
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def _named(server: str, prefix: str) -> str:
    """The address of a new database on a server."""
    return urlunsplit(urlsplit(server)._replace(path=f"/{prefix}_{uuid.uuid4().hex[:12]}"))


def _on_server(address: str, statement: str) -> None:
    """Run a statement about the database of an address, from beside it."""
    parts = urlsplit(address)
    with psycopg.connect(urlunsplit(parts._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(statement.format(parts.path[1:]))
