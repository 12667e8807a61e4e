"""A result/1 arranged for the page, chapter by chapter; every number and sentence comes from the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from assessments import charts, wording
from assessments.pages import result_figures as figures
from assessments.pages import result_reasons as reasons
from assessments.pages import result_tables as tables

type Json = Mapping[str, Any]

LIMITS_SHOWN = 3
STEPS_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A key figure: value and unit apart, because the unit is set smaller. numbers: [low, typical, high]."""

    label: str
    value: str
    unit: str
    numbers: Sequence[float]
    aside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    """Everything that the template of an assessment draws."""

    result: Json
    title: str
    aim: str
    verdict: wording.Spoken
    advice: tuple[wording.Spoken, ...]
    measures: tuple[Measure, ...]
    options: tuple[tables.Option, ...]
    compare: tuple[tables.Row, ...]
    resources: tuple[tables.Row, ...]
    memory: tuple[tables.Row, ...]
    time: figures.TimeTable
    links: tuple[tables.Row, ...]
    techniques: tuple[tables.TechniqueLine, ...]
    gauges: tuple[str, ...]
    findings: tuple[reasons.Finding, ...]
    unknowns: tuple[reasons.Unknown, ...]
    assumptions: tuple[str, ...]
    derivations: tuple[reasons.DerivationGroup, ...]
    outside_calibration: tuple[str, ...]

    @property
    def limits(self) -> tuple[reasons.Finding, ...]:
        """The findings that a reader in a hurry must know, as they are for the option that leads."""
        letter = next((option.letter for option in self.options if option.is_lead), "")
        worst = [f for f in self.findings if f.tone in ("stop", "warn")][:LIMITS_SHOWN]
        return tuple(reasons.of_option(finding, letter) for finding in worst)

    @property
    def next_steps(self) -> tuple[reasons.Unknown, ...]:
        return self.unknowns[:STEPS_SHOWN]

    @property
    def lead(self) -> str:
        """Key of the option that stands for the assessment in one picture."""
        return next((option.key for option in self.options if option.is_lead), "")


def result_page(result: Json, task: Json, *, reasons_given: Mapping[str, str] | None = None) -> ResultPage:
    """Arrange a result for the page, in the active language.

    reasons_given: why an engineer set a value, by the ID of the quantity; such values are marked.
    """
    given = reasons_given or {}
    return ResultPage(
        result=result,
        title=wording.task_title(task),
        aim=aim_of(task),
        verdict=wording.verdict(result["verdict"]),
        advice=tuple(wording.verdict(item) for item in result["verdict"].get("beside") or ()),
        measures=measures(result),
        options=tables.options(result),
        compare=tables.judged(tables.compare_rows(result), given) if result["options"] else (),
        resources=tables.judged(tables.resource_rows(result), given),
        memory=figures.memory_rows(result) if result["options"] else (),
        time=figures.time_table(result),
        links=figures.link_rows(result),
        techniques=tables.technique_lines(result),
        gauges=tuple(charts.gauge_codes(result)),
        findings=reasons.findings(result),
        unknowns=reasons.unknowns(result),
        assumptions=reasons.assumptions(result),
        derivations=reasons.derivation_groups(result, given),
        outside_calibration=_outside(result.get("calibrated") or {}),
    )


def _outside(calibrated: Json) -> tuple[str, ...]:
    """Why the task lies outside of what was measured; empty when it does not."""
    return () if calibrated.get("inside", True) else tuple(wording.value_label(code) for code in calibrated["why"])


def aim_of(task: Json) -> str:
    """Data and wanted time in one line; empty when both are open."""
    scenario = task["scenarios"][0]
    dataset, cycle = scenario.get("dataset") or {}, scenario.get("cycle") or {}
    parts = [
        wording.answer("dataset.bytes", dataset["bytes"]) if _is_known(dataset.get("bytes")) else "",
        _("within %(time)s") % {"time": wording.answer("cycle.wanted_h", cycle["wanted_h"])}
        if _is_known(cycle.get("wanted_h"))
        else "",
    ]
    return ", ".join(part for part in parts if part)


def _is_known(value: object) -> bool:
    return value not in (None, "unknown")


def measures(result: Json) -> tuple[Measure, ...]:
    """The four key figures: GPUs, time, memory of one GPU, power."""
    q = tables.Quantities(result)
    summary = result["summary"]
    labels = {
        "gpus": _("GPUs"),
        "time": _("Time per run"),
        "memory": _("Memory per GPU"),
        "power": _("Power"),
    }
    asides = {
        "gpus": q.range(summary.get("servers")),
        "time": _likely(q, summary.get("time")),
        "memory": _likely(q, summary.get("memory")),
        "power": _likely(q, summary.get("power")),
    }
    found = []
    for key, label in labels.items():
        quantity = q.get(summary.get(key))
        if quantity:
            value, _space, unit = q.range(summary[key]).rpartition(wording.NBSP)
            found.append(Measure(label=label, value=value, unit=unit, numbers=quantity["v"], aside=asides[key]))
    return tuple(found)


def _likely(q: tables.Quantities, name: str | None) -> str:
    return _("likely %(value)s") % {"value": q.typical(name)} if q.get(name) else ""
