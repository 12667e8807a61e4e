"""Long tables and cells break across pages and lose nothing."""

from io import BytesIO

from pypdf import PdfReader

from assessments.documents import Remark
from assessments.documents.render import render_pdf
from tests.assessments.documents import example
from tests.assessments.documents.reading import text_of


def test_a_table_of_200_rows_keeps_every_row_and_repeats_its_head(context):
    result = example.result()
    result["sensitivity"] = [
        {
            "path": f"scenarios[0].dataset.row{i:03d}",
            "how": "decide",
            "target": None,
            "then": [],
            "share": 0,
            "decides": [],
            "opens": [],
        }
        for i in range(200)
    ]
    content = render_pdf(context(result=result)).content
    text = text_of(content)
    assert [i for i in range(200) if f"row{i:03d}" not in text] == []
    heads = [page for page in PdfReader(BytesIO(content)).pages if "How to find out" in page.extract_text()]
    assert len(heads) > 3


def test_a_cell_longer_than_a_page_keeps_every_word(context):
    words = [f"w{i:05d}" for i in range(3000)]
    text = text_of(render_pdf(context(remarks=(Remark(section="rack", text=" ".join(words), language="en"),))).content)
    assert [w for w in words if w not in text] == []


def test_forty_findings_are_all_printed(context):
    result = example.result()
    result["findings"] = [
        {
            "code": "units_over",
            "severity": "stop",
            "params": {"need": 100 + i, "have": 12},
            "options": ["growth"],
            "repairs": [],
        }
        for i in range(40)
    ]
    text = text_of(render_pdf(context(result=result)).content)
    assert [i for i in range(40) if f"{100 + i} U needed" not in text] == []


def test_a_result_without_options_is_a_document_too(context):
    result = example.result() | {"options": [], "curves": [], "comparison": [], "sensitivity": []}
    result["verdict"] = {"class": "inference_only", "advice": [], "code": "verdict_inference", "params": {}}
    result["summary"] = dict.fromkeys(("gpus", "servers", "time", "memory", "power"))
    text = text_of(render_pdf(context(result=result)).content)
    assert "This is not training" in text
    assert "Disclaimers" in text


def test_at_most_sixty_derivations_are_printed(context):
    result = example.result()
    for i in range(300):
        result["quantities"][f"balanced.memory.extra{i}"] = {
            "v": [1, 1, 1],
            "unit": "bytes",
            "origin": "computed",
            "formula": "sum",
            "inputs": [],
            "source": "arithmetic",
        }
    text = text_of(render_pdf(context(result=result)).content)
    start = text.rindex("How it was calculated")
    assert text[start:].count("Sum of the inputs.") + text[start:].count("arithmetic") <= 60
    assert "extra299" not in text
