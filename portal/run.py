"""`make run` and `make setup`: prepares the portal on this machine and keeps its processes running until Ctrl-C."""

import argparse
import fcntl
import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command

from portal import processes
from portal.env import ROOT
from portal.processes import PortBusy, Process
from portal.translations import compile_catalogs

BROKER_PORT = 6390
SHORTEST_LIFE_S = 5.0


class Stopped(BaseException):
    """Somebody asked us to end."""


def main() -> int:
    """Set up, and run unless asked for the set-up alone."""
    parser = argparse.ArgumentParser(description="Prepare the portal on this machine and run it.")
    parser.add_argument("--only-setup", action="store_true", help="prepare, start nothing")
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")), help="port of the web server")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, _stop)
    os.environ.setdefault("DEBUG", "true")
    os.environ.setdefault("SITE_URL", f"http://127.0.0.1:{options.port}")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    try:
        if options.only_setup:
            prepare()
        else:
            run(options.port)
    except (PortBusy, CommandError, ImproperlyConfigured, RuntimeError) as error:
        print(f"\n{error}", file=sys.stderr)  # noqa: T201 – a command speaks
        return 1
    except Stopped:
        return 0
    return 0


def prepare() -> None:
    """Tables, catalog, translations, demo accounts and a sample request; every step does nothing the second time."""
    compile_catalogs()
    stamp = _folder() / "prepared.sha256"
    made_of = _made_of()
    if not os.environ.get("DATABASE_URL") and stamp.exists() and stamp.read_text() == made_of:
        return  # the database lies beside the stamp and was made of the same files
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    for command in ("load_catalog", "demo_accounts", "sample_request"):
        call_command(command)
    stamp.write_text(made_of)


def _made_of() -> str:
    """What the prepared database depends on: the migrations and the catalog's files."""
    digest = hashlib.sha256()
    for pattern in ("*/migrations/*.py", "*/*/migrations/*.py", "catalog/data/*"):
        for path in sorted(ROOT.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _folder() -> Path:
    """Where this machine's data lie."""
    folder = Path(os.environ.get("VAR_DIR", str(ROOT / ".var")))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(port: int) -> None:
    """Run web, worker and scheduler, and a broker unless REDIS_URL names one, until somebody stops us."""
    with _only_one():
        if not processes.is_free(port):
            raise PortBusy(port, "PORT")
        running: list[Process] = []
        try:
            _start_all(port, running)
            print(_welcome(port), flush=True)  # noqa: T201 – a command speaks
            _watch(running)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            for process in reversed(running):
                process.stop()


def _start_all(port: int, running: list[Process]) -> None:
    if not os.environ.get("REDIS_URL"):
        broker_port = BROKER_PORT if processes.is_free(BROKER_PORT) else processes.free_port()
        os.environ["REDIS_URL"] = f"redis://127.0.0.1:{broker_port}/0"
        broker = processes.broker(broker_port, _folder() / "broker", os.environ)
        _start(broker, running)
        processes.wait_for_port(broker_port, broker)
    prepare()
    web = processes.web(port, os.environ)
    for process in (web, processes.worker(os.environ), processes.scheduler(os.environ)):
        _start(process, running)
    processes.wait_for_port(port, web)


def _start(process: Process, running: list[Process]) -> None:
    process.start()
    running.append(process)


def _watch(running: list[Process]) -> None:
    """Start a process again that ended by itself; give up on one that cannot live."""
    while True:
        time.sleep(0.5)
        for process in running:
            if process.is_running:
                continue
            if time.monotonic() - process.started_at < SHORTEST_LIFE_S:
                raise RuntimeError(f"The {process.name} process ends as soon as it starts; see the lines above.")
            print(f"The {process.name} process ended; starting it again.", file=sys.stderr)  # noqa: T201 – a command speaks
            process.start()


def _welcome(port: int) -> str:
    site = f"http://127.0.0.1:{port}"
    return "\n".join(
        (
            "",
            "Sizewright is running:",
            f"  customers  {site}/",
            f"  sign-in    {site}/account/login/    customer@example.org; the code is printed here",
            f"  staff      {site}/admin/            engineer@, manager@, catalog@example.org",
            "Ctrl-C stops everything.",
            "",
        )
    )


@contextmanager
def _only_one() -> Iterator[None]:
    """One `make run` per folder: two would share a database and a broker's files."""
    folder = _folder()
    with (folder / "run.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RuntimeError(f"The portal runs already from {folder}; stop that one first.") from None
        yield


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise Stopped


if __name__ == "__main__":
    sys.exit(main())
