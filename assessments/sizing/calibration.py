"""The calibrated constants: value, spread and source of everything that is not arithmetic."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant:
    """One calibrated value with its spread (10th to 90th percentile, or the range its source gives).

    prior: the value that the documents alone suggest, from which a fit starts; None = not fitted
    """

    typical: float
    low: float
    high: float
    unit: str
    source: str
    applies_to: str = ""
    prior: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Everything the formulas take from measurements.

    memory, time: constants of the physics, fitted; ranges: quantiles of the errors; host: the machine around the cards
    """

    label: str
    memory: Mapping[str, Constant]
    time: Mapping[str, Constant]
    ranges: Mapping[str, Constant]
    host: Mapping[str, Constant]

    def keyed(self, group: str, name: str, key: str) -> float:
        """The value of `name.key`, or of `name.default` where the key has no own value."""
        table: Mapping[str, Constant] = getattr(self, group)
        found = table.get(f"{name}.{key}")
        return (found or table[f"{name}.default"]).typical

    def with_values(self, group: str, values: Mapping[str, float]) -> Calibration:
        """A copy in which some typical values of "memory" or "time" are replaced."""
        table: Mapping[str, Constant] = getattr(self, group)
        changed = {name: replace(table[name], typical=value) for name, value in values.items()}
        merged = MappingProxyType({**table, **changed})
        return replace(self, memory=merged) if group == "memory" else replace(self, time=merged)


def parse(text: str) -> Calibration:
    """The calibration that a TOML file describes: one table per constant, named group."name"."""
    raw = tomllib.loads(text)
    groups = {
        group: MappingProxyType({name: Constant(**fields) for name, fields in raw.get(group, {}).items()})
        for group in ("memory", "time", "ranges", "host")
    }
    return Calibration(
        label=raw["label"], memory=groups["memory"], time=groups["time"], ranges=groups["ranges"], host=groups["host"]
    )


def dump(calibration: Calibration) -> str:
    """The TOML text of a calibration; parse(dump(c)) == c."""
    lines = [f'label = "{calibration.label}"', ""]
    for group in ("memory", "time", "ranges", "host"):
        table: Mapping[str, Constant] = getattr(calibration, group)
        for name, c in table.items():
            numbers = f"typical = {_number(c.typical)}\nlow = {_number(c.low)}\nhigh = {_number(c.high)}"
            lines += [f'[{group}."{name}"]', numbers, f"unit = {_text(c.unit)}", f"source = {_text(c.source)}"]
            if c.prior is not None:
                lines.append(f"prior = {_number(c.prior)}")
            if c.applies_to:
                lines.append(f"applies_to = {_text(c.applies_to)}")
            lines.append("")
    return "\n".join(lines)


def _number(value: float) -> str:
    return repr(float(f"{value:.6g}"))


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


CALIBRATION = parse((files("assessments.sizing") / "calibration.toml").read_text(encoding="utf-8"))
