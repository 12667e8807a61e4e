"""Laws of a sizing, whatever the task: no accident, no narrowing by ignorance, monotone in what it costs."""

import copy
import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assessments.sizing import Catalog, architectures, canonical_json, parse_task, setups_of, size
from assessments.sizing import questions as q
from assessments.sizing.machines import Machine

LAW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def number(low: float, high: float, *, whole: bool = False) -> st.SearchStrategy[Any]:
    """An open number: nothing, unknown, one value over the whole range of orders, or a range."""
    exponent = st.floats(math.log10(max(low, 1e-3)), math.log10(high))
    value = exponent.map(lambda e: min(max(10**e, low), high)).map(lambda v: float(round(v)) if whole else v)
    value = value.map(lambda v: min(max(v, low), high)) | st.sampled_from([low, high])
    return st.none() | st.just("unknown") | value | st.tuples(value, value).map(lambda pair: sorted(pair))


def choice(*values: str) -> st.SearchStrategy[Any]:
    """An open enum."""
    lists = st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)
    return st.none() | st.just("unknown") | st.sampled_from(values) | lists


def some(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with some of the keys."""
    return st.fixed_dictionaries({}, optional=keys)


FLAG = st.sampled_from([True, False, "unknown", None])
PRESETS = st.sampled_from(sorted(architectures.preset_slugs()))
MODEL = st.one_of(
    some(preset=PRESETS, context_tokens=number(1, 1e8, whole=True)),
    some(params=number(1e3, 1e14), family=choice(*q.FAMILIES), context_tokens=number(1, 1e6, whole=True)),
    some(
        **{"class": choice("small", "medium", "large")},
        inputs=st.lists(st.sampled_from(["text", "image", "audio", "video", "tabular"]), min_size=1, unique=True),
        image_width_px=number(1, 100_000, whole=True),
        frames=number(1, 1e6, whole=True),
        audio_s=number(0.001, 1e6),
        images_per_sample=number(0, 10_000, whole=True),
    ),
)
SCENARIO = st.fixed_dictionaries(
    {
        "strategy": st.fixed_dictionaries(
            {
                "method": st.sampled_from([*q.METHODS, "unknown"])
                | st.lists(st.sampled_from(q.METHODS), min_size=1, unique=True)
            },
            optional={
                "objective": choice(*q.OBJECTIVES),
                "continuous": some(every_days=number(0.01, 3660), data_share=number(0, 1)),
                "lora": some(rank=number(1, 4096, whole=True)),
                "teacher": some(preset=PRESETS),
                "reference_model": FLAG,
            },
        ),
    },
    optional={
        "runs_per_quarter": number(0, 1e5),
        "model": MODEL,
        "dataset": some(
            bytes=number(0, 1e19),
            tokens=number(1, 1e17),
            samples=number(1, 1e15),
            epochs=number(0.001, 1e6),
            profile=choice(*q.PROFILES),
            augmentation=choice("none", "light", "heavy", "regenerated"),
            location=choice(*q.LOCATIONS),
            growth_per_year=number(0, 100),
        ),
        "cycle": some(latest_h=number(1, 87_000), months_acceptable=FLAG),
        "recipe": some(
            precision=choice("bf16", "fp16", "fp8", "fp32"),
            optimizer=choice(*q.OPTIMIZERS),
            global_batch=number(1, 1e8, whole=True),
            micro_batch=number(1, 1e6, whole=True),
            stack=choice(*q.STACKS),
            tuned=FLAG,
            loss=choice("eager", "chunked", "fused"),
        ),
    },
)
TASK = st.fixed_dictionaries(
    {"schema": st.just("task/1"), "scenarios": st.lists(SCENARIO, min_size=1, max_size=2)},
    optional={
        "horizon": some(use=choice("one_off", "platform"), years=number(0, 20)),
        "facility": some(
            rack_kw=number(0, 1000),
            feeds=number(0, 16, whole=True),
            cooling=choice(*q.COOLING),
            free_units=number(0, 100),
            depth_mm=number(100, 3000),
            inlet_c=number(1, 60),
            racks=number(0, 10_000, whole=True),
        ),
        "hardware": st.lists(
            some(
                accelerator=st.sampled_from(["a100-sxm4-80gb", "l4", "no-such-card"]),
                gpus=number(1, 1000, whole=True),
                servers=number(1, 100, whole=True),
                cpu_cores=number(1, 512, whole=True),
                memory_bytes=number(1e8, 1e14),
            ),
            max_size=1,
        ),
    },
)


def finite(value: Any) -> bool:
    """No NaN and no infinity anywhere in plain JSON."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(finite(item) for item in value.values())
    return all(finite(item) for item in value) if isinstance(value, list) else True


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=TASK)
def test_no_accepted_task_raises_or_gives_an_impossible_quantity(data: dict[str, Any], catalog: Catalog):
    result = size(parse_task(data), catalog).as_result()
    assert finite(result)
    for name, quantity in result["quantities"].items():
        low, middle, high = quantity["v"]
        assert low <= middle <= high, name
        assert low >= 0 or name.endswith((".left", ".free")), name
    assert result["verdict"]["code"]
    assert json.loads(canonical_json(result)) == result


def base(**scenario: Any) -> dict[str, Any]:
    first = {
        "strategy": {"method": "full"},
        "model": {"preset": "llama-3.1-8b", "context_tokens": 4096},
        "dataset": {"tokens": 1e9, "epochs": 1},
        "cycle": {"wanted_h": 200, "latest_h": 400},
        "runs_per_quarter": 1,
    }
    return {"schema": "task/1", "scenarios": [first | scenario], "horizon": {"use": "one_off"}}


