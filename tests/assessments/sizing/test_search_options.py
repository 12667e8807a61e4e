"""The choice of machines: frugal, non-dominated, within the rack, or an answer that names the way out."""

import copy
from typing import Any

import numpy as np
import pytest

from assessments.sizing import Catalog, TaskErrors, machine_named, parse_task, setups_of, size
from assessments.sizing.engine import is_feasible
from assessments.sizing.machines import Machine, offered_machines
from assessments.sizing.repairs import patched
from assessments.sizing.resolve import resolve
from assessments.sizing.search import plausible, search


def scratch(**cycle: float) -> dict[str, Any]:
    return {
        "schema": "task/1",
        "scenarios": [
            {
                "strategy": {"method": "from_scratch"},
                "model": {"preset": "llama-2-7b", "context_tokens": 4096},
                "dataset": {"tokens": 2e11, "epochs": 1},
                "runs_per_quarter": 1,
                "cycle": cycle or {"wanted_h": 500, "latest_h": 1000},
                "recipe": {"stack": "megatron", "tuned": True},
            }
        ],
        "horizon": {"use": "platform", "years": 3},
    }


def result_of(task: dict[str, Any], catalog: Catalog, **kwargs: Any) -> dict[str, Any]:
    return size(parse_task(task), catalog, **kwargs).as_result()


def measures(result: dict[str, Any], option: dict[str, Any], catalog: Catalog) -> tuple[float, ...]:
    """Servers, watts, hours, minus free slots: what options are compared by."""
    quantities, key = result["quantities"], option["key"]
    watts = option["gpus"] * (catalog.accelerators[option["accelerator"]].tdp_w or 0)
    return (
        option["servers"],
        watts,
        quantities[f"{key}.time.cycle"]["v"][1],
        -quantities[f"{key}.growth_slots.offered"]["v"][1],
    )


