"""Findings of the task as a whole: assumptions, contradictions of the answers, horizon, calibration."""

from __future__ import annotations

from assessments.sizing.assumptions import closed, span_of_answer
from assessments.sizing.engine import Sized, main_option
from assessments.sizing.findings import Findings
from assessments.sizing.horizon import people_for
from assessments.sizing.host import host
from assessments.sizing.nearest_run import scope_of_calibration
from assessments.sizing.rack import cooling_limit_w
from assessments.sizing.resolve import Case
from assessments.sizing.sensitivity import Unknown

TOKENS_PER_PARAM = 20.0
BYTES_PER_TOKEN = (2.0, 12.0)
UNCALIBRATED_OBJECTIVES = frozenset({"grpo", "distill"})


def task_findings(found: Findings, answer: Sized, ranking: list[Unknown]) -> None:
    """Everything that is to be said once, whatever the option."""
    for case in answer.resolved.deciding:
        _case(found, answer, case, ranking)
    _assumed(found, answer, ranking)
    _site(found, answer)
    _horizon(found, answer)
    main = main_option(answer)
    for why in scope_of_calibration(answer, main)["why"]:
        found.add("outside_calibration", main, why=why)
    if answer.anchor is not None and main is not None:
        after = main.value("time.cycle")
        found.add("measurement_used", main, after=list(after), before=None)


def _case(found: Findings, answer: Sized, case: Case, ranking: list[Unknown]) -> None:
    scenario, shape = case.layout, case.model.shape
    context = closed(scenario.model.context_tokens)
    if (
        context is not None
        and shape.max_context is not None
        and shape.obtained != "nearest"
        and context > shape.max_context
    ):
        found.add("context_above_model", model=shape.name, limit=shape.max_context, given=context)
    tokens = case.feed.cycle_tokens
    if case.method == "from_scratch" and shape.vocab and tokens.high < TOKENS_PER_PARAM * case.model.params.low:
        found.add("scratch_small_data", tokens=tokens.typical, params=case.model.params.typical)
    stored, counted = span_of_answer(scenario.dataset.bytes), span_of_answer(scenario.dataset.tokens)
    if stored is not None and counted is not None and case.feed.profile == "continuous_text":
        rate = stored.typical / counted.typical
        if not BYTES_PER_TOKEN[0] <= rate <= BYTES_PER_TOKEN[1]:
            found.add("bytes_per_token", rate=rate)
    if scenario.strategy.own_architecture is True and case.method in ("lora", "qlora"):
        found.add("own_with_lora")
    if case.feed.tokens_code not in ("answered", "samples"):
        gain = next((row.share for row in ranking if row.path == f"{case.prefix}.dataset.tokens"), 0.0)
        found.add("assumed_tokens", tokens=list(case.feed.pass_tokens), gain=gain)
    if shape.obtained == "nearest":
        found.add("assumed_shape", model=shape.name)
    if case.typical.objective in UNCALIBRATED_OBJECTIVES:
        found.add("method_not_calibrated", method=case.typical.objective)
    for item in shape.assumptions:
        if item.code == "model_type_unknown":
            params = dict(item.params)
            found.add(
                "assumed_model_type",
                type=str(params.get("model_type", "")),
                family=str(params.get("family", shape.family)),
                params=shape.total_params,
            )


def _assumed(found: Findings, answer: Sized, ranking: list[Unknown]) -> None:
    open_answers = {row.path for row in answer.resolved.assumptions.rows if not row.path.startswith("facility")}
    strongest = next((row.path for row in ranking if row.path in open_answers), None) or (
        ranking[0].path if ranking else None
    )
    if open_answers and strongest is not None:
        found.add("assumed_values", n_assumptions=len(open_answers), unknown=strongest)


def _site(found: Findings, answer: Sized) -> None:
    site = answer.site
    if not site.is_described and answer.resolved.deciding:
        found.add("rack_unknown")
    factor = host("feed_plan_factor").typical
    if site.feed_w is not None and site.rack_w is not None and site.feed_w * factor < site.rack_w:
        found.add("feed_below_rack", usable=site.feed_w * factor, rack=site.rack_w)
    heat = cooling_limit_w(site)
    if site.cooling_w is not None and site.rack_w is not None and heat is not None and heat < site.rack_w:
        found.add("cooling_below_power", cooling=heat)


def _horizon(found: Findings, answer: Sized) -> None:
    outlook, main = answer.outlook, main_option(answer)
    if main is None:
        return
    if outlook.operation == "service" and main.machine.servers == 1:
        found.add("operation_service", main)
    wanted, left = main.value("growth_slots.required").typical, main.value("growth_slots.left").typical
    if wanted > 0 and left < 0:
        roomy = next((option for option in answer.options if "growth" in option.keys), main)
        found.add("growth_slots", main, when=outlook.in_months * 730.5, n_gpus=wanted, option=roomy.key)
    found.add("team_size", main, n_people=people_for(main.machine.servers, outlook.operation))
