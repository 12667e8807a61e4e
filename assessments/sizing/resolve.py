"""From open answers to closed cases: every scenario and method becomes what the physics and the host formulas take."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assessments.sizing import setup as physics
from assessments.sizing.answers import UNKNOWN
from assessments.sizing.assumptions import Assumptions, closed, span_of_answer
from assessments.sizing.dataset import Feed, feed_of
from assessments.sizing.defaults import default
from assessments.sizing.modelling import ResolvedModel, family_of, model_of
from assessments.sizing.quantity import Span
from assessments.sizing.questions import METHODS, Scenario
from assessments.sizing.task import TrainingTask

HARDEST_FIRST = ("from_scratch", "full", "frozen", "lora", "qlora")
UNKNOWN_METHODS = ("full", "lora")
NF4_BITS = 4.127  # NF4 with double quantization: Dettmers et al. 2023, arXiv:2305.14314, section 3
TUNED_STACKS = frozenset({"torchtitan", "megatron", "nemo"})
WITHOUT_GPU = frozenset({"trees"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When a cycle has to be ready [h], and how often it runs."""

    wanted_h: float
    latest_h: float
    runs_per_quarter: Span
    runs_in_all: float | None
    continuous_per_quarter: float
    continuous_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scenario under one method, closed.

    typical, least, most: the physics' scenario in the middle and at both ends of what was left open
    """

    index: int
    method: str
    model: ResolvedModel
    feed: Feed
    times: Times
    recipe: physics.Recipe
    typical: physics.Scenario
    least: physics.Scenario
    most: physics.Scenario
    forbidden: frozenset[str]
    layout: Scenario
    after: int | None

    @property
    def is_open(self) -> bool:
        """Whether memory depends on an answer that is open."""
        return self.least.sequence_tokens != self.most.sequence_tokens or self.least.shape != self.most.shape

    @property
    def prefix(self) -> str:
        """Path of the scenario in the task."""
        return f"scenarios[{self.index}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A whole task, closed: for each scenario its cases by method, the deciding one first."""

    task: TrainingTask
    cases: tuple[tuple[Case, ...], ...]
    assumptions: Assumptions
    methods: tuple[tuple[str, ...], ...]

    @property
    def deciding(self) -> tuple[Case, ...]:
        """The case that decides in each scenario that is training."""
        return tuple(rows[0] for rows in self.cases if rows)


def resolve(task: TrainingTask) -> Resolved:
    """Close every open answer of a task and state what was taken."""
    taken = Assumptions()
    cases: list[tuple[Case, ...]] = []
    methods: list[tuple[str, ...]] = []
    for index in range(len(task.scenarios)):
        named = _methods_of(task, index, taken)
        methods.append(named)
        training = [method for method in named if method != "inference"]
        if family_of(task.scenarios[index]) in WITHOUT_GPU:
            training = []
        cases.append(
            tuple(_case(task, index, method, taken if i == 0 else Assumptions()) for i, method in enumerate(training))
        )
    return Resolved(task=task, cases=tuple(cases), assumptions=taken, methods=tuple(methods))


def _methods_of(task: TrainingTask, index: int, taken: Assumptions) -> tuple[str, ...]:
    answer = task.scenarios[index].strategy.method
    path = f"scenarios[{index}].strategy.method"
    if answer is None and index > 0:
        first = task.scenarios[0].strategy.method
        taken.note(path, first if first != UNKNOWN else "full", "method_of_first")
        answer = first
    if answer is None or answer == UNKNOWN:
        if index == 0 or task.scenarios[index].strategy.method == UNKNOWN:
            taken.note(path, "full", "method_full")
        return UNKNOWN_METHODS
    if isinstance(answer, str):
        return (answer,)
    ordered = tuple(method for method in (*HARDEST_FIRST, "inference") if method in answer)
    taken.note(path, ordered[0], "candidate_taken", candidates=ordered)
    return ordered


def _case(task: TrainingTask, index: int, method: str, taken: Assumptions) -> Case:
    scenario = task.scenarios[index]
    path = f"scenarios[{index}]"
    model = model_of(scenario, path, method, taken)
    feed = feed_of(scenario, path, method, model, taken)
    recipe = _recipe(scenario, path, method, model, taken)
    typical = _physics(scenario, method, model, feed, recipe, 1)
    forbidden = scenario.recipe.forbidden
    return Case(
        index=index,
        method=method,
        model=model,
        feed=feed,
        times=_times(scenario, path, taken),
        recipe=recipe,
        typical=typical,
        least=_physics(scenario, method, model, feed, recipe, 0),
        most=_physics(scenario, method, model, feed, recipe, 2),
        forbidden=frozenset(forbidden if isinstance(forbidden, tuple) else ()),
        layout=scenario,
        after=None if scenario.after is None else int(scenario.after),
    )


