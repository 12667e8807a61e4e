"""Compiles the translations with Babel, because msgfmt is not on every machine."""

from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po


def compile_catalogues(folder: Path) -> list[Path]:
    """Write the .mo beside every .po that is newer; returns those that were written."""
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as text:
            catalogue = read_po(text, locale=source.parent.parent.name, domain=source.stem)
        with target.open("wb") as binary:
            write_mo(binary, catalogue)
        written.append(target)
    return written
