"""Every code that the engine may emit has its words in Russian and English."""

import re

import pytest
from django.utils.translation import override

from assessments.sizing import codes
from assessments.wording import FINDINGS, SENTENCES, TECHNIQUES, VERDICTS, finding, say, technique_name, verdict
from assessments.wording.kinds import kind_of, parameters_of
from assessments.wording.sentences import WARNINGS

CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
PLACEHOLDER = re.compile(r"%\((\w+)\)")
NAMES = {"lora", "qlora"}  # written alike in both languages

SPOKEN = sorted({*codes.ASSUMPTIONS, *codes.REPAIRS, *codes.FIND_OUT, *codes.ERRORS, *codes.FORMULAS} - NAMES)


@pytest.mark.parametrize("code", sorted(codes.FINDINGS))
def test_a_finding_has_title_and_reason_in_both_languages(code):
    item = {"code": code, "severity": codes.FINDINGS[code][0], "params": {}}
    with override("en"):
        english = finding(item)
    with override("ru"):
        russian = finding(item)
    assert english.title
    assert not CYRILLIC.search(english.title + english.what + english.do)
    assert CYRILLIC.search(russian.title)
    assert russian.title != english.title
    if english.what:
        assert CYRILLIC.search(russian.what)


@pytest.mark.parametrize("code", sorted(codes.VERDICTS))
def test_a_verdict_speaks_both_languages(code):
    with override("en"):
        english = verdict({"code": code, "params": {}})
    with override("ru"):
        russian = verdict({"code": code, "params": {}})
    assert not CYRILLIC.search(english.title + english.what)
    assert CYRILLIC.search(russian.title)


@pytest.mark.parametrize("code", SPOKEN)
def test_a_sentence_speaks_both_languages(code):
    text = SENTENCES.get(code)
    if text is None:
        assert code in TECHNIQUES, f"{code} has no sentence and is no technique"
        with override("ru"):
            assert technique_name(code) != code
        return
    bare = PLACEHOLDER.sub("", str(text)).strip(" %s()")
    if not re.search("[A-Za-z]{3}", bare):
        return  # a bare value
    with override("ru"):
        assert CYRILLIC.search(str(text)), f"{code} is not translated"


@pytest.mark.parametrize("code", codes.TECHNIQUES)
def test_a_technique_tells_what_it_gives_and_costs(code):
    technique = TECHNIQUES[code]
    with override("ru"):
        assert CYRILLIC.search(str(technique.gives))
        assert CYRILLIC.search(str(technique.costs))
        assert CYRILLIC.search(str(technique.avoid))


@pytest.mark.parametrize("code", sorted({*codes.FINDINGS, *codes.VERDICTS}))
def test_a_sentence_uses_only_parameters_the_engine_gives(code):
    text = FINDINGS.get(code) or VERDICTS.get(code)
    words = f"{text.title} {text.what} {text.do}" if text else str(WARNINGS[code])
    assert set(PLACEHOLDER.findall(words)) <= parameters_of(code)


@pytest.mark.parametrize("code", sorted({*codes.FINDINGS, *codes.VERDICTS}))
def test_both_languages_use_the_same_parameters(code):
    text = FINDINGS.get(code) or VERDICTS.get(code)
    parts = [text.title, text.what, text.do] if text else [WARNINGS[code]]
    for part in parts:
        with override("en"):
            english = sorted(PLACEHOLDER.findall(str(part)))
        with override("ru"):
            assert sorted(PLACEHOLDER.findall(str(part))) == english


def test_a_parameter_takes_the_unit_the_code_says():
    assert kind_of("rack_power_over", "need") == "w"
    assert kind_of("memory_short", "need") == "gib"
    assert kind_of("verdict_servers", "n_servers") == "servers"


def test_a_finding_prints_numbers_with_units():
    item = {"code": "rack_power_over", "params": {"need": 20400, "have": 15000, "feed": 25000}}
    with override("ru"):
        spoken = finding(item)
    assert spoken.title == "Мощности стойки не хватает"
    assert spoken.what == "В пике нужно 20,4\u00a0кВт, есть 15,0\u00a0кВт."
    assert spoken.do == "Развести по стойкам или поднять ввод до 25,0\u00a0кВт."


def test_advice_without_its_value_is_left_out():
    spoken = verdict(
        {
            "code": "verdict_infeasible",
            "params": {"need": {"v": 900, "unit": "h"}, "limit": {"v": 100, "unit": "h"}, "repair": None},
        }
    )
    assert spoken.what == "38\u00a0days needed, the limit is 4.2\u00a0days."
    assert spoken.do == ""


def test_an_unknown_code_is_readable():
    assert say("some_new_code") == "some new code"
