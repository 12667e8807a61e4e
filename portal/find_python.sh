#!/bin/sh
# Prints a Python >= 3.12 that really runs: the virtual environment's, one on PATH, one of pyenv, one of uv.
# A pyenv shim that answers "command not found" does not run, so every candidate is tried.

runs() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1
}

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
for candidate in "$root/.venv/bin/python" python3.14 python3.13 python3.12 python3 python; do
    if runs "$candidate"; then
        command -v "$candidate"
        exit 0
    fi
done
for candidate in $(ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python 2>/dev/null | sort -t. -k3,3nr -k4,4nr); do
    if runs "$candidate"; then
        echo "$candidate"
        exit 0
    fi
done
if uv --version >/dev/null 2>&1; then
    uv python find '>=3.12' 2>/dev/null && exit 0
    uv python install 3.13 >&2 && uv python find '>=3.12' && exit 0
fi
echo "No Python >= 3.12 was found on PATH, under ~/.pyenv/versions or by uv. Install one, for example:" >&2
echo "    apt-get install python3.13   or   pyenv install 3.13   or   https://docs.astral.sh/uv/" >&2
exit 1
