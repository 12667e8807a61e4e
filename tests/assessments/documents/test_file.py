"""The file itself: tagged, titled, in its language, with its own fonts, the same bytes every time."""

import re
from io import BytesIO
from itertools import pairwise

import pdfplumber
import pytest
from pypdf import PdfReader

from assessments.documents.assets import NotPackaged, PackagedAssets
from assessments.documents.render import render_pdf
from tests.assessments.documents.reading import fonts_of, structure_of, text_of


@pytest.mark.parametrize("language", ["ru", "en"])
def test_the_same_context_gives_the_same_bytes(context, rendered, language):
    first, second = rendered(language), render_pdf(context(language=language))
    assert first.content == second.content
    assert first.sha256 == second.sha256


def test_another_run_gives_another_file(context, rendered):
    assert rendered().sha256 != render_pdf(context(input_sha256="cd" * 32)).sha256


def test_metadata_names_title_language_and_the_date_of_the_run(rendered):
    reader = PdfReader(BytesIO(rendered("ru").content))
    assert reader.metadata.title == "SW-2026-0147: Llama 3.1 70B, полное дообучение"
    assert reader.metadata.creation_date.isoformat() == "2026-11-14T12:30:00+00:00"
    root = reader.trailer["/Root"]
    assert root["/Lang"] == "ru"
    assert root["/MarkInfo"]["/Marked"]
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert "pdfuaid:part" in root["/Metadata"].get_object().get_data().decode()


def test_headings_follow_their_order_and_figures_have_alternatives(rendered):
    tree = structure_of(rendered().content)
    levels = [int(kind[2:]) for kind, _alt in tree if re.fullmatch(r"/H[1-6]", kind)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels))
    figures = [alt for kind, alt in tree if kind == "/Figure"]
    assert len(figures) > 20
    assert all(figures)
    kinds = {kind for kind, _alt in tree}
    assert {"/Table", "/TH", "/TD", "/L", "/P"} <= kinds


def test_contents_and_bookmarks_lead_to_the_chapters(rendered):
    reader = PdfReader(BytesIO(rendered().content))
    bookmarks = "\n".join(titles(reader.outline))
    for chapter in ("In brief", "Five parameters", "Options", "Rack", "Findings", "Disclaimers"):
        assert chapter in bookmarks
    annotations = [a.get_object() for page in reader.pages for a in page.get("/Annots", [])]
    targets = {str(a["/Dest"]) for a in annotations if "/Dest" in a}
    assert len(targets) == 18 - 2  # no adjustments, no horizon in the hand-made result


def titles(outline):
    """Titles of bookmarks at every level."""
    for item in outline:
        if isinstance(item, list):
            yield from titles(item)
        else:
            yield str(item.title)


def test_pages_are_numbered_x_of_y(rendered):
    document = rendered()
    assert f"Sheet {document.pages} of {document.pages}" in text_of(document.content)


@pytest.mark.parametrize("language", ["ru", "en"])
def test_every_character_is_drawn_by_an_embedded_plex(rendered, language):
    names = fonts_of(rendered(language).content)
    assert len(names) == 4
    assert all("Plex" in name and "+" in name for name in names)


def test_headings_and_figures_have_real_cyrillic_glyphs(rendered):
    with pdfplumber.open(BytesIO(rendered("ru").content)) as pdf:
        drawn = {char["text"] for page in pdf.pages for char in page.chars}
    assert {"ё", "я", "Ж", "≈", "−", "→", "№"} - drawn <= {"ё", "Ж", "№"}
    assert not {"\ufffd", "□"} & drawn


def test_nothing_but_packaged_files_is_fetched():
    fetcher = PackagedAssets()
    assert fetcher.fetch("asset:pass.svg").read().startswith(b"<svg")
    for address in (
        "https://example.org/a.png",
        "file:///etc/passwd",
        "data:text/css,a",
        "asset:../settings.py",
        "asset:",
    ):
        with pytest.raises(NotPackaged):
            fetcher.fetch(address)
