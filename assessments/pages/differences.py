"""What changed between two revisions: answers and the key figures that moved."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assessments import wording
from assessments.pages.result import measures

type Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One line: what it is, what it was, what it is now."""

    label: str
    before: str
    after: str


def answers_changed(before: Json, after: Json) -> list[Change]:
    """Answers that differ, named by their questions, in the order of the later task."""
    old, new = dict(_answers(before)), dict(_answers(after))
    return [
        Change(
            label=wording.label_of(path),
            before=wording.answer(path, old.get(path)),
            after=wording.answer(path, new.get(path)),
        )
        for path in dict.fromkeys([*new, *old])
        if old.get(path) != new.get(path)
    ]


def figures_moved(before: Json, after: Json) -> list[Change]:
    """Key figures whose range or likely value differs."""
    old = {m.label: m for m in measures(before)}
    return [
        Change(
            label=m.label,
            before=f"{old[m.label].value} {old[m.label].unit}".strip(),
            after=f"{m.value} {m.unit}".strip(),
        )
        for m in measures(after)
        if m.label in old and list(old[m.label].numbers) != list(m.numbers)
    ]


def _answers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every answer of a task by its path; lists of numbers or words are one answer."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _answers(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        for place, item in enumerate(value):
            yield from _answers(item, f"{path}[{place}]")
    elif value is not None and path not in ("schema", "scenarios[0].name"):
        yield path, value
