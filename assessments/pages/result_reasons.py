"""The reasons of a result/1: findings, what to find out next, and how every number came about."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from assessments import wording
from assessments.pages.result_tables import Quantities, anchor_of

type Json = Mapping[str, Any]

SEVERITIES = ("stop", "warn", "assumed", "note")
TONE_OF_SEVERITY = {"stop": "stop", "warn": "warn", "assumed": "warn", "note": "note"}
ICON_OF_SEVERITY = {"stop": "stop", "warn": "warn", "assumed": "assumed", "note": "note"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a finding says about some of the options."""

    options: str
    what: str
    do: str
    repairs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Findings of one kind, with what they say option by option."""

    tone: str
    icon: str
    severity: str
    title: str
    cases: tuple[Case, ...]


def findings(result: Json) -> tuple[Finding, ...]:
    """All findings, the worst first; those that differ by option only stand under one title."""
    several = len(result["options"]) > 1
    grouped: dict[tuple[str, str, str], list[Case]] = {}
    for item in sorted(result["findings"], key=lambda item: SEVERITIES.index(item["severity"])):
        spoken = wording.finding(item)
        cases = grouped.setdefault((item["severity"], item["code"], spoken.title), [])
        cases.append(
            Case(
                options=_options(item.get("options", ())) if several else "",
                what=spoken.what,
                do=spoken.do if spoken.do != "–" else "",
                repairs=tuple(
                    wording.repair_of(repair) for repair in item.get("repairs", ()) if repair.get("verified")
                ),
            )
        )
    return tuple(
        Finding(
            tone=TONE_OF_SEVERITY[severity],
            icon=ICON_OF_SEVERITY[severity],
            severity=wording.severity_label(severity, code),
            title=title,
            cases=_said_once(cases),
        )
        for (severity, code, title), cases in grouped.items()
    )


def of_option(finding: Finding, letter: str) -> Finding:
    """The finding with one case only: that of the option, else the first."""
    own = [case for case in finding.cases if letter and letter in case.options.split()]
    return replace(finding, cases=tuple(own or finding.cases)[:1])


def _options(keys: Sequence[str]) -> str:
    letters = " ".join(wording.option_letter(key) for key in keys)
    if len(keys) == 1:
        return _("Option %(letter)s") % {"letter": letters}
    return _("Options %(letters)s") % {"letters": letters} if keys else ""


def _said_once(cases: Sequence[Case]) -> tuple[Case, ...]:
    """What to do only under the last of the cases that ask for the same."""
    last = {case.do: place for place, case in enumerate(cases)}
    return tuple(replace(case, do=case.do if last[case.do] == place else "") for place, case in enumerate(cases))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """An open answer: how to find it out and what that narrows. now and then: [low, typical, high]."""

    label: str
    how: str
    target: str
    before: str
    after: str
    narrows: str
    decides: str
    opens: str
    now: tuple[float, float, float] | None
    then: tuple[float, float, float]


def unknowns(result: Json) -> tuple[Unknown, ...]:
    """What to find out next, the most useful first – the order of the result."""
    q = Quantities(result)
    options = [option["key"] for option in result["options"]]
    return tuple(_unknown(q, item, options) for item in result.get("sensitivity") or ())


def _unknown(q: Quantities, item: Json, options: Sequence[str]) -> Unknown:
    target = q.get(item["target"])
    unit = wording.shown_unit(item["target"], target["unit"]) if target else "count"
    return Unknown(
        label=wording.label_of(item["path"]),
        how=wording.say(item["how"], item.get("params", {})),
        target=wording.label_of(item["target"]),
        before=q.range(item["target"]),
        after=wording.amount(item["then"], unit),
        narrows=_("narrows by %(share)s") % {"share": wording.amount(item["share"], "share")} if item["share"] else "",
        decides=_letters(_("decides on option %(letters)s"), item.get("decides", ()), options),
        opens=_letters(_("opens option %(letters)s"), item.get("opens", ()), options),
        now=tuple(target["v"]) if target else None,
        then=tuple(item["then"]),
    )


def _letters(words: str, names: Sequence[str], options: Sequence[str]) -> str:
    letters = [wording.option_letter(name) for name in names if name in options]
    return words % {"letters": ", ".join(letters)} if letters else ""


def assumptions(result: Json) -> tuple[str, ...]:
    """What was taken for every open answer, as a line each."""
    return tuple(
        "{label}: {text}".format(
            label=wording.label_of(item["path"]),
            text=wording.say(
                item["code"], {"value": wording.answer(item["path"], item["value"]), **(item.get("params") or {})}
            ),
        )
        for item in result.get("assumptions") or ()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A quantity, or a literal without anchor, that stands in a derivation."""

    label: str
    value: str
    origin: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """How one quantity came about; reason: why an engineer set it, empty for all others."""

    anchor: str
    label: str
    value: str
    likely: str
    origin: str
    is_assumption: bool
    formula: str
    inputs: tuple[Reference, ...]
    source: str
    used_in: tuple[Reference, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationGroup:
    """The derivations of one option, or of the task itself."""

    key: str
    title: str
    derivations: tuple[Derivation, ...]


def derivation_groups(result: Json, given: Mapping[str, str]) -> tuple[DerivationGroup, ...]:
    """Every quantity of the result with its formula, inputs, source and uses; the task first, then option by option.

    given: why an engineer set a value, by the ID of the quantity.
    """
    quantities: Mapping[str, Json] = result["quantities"]
    used_in: dict[str, list[str]] = defaultdict(list)
    for name, quantity in quantities.items():
        for source in quantity["inputs"]:
            if isinstance(source, str) and source in quantities:
                used_in[source].append(name)
    keys = [option["key"] for option in result["options"]]
    grouped: dict[str, list[Derivation]] = {"": [], **{key: [] for key in keys}}
    for name in quantities:
        first = name.split(".", 1)[0]
        grouped[first if first in keys else ""].append(
            _derivation(quantities, name, used_in[name], given.get(name, ""))
        )
    return tuple(
        DerivationGroup(
            key=key or "task",
            title=_("Option %(letter)s") % {"letter": wording.option_letter(key)}
            if key
            else _("The task and all options"),
            derivations=tuple(derivations),
        )
        for key, derivations in grouped.items()
        if derivations
    )


def _derivation(quantities: Mapping[str, Json], name: str, used_in: Sequence[str], reason: str) -> Derivation:
    quantity = quantities[name]
    origin = "pinned" if reason else quantity["origin"]
    return Derivation(
        anchor=anchor_of(name),
        label=wording.label_of(name),
        value=wording.quantity(quantity, name),
        likely=wording.typical(quantity, name),
        origin=str(wording.ORIGINS.get(origin, origin)),
        is_assumption=origin == "assumption",
        formula=wording.say(quantity["formula"]) if quantity.get("formula") else "",
        inputs=tuple(_reference(quantities, given) for given in quantity["inputs"]),
        source=wording.say(quantity["source"]) if quantity.get("source") else "",
        used_in=tuple(_reference(quantities, user) for user in used_in),
        reason=reason,
    )


def _reference(quantities: Mapping[str, Json], given: object) -> Reference:
    if isinstance(given, str) and given in quantities:
        found = quantities[given]
        return Reference(
            label=wording.label_of(given),
            value=wording.typical(found, given),
            origin=str(wording.ORIGINS.get(found["origin"], found["origin"])),
            anchor=anchor_of(given),
        )
    if isinstance(given, int | float):
        return Reference(label=_("constant"), value=wording.amount(float(given), "count"))
    return Reference(label=wording.value_label(str(given)), value="")
