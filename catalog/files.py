"""Table files that people send: CSV in the encodings and with the separators that spreadsheets write, and XLSX."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable

import openpyxl
from django.utils.translation import gettext as _

from catalog.cells import cell_text

MOST_BYTES = 10 * 1024 * 1024
MOST_UNPACKED_BYTES = 100 * 1024 * 1024
MOST_ROWS = 50_000
SEPARATORS = (";", ",", "\t")


class UnreadableFile(ValueError):
    """A file that is no table; says what to do."""


def read_table(content: bytes) -> list[dict[str, str]]:
    """The rows of a file by the names of its first line; empty lines are left out.

    Raises UnreadableFile.
    """
    if len(content) > MOST_BYTES:
        raise UnreadableFile(_("The file is larger than %(limit)s MB.") % {"limit": MOST_BYTES // 1024 // 1024})
    lines = xlsx_lines(content) if content.startswith(b"PK\x03\x04") else csv_lines(content)
    header = [name.strip() for name in next(iter(lines), [])]
    if not any(header):
        raise UnreadableFile(_("The file has no line with the names of the columns."))
    if len(set(filter(None, header))) != len(list(filter(None, header))):
        raise UnreadableFile(_("A column stands in the file twice."))
    if len(lines) - 1 > MOST_ROWS:
        raise UnreadableFile(_("The file has more than %(limit)s rows.") % {"limit": MOST_ROWS})
    return [
        {name: cell for name, cell in zip(header, line, strict=False) if name}
        for line in lines[1:]
        if any(cell.strip() for cell in line)
    ]


def csv_lines(content: bytes) -> list[list[str]]:
    """Lines of a CSV file: UTF-8 with or without a mark, else CP1251; separated by what its first line has most of."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = content.decode("cp1251")
        except UnicodeDecodeError as error:
            raise UnreadableFile(_("The file is neither UTF-8 nor CP1251 text.")) from error
    if "\0" in text:
        raise UnreadableFile(_("The file is neither a CSV nor an XLSX table."))
    separator = max(SEPARATORS, key=text.partition("\n")[0].count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise UnreadableFile(_("The CSV file is damaged: %(error)s.") % {"error": error}) from error


def xlsx_lines(content: bytes) -> list[list[str]]:
    """Lines of the first sheet of a workbook; formulas count as their last value."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise UnreadableFile(_("The workbook is too large when unpacked."))
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        lines: Iterable[tuple[object, ...]] = sheet.iter_rows(values_only=True)
        return [[cell_text(cell) for cell in line] for line, _number in zip(lines, range(MOST_ROWS + 2), strict=False)]
    except (zipfile.BadZipFile, KeyError, IndexError, ValueError, OSError) as error:
        if isinstance(error, UnreadableFile):
            raise
        raise UnreadableFile(_("The workbook cannot be read; save it as XLSX again.")) from error
