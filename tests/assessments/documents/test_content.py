"""The document says what the answers and the result say, in both languages."""

import json
import re
from datetime import date
from importlib.resources import files
from io import BytesIO

import pytest
from django.utils.translation import override
from pypdf import PdfReader

from assessments.documents import Adjusted, Approval, PickedServer, Remark, Requirement, chapters
from assessments.documents.render import disclaimers, render_pdf
from assessments.sizing import canonical_json
from assessments.wording import amount, shown_unit
from tests.assessments.documents import example
from tests.assessments.documents.reading import text_of

WORDS = {
    "ru": {
        "parameters": ["1 Стратегия обучения", "2 Модель", "3 Датасет", "4 Срок цикла", "5 Горизонт"],
        "answers": ["полное дообучение", "Llama 3.1 70B", "40 ГБ", "14 сут", "платформа на годы"],
        "options": ["Экономный", "Баланс", "С запасом", "8 × B200 SXM 180 ГБ"],
        "disclaimer": "не коммерческое предложение",
        "status": "Автоматически, инженер не проверял",
    },
    "en": {
        "parameters": ["1 Training strategy", "2 Model", "3 Dataset", "4 Cycle time", "5 Horizon"],
        "answers": ["full fine-tuning", "Llama 3.1 70B", "40 GB", "14 days", "platform for years"],
        "options": ["Economical", "Balanced", "Growth", "8 × B200 SXM 180 GB"],
        "disclaimer": "not a quote",
        "status": "Automatic, not reviewed by an engineer",
    },
}


@pytest.mark.parametrize("language", ["ru", "en"])
def test_five_parameters_options_and_disclaimer_are_there(rendered, language):
    text = text_of(rendered(language).content)
    expected = WORDS[language]
    for word in [*expected["parameters"], *expected["answers"], *expected["options"], expected["status"]]:
        assert word in text, word
    # on every page but the cover, and in the disclaimers
    assert text.count(expected["disclaimer"]) > 5


def test_no_cyrillic_remains_in_the_english_document(context):
    text = text_of(render_pdf(context(organization="Example")).content)
    assert re.findall("[а-яё]+", text, re.IGNORECASE) == []


@pytest.mark.parametrize("language", ["ru", "en"])
def test_every_number_of_an_option_is_that_of_the_result(context, rendered, language):
    made = context(language=language)
    text = text_of(rendered(language).content)
    quantities = made.result["quantities"]
    checked = 0
    with override(language):
        for option in made.result["options"]:
            for row in option["resources"]:
                for key in ("required", "offered", "left"):
                    q = quantities[row[key]]
                    said = (
                        amount(q["v"], shown_unit(row["code"], q["unit"])).replace("\u00a0", " ").replace("\u202f", " ")
                    )
                    assert said in text, (option["key"], row["code"], key, said)
                    checked += 1
    assert checked == 3 * 9 * 3


def test_memory_parts_sum_to_their_total_as_printed(rendered):
    text = text_of(rendered().content)
    table = text[text.index("GiB per GPU") : text.index("Range of the total")]
    rows = {
        name: [float(v.replace(",", "")) for v in re.findall(r"[\d,]+\.\d", values)]
        for name, values in re.findall(
            r"(weights|gradients|optimizer|activations|logits|overhead|In all) ((?:[\d,]+\.\d ?)+)", table
        )
    }
    assert len(rows) == 7
    totals = rows.pop("In all")
    assert [round(sum(column), 1) for column in zip(*rows.values(), strict=True)] == totals == [104.8, 154.1, 89.4]


def test_assumptions_stand_beside_the_open_answers(rendered):
    text = text_of(rendered().content)
    assert "Tokens in the dataset don’t know ≈" in text


def test_task_and_result_are_attached_and_the_cover_knows_the_hash(context, rendered):
    made, document = context(), rendered()
    files = PdfReader(BytesIO(document.content)).attachments
    assert json.loads(files["task.json"][0]) == example.TASK
    assert files["result.json"][0] == canonical_json(made.result)
    cover = text_of(document.content)[:3000].replace(" ", "")
    assert document.result_sha256 in cover


def test_an_approved_document_names_engineer_server_and_reasons(context):
    made = context(
        status="approved",
        approval=Approval(name="I. Safronova", on=date(2026, 11, 20)),
        servers=(
            PickedServer(
                option="balanced",
                name="X680",
                vendor="Acme",
                quantity=1,
                requirements=(Requirement(code="units", required=10, offered=12, left=2, unit="units", fit="fits"),),
            ),
            PickedServer(option="growth", name=None, reason="does not fit the rack"),
        ),
        remarks=(Remark(section="summary", text="Take option B.", language="en"),),
        adjustments=(
            Adjusted(
                kind="knob", target="balanced.time.cycle", before=240, after=200, reason="measured", author="I. S."
            ),
        ),
    )
    text = text_of(render_pdf(made).content)
    for word in (
        "Approved by an engineer",
        "I. Safronova, Nov. 20, 2026",
        "Catalog server: 1 × Acme X680",
        "No server of the catalog: does not fit the rack",
        "Take option B.",
        "10 days 8.3 days measured (I. S.)",
    ):
        assert word in text, word
    assert "Automatic, not reviewed" not in text


def test_remarks_in_another_language_are_marked(context):
    text = text_of(render_pdf(context(remarks=(Remark(section="summary", text="Вариант Б.", language="ru"),))).content)
    assert "The engineer’s words, in Russian" in text


def test_a_superseded_document_says_so(context):
    assert "Superseded by revision 3" in text_of(render_pdf(context(superseded_by=3)).content)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "ru",
            ["вид обучения, модель GPU, размер модели", "число GPU, длина контекста", "Скорость одного GPU: 14"],
        ),
        (
            "en",
            ["kind of training, GPU model, model size", "number of GPUs, context length", "Speed of one GPU: 14"],
        ),
    ],
)
def test_the_nearest_published_run_is_told_in_words(language, words):
    run = {
        "title": "llama-3.1-8b",
        "same": ["method", "accelerator", "params"],
        "differs": ["gpus", "context_tokens"],
        "figures": [{"metric": "tokens_s_gpu", "value": 14451, "unit": "tokens_s"}],
    }
    with override(language):
        said = chapters.nearest_run(run)
    assert [said["same"], said["differs"]] == words[:2]
    assert said["figures"].startswith(words[2])


def test_memory_of_a_published_run_is_in_gib():
    run = {"title": "a", "figures": [{"metric": "peak_memory", "value": 40 * 2**30, "unit": "bytes"}]}
    with override("en"):
        assert chapters.nearest_run(run)["figures"] == "Peak memory: 40\u00a0GiB"


@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_accuracy_printed_is_that_of_sources_left_out_of_the_fit(rendered, language):
    kept = json.loads((files("assessments.sizing") / "data" / "accuracy.json").read_text(encoding="utf-8"))
    text = text_of(rendered(language).content)
    with override(language):
        for row in (kept["memory"], kept["throughput"]):
            for shown in (amount(row["inside"], "share"), amount(row["error"], "share")):
                assert shown.replace("\u00a0", " ") in text


def test_the_disclaimer_points_to_no_empty_chapter(context):
    with override("en"):
        lines = disclaimers(context(language="en"), is_measured=False)
    assert not [line for line in lines if "appendix" in line]
