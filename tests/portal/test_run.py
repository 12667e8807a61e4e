"""`make run`: one verb from nothing to a portal, and from the portal to nothing."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from portal.processes import ROOT, free_port

pytestmark = pytest.mark.processes


def start(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """The run command, as the Makefile calls it, with its output in `folder`."""
    environment = {
        name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL", "REDIS_PREFIX"}
    }
    folder.mkdir(exist_ok=True)
    with (folder / "output.txt").open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "portal.run", "--port", str(port)],
            cwd=ROOT,
            env=environment | {"VAR_DIR": str(folder), "DEBUG": "true", "DJANGO_SETTINGS_MODULE": "portal.settings"},
            stdout=output,
            stderr=output,
        )


def wait_for_page(port: int, process: subprocess.Popen[bytes], seconds: float = 120) -> None:
    """Return when the first page answers."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert process.poll() is None, "the run command ended"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
                assert answer.status == 200
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"no page after {seconds} s")


def descendants(pid: int) -> set[int]:
    """Every process below one."""
    table = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = dict(map(int, line.split()) for line in table.splitlines())
    found = {pid}
    while grown := {child for child, parent in parents.items() if parent in found} - found:
        found |= grown
    return found - {pid}


def test_a_first_and_a_second_start_and_ctrl_c(tmp_path):
    folder, port = tmp_path / "var", free_port()
    output = folder / "output.txt"

    first = start(folder, port)
    try:
        wait_for_page(port, first)
        children = descendants(first.pid)
        assert len(children) >= 4  # broker, web, worker, scheduler
    finally:
        first.send_signal(signal.SIGINT)
        assert first.wait(60) == 0
    alive = {pid for pid in children if Path(f"/proc/{pid}").exists()}
    assert alive == set()
    said = output.read_text()
    assert len(re.findall(r"^  \w+@example\.org +\S+$", said, re.MULTILINE)) == 3  # passwords, shown once
    assert f"http://127.0.0.1:{port}/admin/" in said

    output.write_text("")
    second = start(folder, port)
    try:
        wait_for_page(port, second)
        third = start(folder, free_port())
        assert third.wait(60) == 1
        assert "The portal runs already" in output.read_text()
    finally:
        second.send_signal(signal.SIGTERM)
        assert second.wait(60) == 0
    said = output.read_text()
    assert "created" not in said
    assert not re.findall(r"^  \w+@example\.org +\S+$", said, re.MULTILINE)


def test_a_busy_port_is_said_and_not_thrown(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start(tmp_path / "var", port)
        assert process.wait(60) == 1
    said = (tmp_path / "var" / "output.txt").read_text()
    assert f"Port {port} is taken by another program." in said
    assert "Traceback" not in said


def test_a_shim_that_does_not_run_is_not_a_python(tmp_path):
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    shim = bin_folder / "python3.13"
    shim.write_text("#!/bin/sh\necho 'pyenv: python3.13: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    real = tmp_path / "pyenv" / "versions" / "3.12.1" / "bin"
    real.mkdir(parents=True)
    (real / "python").symlink_to(sys.executable)
    project = tmp_path / "project" / "portal"
    project.mkdir(parents=True)
    (project / "find_python.sh").write_bytes((ROOT / "portal" / "find_python.sh").read_bytes())
    found = subprocess.run(
        ["/bin/sh", str(project / "find_python.sh")],
        env={"PATH": f"{bin_folder}:/bin:/usr/bin", "PYENV_ROOT": str(tmp_path / "pyenv"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(found.stdout.strip()) in {real / "python", Path("/usr/bin/python3.13"), Path("/usr/bin/python3.12")}
