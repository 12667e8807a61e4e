"""What the engine takes where an answer is open: one table with a source for every figure."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from assessments.sizing.calibration import Constant
from assessments.sizing.quantity import Span


def read_defaults(text: str) -> Mapping[str, Constant]:
    """The table of a TOML file, by name."""
    return MappingProxyType({name: Constant(**fields) for name, fields in tomllib.loads(text).items()})


def span_of(constant: Constant) -> Span:
    """The range of a constant as a span."""
    return Span(float(constant.low), float(constant.typical), float(constant.high))


DEFAULTS = read_defaults((files("assessments.sizing") / "data" / "defaults.toml").read_text(encoding="utf-8"))


def default(name: str) -> Span:
    """Low, typical and high of what is taken for an open answer."""
    return span_of(DEFAULTS[name])
