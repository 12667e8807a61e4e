"""Codes and parameters become sentences in the active language."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assessments.wording.amounts import amount, counted, shown_unit
from assessments.wording.answers import answer
from assessments.wording.assumptions import ASSUMPTIONS
from assessments.wording.findings_context import CONTEXT
from assessments.wording.findings_hardware import HARDWARE
from assessments.wording.formulas import FORMULAS, PROFILES
from assessments.wording.kinds import kind_of
from assessments.wording.labels import (
    RESOURCES,
    accelerator_name,
    fabric_name,
    label_of,
    option_letter,
    path_of,
    technique_name,
    value_label,
)
from assessments.wording.numbers import decimal, decimals_for
from assessments.wording.sentences import ERRORS, HOW, REPAIRS, WARNINGS
from assessments.wording.text import Spoken, Text, Words
from assessments.wording.titles import preset_name
from assessments.wording.verdicts import VERDICTS

FINDINGS: dict[str, Text] = HARDWARE | CONTEXT
SENTENCES: dict[str, Words] = ASSUMPTIONS | REPAIRS | HOW | WARNINGS | ERRORS | PROFILES | FORMULAS
_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")


def filled(code: str, text: Words, params: Mapping[str, Any]) -> str:
    """A text with its parameters spoken; a missing one reads as a dash instead of failing a page."""
    return _PLACEHOLDER.sub(lambda match: spoken(code, match[1], params.get(match[1])), str(text))


def say(code: str, params: Mapping[str, Any] | None = None) -> str:
    """The sentence of any code of the engine: finding (its `what`), verdict, assumption, repair, formula, error."""
    given = params or {}
    text = FINDINGS.get(code) or VERDICTS.get(code)
    if text:
        return filled(code, text.what, given)
    if code in SENTENCES:
        return filled(code, SENTENCES[code], given)
    return technique_name(code)


def _spoken_text(code: str, text: Text | None, params: Mapping[str, Any]) -> Spoken:
    if text is None:
        # warnings of the questionnaire are one text whose first sentence is the title
        title, _stop, what = say(code, params).partition(". ")
        return Spoken(title.rstrip("."), what, "")
    wanted = _PLACEHOLDER.findall(str(text.do))
    has_all = all(params.get(name) not in (None, [], "") for name in wanted)
    return Spoken(
        filled(code, text.title, params),
        filled(code, text.what, params),
        filled(code, text.do, params) if has_all else "",
    )


def finding(item: Mapping[str, Any]) -> Spoken:
    """A finding of result/1 in words. Verified repairs replace the parameter `repair` when it is not given."""
    params = dict(item.get("params") or {})
    if "repair" not in params and item.get("repairs"):
        params["repair"] = [repair_of(r) for r in item["repairs"]]
    return _spoken_text(item["code"], FINDINGS.get(item["code"]), params)


def verdict(item: Mapping[str, Any]) -> Spoken:
    """The verdict of result/1 in words."""
    return _spoken_text(item["code"], VERDICTS.get(item["code"]), item.get("params") or {})


def repair_of(item: Mapping[str, Any]) -> str:
    """A verified repair {path, value}: what to change, to which value."""
    if "code" in item:
        return repair(item["code"], item.get("params") or item)
    return f"{label_of(item['path'])}: {answer(item['path'], item.get('value'))}"


def spoken(code: str, name: str, value: Any) -> str:
    """A raw parameter (number in base units, code, list of codes, {v, unit}) in the active language."""
    if value is None:
        return "–"
    kind = kind_of(code, name)
    if isinstance(value, Mapping):
        return _mapping(code, name, value)
    if isinstance(value, bool):
        return answer(name, value)
    if isinstance(value, str):
        return _word(kind, value)
    if _is_numbers(value):
        return _number(kind, value)
    if isinstance(value, Sequence):
        return ", ".join(spoken(code, name, item) for item in value)
    return str(value)


def _is_numbers(value: Any) -> bool:
    if isinstance(value, int | float):
        return True
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and 0 < len(value) <= 3
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value)
    )


def _mapping(code: str, name: str, value: Mapping[str, Any]) -> str:
    """A quantity ({v, unit}), a repair ({code, params}), ports of a fabric, or hardware ({accelerator, gpus})."""
    if "unit" in value:
        unit = "gib" if value["unit"] == "bytes" and code.startswith("verdict_") else shown_unit(name, value["unit"])
        return _number(unit, value.get("v", value.get("value")))
    if "code" in value:
        return repair(value["code"], value.get("params", {}))
    if "ports" in value:
        ports = counted(value["ports"], "ports")
        return f"{ports} {fabric_name(value['fabric'])}" if value.get("fabric") else ports
    if "accelerator" in value:
        return f"{decimal(value.get('gpus', 1))}\u00a0× {accelerator_name(value['accelerator'])}"
    return ", ".join(str(v) for v in value.values())


def _number(kind: str, value: Any) -> str:
    if kind in WORD_KINDS or kind == "any":
        ends = value if isinstance(value, Sequence) else [value]
        return "–".join(dict.fromkeys(decimal(v, decimals_for(ends[-1])) for v in (ends[0], ends[-1])))
    return amount(value, kind)


def _word(kind: str, value: str) -> str:
    return WORD_KINDS.get(kind, str)(value)


def _resource(code: str) -> str:
    return _inside(str(RESOURCES[code]) if code in RESOURCES else label_of(code))


def _path(value: str) -> str:
    """A question or quantity inside a sentence: in lower case unless it is a name."""
    return _inside(label_of(path_of(value)))


def _inside(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def repair(code: str, params: Mapping[str, Any]) -> str:
    """One change that makes it fit, as a phrase."""
    if code in REPAIRS:
        return filled(code, REPAIRS[code], params)
    return technique_name(code)


WORD_KINDS: dict[str, Callable[[str], str]] = {
    "text": str,
    "technique": technique_name,
    "techniques": technique_name,
    "option": option_letter,
    "choice": value_label,
    "link": value_label,
    "fabric": fabric_name,
    "path": _path,
    "preset": preset_name,
    "resource": _resource,
    "accelerator": accelerator_name,
    "repair": technique_name,
}