def test_no_option_dominates_another(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    rows = [measures(result, option, catalog) for option in result["options"] if option["fit"] != "does_not_fit"]
    for one in rows:
        for other in rows:
            assert one is other or any(a > b for a, b in zip(one, other, strict=True))


def test_the_economical_option_takes_the_fewest_watts_of_all_that_are_in_time(catalog: Catalog):
    task = parse_task(scratch())
    case = resolve(task).deciding[0]
    machines = plausible([case], offered_machines(task, catalog))
    found = search(case, machines, 0.08)
    in_time = found.fits & (found.hours <= 1000) & ~found.heavy
    fewest = min(machine.accelerator_w for machine, fits in zip(machines, in_time, strict=True) if fits)
    option = size(task, catalog).as_result()["options"][0]
    assert option["key"] == "economical"
    assert option["gpus"] * (catalog.accelerators[option["accelerator"]].tdp_w or 0) == fewest


def test_equal_options_are_merged_and_say_so(catalog: Catalog):
    task = scratch(wanted_h=1000, latest_h=1000)
    task["horizon"] = {"use": "one_off"}
    task["preferences"] = {"max_servers": 1, "accelerators": ["b200-sxm-180gb"]}
    options = result_of(task, catalog)["options"]
    assert [(option["key"], option["merged"]) for option in options] == [("economical", ["balanced"])]


def test_every_layout_divides_its_machine(catalog: Catalog):
    for card in ("h100-sxm5-80gb", "l40s", "mi300x"):
        case = resolve(parse_task(scratch())).deciding[0]
        machines = [m for m in offered_machines(parse_task(scratch()), catalog) if m.accelerator.slug == card]
        for machine, setup in zip(machines, search(case, machines, 0.08).setups, strict=True):
            if setup is None:
                continue
            ranks = setup.layout.tp * setup.layout.pp * setup.layout.cp
            assert setup.gpus == machine.gpus
            assert machine.gpus % ranks == 0
            assert setup.layout.tp <= machine.per_server


def test_a_bound_layout_is_obeyed(catalog: Catalog):
    task = scratch()
    task["scenarios"][0]["recipe"]["layout"] = {"tp": 4, "pp": 2, "sharding": "zero1"}
    for option in result_of(task, catalog)["options"]:
        assert (option["layout"]["tp"], option["layout"]["pp"], option["layout"]["sharding"]) == (4, 2, "zero1")


def test_what_is_forbidden_is_never_used(catalog: Catalog):
    task = scratch()
    task["scenarios"][0]["recipe"]["forbidden"] = ["recompute", "8bit_optimizer", "offload", "tp", "pp"]
    for option in result_of(task, catalog)["options"]:
        used = {technique["code"] for technique in option["techniques"]}
        assert not used & {"recompute_full", "recompute_selective", "optimizer_8bit", "offload", "tp", "pp"}


def test_a_batch_caps_the_number_of_cards(catalog: Catalog):
    task = scratch()
    task["scenarios"][0]["recipe"]["global_batch"] = 8
    for option in result_of(task, catalog)["options"]:
        layout = option["layout"]
        replicas = option["gpus"] / (layout["tp"] * layout["pp"] * layout["cp"])
        assert replicas * layout["micro_batch"] <= 8


def test_a_date_out_of_reach_is_answered_with_verified_repairs(catalog: Catalog):
    task = scratch(wanted_h=10, latest_h=20)
    task["preferences"] = {"max_servers": 1}
    result = result_of(task, catalog)
    assert result["options"] == []
    assert result["verdict"]["code"] == "verdict_infeasible"
    unreachable = next(row for row in result["findings"] if row["code"] == "time_unreachable")
    assert unreachable["severity"] == "stop"
    assert unreachable["params"]["n_gpus"] > 8
    assert {repair["code"] for repair in result["repairs"]} >= {"longer_time", "more_nodes"}
    for repair in result["repairs"]:
        changed = patched(parse_task(task).canonical(), repair["path"], repair["value"])
        assert is_feasible(parse_task(changed), catalog), repair


def test_a_rack_that_is_too_weak_is_answered_with_the_power_it_takes(catalog: Catalog):
    task = scratch(wanted_h=300, latest_h=600)
    task["facility"] = {"rack_kw": 3, "racks": 1, "feeds": 2, "feed_kw": 5, "cooling": "air"}
    result = result_of(task, catalog)
    assert result["options"] == []
    assert result["verdict"]["code"] == "verdict_infeasible"
    assert result["verdict"]["params"]["need"]["unit"] == "w"
    assert result["verdict"]["params"]["need"]["v"] > 3000


def test_a_context_that_no_card_holds_is_answered_with_a_shorter_one(catalog: Catalog):
    task = scratch()
    task["scenarios"][0]["strategy"]["method"] = "full"
    task["scenarios"][0]["model"] = {"params": 3e11, "context_tokens": 400_000}
    task["scenarios"][0]["recipe"] = {"stack": "hf", "forbidden": ["cp", "offload", "tp", "pp"]}
    task["preferences"] = {"max_servers": 2}
    result = result_of(task, catalog)
    assert result["verdict"]["code"] == "verdict_infeasible"
    assert any(row["code"] == "memory_short" for row in result["findings"])


def test_an_option_that_breaks_the_rack_stands_only_beside_one_that_fits(example: dict[str, Any], catalog: Catalog):
    fits = [option["fit"] for option in result_of(example, catalog)["options"]]
    assert not fits or fits[0] != "does_not_fit"


@pytest.mark.parametrize(
    ("name", "gpus", "servers", "card"),
    [
        ("8xa100-sxm4-80gb", 8, 1, "a100-sxm4-80gb"),
        ("2x8xh100-sxm5-80gb", 16, 2, "h100-sxm5-80gb"),
        ("l4", 1, 1, "l4"),
        ("8xmi300x", 8, 1, "mi300x"),
    ],
)
def test_a_machine_is_named_by_servers_cards_and_accelerator(
    name: str, gpus: int, servers: int, card: str, catalog: Catalog
):
    machine = machine_named(name, catalog)
    assert (machine.gpus, machine.servers, machine.accelerator.slug) == (gpus, servers, card)


def test_a_card_that_the_catalog_lacks_is_refused_by_name(catalog: Catalog):
    with pytest.raises(TaskErrors) as caught:
        machine_named("8xzx-81", catalog)
    assert caught.value.errors[0].code == "unknown_accelerator"
    with pytest.raises(TaskErrors):
        setups_of({"custom-1": {"accelerator": "l4", "gpus": 0}}, catalog)


def test_machines_of_several_servers_are_whole_boxes_with_a_fabric(catalog: Catalog):
    for machine in offered_machines(parse_task(scratch()), catalog):
        assert machine.gpus == machine.per_server * machine.servers
        assert (machine.fabric is not None) == (machine.servers > 1)


def test_own_hardware_that_does_makes_a_purchase_needless(catalog: Catalog):
    task = scratch(wanted_h=1500, latest_h=2500)
    task["hardware"] = [{"accelerator": "h100-sxm5-80gb", "gpus": 8, "servers": 2, "owned": True, "cpu_cores": 112}]
    task["scenarios"][0]["dataset"]["location"] = "local_nvme"
    verdict = result_of(task, catalog)["verdict"]
    assert verdict["code"] == "verdict_existing"
    assert set(verdict["advice"]) == {"own_hardware_enough", "no_purchase"}


def test_the_curve_falls_with_more_cards(catalog: Catalog):
    result = result_of(scratch(), catalog)
    for curve in result["curves"]:
        hours = [result["quantities"][point["time"]]["v"][1] for point in curve["points"] if point["fit"] == "fits"]
        assert np.all(np.diff(hours) < 0), curve["accelerator"]


def test_the_comparison_tells_why_training_needs_more(catalog: Catalog):
    result = result_of(scratch(), catalog)
    totals = {row["case"]: result["quantities"][row["total"]]["v"][1] for row in result["comparison"]}
    assert list(totals) == ["inference", "qlora", "lora", "full"]
    assert totals["lora"] < totals["full"]
    assert totals["inference"] < totals["full"] / 4


def test_sensitivity_ranks_what_causes_most_of_the_range_first(catalog: Catalog):
    task = scratch()
    task["scenarios"][0]["dataset"] = {"bytes": 8e11, "text_language": "ru"}
    result = result_of(task, catalog)
    shares = [row["share"] for row in result["sensitivity"]]
    assert shares == sorted(shares, reverse=True)
    assert "scenarios[0].dataset.tokens" in {row["path"] for row in result["sensitivity"]}
    for row in result["sensitivity"]:
        now = result["quantities"][row["target"]]["v"]
        assert now[0] <= row["then"][0] <= row["then"][1] <= row["then"][2] <= now[2]


def test_a_plan_of_twice_the_work_makes_a_growth_option(catalog: Catalog):
    task = scratch()
    task["horizon"] = {"use": "platform", "years": 4, "planned": [{"in_months": 12, "scenario": 0, "times": 2}]}
    result = result_of(task, catalog)
    growth = next(option for option in result["options"] if "growth" in (option["key"], *option["merged"]))
    cycle = result["quantities"][f"{growth['key']}.time.cycle"]["v"][1]
    slots = result["quantities"][f"{growth['key']}.growth_slots.left"]["v"][1]
    assert cycle * 2 <= 0.75 * 500 * (1 + 1e-6) or slots >= 0


def test_inputs_are_never_changed(lora: dict[str, Any], catalog: Catalog):
    before = copy.deepcopy(lora)
    setups = {"custom-1": Machine(accelerator=catalog.accelerators["l4"], gpus=1, servers=1, link="pcie")}
    result_of(lora, catalog, setups=setups)
    assert lora == before


def test_four_bits_take_less_than_adapters_and_those_less_than_everything(example: dict[str, Any], catalog: Catalog):
    result = result_of(example, catalog)
    totals = {row["case"]: result["quantities"][row["total"]]["v"][1] for row in result["comparison"]}
    assert not totals or totals["qlora"] <= totals["lora"] < totals["full"]


def test_at_most_one_option_breaks_the_rack_and_by_one_limit_only(example: dict[str, Any], catalog: Catalog):
    misfits = [option for option in result_of(example, catalog)["options"] if option["fit"] == "does_not_fit"]
    assert len(misfits) <= 1
    for option in misfits:
        broken = {r["code"] for r in option["resources"] if r["fit"] == "does_not_fit"}
        assert broken <= {"power", "feed", "cooling"} or len(broken) == 1
