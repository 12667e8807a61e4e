"""From a task to options: what a result promises whatever the task."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from assessments.sizing import Catalog, KnobOutOfBounds, canonical_json, parse_task, setups_of, size
from assessments.sizing.codes import FINDINGS, VERDICTS
from assessments.sizing.machines import Machine

EXAMPLES = Path(__file__).parents[3] / "assessments" / "examples"


def result_of(task: dict[str, Any], catalog: Catalog, **kwargs: Any) -> dict[str, Any]:
    return size(parse_task(task), catalog, **kwargs).as_result()


def typical(result: dict[str, Any], name: str) -> float:
    return float(result["quantities"][name]["v"][1])


def option_of(result: dict[str, Any], key: str) -> dict[str, Any]:
    return next(option for option in result["options"] if key == option["key"] or key in option["merged"])


def test_the_same_input_gives_the_same_bytes(example: dict[str, Any], catalog: Catalog):
    once = canonical_json(result_of(copy.deepcopy(example), catalog))
    assert canonical_json(result_of(copy.deepcopy(example), catalog)) == once


def test_every_range_holds_its_typical_value_and_nothing_needed_is_negative(example: dict[str, Any], catalog: Catalog):
    for name, quantity in result_of(example, catalog)["quantities"].items():
        low, middle, high = quantity["v"]
        assert low <= middle <= high, name
        assert low >= 0 or name.endswith((".left", ".free")), name


def test_the_six_parts_of_memory_sum_exactly_to_the_total(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    for option in result["options"]:
        assert len(option["memory"]["parts"]) == 6
        assert sum(typical(result, part) for part in option["memory"]["parts"]) == typical(
            result, option["memory"]["total"]
        )


def test_every_id_that_is_pointed_at_exists(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    known = set(result["quantities"])
    pointed = [name for name in result["summary"].values() if name is not None]
    for option in result["options"]:
        pointed += [*option["memory"]["parts"], *option["ram"]["parts"], option["ram"]["total"]]
        pointed += [t["costs"] for t in option["techniques"] if t["costs"]]
        pointed += [r[side] for r in option["resources"] for side in ("required", "offered", "left") if r[side]]
        pointed += [weaker["slower"] for weaker in option["interconnect"]["weaker"]]
    pointed += [point["time"] for curve in result["curves"] for point in curve["points"]]
    pointed += [part for case in result["comparison"] for part in case["parts"]]
    pointed += [row["target"] for row in result["sensitivity"]]
    pointed += [knob["id"] for knob in result["knobs"]]
    assert set(pointed) <= known


def test_findings_and_verdict_carry_the_parameters_of_their_codes(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    for finding in result["findings"]:
        severity, params = FINDINGS[finding["code"]]
        assert finding["severity"] == severity
        assert set(finding["params"]) == set(params)
    assert set(result["verdict"]["params"]) == set(VERDICTS[result["verdict"]["code"]])


def test_the_fit_of_an_option_is_the_worst_of_its_resources(example: dict[str, Any], catalog: Catalog):
    order = ("fits", "at_limit", "does_not_fit")
    for option in result_of(example, catalog)["options"]:
        fits = [order.index(r["fit"]) for r in option["resources"] if r["fit"] is not None]
        assert option["fit"] == order[max(fits)]


def test_offered_options_hold_memory_and_time(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    for option in result["options"]:
        fits = {resource["code"]: resource["fit"] for resource in option["resources"]}
        assert fits["memory"] == "fits"
        assert fits["time"] in ("fits", "at_limit")
        keys = [option["key"], *option["merged"]]
        wanted, cycle = typical(result, f"{option['key']}.time.wanted"), typical(result, f"{option['key']}.time.cycle")
        if "balanced" in keys or "growth" in keys:
            assert cycle <= 0.75 * wanted * (1 + 1e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lora-8b", {"workstation", "one_server"}),
        ("full-70b", {"one_server", "several_servers"}),
        ("scratch-7b", {"several_servers"}),
        ("image-classification", {"one_server", "several_servers", "workstation"}),
        ("continuous-learning", {"workstation", "one_server"}),
        ("multimodal", {"workstation", "one_server"}),
        ("video", {"workstation", "one_server"}),
        ("inference-only", {"inference_only"}),
    ],
)
def test_each_example_gets_the_class_of_answer_that_its_work_calls_for(name: str, expected: set[str], catalog: Catalog):
    task = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    assert result_of(task, catalog)["verdict"]["class"] in expected


def test_serving_alone_is_another_sizing(catalog: Catalog):
    task = {"schema": "task/1", "scenarios": [{"strategy": {"method": "inference"}, "model": {"params": 1.3e11}}]}
    result = result_of(task, catalog)
    assert result["verdict"]["code"] == "verdict_inference"
    assert result["options"] == []


def test_boosted_trees_need_memory_and_no_gpu(catalog: Catalog):
    task = {
        "schema": "task/1",
        "scenarios": [
            {
                "strategy": {"method": "from_scratch"},
                "model": {"family": "trees", "inputs": ["tabular"]},
                "dataset": {"samples": 1.7e9, "features": 67, "rounds": 100, "profile": "table"},
            }
        ],
    }
    result = result_of(task, catalog)
    assert result["verdict"]["class"] == "cpu"
    low, _, high = result["quantities"]["cpu_only.time"]["v"]
    assert low <= 17 <= high
    assert typical(result, "cpu_only.ram") == 256e9
    assert result["options"] == []


def test_a_pinned_knob_moves_everything_after_it(lora: dict[str, Any], catalog: Catalog):
    before = result_of(lora, catalog)
    key = before["options"][-1]["key"]
    pinned = {f"{key}.time.tokens_per_s_gpu": typical(before, f"{key}.time.tokens_per_s_gpu") / 2}
    after = result_of(lora, catalog, overrides=pinned)
    assert typical(after, f"{key}.time.cycle") == pytest.approx(2 * typical(before, f"{key}.time.cycle"), rel=1e-5)
    quantity = after["quantities"][f"{key}.time.tokens_per_s_gpu"]
    assert quantity["origin"] == "pinned"
    assert quantity["engine_v"] == before["quantities"][f"{key}.time.tokens_per_s_gpu"]["v"]
    assert typical(after, f"{key}.use.utilisation") == pytest.approx(
        2 * typical(before, f"{key}.use.utilisation"), rel=1e-4
    )


def test_every_knob_can_be_pinned_at_its_own_value(lora: dict[str, Any], catalog: Catalog):
    before = result_of(lora, catalog)
    for knob in before["knobs"]:
        value = typical(before, knob["id"])
        after = result_of(lora, catalog, overrides={knob["id"]: value})
        assert after["quantities"][knob["id"]]["origin"] == "pinned", knob["id"]
        assert typical(after, knob["id"]) == pytest.approx(value)


def test_a_value_outside_a_knobs_bounds_is_refused(lora: dict[str, Any], catalog: Catalog):
    with pytest.raises(KnobOutOfBounds) as caught:
        result_of(lora, catalog, overrides={"memory.reserve": 0.9})
    assert caught.value.knob.id == "memory.reserve"


def test_a_pinned_number_of_cards_makes_the_option_that_large(lora: dict[str, Any], catalog: Catalog):
    before = result_of(lora, catalog)
    key = before["options"][0]["key"]
    after = result_of(lora, catalog, overrides={f"{key}.gpus.total": 8})
    option = next(option for option in after["options"] if option["key"] == key)
    assert (option["gpus"], option["accelerator"]) == (8, before["options"][0]["accelerator"])


def test_a_larger_reserve_leaves_less_to_use(lora: dict[str, Any], catalog: Catalog):
    setups = {
        "custom-1": Machine(accelerator=catalog.accelerators["a100-sxm4-80gb"], gpus=8, servers=1, link="nvswitch")
    }
    usable = [
        typical(
            result_of(lora, catalog, setups=setups, overrides={"memory.reserve": reserve}), "custom-1.memory.usable"
        )
        for reserve in (0.0, 0.08, 0.3)
    ]
    assert usable == sorted(usable, reverse=True)


def test_a_given_machine_is_judged_under_its_key(lora: dict[str, Any], catalog: Catalog):
    setups = setups_of({"custom-1": {"accelerator": "a100-sxm4-80gb", "gpus": 8, "servers": 1}}, catalog)
    result = result_of(lora, catalog, setups=setups)
    option = option_of(result, "custom-1")
    assert (option["accelerator"], option["gpus"], option["link"]) == ("a100-sxm4-80gb", 8, "nvswitch")
    assert result["setups"]["custom-1"]["gpus"] == 8


def test_a_setup_with_a_layout_is_taken_as_it_is(lora: dict[str, Any], catalog: Catalog):
    layout = {
        "tp": 2,
        "pp": 1,
        "cp": 1,
        "ep": 1,
        "sharding": "zero3",
        "offload": "none",
        "recompute": "full",
        "micro_batch": 2,
    }
    row = {"accelerator": "a100-sxm4-80gb", "gpus": 8, "servers": 1, "layout": layout, "recipe": {"lora_rank": 16}}
    result = result_of(lora, catalog, setups=setups_of({"balanced": row}, catalog))
    option = option_of(result, "balanced")
    assert option["layout"] == layout


def test_an_option_that_is_set_to_nothing_is_not_offered(lora: dict[str, Any], catalog: Catalog):
    keys = {option["key"] for option in result_of(lora, catalog, setups={"economical": None})["options"]}
    assert "economical" not in keys


def test_several_candidates_of_a_method_are_each_sized(lora: dict[str, Any], catalog: Catalog):
    lora["scenarios"][0]["strategy"]["method"] = "unknown"
    result = result_of(lora, catalog)
    by_method = {row["method"]: row for row in result["methods"]}
    assert set(by_method) == {"full", "lora"}
    assert by_method["full"]["decides"]
    assert not by_method["lora"]["decides"]
    full, adapters = (typical(result, by_method[method]["memory"]) for method in ("full", "lora"))
    watts = {
        method: by_method[method]["gpus"] * (catalog.accelerators[by_method[method]["accelerator"]].tdp_w or 0)
        for method in by_method
    }
    assert watts["lora"] < watts["full"]
    assert full > 0
    assert adapters > 0


def test_the_hardest_scenario_decides_and_utilisation_is_summed(lora: dict[str, Any], catalog: Catalog):
    easy = copy.deepcopy(lora["scenarios"][0])
    easy["name"] = "small"
    easy["model"] = {"preset": "llama-3.2-1b", "context_tokens": 2048}
    lora["scenarios"].append(easy)
    result = result_of(lora, catalog)
    option = result["options"][0]
    key = option["key"]
    assert option["decides"]["memory"] == 0
    assert typical(result, f"{key}.memory.total") == typical(result, f"{key}.s1.memory.total")
    uses = [typical(result, f"{key}.s{n}.use.utilisation") for n in (1, 2)]
    assert typical(result, f"{key}.use.utilisation") == pytest.approx(sum(uses), rel=1e-5)


def test_stages_of_one_cycle_share_the_first_ones_time(lora: dict[str, Any], catalog: Catalog):
    stage = copy.deepcopy(lora["scenarios"][0])
    stage["after"] = 0
    stage["strategy"]["objective"] = "dpo"
    lora["scenarios"].append(stage)
    result = result_of(lora, catalog)
    key = result["options"][0]["key"]
    parts = [typical(result, f"{key}.s{n}.time.cycle") for n in (1, 2)]
    assert typical(result, f"{key}.time.cycle") == pytest.approx(sum(parts), rel=1e-5)


def test_rare_small_runs_are_told_to_rent(lora: dict[str, Any], catalog: Catalog):
    lora["scenarios"][0]["runs_per_quarter"] = 1
    lora["scenarios"][0]["dataset"]["tokens"] = 1e7
    verdict = result_of(lora, catalog)["verdict"]
    assert "rent" in verdict["advice"]
    assert verdict["beside"][0]["code"] == "verdict_rent"


def test_excluded_vendors_are_never_offered(lora: dict[str, Any], catalog: Catalog):
    lora["preferences"] = {"excluded_vendors": ["NVIDIA"]}
    del lora["facility"]
    result = result_of(lora, catalog)
    assert {option["vendor"] for option in result["options"]} == {"AMD"}


def test_a_card_that_is_not_sold_is_offered_only_when_it_is_named(lora: dict[str, Any], catalog: Catalog):
    del lora["facility"]
    plain = {option["accelerator"] for option in result_of(lora, catalog)["options"]}
    assert "a100-sxm4-80gb" not in plain
    lora["preferences"] = {"accelerators": ["a100-sxm4-80gb"]}
    assert {option["accelerator"] for option in result_of(lora, catalog)["options"]} == {"a100-sxm4-80gb"}


def test_a_measurement_narrows_the_range(lora: dict[str, Any], catalog: Catalog):
    before = result_of(lora, catalog)
    lora["measurements"] = [
        {
            "scenario": 0,
            "accelerator": "h100-pcie-80gb",
            "gpus": 1,
            "seq_len": 8192,
            "micro_batch": 1,
            "tokens_per_s": 4000,
        }
    ]
    after = result_of(lora, catalog)

    def width(result: dict[str, Any]) -> float:
        low, _, high = result["quantities"][f"{result['options'][0]['key']}.time.mfu"]["v"]
        return float(high / low)

    assert width(after) < width(before)
    assert any(finding["code"] == "measurement_used" for finding in after["findings"])
