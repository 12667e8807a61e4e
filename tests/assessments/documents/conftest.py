"""A context of the hand-made result, in either language."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from assessments.documents import DocumentContext, RenderedDocument
from assessments.documents.render import render_pdf
from tests.assessments.documents import example


@pytest.fixture
def context() -> Callable[..., DocumentContext]:
    """Maker of a document context; keywords replace its fields."""

    def make(**fields: Any) -> DocumentContext:
        given = {
            "result": example.result(),
            "task": example.TASK,
            "language": "en",
            "number": "SW-2026-0147",
            "revision": 2,
            "made_at": datetime(2026, 11, 14, 12, 30, tzinfo=UTC),
            "input_sha256": "ab" * 32,
            "organization": "АО «Пример»",
        }
        return DocumentContext(**given | fields)

    return make


_RENDERED: dict[str, RenderedDocument] = {}


@pytest.fixture
def rendered(context: Callable[..., DocumentContext]) -> Callable[[str], RenderedDocument]:
    """The plain document in a language, rendered once for all tests that only read it."""

    def once(language: str = "en") -> RenderedDocument:
        if language not in _RENDERED:
            _RENDERED[language] = render_pdf(context(language=language))
        return _RENDERED[language]

    return once
