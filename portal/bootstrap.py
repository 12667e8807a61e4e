"""Makes the virtual environment from the committed lock; needs nothing but the standard library.

Called by the Makefile with whichever Python was found: `python -I portal/bootstrap.py`.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "sizewright-lock.sha256"
TOOLS = ROOT / ".var" / "tools"
NATIVE = ["libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz0b", "libharfbuzz-subset0", "fontconfig"]


class SetupError(Exception):
    """Set-up cannot go on; the text says what to do."""


def main() -> int:
    """Bring the environment up to the lock; 0 when it is."""
    try:
        if not is_current():
            install()
            check_native()
            STAMP.write_text(lock_hash())
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    return 0


def lock_hash() -> str:
    """What the environment was made from."""
    return hashlib.sha256((ROOT / "uv.lock").read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()


def is_current() -> bool:
    """Whether the environment was made from this very lock, here."""
    return PYTHON.exists() and STAMP.exists() and STAMP.read_text() == lock_hash()


def install() -> None:
    """Install what the lock names, no more and no less."""
    uv = find_uv()
    print("Installing the locked packages into .venv …", flush=True)
    command = [uv, "sync", "--locked"]
    if not PYTHON.exists():
        command += ["--python", getattr(sys, "_base_executable", sys.executable)]
    environment = {name: value for name, value in os.environ.items() if name not in {"VIRTUAL_ENV", "PYTHONPATH"}}
    run(command, "The locked packages could not be installed; see the lines above.", environment)


def find_uv() -> str:
    """An uv that runs: on PATH, or our own beside the environment, installed now if need be."""
    own = TOOLS / "bin" / "uv"
    for candidate in (shutil.which("uv"), str(own)):
        if candidate and answers([candidate, "--version"]):
            return candidate
    print("Installing uv into .var/tools …", flush=True)
    hint = "uv is missing and could not be installed. See https://docs.astral.sh/uv/"
    run([sys.executable, "-m", "venv", str(TOOLS)], f"{hint}\nOn Debian and Ubuntu: apt-get install python3-venv")
    run([str(TOOLS / "bin" / "python"), "-m", "pip", "install", "--quiet", "uv"], hint)
    return str(own)


def check_native() -> None:
    """See that WeasyPrint finds its native libraries; install them where that is ours to do."""
    probe = [str(PYTHON), "-c", "import weasyprint"]
    if answers(probe):
        return
    install_them = ["apt-get", "install", "--yes", "--no-install-recommends", *NATIVE]
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing the libraries that WeasyPrint draws PDFs with …", flush=True)
        run(["apt-get", "update", "--quiet"], "The package lists could not be read.")
        run(install_them, "The libraries could not be installed.")
    if answers(probe):
        return
    by_hand = "brew install pango" if sys.platform == "darwin" else f"sudo {' '.join(install_them)}"
    raise SetupError(
        f"WeasyPrint does not find its native libraries (Pango). Run this once, then again:\n    {by_hand}"
    )


def answers(command: list[str]) -> bool:
    """Whether a command exists and ends well; a shim of a version that is not there does not."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def run(command: list[str], hint: str, environment: "dict[str, str] | None" = None) -> None:
    """Run a command in the project's folder or stop with a hint."""
    try:
        ended = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    except OSError as error:
        raise SetupError(f"{hint}\n({error})") from error
    if ended.returncode != 0:
        raise SetupError(hint)


if __name__ == "__main__":
    sys.exit(main())
