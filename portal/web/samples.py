"""The sample assessment: a committed task, its result and PDF; `manage.py refresh_sample` makes them anew."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from assessments import wording
from assessments.pages.result import ResultPage, result_page

TASK, RESULT, PAGES, ACCURACY = "task.json", "result.json", "pages.json", "accuracy.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePdf:
    """The sample as a document."""

    language: str
    pages: int
    content: bytes


def sample_page() -> ResultPage:
    """The sample in the active language."""
    return _arranged(get_language() or "en")


def sample_pdf(language: str) -> SamplePdf | None:
    """The sample's PDF; None for a language in which there is none."""
    file = _folder().joinpath(pdf_name(language))
    if not file.is_file():
        return None
    return SamplePdf(language=language, pages=_read(PAGES)[language], content=file.read_bytes())


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """How the engine did on published runs of one kind, in words."""

    what: str
    runs: str
    inside: str
    error: str


def accuracy() -> list[Accuracy]:
    """Measured accuracy of memory and speed, in the active language."""
    names = {"memory": _("Peak memory of a GPU"), "throughput": _("Tokens or samples per second")}
    return [
        Accuracy(
            what=names[kind],
            runs=wording.decimal(row["runs"]),
            inside=wording.amount(row["inside"], "share"),
            error=wording.amount(row["error"], "share"),
        )
        for kind, row in _read(ACCURACY).items()
    ]


def pdf_name(language: str) -> str:
    """File name of the PDF in one language."""
    return f"sample-{language}.pdf"


@cache
def _arranged(_language: str) -> ResultPage:
    return result_page(_read(RESULT), _read(TASK))


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_folder().joinpath(name).read_text(encoding="utf-8"))
    return found


def _folder() -> Traversable:
    return resources.files("portal.web").joinpath("sample")
