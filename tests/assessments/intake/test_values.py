"""What is typed is read as one number in base units, or refused."""

import pytest

from assessments.intake.values import Unreadable, read

NBSP, NARROW, THIN = "\u00a0", "\u202f", "\u2009"


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("1 500,5", "count", 1500.5),
        (f"1{NBSP}500,5", "count", 1500.5),
        (f"1{NARROW}500{NARROW}000", "count", 1500000),
        (f"1{THIN}500.25", "count", 1500.25),
        ("0,5", "count", 0.5),
        ("1.5", "count", 1.5),
        (",5", "count", 0.5),
        ("0.125", "count", 0.125),
        ("1,234,567.8", "count", 1234567.8),
        ("1.234.567,8", "count", 1234567.8),
        ("1,234,567", "count", 1234567),
        ("1e9", "tokens", 1000000000),
        ("1.5e12", "tokens", 1500000000000),
        ("1,5 трлн", "tokens", 1500000000000),
        ("6,7 млрд токенов", "tokens", 6700000000),
        ("6.7B", "tokens", 6700000000),
        ("500 тыс.", "samples", 500000),
        ("7b", "params", 7000000000),
        ("7В", "params", 7000000000),
        ("350M", "params", 350000000),
        ("8x7B", "params", [44800000000, 56000000000]),
        ("8х22b", "params", [140800000000, 176000000000]),
        ("≈ 70 млрд", "params", 70000000000),
        ("5–8 млрд", "tokens", [5000000000, 8000000000]),
        ("5-8B", "tokens", [5000000000, 8000000000]),
        ("от 500 млн до 2 млрд", "tokens", [500000000, 2000000000]),
        ("8k", "context", 8192),
        ("128K", "context", 131072),
        ("100k", "context", 100000),
        ("8 192", "context", 8192),
        ("40 ГБ", "bytes", 40000000000),
        ("40GB", "bytes", 40000000000),
        ("2,5 ТиБ", "bytes", 2748779069440),
        ("14 сут", "hours", 336),
        ("2 weeks", "hours", 336),
        ("36 ч.", "hours", 36),
        ("15 кВт", "kw", 15),
        ("10 kVA", "kw", 9),
        ("800 Вт", "kw", 0.8),
        ("25 Гбит/с", "gbit_s", 25),
        ("1 м", "mm", 1000),
        ("30 %", "share", 0.3),
        ("30", "share", 0.3),
        ("24 °C", "celsius", 24),
    ],
)
def test_reads(text: str, kind: str, expected: object) -> None:
    assert read(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "kind", "code"),
    [
        ("3,2,.2", "count", "not_a_number"),
        ("9.999", "count", "ambiguous"),
        ("1,500", "count", "ambiguous"),
        ("1 50", "count", "not_a_number"),
        ("15 00", "count", "not_a_number"),
        ("1,23,456", "count", "not_a_number"),
        ("1.5.2", "count", "not_a_number"),
        ("5.", "count", "not_a_number"),
        ("-5", "count", "not_a_number"),
        ("много", "tokens", "not_a_number"),
        ("8к?", "context", "suffix_unknown"),
        ("7 попугаев", "params", "suffix_unknown"),
        ("8–5 млрд", "tokens", "not_a_number"),
        ("8x7B", "tokens", "suffix_unknown"),
        ("NaN", "count", "not_a_number"),
        ("inf", "count", "not_a_number"),
    ],
)
def test_refuses(text: str, kind: str, code: str) -> None:
    with pytest.raises(Unreadable) as refusal:
        read(text, kind)
    assert refusal.value.code == code


def test_a_unit_in_the_text_wins_over_the_chosen_one() -> None:
    assert read("40", "bytes", "tb") == 40_000_000_000_000
    assert read("40 ГБ", "bytes", "tb") == 40_000_000_000


def test_both_bounds_of_a_range_take_the_chosen_unit() -> None:
    assert read("1–2", "hours", "d") == [24, 48]


def test_an_ambiguous_number_names_both_readings() -> None:
    with pytest.raises(Unreadable) as refusal:
        read("9.999", "count")
    assert refusal.value.params == {"given": "9.999", "grouped": "9999", "decimal": "9,9990"}
