"""Numbers are written as engineers of the language write them."""

import pytest
from django.utils.translation import override

from assessments.wording import amount, counted, decimal, number_in, quantity, to_sum

CASES = [
    ([360, 480, 624], "h", "15–26\u00a0days", "15–26\u00a0сут"),
    (0.5, "h", "30\u00a0min", "30\u00a0мин"),
    (36, "h", "36\u00a0h", "36\u00a0ч"),
    (8766 * 9.3, "h", "9.3\u00a0years", "9,3\u00a0года"),
    (14300, "w", "14.3\u00a0kW", "14,3\u00a0кВт"),
    (700, "w", "700\u00a0W", "700\u00a0Вт"),
    (15, "kw", "15.0\u00a0kW", "15,0\u00a0кВт"),
    (6.7e9, "tokens", "6.7\u00a0billion\u00a0tokens", "6,7\u00a0млрд\u00a0токенов"),
    (8192, "tokens", "8,192\u00a0tokens", "8\u202f192\u00a0токена"),
    (1, "tokens", "1\u00a0token", "1\u00a0токен"),
    (4e10, "bytes", "40\u00a0GB", "40\u00a0ГБ"),
    (9.999e11, "bytes", "1\u00a0TB", "1\u00a0ТБ"),
    (80 * 2**30, "gib", "80\u00a0GiB", "80\u00a0ГиБ"),
    (-24 * 2**30, "gib", "−24\u00a0GiB", "−24\u00a0ГиБ"),
    (0.95, "share", "95%", "95\u00a0%"),
    (0.034, "share", "3.4%", "3,4\u00a0%"),
    ([0.1, 0.1, 0.1], "share", "10%", "10\u00a0%"),
    (25e9, "bytes_s", "25\u00a0GB/s", "25\u00a0ГБ/с"),
    (4e11, "bit_s", "400\u00a0Gbit/s", "400\u00a0Гбит/с"),
    ([8, 16], "gpus", "8–16\u00a0GPUs", "8–16\u00a0GPU"),
    (1, "servers", "1\u00a0server", "1\u00a0сервер"),
    (3, "servers", "3\u00a0servers", "3\u00a0сервера"),
    (21, "servers", "21\u00a0servers", "21\u00a0сервер"),
    (111, "servers", "111\u00a0servers", "111\u00a0серверов"),
    (10, "units", "10\u00a0U", "10\u00a0U"),
    (1.4, "ratio", "1.4×", "1,4\u00a0×"),
    (9.89e14, "flops_s", "989\u00a0TFLOPS", "989\u00a0TFLOPS"),
    (0.0008, "iops", "0\u00a0IOPS", "0\u00a0IOPS"),
    (None, "h", "–", "–"),
    (2, "gib", "2\u00a0B", "2\u00a0Б"),
    (72174.2, "gib", "72\u00a0kB", "72\u00a0кБ"),
    (1816130, "gib", "1.8\u00a0MB", "1,8\u00a0МБ"),
    (0, "gib", "0\u00a0GiB", "0\u00a0ГиБ"),
    ([20, 1000, 2265], "h", "1–94\u00a0days", "1–94\u00a0сут"),
    ([730.5 * 0.8, 730.5 * 3, 730.5 * 9], "h", "0.8–9.0\u00a0months", "0,8–9,0\u00a0мес."),
    ([0.0, 48, 96], "h", "0–4\u00a0days", "0–4\u00a0сут"),
]


@pytest.mark.parametrize(("value", "unit", "english", "russian"), CASES)
def test_an_amount_in_both_languages(value, unit, english, russian):
    with override("en"):
        assert amount(value, unit) == english
    with override("ru"):
        assert amount(value, unit) == russian


def test_half_is_rounded_away_from_zero_like_a_reader_does():
    assert decimal(2.5) == "3"
    assert decimal(0.125, 2) == "0.13"


def test_parts_printed_with_one_decimal_sum_to_the_printed_total():
    parts = [33.33, 33.33, 33.34]
    assert sum(to_sum(parts, 100.0)) == 100
    assert [str(p) for p in to_sum([0.04, 0.04, 0.04], 0.12)] == ["0.1", "0.0", "0.0"]


def test_an_assumed_quantity_is_marked():
    q = {"v": [5e9, 6e9, 8e9], "unit": "tokens", "origin": "assumption"}
    assert quantity(q, "data.tokens") == "≈\u00a05–8\u00a0billion\u00a0tokens"


def test_gpu_memory_is_in_gib_and_data_in_gb():
    q = {"v": [2**30, 2**30, 2**30], "unit": "bytes", "origin": "computed"}
    assert quantity(q, "balanced.memory.total") == "1\u00a0GiB"
    assert quantity(q, "balanced.storage.dataset") == "1.1\u00a0GB"


def test_a_column_keeps_one_unit():
    assert number_in(700, "w", like=15000) == "0.7"


def test_a_counted_phrase_agrees_in_russian():
    with override("ru"):
        assert [counted(n, "assumptions") for n in (1, 2, 5, 11, 22)] == [
            "1\u00a0допущение",
            "2\u00a0допущения",
            "5\u00a0допущений",
            "11\u00a0допущений",
            "22\u00a0допущения",
        ]