def on(catalog: Catalog, gpus: int = 8, card: str = "h100-sxm5-80gb") -> dict[str, Machine]:
    return {"custom-1": Machine(accelerator=catalog.accelerators[card], gpus=gpus, servers=1, link="nvswitch")}


def span(data: dict[str, Any], catalog: Catalog, name: str, **kwargs: Any) -> list[float]:
    found: list[float] = size(parse_task(data), catalog, setups=on(catalog), **kwargs).as_result()["quantities"][name][
        "v"
    ]
    return found


@LAW
@given(tokens=st.floats(1e8, 1e12))
def test_twice_the_tokens_take_twice_the_time(tokens: float, catalog: Catalog):
    once = span(base(dataset={"tokens": tokens, "epochs": 1}), catalog, "custom-1.time.cycle")
    twice = span(base(dataset={"tokens": 2 * tokens, "epochs": 1}), catalog, "custom-1.time.cycle")
    assert twice == pytest.approx([2 * bound for bound in once], rel=1e-4)


@LAW
@given(tokens=st.floats(5e7, 5e8))
def test_unknown_tokens_only_widen_the_range_of_time(tokens: float, catalog: Catalog):
    known = span(base(dataset={"tokens": tokens, "epochs": 1}), catalog, "custom-1.time.cycle")
    unknown = span(base(dataset={"tokens": "unknown", "epochs": 1}), catalog, "custom-1.time.cycle")
    assert unknown[2] / unknown[0] > known[2] / known[0]


@pytest.mark.parametrize(
    ("path", "known"),
    [
        (("dataset", "epochs"), 2),
        (("dataset", "tokens"), 1e8),
        (("model", "context_tokens"), 4096),
        (("recipe", "stack"), "torchtune"),
        (("recipe", "precision"), "bf16"),
        (("recipe", "optimizer"), "adamw"),
    ],
)
def test_an_unknown_answer_only_widens_memory_and_time(path: tuple[str, str], known: Any, catalog: Catalog):
    told, open_ = base(recipe={"stack": "torchtune", "tuned": True}), base(recipe={"stack": "torchtune", "tuned": True})
    told["scenarios"][0].setdefault(path[0], {})[path[1]] = known
    open_["scenarios"][0].setdefault(path[0], {})[path[1]] = "unknown"
    if path == ("recipe", "stack"):
        del told["scenarios"][0]["recipe"]["tuned"], open_["scenarios"][0]["recipe"]["tuned"]
    for name in ("custom-1.memory.total", "custom-1.time.cycle"):
        low, _, high = span(told, catalog, name)
        wide_low, _, wide_high = span(open_, catalog, name)
        assert wide_high / wide_low >= high / low * (1 - 1e-5), name  # both ends are rounded to six digits


@LAW
@given(low=st.floats(2e9, 1e10), factor=st.floats(1.05, 6))
def test_a_range_of_parameters_holds_both_ends(low: float, factor: float, catalog: Catalog):
    ranged = span(base(model={"params": [low, low * factor], "context_tokens": 2048}), catalog, "custom-1.memory.total")
    assert ranged[0] < ranged[2]


@LAW
@given(factor=st.floats(1.1, 3))
def test_more_memory_never_needs_more_cards(factor: float, catalog: Catalog):
    def fewest(scale: float) -> float:
        cards = {
            slug: replace(card, memory_bytes=card.memory_bytes * scale) for slug, card in catalog.accelerators.items()
        }
        roomier = replace(catalog, accelerators=cards)
        options = size(parse_task(base()), roomier).as_result()["options"]
        return min(option["gpus"] * (cards[option["accelerator"]].tdp_w or 0) for option in options)

    assert fewest(factor) <= fewest(1.0)


@LAW
@given(factor=st.floats(1.1, 10))
def test_a_later_date_never_needs_more_watts(factor: float, catalog: Catalog):
    def fewest(latest: float) -> float:
        task = base(cycle={"wanted_h": latest / 2, "latest_h": latest})
        options = size(parse_task(task), catalog).as_result()["options"]
        return min(option["gpus"] * (catalog.accelerators[option["accelerator"]].tdp_w or 0) for option in options)

    assert fewest(100 * factor) <= fewest(100)


def test_adapters_need_no_more_memory_than_training_everything_on_the_same_layout(catalog: Catalog):
    def total(method: str) -> float:
        layout = {"sharding": "zero3", "recompute": "full", "micro_batch": 1}
        recipe = {"lora_rank": 16 if "lora" in method else 0, "quant_bits": 4.127 if method == "qlora" else None}
        row = {"accelerator": "h100-sxm5-80gb", "gpus": 8, "servers": 1, "layout": layout, "recipe": recipe}
        task = parse_task(base(strategy={"method": method}))
        result = size(task, catalog, setups=setups_of({"custom-1": row}, catalog)).as_result()
        return float(result["quantities"]["custom-1.memory.total"]["v"][1])

    totals = [total(method) for method in ("qlora", "lora", "full")]
    assert totals == sorted(totals)


def test_the_order_of_keys_does_not_change_a_byte(catalog: Catalog):
    data = base()
    turned = json.loads(json.dumps(data), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    one, other = (canonical_json(size(parse_task(copy.deepcopy(d)), catalog).as_result()) for d in (data, turned))
    assert one == other
