"""Whatever people type stays text, stays on the page, and loses nothing."""

from datetime import date
from io import BytesIO

from pypdf import PdfReader

from assessments.documents import Adjusted, Approval, PickedServer, Remark, Seller
from assessments.documents.render import render_pdf
from tests.assessments.documents import example
from tests.assessments.documents.reading import text_of

HOSTILE = {
    "html": '<script>alert(1)</script><img src="https://example.org/x.png"><h1>big</h1>',
    "css": "</style><style>* { display: none }</style> url(https://example.org)",
    "right to left": "abc \u202etxet desrever\u202c עברית العربية",
    "emoji": "👩🏽‍💻🚀 ok",
    "word": "слово" * 2000,
    "control": "a\x00b\x07c\x1b[31md\x85e\ufffe",
    "template": "{{ settings.SECRET_KEY }} {% load i18n %} %(number)s %s",
}


def test_every_free_text_field_may_hold_anything(context):
    text = " ".join(HOSTILE.values())
    made = context(
        organization=text,
        business_task=text,
        title=text,
        approval=Approval(name=text, on=date(2026, 11, 20)),
        status="approved",
        seller=Seller(name="S", contacts=text, legal=text),
        servers=(PickedServer(option="balanced", name=text, vendor=text, reason=text),),
        remarks=tuple(
            Remark(section=s, text=text)
            for s in ("summary", "options", "memory", "time", "link", "host", "rack", "findings")
        ),
        adjustments=(
            Adjusted(
                kind="answer", target="scenarios[0].model.params", before=None, after=7e9, reason=text, author=text
            ),
        ),
    )
    extracted = text_of(render_pdf(made).content)
    assert "Preliminary assessment" in extracted
    assert "<script>alert(1)</script>" in extracted
    assert "</style><style>* { display: none }</style>" in extracted
    assert "{{ settings.SECRET_KEY }} {% load i18n %} %(number)s %s" in extracted
    assert "abc[31mde" in extracted
    assert "txet desrever" in extracted  # the mark that would turn it is gone
    assert extracted.replace(" ", "").count("слово") > 10_000


def test_a_long_name_does_not_push_the_title_block_off_the_cover(context):
    name = "x" * 300 + " широкое название организации" * 200
    content = render_pdf(context(organization=name, business_task=name, title=name)).content
    cover = PdfReader(BytesIO(content)).pages[0].extract_text()
    assert "SW-2026-0147" in cover
    assert "In brief" not in cover


def test_a_scenario_may_be_named_like_markup(context):
    task = {
        **example.TASK,
        "scenarios": [
            {**example.TASK["scenarios"][0], "name": "<b>one</b>"},
            {**example.TASK["scenarios"][0], "name": "two"},
        ],
    }
    assert "<b>one</b>" in text_of(render_pdf(context(task=task)).content)
