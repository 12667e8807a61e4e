"""Files of catalog keepers: every bad row is named and nothing changes; encodings, round trip, formulas."""

import csv
import io

import openpyxl
import pytest
from django.utils import translation

from catalog.exporting import FORMATS, RESOURCES, SpreadsheetCSV
from catalog.files import MOST_BYTES, UnreadableFile, read_table
from catalog.importing import TABLE_OF, import_apply, import_check, import_confirm, import_start, plan_of
from catalog.models import CatalogImport, Server, Vendor
from portal.outbox.models import OutboxMessage

pytestmark = [pytest.mark.usefixtures("default_catalog"), pytest.mark.django_db]

HEADER = ["slug", "vendor", "name", "form", "units", "depth_mm", "psu_count", "psu_w", "status", "notes", "sources"]
ROW = [
    "novyj-server",
    "yadro",
    "Новый сервер",
    "rack",
    "4",
    "897.5",
    "4",
    "2700",
    "current",
    "Заметка; с точкой",
    "*: judgement",
]


def written(rows: list[list[str]], *, encoding: str, delimiter: str, comma: bool = False) -> bytes:
    text = io.StringIO()
    lines = [[cell.replace("897.5", "897,5") if comma else cell for cell in row] for row in rows]
    csv.writer(text, delimiter=delimiter).writerows([HEADER, *lines])
    return text.getvalue().encode(encoding)


