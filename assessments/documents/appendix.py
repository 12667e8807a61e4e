"""Chapters 12 to 14 and the appendices: findings, unknowns, adjustments, derivations, terms, method."""

import json
import re
from bisect import bisect_left
from dataclasses import dataclass
from importlib.resources import files

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from assessments import charts
from assessments.documents.context import Adjusted, DocumentContext, Json
from assessments.documents.cover import recommended, unknown_line
from assessments.documents.terms import TERMS
from assessments.documents.words import printable
from assessments.wording import (
    SENTENCES,
    amount,
    answer,
    decimal,
    finding,
    label_of,
    option_letter,
    option_name,
    quantity,
    repair_of,
    say,
    severity_label,
    shown_unit,
    value_label,
)

MOST_DERIVATIONS = 60
MOST_LINES = 8  # a finding with more may break across pages
SEVERITIES = ("stop", "warn", "assumed", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding as printed. lines: letters and words for options that differ; no letters where all are alike."""

    severity: str
    label: str
    letters: str
    title: str
    lines: tuple[tuple[str, str], ...]
    do: str
    repairs: tuple[str, ...]
    is_tall: bool


def findings(result: Json) -> list[Finding]:
    """All findings, the hardest first."""
    rows = sorted(
        result["findings"], key=lambda f: SEVERITIES.index(f["severity"]) if f["severity"] in SEVERITIES else 9
    )
    groups: dict[tuple[str, str, str, str], list[tuple[Json, str]]] = {}
    for row in rows:
        spoken = finding(row)
        key = (row["severity"], severity_label(row["severity"], row["code"]), spoken.title, printable(spoken.do))
        groups.setdefault(key, []).append((row, printable(spoken.what)))
    return [_finding(*key, alike) for key, alike in groups.items()]


def _finding(severity: str, label: str, title: str, do: str, alike: list[tuple[Json, str]]) -> Finding:
    """Rows that say the same of different options, as one."""
    options: dict[str, list[str]] = {}
    for row, what in alike:
        options.setdefault(what, []).extend(row.get("options") or [])
    every = [key for keys in options.values() for key in keys]
    repairs = [repair_of(r) for row, _what in alike for r in row.get("repairs") or [] if r.get("verified", True)]
    return Finding(
        severity=severity,
        label=label,
        letters=_letters(every),
        title=title,
        lines=tuple((_letters(keys) if len(options) > 1 else "", what) for what, keys in options.items()),
        do=do,
        repairs=tuple(dict.fromkeys(repairs)),
        is_tall=len(options) > MOST_LINES,
    )


def _letters(keys: list[str]) -> str:
    return ", ".join(dict.fromkeys(option_letter(key) for key in keys))


@dataclass(frozen=True, slots=True)
class Unknown:
    """An open answer: how to find it out, what it changes."""

    label: str
    how: str
    effect: str
    gain: str
    line: SafeString


def unknowns(result: Json) -> list[Unknown]:
    """Open answers by effect."""
    made = []
    for row in result.get("sensitivity", []):
        target = result["quantities"].get(row.get("target"))
        line, gain = SafeString(""), ""
        if target and row.get("then"):
            now = tuple(float(v) for v in target["v"])
            then = tuple(float(v) for v in row["then"])
            line = charts.narrowing((now[0], now[1], now[2]), (then[0], then[1], then[2]))
            unit = shown_unit(row["target"], target["unit"])
            gain = f"{amount(now, unit)} → {amount(then, unit)}"
        how = say(row["how"], row.get("params")) if row.get("how") in SENTENCES else ""
        made.append(Unknown(label_of(row["path"]), how, unknown_line(result, row), gain, line))
    return made


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What the engineer changed, and why."""

    label: str
    before: str
    after: str
    reason: str
    author: str


def adjustments(context: DocumentContext) -> list[Adjustment]:
    """Adjustments in force."""
    return [_adjustment(context.result, row) for row in context.adjustments if row.kind != "text"]


def _adjustment(result: Json, row: Adjusted) -> Adjustment:
    if row.kind == "knob":
        unit = shown_unit(row.target, result["quantities"].get(row.target, {}).get("unit", "count"))
        before, after = (amount(v, unit) if v is not None else "–" for v in (row.before, row.after))
    elif row.kind == "option":
        before, after = (printable(answer("setup", v)) if v is not None else "–" for v in (row.before, row.after))
    else:
        before, after = (printable(answer(row.target, v), 400) for v in (row.before, row.after))
    label = option_name(row.target) if row.kind == "option" else label_of(row.target)
    return Adjustment(label, before, after, printable(row.reason), printable(row.author, 80))


@dataclass(frozen=True, slots=True)
class Derivation:
    """How one number came about."""

    label: str
    value: str
    formula: str
    inputs: str
    source: str


def derivations(result: Json) -> list[Derivation]:
    """At most 60 of the recommended option, in the order of the result: what the summary shows comes first."""
    option = recommended(result)
    if option is None:
        return []
    key = f"{option['key']}."
    names = [name for name in result["quantities"] if name.startswith(key)]
    shown = _shown(result, option)
    names.sort(key=lambda name: (name not in shown,))
    chosen = set(names[:MOST_DERIVATIONS])
    return [_derivation(result, name) for name in result["quantities"] if name in chosen]


def _shown(result: Json, option: Json) -> set[str]:
    """IDs that tables of the document show, and the inputs of these."""
    memory = option["memory"]
    shown = {*memory["parts"], *(memory[key] for key in ("total", "usable", "reserve", "capacity") if memory.get(key))}
    shown |= {row["required"] for row in option["resources"] if isinstance(row.get("required"), str)}
    inputs = {
        i for name in shown for i in (result["quantities"].get(name) or {}).get("inputs", []) if isinstance(i, str)
    }
    return shown | inputs


def _derivation(result: Json, name: str) -> Derivation:
    found = result["quantities"][name]
    formula = found.get("formula") or ""
    inputs = []
    for item in found.get("inputs") or []:
        if isinstance(item, str) and item in result["quantities"]:
            inputs.append(f"{label_of(item)} = {quantity(result['quantities'][item], item)}")
        elif isinstance(item, int | float):
            inputs.append(decimal(item, 0 if float(item).is_integer() else 3))
        else:
            inputs.append(value_label(str(item)))
    return Derivation(
        label=label_of(name),
        value=quantity(found, name),
        formula=say(formula) if formula in SENTENCES else formula.replace("_", " "),
        inputs="; ".join(inputs),
        source=source_text(str(found.get("source") or "")),
    )


def source_text(key: str) -> str:
    """A source as printed: its key where it has no sentence."""
    if key in ("arithmetic", "convention"):
        return ""
    return say(key) if key in SENTENCES else key.replace("_", " ")


def terms(html: str) -> list[list[tuple[str, str]]]:
    """Terms that the chapters use, alphabetically down two columns: rows of one or two terms with definitions."""
    words = sorted(set(re.findall(r"\w+", re.sub(r"<[^>]*>", " ", html).casefold())))
    used = sorted(
        ((str(term), str(definition)) for term, definition in TERMS if _is_used(str(term), words)),
        key=lambda pair: pair[0].casefold().lstrip("«“"),
    )
    half = (len(used) + 1) // 2
    return [used[i : i + half + 1 : half] for i in range(half)]


def _is_used(term: str, words: list[str]) -> bool:
    """Whether all words of one spelling of the term are there; Russian words without their endings."""
    return any(
        all(_starts(stem, words) for stem in _stems(spelling))
        for spelling in re.split(r"[,()]", term)
        if spelling.strip()
    )


def _stems(spelling: str) -> list[str]:
    return [word[: max(4, len(word) - 2)] for word in re.findall(r"\w+", spelling.casefold())]


def _starts(stem: str, words: list[str]) -> bool:
    at = bisect_left(words, stem)
    return at < len(words) and words[at].startswith(stem)


def method(context: DocumentContext) -> dict[str, object]:
    """Versions, hashes and where the task lies against the calibration."""
    result = context.result
    calibrated = result.get("calibrated") or {}
    return {
        "engine": result.get("engine", ""),
        "calibration": result.get("calibration", ""),
        "catalog": (result.get("catalog") or {}).get("label", ""),
        "is_inside": bool(calibrated.get("inside", True)),
        "why": ", ".join(_reason(code) for code in calibrated.get("why", [])),
        "remaining": max(0, len(result["quantities"]) - MOST_DERIVATIONS),
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """How the engine did on published runs of one kind that its constants were not fitted to."""

    what: str
    runs: str
    inside: str
    error: str


def measured_accuracy() -> list[Measured]:
    """Peak memory and speed on sources left out of the fit; empty while no such figures are kept."""
    kept = files("assessments.sizing") / "data" / "accuracy.json"
    found = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    names = {"memory": _("Peak memory of a GPU"), "throughput": _("Tokens or samples per second")}
    return [
        Measured(name, decimal(row["runs"]), amount(row["inside"], "share"), amount(row["error"], "share"))
        for kind, name in names.items()
        if (row := found.get(kind))
    ]


def _reason(item: object) -> str:
    if isinstance(item, dict):
        return say(str(item.get("code", "")), item.get("params"))
    return value_label(str(item))
