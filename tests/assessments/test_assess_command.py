"""manage.py assess: the whole job without the portal, and refusals that leave nothing behind."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from assessments.sizing import canonical_json
from catalog.loading import load_default

EXAMPLES = Path(__file__).parents[2] / "assessments" / "examples"
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.json")))

pytestmark = pytest.mark.django_db


@pytest.fixture
def _catalog() -> None:
    load_default()


def assess(*args: object, **kwargs: Any) -> tuple[str, str]:
    """Output and errors of one call."""
    out, err = io.StringIO(), io.StringIO()
    call_command("assess", *map(str, args), stdout=out, stderr=err, **kwargs)
    return out.getvalue(), err.getvalue()


def refused(tmp_path: Path, text: str, language: str = "en") -> str:
    """What is said about a wrong file; asserts exit 2 and that no file was written."""
    task, result, document = tmp_path / "task.json", tmp_path / "result.json", tmp_path / "document.pdf"
    task.write_text(text, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command(
            "assess",
            str(task),
            "--json",
            str(result),
            "--pdf",
            str(document),
            "--lang",
            language,
            stdout=out,
            stderr=err,
        )
    assert caught.value.code == 2
    assert not result.exists()
    assert not document.exists()
    return err.getvalue()


@pytest.mark.usefixtures("_catalog")
@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_sized(name: str, tmp_path: Path):
    out, _ = assess(EXAMPLES / f"{name}.json", "--json", tmp_path / "result.json", "--lang", "en")
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["schema"] == "result/1"
    assert out.count("\n") == 1 + len(result["options"])


@pytest.mark.usefixtures("_catalog")
@pytest.mark.parametrize("language", ["ru", "en"])
def test_a_document_is_written_in_both_languages(language: str, tmp_path: Path):
    document = tmp_path / "document.pdf"
    assess(EXAMPLES / "lora-8b.json", "--pdf", document, "--lang", language)
    assert document.read_bytes().startswith(b"%PDF-")


@pytest.mark.usefixtures("_catalog")
def test_standard_input_and_output_carry_the_same_result_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assess(EXAMPLES / "lora-8b.json", "--json", tmp_path / "result.json")
    raw = (EXAMPLES / "lora-8b.json").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    out, _ = assess("-", "--json", "-")
    written = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert canonical_json(json.loads(out)) == canonical_json(written)


@pytest.mark.usefixtures("_catalog")
def test_given_machines_are_judged_too(tmp_path: Path):
    assess(
        EXAMPLES / "lora-8b.json",
        "--json",
        tmp_path / "r.json",
        "--on",
        "8xa100-sxm4-80gb",
        "--on",
        "2x8xh100-sxm5-80gb",
    )
    options = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["options"]
    given = {row["key"]: (row["gpus"], row["servers"]) for row in options if row["key"].startswith("given")}
    assert given == {"given-1": (8, 1), "given-2": (16, 2)}


def test_every_error_is_told_with_its_place_and_a_hint(tmp_path: Path):
    task = {
        "schema": "task/1",
        "scenarios": [{"strategy": {"method": "magic"}, "colour": 1, "cycle": {"wanted_h": "soon", "latest_h": -4}}],
    }
    err = refused(tmp_path, json.dumps(task))
    for place in ("scenarios[0].strategy.method", "scenarios[0].colour", "cycle.wanted_h", "cycle.latest_h"):
        assert place in err
    assert "task-1.json" in err


def test_errors_are_told_in_russian(tmp_path: Path):
    err = refused(tmp_path, '{"schema": "task/1", "scenarios": [{"strategy": {"method": "full"}, "x": 1}]}', "ru")
    assert "нет в схеме task/1" in err


@pytest.mark.parametrize("text", ["", "{", "[1, 2", '{"a": NaN}', "null", "[" * 100_000, "9" * 10_000])
def test_what_is_not_a_task_is_refused_without_a_traceback(text: str, tmp_path: Path):
    assert refused(tmp_path, text)


@pytest.mark.usefixtures("_catalog")
def test_a_card_that_the_catalog_lacks_is_refused(tmp_path: Path):
    with pytest.raises(SystemExit) as caught:
        assess(EXAMPLES / "lora-8b.json", "--json", tmp_path / "r.json", "--on", "8xno-such-card")
    assert caught.value.code == 2
    assert not (tmp_path / "r.json").exists()
