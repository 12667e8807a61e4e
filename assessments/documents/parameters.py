"""The five parameters as answered, with what was assumed where an answer is open."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from assessments.documents.context import DocumentContext, Json
from assessments.documents.words import printable
from assessments.wording import SENTENCES, answer, label_of, preset_name, say

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("strategy", ("strategy", "recipe")),
    ("model", ("model",)),
    ("dataset", ("dataset",)),
    ("cycle", ("cycle", "runs_per_quarter", "runs_in_all")),
)
STRUCTURES = frozenset({"config", "shape"})  # long and technical: named here, printed in task.json
LONG = 600  # characters from which a row may break across pages
SHORT = 60  # characters up to which two answers share a line


@dataclass(frozen=True, slots=True)
class Row:
    """One answer. note: the assumption taken, or nothing."""

    label: str
    value: str
    note: str = ""
    is_assumed: bool = False
    is_tall: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether the answer takes a line of its own."""
        return self.is_assumed or len(self.value) > SHORT


@dataclass(frozen=True, slots=True)
class Group:
    """The answers to one parameter: short ones two in a line, then those that need the whole width."""

    title: str
    rows: tuple[Row, ...]

    @property
    def pairs(self) -> list[tuple[Row, Row | None]]:
        """Short answers without an assumption, two by two."""
        short = [row for row in self.rows if not row.is_wide]
        return [(row, short[i + 1] if i + 1 < len(short) else None) for i, row in enumerate(short) if i % 2 == 0]

    @property
    def wide(self) -> list[Row]:
        """Answers with an assumption beside them, and long ones."""
        return [row for row in self.rows if row.is_wide]


@dataclass(slots=True)
class Reader:
    """Walks the task and pairs every answer with its assumption; what is left over is listed at the end."""

    assumptions: dict[str, Json]
    printed: set[str] = field(default_factory=set)

    def rows(self, path: str, value: Any) -> Iterator[Row]:
        """Answers at and below a path; what was neither answered nor assumed is left out."""
        name = path.rsplit(".", 1)[-1]
        if value in (None, {}, []):
            if path in self.assumptions:
                yield self._assumed(path)
            yield from self._below(path, set())
        elif isinstance(value, dict) and name not in STRUCTURES:
            for key, item in value.items():
                yield from self.rows(f"{path}.{key}", item)
            yield from self._below(path, {f"{path}.{key}" for key in value})
        elif isinstance(value, list) and isinstance(value[0], dict):
            for i, item in enumerate(value):
                yield from self.rows(f"{path}[{i}]", item)
        else:
            yield self._answered(path, name, value)

    def rest(self) -> Iterator[Row]:
        """Assumptions that belong to no printed answer."""
        for path in [p for p in self.assumptions if p not in self.printed]:
            yield self._assumed(path)

    def _below(self, path: str, answered: set[str]) -> Iterator[Row]:
        for other in [p for p in self.assumptions if p.startswith(f"{path}.") and p not in self.printed]:
            if other not in answered and not any(other.startswith(f"{known}.") for known in answered):
                yield self._assumed(other)

    def _answered(self, path: str, name: str, value: Any) -> Row:
        if name in STRUCTURES:
            spoken = _("given, see task.json")
        elif name == "preset":
            spoken = preset_name(printable(str(value)))
        else:
            spoken = printable(answer(path, value))
        found = self.assumptions.get(path)
        self.printed.add(path)
        return Row(
            label_of(path), spoken, assumption_text(found) if found else "", found is not None, len(spoken) > LONG
        )

    def _assumed(self, path: str) -> Row:
        self.printed.add(path)
        return Row(label_of(path), "–", assumption_text(self.assumptions[path]), is_assumed=True)


def assumption_text(found: Json) -> str:
    """What was taken: the sentence of its code, or the value alone."""
    value = answer(found.get("path") or "", found.get("value"))
    if found.get("code") in SENTENCES:
        return say(found["code"], {**(found.get("params") or {}), "value": value})
    return value


def parameters(context: DocumentContext) -> list[Group]:
    """Groups of answers: five parameters per scenario, then facility, wishes and hardware."""
    reader = Reader({a["path"]: a for a in context.result.get("assumptions", []) if a.get("path")})
    titles = {
        "strategy": _("1 Training strategy"),
        "model": _("2 Model"),
        "dataset": _("3 Dataset"),
        "cycle": _("4 Cycle time"),
        "horizon": _("5 Horizon"),
        "facility": _("Facility and rack"),
        "preferences": _("Preferences"),
        "hardware": _("Own hardware"),
        "measurements": _("Your measurement"),
    }
    scenarios = context.task["scenarios"]
    groups = []
    for i, scenario in enumerate(scenarios):
        for key, sections in SECTIONS:
            rows = [
                row for section in sections for row in reader.rows(f"scenarios[{i}].{section}", scenario.get(section))
            ]
            name = f" · {printable(str(scenario.get('name') or i + 1), 60)}" if len(scenarios) > 1 else ""
            groups.append(Group(titles[key] + name, tuple(rows)))
    others = ("horizon", "facility", "preferences", "hardware", "measurements")
    groups += [Group(titles[key], tuple(reader.rows(key, context.task.get(key)))) for key in others]
    groups.append(Group(_("Also assumed"), tuple(reader.rest())))
    return [group for group in groups if group.rows]
