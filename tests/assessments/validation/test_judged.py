"""The statistics are those of the definition: one vote per source, signs, weights and fit decisions."""

from dataclasses import replace

import pytest

from assessments.validation.judged import Judged, fit_of, plain_statistics, voted_statistics


def row(source: str, published: float, typical: float, **more: object) -> Judged:
    """A memory row with a range of ±20 % around typical."""
    values = {"unit": "GiB", "modality": "text", "low": 0.8 * typical, "high": 1.2 * typical} | more
    return Judged(kind="memory", id="1", source=source, published=published, typical=typical, **values)  # type: ignore[arg-type]


def test_plus_means_too_much_memory_or_too_fast() -> None:
    assert row("a", 10.0, 11.0).error == pytest.approx(0.1)
    assert row("a", 10.0, 8.0, unit="s").error == pytest.approx(0.25)


def test_a_source_with_many_rows_has_one_vote() -> None:
    rows = [row("many", 10.0, 15.0, weight_key=str(i)) for i in range(99)]
    rows += [row("one", 10.0, 10.0), row("two", 10.0, 11.0)]
    found = voted_statistics(rows)
    assert found.median_ape == pytest.approx(0.1)
    assert found.in_range == pytest.approx(2 / 3)
    assert plain_statistics(rows).median_ape == pytest.approx(0.5)


def test_the_90th_percentile_is_weighted_by_source_and_configuration() -> None:
    rows = [row(f"s{i}", 10.0, 10.0 + i / 10) for i in range(1, 10)]
    rows += [row("s10", 10.0, 20.0, weight_key="same"), row("s10", 10.0, 30.0, weight_key="same")]
    assert voted_statistics(rows).p90_ape == pytest.approx(0.09)
    rows += [row("s11", 10.0, 40.0)]
    assert voted_statistics(rows).p90_ape == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("typical", "high", "decision"),
    [(60.0, 73.6, "fits"), (60.0, 73.7, "at_limit"), (80.0, 90.0, "at_limit"), (80.1, 90.0, "does_not_fit")],
)
def test_fits_means_high_within_the_usable_memory(typical: float, high: float, decision: str) -> None:
    assert fit_of(high, typical, 80.0) == decision


def test_a_fit_is_right_when_typical_within_the_card_says_whether_it_ran() -> None:
    ran = row("a", 70.0, 79.0, card=80.0, ran=True, fits="at_limit")
    failed = replace(ran, published="OOM", typical=85.0, ran=False, fits="does_not_fit")
    wrong = row("a", 70.0, 81.0, card=80.0, ran=True, fits="does_not_fit")
    found = plain_statistics([ran, failed, wrong])
    assert (found.fit_n, found.called_fit) == (3, 0)
    assert found.fit_right == pytest.approx(2 / 3)


def test_suspect_rows_are_listed_and_do_not_count() -> None:
    assert plain_statistics([row("a", 10.0, 30.0, counted=False), row("a", 10.0, 10.0)]).n == 1
