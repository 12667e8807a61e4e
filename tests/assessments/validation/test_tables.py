"""Published tables are recognised by their header and read without loss."""

from pathlib import Path

import pytest

from assessments.sizing.cases import Case
from assessments.validation.own_rows import own_cases, own_tables
from assessments.validation.rows import Skipped, case_of
from assessments.validation.run import validate
from assessments.validation.tables import UnknownTable, parse_table, read_table

HEADERS = {
    "memory": "id,source,peak_mem_gib_per_gpu",
    "throughput": "id,source,tokens_per_s_per_gpu",
    "ms-swift": "id,noted_gib_per_gpu",
    "mlperf": "submitter,throughput_median",
    "interconnect": "id,scaling_efficiency_pct",
    "datapipeline": "id,value_per_accelerator",
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_table_is_told_by_one_column_of_its_header(kind: str) -> None:
    assert parse_table(HEADERS[kind] + "\n", name="any.csv").kind == kind


def test_an_unknown_header_is_an_error_that_names_the_columns() -> None:
    with pytest.raises(UnknownTable, match="peak_mem_gib_per_gpu"):
        parse_table("a,b\n1,2\n", name="other.csv")


def test_rows_without_an_id_get_their_line_number(tmp_path: Path) -> None:
    path = tmp_path / "mlperf.csv"
    path.write_text("submitter,throughput_median\nA,1\nB,2\n", encoding="utf-8")
    assert [row["id"] for row in read_table(path).rows] == ["2", "3"]


def test_an_orientation_table_is_listed_and_in_no_statistic() -> None:
    table = parse_table(HEADERS["memory"] + "\nx,tool,24\n", name="memory-orientation.csv")
    result = validate([table], ()).as_dict()
    assert result["rows"][0]["skipped"].startswith("orientation")
    assert result["summary"]["memory"]["n"] == 0


def test_every_own_row_is_a_case_or_has_a_reason_and_a_document() -> None:
    rows = [(table.kind, row) for table in own_tables() for row in table.rows]
    assert len(rows) == 418 + 1681
    assert all(row["source_ref"] for _, row in rows)
    for kind, row in rows:
        found = case_of(row, kind)
        assert isinstance(found, Case) or found.reason
    assert len(own_cases()) > 1200


@pytest.mark.parametrize("cell", ["1/2", "8k", "128 then 512"])
def test_a_cell_that_is_not_one_number_is_skipped_with_that_reason(cell: str) -> None:
    row = dict(own_tables()[0].rows[0]) | {"seq_len": cell}
    found = case_of(row, "memory")
    assert isinstance(found, Skipped)
    assert cell in found.reason


def test_an_empty_recomputation_cell_is_not_guessed() -> None:
    row = dict(own_tables()[0].rows[0]) | {"activation_checkpointing": ""}
    assert case_of(row, "memory") == Skipped("activation_checkpointing is not stated")
