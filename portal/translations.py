"""Compiles the translations with Babel, because msgfmt is not on every machine, and checks that none is missing."""

import subprocess
import sys
import tempfile
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from portal.env import ROOT

LOCALE = ROOT / "locale"


def compile_catalogs(folder: Path = LOCALE) -> list[Path]:
    """Write the .mo beside every .po that is newer; returns those that were written."""
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with target.open("wb") as binary:
            write_mo(binary, _read(source))
        written.append(target)
    return written


def problems(catalog: Catalog, used: Catalog) -> list[str]:
    """What is wrong with a catalog, given the strings that code and templates use."""
    found = []
    for message in used:
        if not message.id:
            continue
        own = catalog.get(message.id, context=message.context)
        if own is None or not all(_texts(own)):
            found.append(f"not translated: {_name(message)}")
        elif own.fuzzy:
            found.append(f"fuzzy: {_name(message)}")
        else:
            found.extend(f"{error}: {_name(message)}" for error in own.check(catalog))
    return found


def used_strings() -> Catalog:
    """Every string of code and templates, collected by Django's makemessages in a copy (needs GNU gettext)."""
    with tempfile.TemporaryDirectory() as copy:
        folder = Path(copy) / "tree"
        folder.mkdir()
        for name in ("portal", "assessments", "catalog", "templates"):
            (folder / name).symlink_to(ROOT / name)
        (folder / "locale").mkdir()
        command = [sys.executable, str(ROOT / "manage.py"), "makemessages", "--locale", "ru", "--no-wrap", "--symlinks"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603 – our own command
        return _read(folder / "locale" / "ru" / "LC_MESSAGES" / "django.po")


def main() -> int:
    """Print what is missing in the Russian catalog; 0 when nothing is."""
    found = problems(_read(LOCALE / "ru" / "LC_MESSAGES" / "django.po"), used_strings())
    sys.stdout.write("".join(f"{line}\n" for line in found) or "Every string is translated.\n")
    return 1 if found else 0


def _read(source: Path) -> Catalog:
    with source.open("rb") as text:
        return read_po(text, locale=source.parent.parent.name, domain=source.stem)


def _texts(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ("",))


def _name(message: Message) -> str:
    return repr(message.id if isinstance(message.id, str) else message.id[0])


if __name__ == "__main__":
    sys.exit(main())