def workbook(rows: list[list[object]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def imported(content: bytes, table: str = "servers.csv") -> CatalogImport:
    entry = import_start(table=table, file_name="file.csv", content=content, author=None)
    with translation.override("en"):
        import_check(entry.pk)
    if import_confirm(entry.pk):
        import_apply(entry.pk)
    entry.refresh_from_db()
    return entry


def exported(model: type, file_format: type = SpreadsheetCSV) -> bytes:
    dataset = RESOURCES[model]().export(model.objects.order_by("pk"))
    content = file_format().export_data(dataset)
    return content if isinstance(content, bytes) else content.encode()


@pytest.mark.parametrize(
    ("encoding", "delimiter", "comma"),
    [("utf-8", ",", False), ("utf-8-sig", ";", True), ("cp1251", ";", True), ("cp1251", ",", False)],
)
def test_g19_four_encodings_give_the_same_server(encoding: str, delimiter: str, comma: bool) -> None:
    entry = imported(written([ROW], encoding=encoding, delimiter=delimiter, comma=comma))
    assert (entry.state, entry.created, entry.errors) == ("applied", 1, [])
    server = Server.objects.get(slug="novyj-server")
    assert (server.name, server.depth_mm, server.units, server.notes) == ("Новый сервер", 897.5, 4, "Заметка; с точкой")
    assert server.vendor.slug == "yadro"
    assert server.search_text == "yadro новый сервер novyj-server"


def test_a_workbook_gives_the_same_server() -> None:
    numbers = [int(cell) if cell.isdigit() else float(cell) if cell == "897.5" else cell for cell in ROW]
    entry = imported(workbook([HEADER, numbers]))
    assert (entry.state, entry.created) == ("applied", 1)
    assert Server.objects.get(slug="novyj-server").depth_mm == 897.5


@pytest.mark.parametrize("table", sorted(TABLE_OF))
@pytest.mark.parametrize("file_format", FORMATS)
def test_g19_a_round_trip_changes_nothing(table: str, file_format: type) -> None:
    model = TABLE_OF[table].model
    entry = imported(exported(model, file_format), table)
    assert (entry.created, entry.changed, entry.errors) == (0, 0, [])
    assert entry.unchanged == model.objects.count() > 0


def test_bad_rows_are_named_with_line_column_and_reason_and_nothing_changes() -> None:
    before = {server.pk: server.specification() for server in Server.objects.select_related("vendor")}
    rows = [ROW, list(ROW), list(ROW), list(ROW), list(ROW), list(ROW)]
    rows[1][0] = "second"
    rows[1][1] = "none-such"
    rows[2][0], rows[2][4] = "third", "four"
    rows[3][0], rows[3][8] = "fourth", "sold"
    rows[4][0], rows[4][10] = "fifth", ""
    entry = imported(written(rows, encoding="utf-8", delimiter=","))
    assert entry.state == "refused"
    assert [(error["line"], error["column"]) for error in entry.errors] == [
        (3, "vendor"), (4, "units"), (5, "status"), (6, "sources"), (7, "slug"),
    ]  # fmt: skip
    reasons = {error["column"]: error["reason"] for error in entry.errors}
    assert reasons["vendor"] == "“none-such” is not known."
    assert reasons["units"] == "“four” is not a number."
    assert reasons["slug"] == "The same row stands in line 2 already."
    assert "units" in reasons["sources"]
    assert {server.pk: server.specification() for server in Server.objects.select_related("vendor")} == before


@pytest.mark.parametrize("cell", ["8 GB", "1,5,0", "3,2,.2", "0x10", "1e", "--4"])
def test_a_malformed_number_is_refused(cell: str) -> None:
    row = list(ROW)
    row[5] = cell
    entry = imported(written([row], encoding="utf-8", delimiter=";"))
    assert [error["column"] for error in entry.errors] == ["depth_mm"]


def test_a_contradiction_is_refused() -> None:
    header = ["slug", "max_power_w"]
    text = ",".join(header) + "\nnvidia-dgx-h200,99000\n"
    entry = imported(text.encode())
    assert [(error["line"], error["column"]) for error in entry.errors] == [(2, "max_power_w")]


def test_a_file_of_some_columns_leaves_the_others_alone() -> None:
    kept = Server.objects.get(slug="nvidia-dgx-h200").depth_mm
    entry = imported(b"slug,max_power_w\nnvidia-dgx-h200,11300\n")
    assert (entry.state, entry.changed) == ("applied", 1)
    assert entry.changes == [
        {"line": 2, "row": "nvidia-dgx-h200", "is_new": False, "fields": {"max_power_w": ["10200", "11300"]}}
    ]
    server = Server.objects.get(slug="nvidia-dgx-h200")
    assert (server.max_power_w, server.depth_mm) == (11300, kept)
    assert server.history.first().history_change_reason == f"import {entry.pk}"


def test_unknown_and_missing_columns_are_named() -> None:
    entry = imported(b"name,colour\nX,red\n")
    assert {(error["column"], error["reason"]) for error in entry.errors} == {
        ("colour", "There is no such column."), ("slug", "This column is missing."),
    }  # fmt: skip


def test_formulas_are_neutralised_and_come_back_as_they_were() -> None:
    Vendor.objects.create(slug="evil", name='=HYPERLINK("http://x")')
    content = exported(Vendor)
    assert b"'=HYPERLINK" in content
    cells = [row for row in read_table(exported(Vendor, FORMATS[1])) if row["slug"] == "evil"]
    assert cells[0]["name"].startswith("'=")
    entry = imported(content, "vendors.csv")
    assert entry.changed == 0


def test_ten_thousand_rows_with_a_hundred_bad_ones() -> None:
    rows = [[f"bulk-{n}", *ROW[1:]] for n in range(10_000)]
    for n in range(0, 10_000, 100):
        rows[n][4] = "many"
    content = written(rows, encoding="utf-8", delimiter=",")
    seen: list[int] = []
    plan = plan_of(TABLE_OF["servers.csv"], read_table(content), seen.append)
    assert [(error.line, error.column) for error in plan.errors] == [(n + 2, "units") for n in range(0, 10_000, 100)]
    assert seen == list(range(500, 10_001, 500))
    before = Server.objects.count()
    entry = imported(content)
    assert (entry.state, len(entry.errors), Server.objects.count()) == ("refused", 100, before)
    good = written([[f"bulk-{n}", *ROW[1:]] for n in range(10_000)], encoding="utf-8", delimiter=",")
    assert imported(good).created == 10_000
    again = imported(good)
    assert (again.created, again.changed, again.unchanged) == (0, 0, 10_000)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x02,\xff", b"PK\x03\x04broken", b"a,a\n1,2\n", b'slug,name\n"open', b"x" * (MOST_BYTES + 1)],
)
def test_what_is_no_table_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(UnreadableFile) as refusal:
        read_table(content)
    assert str(refusal.value)
    assert imported(content).state == "refused"


def test_a_file_is_checked_and_written_once_by_the_tasks_it_asks_for() -> None:
    entry = import_start(table="vendors.csv", file_name="v.csv", content=b"slug,name\nnew,New\n", author=None)
    assert OutboxMessage.objects.filter(name="catalog.check_import", payload={"import_id": entry.pk}).count() == 1
    import_check(entry.pk)
    assert import_confirm(entry.pk)
    assert not import_confirm(entry.pk)
    import_apply(entry.pk)
    import_apply(entry.pk)
    assert Vendor.objects.filter(slug="new").count() == 1
    assert OutboxMessage.objects.filter(name="catalog.apply_import").count() == 1
