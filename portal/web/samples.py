"""The sample assessment: a committed task and its result, arranged once per language."""

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from django.utils.translation import get_language

from assessments.pages.result import ResultPage, result_page

TASK, RESULT = "task.json", "result.json"


def sample_page() -> ResultPage:
    """The sample in the active language."""
    return _arranged(get_language() or "en")


@lru_cache(maxsize=4)
def _arranged(_language: str) -> ResultPage:
    return result_page(_read(RESULT), _read(TASK))


def _read(name: str) -> dict[str, Any]:
    text = resources.files("portal.web").joinpath("sample", name).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
