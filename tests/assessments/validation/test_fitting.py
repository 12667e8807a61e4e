"""The fit really moves the constants, forgets what is left out, and starts anew each time."""

from __future__ import annotations

from functools import cache

from assessments.sizing.calibration import CALIBRATION, dump, parse
from assessments.sizing.cases import Case
from assessments.sizing.fitting import fit_group, fit_left_out, usable
from assessments.sizing.prediction import prepare
from assessments.validation.judging import judge
from assessments.validation.own_rows import own_cases


@cache
def memory_cases() -> tuple[Case, ...]:
    """A few rows of each source of memory."""
    cases = [c for c in usable(own_cases()) if c.kind == "memory"]
    return tuple(cases[::6])


def test_leaving_a_source_out_moves_the_constants_that_it_knew() -> None:
    cases = memory_cases()
    everything = fit_group(prepare(cases), CALIBRATION, "memory", rounds=4)
    without = fit_group(prepare([c for c in cases if c.source != "litgpt-config-hub"]), CALIBRATION, "memory", rounds=4)
    name = "activation_multiplier.litgpt"
    assert without.memory[name].typical == CALIBRATION.memory[name].prior
    assert everything.memory[name].typical != without.memory[name].typical
    moved = [n for n, c in without.memory.items() if c.prior is not None and c.typical != c.prior]
    assert len(moved) > 15


def test_a_fold_has_its_own_constants_and_ranges() -> None:
    fold = fit_left_out(memory_cases(), "torchtune", start=CALIBRATION)
    assert (
        fold.memory["activation_multiplier.torchtune"].typical
        == CALIBRATION.memory["activation_multiplier.torchtune"].prior
    )
    assert fold.ranges["memory.known"] != CALIBRATION.ranges["memory.known"]
    assert fold.time == CALIBRATION.time


def test_a_fit_does_not_depend_on_fitted_values() -> None:
    cases = prepare(memory_cases())
    once = fit_group(cases, CALIBRATION, "memory", rounds=3)
    twice = fit_group(cases, once, "memory", rounds=3)
    assert {n: c.typical for n, c in once.memory.items()} == {n: c.typical for n, c in twice.memory.items()}


def test_the_written_calibration_reads_back_as_it_is() -> None:
    written = dump(CALIBRATION)
    assert dump(parse(written)) == written


def test_every_constant_names_its_source_and_lies_in_its_spread_or_says_why() -> None:
    for group in ("memory", "time", "host"):
        for name, constant in getattr(CALIBRATION, group).items():
            assert constant.source, name
            assert ".csv" not in constant.source, name
            assert constant.low <= constant.high, name
            if group == "host":
                assert constant.low <= constant.typical <= constant.high, name


def test_printed_parts_of_a_run_are_met_within_five_percent() -> None:
    rows = judge([c for c in usable(own_cases()) if c.parts], CALIBRATION)
    parts = [r for r in rows if r.kind == "memory-parts" and r.metric in {"weights", "gradients", "optimizer"}]
    within = sum(abs(r.error or 0.0) <= 0.05 for r in parts)
    assert len(parts) == 120
    assert within == 120
