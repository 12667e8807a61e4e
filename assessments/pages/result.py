"""A result/1 arranged for the page, chapter by chapter; every number and sentence comes from the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from assessments import wording
from assessments.pages import result_reasons as reasons
from assessments.pages import result_tables as tables

type Json = Mapping[str, Any]

LIMITS_SHOWN = 3
STEPS_SHOWN = 3
GAUGES = ("power", "feed", "heat", "units", "depth", "weight")


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
    advice: tuple[str, ...]
    measures: tuple[Measure, ...]
    options: tuple[tables.Option, ...]
    compare: tuple[tables.Row, ...]
    resources: tuple[tables.Row, ...]
    memory: tuple[tables.Row, ...]
    time: tables.TimeTable
    gauges: tuple[str, ...]
    findings: tuple[reasons.Finding, ...]
    unknowns: tuple[reasons.Unknown, ...]
    assumptions: tuple[str, ...]
    derivations: tuple[reasons.DerivationGroup, ...]
    outside_calibration: tuple[str, ...]

    @property
    def limits(self) -> tuple[reasons.Finding, ...]:
        """The findings that a reader in a hurry must know."""
        return tuple(f for f in self.findings if f.tone in ("stop", "warn"))[:LIMITS_SHOWN]

    @property
    def next_steps(self) -> tuple[reasons.Unknown, ...]:
        return self.unknowns[:STEPS_SHOWN]

    @property
    def lead(self) -> str:
        """Key of the option that stands for the assessment in one picture."""
        return next((option.key for option in self.options if option.is_lead), "")


def result_page(result: Json, task: Json) -> ResultPage:
    """Arrange a result for the page, in the active language."""
    return ResultPage(
        result=result,
        title=title_of(task),
        aim=aim_of(task),
        verdict=wording.verdict(result["verdict"]),
        advice=tuple(wording.say(f"advice_{code}") for code in result["verdict"].get("advice", ())),
        measures=measures(result),
        options=tables.options(result),
        compare=tables.compare_rows(result) if result["options"] else (),
        resources=tables.resource_rows(result),
        memory=tables.memory_rows(result) if result["options"] else (),
        time=tables.time_table(result),
        gauges=_gauges(result),
        findings=reasons.findings(result),
        unknowns=reasons.unknowns(result),
        assumptions=reasons.assumptions(result),
        derivations=reasons.derivation_groups(result),
        outside_calibration=()
        if result["calibrated"]["inside"]
        else tuple(wording.value_label(code) for code in result["calibrated"]["why"]),
    )


def title_of(task: Json) -> str:
    """What is trained and how: "Llama 3.1 70B, full fine-tuning"."""
    scenario = task["scenarios"][0]
    model = scenario.get("model") or {}
    method = (scenario.get("strategy") or {}).get("method")
    name = ""
    if model.get("preset"):
        name = str(model["preset"])
    elif isinstance(model.get("params"), int | float | list | tuple):
        name = wording.answer("model.params", model["params"])
    elif model.get("class"):
        name = _("%(size)s model") % {"size": wording.answer("model.class", model["class"])}
    parts = [name, wording.answer("strategy.method", method) if method and method != "unknown" else ""]
    title = ", ".join(part for part in parts if part) or _("Training of a neural network")
    return title[:1].upper() + title[1:]


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


def _gauges(result: Json) -> tuple[str, ...]:
    """Rack resources that the customer gave a limit for."""
    limited = {r["code"] for option in result["options"] for r in option["resources"] if r.get("offered")}
    return tuple(code for code in GAUGES if code in limited)