def _physics(
    scenario: Scenario, method: str, model: ResolvedModel, feed: Feed, recipe: physics.Recipe, end: int
) -> physics.Scenario:
    """The physics' scenario at one end of the open answers: 0 least, 1 typical, 2 most."""
    shape = model.shapes[end]
    objective = scenario.strategy.objective
    objective = objective if isinstance(objective, str) and objective != UNKNOWN else "loss"
    batch = closed(scenario.recipe.global_batch)
    rollout = 0.0
    if objective == "grpo":
        rollout = default("rollout.share")[end]
    return physics.Scenario(
        shape=shape,
        method=method,  # type: ignore[arg-type]  # the enum of the task is the physics' one
        objective=objective,
        sequence_tokens=model.sequence_tokens[end],
        cycle_tokens=(feed.cycle_tokens.low, feed.cycle_tokens.typical, feed.cycle_tokens.high),
        global_batch=batch,
        trainable_params=model.trainable_params,
        components=model.components,
        sequences_per_sample=2.0 if objective == "dpo" else 1.0,
        rollout_tokens=rollout,
        shape_known=model.shape_known,
    )


def _times(scenario: Scenario, path: str, taken: Assumptions) -> Times:
    cycle = scenario.cycle
    wanted, latest = span_of_answer(cycle.wanted_h), span_of_answer(cycle.latest_h)
    months = cycle.months_acceptable is True
    if latest is None:
        usual = default("cycle.latest_months" if months else "cycle.latest").typical
        latest_h = usual if wanted is None else max(usual, wanted.low)
        taken.note(f"{path}.cycle.latest_h", latest_h, "cycle_latest")
    else:
        latest_h = latest.low
    if wanted is None:
        wanted_h = latest_h * default("cycle.wanted_share").typical
        taken.note(f"{path}.cycle.wanted_h", wanted_h, "cycle_wanted")
    else:
        wanted_h = wanted.low
    in_all = closed(scenario.runs_in_all)
    if scenario.runs_per_quarter is None and in_all is not None:
        runs = Span(0.0, 0.0, 0.0)
    else:
        runs = taken.number(f"{path}.runs_per_quarter", scenario.runs_per_quarter, "runs.quarter", "runs_usual")
    continuous = scenario.strategy.continuous
    days = closed(continuous.every_days) if continuous is not None else None
    share = closed(continuous.data_share) if continuous is not None else None
    return Times(
        wanted_h=wanted_h,
        latest_h=max(latest_h, wanted_h),
        runs_per_quarter=runs,
        runs_in_all=in_all,
        continuous_per_quarter=0.0 if days is None else 91.3 / days,
        continuous_share=1.0 if share is None else share,
    )


def _recipe(scenario: Scenario, path: str, method: str, model: ResolvedModel, taken: Assumptions) -> physics.Recipe:
    answers = scenario.recipe
    assumed: set[str] = set()

    def open_choice(key: str, otherwise: str, code: str, order: tuple[str, ...] = ()) -> str:
        if not isinstance(getattr(answers, key), str) or getattr(answers, key) == UNKNOWN:
            assumed.add(key)
        return taken.choice(f"{path}.recipe.{key}", getattr(answers, key), otherwise, code, order)

    precision = open_choice("precision", "bf16", "precision_bf16", ("bf16", "fp16", "fp8", "fp32"))
    optimizer = open_choice("optimizer", "adamw", "optimizer_adamw", ("adamw", "lion", "muon", "sgd", "adafactor"))
    stack = open_choice("stack", "unknown", "stack_ordinary")
    loss = answers.loss if isinstance(answers.loss, str) and answers.loss != UNKNOWN else None
    if loss is None:
        assumed.add("loss")
    gradient_bytes = 2.0
    if isinstance(answers.gradient_dtype, str) and answers.gradient_dtype != UNKNOWN:
        gradient_bytes = 4.0 if answers.gradient_dtype == "fp32" else 2.0
    else:
        assumed.add("gradient_bytes")
    tuned = answers.tuned if isinstance(answers.tuned, bool) else True if stack in TUNED_STACKS else None
    lora = scenario.strategy.lora
    rank = 0.0
    if method in ("lora", "qlora"):
        rank = taken.number(
            f"{path}.strategy.lora.rank", lora.rank if lora else None, "lora.rank", "lora_rank_usual"
        ).typical
    targets = lora.targets if lora is not None and isinstance(lora.targets, tuple) else ("attention", "mlp")
    return physics.Recipe(
        precision=precision,  # type: ignore[arg-type]  # the enum of the task is within the physics' one
        weights="fp32" if precision == "fp32" else "mixed",
        optimizer=optimizer,  # type: ignore[arg-type]  # the enum of the task is within the physics' one
        gradient_bytes=4.0 if precision == "fp32" else gradient_bytes,
        stack=stack,
        tuned=tuned,
        loss=loss or "eager",  # type: ignore[arg-type]  # the enum of the task is the physics' one
        flash_attention=answers.flash_attention is not False,
        packing=answers.packing is not False,
        lora_rank=rank,
        lora_targets=frozenset(targets),
        lora_dropout=bool(closed(lora.dropout) if lora is not None else None),
        quant_bits=NF4_BITS if method == "qlora" else None,
        assumed=frozenset(assumed),
    )


def unbound(case: Case) -> Case:
    """The same case without the layout, batch and precision that the customer is bound to."""
    free = case.layout.recipe.model_copy(update={"layout": None, "global_batch": None, "micro_batch": None})
    scenario = case.layout.model_copy(update={"recipe": free})
    recipe = replace(case.recipe, precision="bf16" if case.recipe.precision == "fp8" else case.recipe.precision)
    typical, least, most = (replace(one, global_batch=None) for one in (case.typical, case.least, case.most))
    return replace(case, layout=scenario, recipe=recipe, typical=typical, least=least, most=most)


assert set(HARDEST_FIRST) < set(METHODS)
