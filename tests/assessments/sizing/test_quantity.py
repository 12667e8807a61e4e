"""Numbers at the border: six digits, parts that sum, ranges of products."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assessments.sizing.quantity import Ledger, Span, combined, envelope, rounded, rounded_parts

SIZES = st.floats(min_value=0, max_value=1e15, allow_subnormal=False)


def test_numbers_have_six_significant_digits_and_whole_ones_are_integers():
    assert rounded(1234567.0) == 1234570
    assert isinstance(rounded(8.0), int)
    assert rounded(0.000123456789) == 0.000123457
    with pytest.raises(ArithmeticError):
        rounded(math.nan)


@given(st.lists(SIZES, min_size=1, max_size=8).filter(lambda parts: sum(parts) > 1e-6))
def test_rounded_parts_sum_to_the_rounded_total(parts: list[float]):
    total = sum(parts)
    values = rounded_parts(parts, total)
    assert math.isclose(math.fsum(values), rounded(total), rel_tol=1e-12)
    assert all(value >= 0 for value in values)


def test_the_largest_remainder_gets_the_missing_unit():
    assert rounded_parts([1 / 3, 1 / 3, 1 / 3], 1.0) == [0.33334, 0.33333, 0.33333]


def test_independent_factors_add_their_widths_as_squares():
    span = combined(10.0, [Span(1, 2, 4), Span(1, 2, 4)])
    assert span.typical == 10.0
    assert span.high == pytest.approx(10 * 2 ** math.sqrt(2))
    assert span.low == pytest.approx(10 / 2 ** math.sqrt(2))


def test_an_envelope_holds_every_span():
    assert envelope([Span(1, 2, 3), Span(0.5, 4, 9)]) == Span(0.5, 2, 9)


def test_a_pin_replaces_the_value_on_its_way_in():
    ledger = Ledger({"a.b": 7.0})
    assert ledger.add("a.b", Span(1, 2, 3), unit="h", formula="search", bounds=(0, 10)) == Span(7, 7, 7)
    quantity = ledger.quantities["a.b"]
    assert (quantity.origin, quantity.engine_value) == ("pinned", Span(1, 2, 3))
