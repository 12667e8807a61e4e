"""What was taken for every open answer: value, code, parameters and source, and the range it carries."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assessments.sizing.answers import UNKNOWN, OpenChoice, OpenNumber
from assessments.sizing.defaults import DEFAULTS, default
from assessments.sizing.quantity import Span, exactly

type Plain = str | float | int | bool | Sequence[object] | Mapping[str, object] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """One open answer and what was taken for it."""

    path: str
    value: Plain
    code: str
    params: Mapping[str, Plain] = field(default_factory=dict)
    source: str = "convention"


@dataclass(slots=True)
class Assumptions:
    """Collects assumptions while a task is closed; paths of open answers carry the ranges."""

    rows: list[Assumption] = field(default_factory=list)
    ranges: dict[str, Span] = field(default_factory=dict)

    def note(self, path: str, value: Plain, code: str, source: str = "convention", /, **params: Plain) -> None:
        """State what was taken."""
        self.rows.append(Assumption(path=path, value=value, code=code, params=params, source=source))

    def number(self, path: str, answer: OpenNumber, name: str, code: str, /, **params: Plain) -> Span:
        """The answer as a span; for an open one the default of this name, stated."""
        closed = span_of_answer(answer)
        if closed is not None:
            if closed.low < closed.high:
                self.ranges[path] = closed
            return closed
        taken = default(name)
        self.note(path, taken.typical, code, DEFAULTS[name].source, **params)
        self.ranges[path] = taken
        return taken

    def choice(self, path: str, answer: OpenChoice, otherwise: str, code: str, order: Sequence[str] = ()) -> str:
        """The answer, or what was taken for it; of several candidates the first in `order`, stated."""
        if isinstance(answer, tuple):
            taken = next((item for item in order if item in answer), answer[0])
            self.note(path, taken, "candidate_taken", candidates=answer)
            return taken
        if answer is None or answer == UNKNOWN:
            self.note(path, otherwise, code)
            return otherwise
        return answer

    def has(self, path: str) -> bool:
        """Whether this answer was open."""
        return path in self.ranges or any(row.path == path for row in self.rows)


def span_of_answer(answer: OpenNumber) -> Span | None:
    """A closed answer as a span (the middle of a range is its geometric mean), None when it is open."""
    if answer is None or isinstance(answer, str):
        return None
    if isinstance(answer, tuple):
        low, high = answer
        return Span(low, math.sqrt(low * high) if low > 0 else (low + high) / 2, high)
    return exactly(answer)


def closed(answer: OpenNumber) -> float | None:
    """The middle of a closed answer, None when it is open."""
    span = span_of_answer(answer)
    return None if span is None else span.typical
