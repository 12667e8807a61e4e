"""Public reports about host RAM, CPU starvation, checkpoints and racks: each has the right answer here."""

import copy
from typing import Any

import pytest

from assessments.sizing import Catalog, architectures, parse_task, size
from assessments.sizing.host import HostLoad, host, whole_load
from assessments.sizing.quantity import Ledger, exactly
from assessments.sizing.storage import CheckpointLoad, checkpoint_bytes

GB = 1e9


def task_on(card: str, gpus: int, *, hardware: dict[str, Any] | None = None, **scenario: Any) -> dict[str, Any]:
    return {
        "schema": "task/1",
        "scenarios": [{"strategy": {"method": "full"}, "dataset": {"tokens": 1e8, "epochs": 1}, **scenario}],
        "hardware": [{"accelerator": card, "gpus": gpus, "servers": 1, **(hardware or {})}],
    }


def result_of(task: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    return size(parse_task(task), catalog).as_result()


def given(result: dict[str, Any]) -> dict[str, Any]:
    return next(option for option in result["options"] if option["key"] == "given-1")


def finding(result: dict[str, Any], code: str, option: str = "given-1") -> dict[str, Any]:
    return next(row for row in result["findings"] if row["code"] == code and option in row["options"])


def fit(result: dict[str, Any], code: str) -> str | None:
    found: str | None = next(row["fit"] for row in given(result)["resources"] if row["code"] == code)
    return found


def checkpoint(
    trained: float, total: float, *, weights: str = "mixed", optimizer: str = "adamw", adapters: bool = False
) -> float:
    """Size of a checkpoint [bytes]."""
    load = CheckpointLoad(
        trained_params=exactly(trained),
        total_params=exactly(total),
        weights=weights,
        optimizer=optimizer,
        adapters_only=adapters,
        cycle_h=10,
        servers=1,
        per_server=8,
    )
    return checkpoint_bytes(Ledger({}).scope("x"), load).typical


def test_a_7b_does_not_train_fully_on_one_80_gb_card_and_the_way_out_is_named(catalog: Catalog):
    task = task_on(
        "a100-sxm4-80gb",
        1,
        model={"preset": "llama-2-7b", "context_tokens": 2048},
        recipe={"optimizer": "adamw", "forbidden": ["offload", "8bit_optimizer"]},
    )
    result = result_of(task, catalog)
    assert fit(result, "memory") == "does_not_fit"
    short = finding(result, "memory_short")
    assert short["params"]["need"] > 6_738_415_616 * 16
    assert short["params"]["technique"] == "lora"
    assert short["repairs"][0]["verified"]


def test_host_ram_of_offloading_a_32b_is_more_than_744_gb(catalog: Catalog):
    task = task_on(
        "rtx-pro-6000-bse",
        1,
        hardware={"ram_bytes": 744 * GB},
        model={"preset": "qwen2.5-32b", "context_tokens": 1024},
        recipe={"layout": {"offload": "parameters", "sharding": "zero3"}},
    )
    result = result_of(task, catalog)
    assert result["quantities"]["given-1.ram.required"]["v"][1] >= 1000 * GB
    assert fit(result, "ram") == "does_not_fit"
    assert finding(result, "ram_short")["params"]["have"] == 744 * GB


def test_host_ram_of_offloading_a_7b_covers_what_was_measured():
    params = float(architectures.preset("llama-2-7b").total_params)
    low, middle, high = (params * rate for rate in host("ram_offload_all"))
    assert low <= 160 * GB <= high
    assert low <= 178 * GB <= high
    assert middle > 150 * GB


def test_eight_ranks_that_each_load_a_70b_need_more_than_1_tb(catalog: Catalog):
    params = float(architectures.preset("llama-2-70b").total_params)
    load = HostLoad(
        per_server=8,
        servers=1,
        card_bytes=80 * GB,
        params=exactly(params),
        samples_s=exactly(1.0),
        offload="none",
        checkpoint_bytes=exactly(0.0),
        is_async=False,
        loads_model=True,
        sharded_load=False,
        is_rl=False,
    )
    assert whole_load(load).low == pytest.approx(8 * params * 2)
    assert whole_load(load).low > 1.1e12
    task = task_on(
        "a100-sxm4-80gb", 8, model={"preset": "llama-2-70b", "context_tokens": 2048}, strategy={"method": "lora"}
    )
    result = result_of(task, catalog)
    assert finding(result, "ram_load_peak")["params"]["load"] > 1e12
    assert "sharded_load" in {technique["code"] for technique in given(result)["techniques"]}


def test_a_card_starves_behind_too_few_cores(catalog: Catalog):
    task = task_on(
        "h100-sxm5-80gb",
        1,
        hardware={"cpu_cores": 8, "ram_bytes": 256 * GB, "owned": True},
        model={"preset": "resnet-50", "inputs": ["image"], "image_width_px": 224},
        dataset={
            "samples": 1.28e6,
            "epochs": 90,
            "profile": "small_files",
            "augmentation": "heavy",
            "location": "local_nvme",
        },
    )
    result = result_of(task, catalog)
    stall = result["quantities"]["given-1.time.data_stall"]["v"][1]
    assert stall > 0.5
    short = finding(result, "cpu_short")
    assert short["params"]["need"] > 8
    assert result["verdict"]["code"] == "verdict_existing_starves"
    more = copy.deepcopy(task)
    more["hardware"][0]["cpu_cores"] = 512
    assert result_of(more, catalog)["quantities"]["given-1.time.data_stall"]["v"][1] < stall


def test_a_checkpoint_with_adam_is_three_times_the_fp32_weights():
    weights = 19_253_929.0
    assert checkpoint(weights / 4, weights / 4, weights="fp32") == pytest.approx(57_738_580, rel=0.001)


def test_a_full_state_checkpoint_is_seven_times_the_weights_alone():
    assert checkpoint(8.03e9, 8.03e9) / (8.03e9 * 2) == pytest.approx(7.0)
    assert checkpoint(8.03e9, 8.03e9) == pytest.approx(112.4e9, rel=0.001)


def test_a_lora_checkpoint_holds_the_adapters_only():
    shape = architectures.preset("llama-3.1-8b")
    adapters = shape.adapter_params(16, frozenset({"attention", "mlp", "expert", "shared_expert"}))
    assert adapters == 41_943_040
    assert checkpoint(float(adapters), float(shape.total_params), adapters=True) < 1e9


def test_an_eight_card_server_violates_an_8_kw_rack(catalog: Catalog):
    task = task_on("h100-sxm5-80gb", 8, model={"preset": "llama-3.1-8b"}, strategy={"method": "lora"})
    task["facility"] = {"rack_kw": 8, "racks": 1, "feeds": 2, "feed_kw": 11, "cooling": "air"}
    result = result_of(task, catalog)
    assert fit(result, "power") == "does_not_fit"
    over = finding(result, "rack_power_over")
    assert over["severity"] == "stop"
    assert over["params"]["have"] == 8000
    assert 9000 < over["params"]["need"] < 11_500
    assert finding(result, "feed_short")["params"]["have"] == pytest.approx(0.8 * 11_000)


def test_four_large_servers_exceed_a_20_kw_air_cooled_rack(catalog: Catalog):
    task = task_on("b200-sxm-180gb", 8, model={"preset": "llama-3.1-8b"}, strategy={"method": "lora"})
    task["hardware"][0]["servers"] = 4
    task["facility"] = {"rack_kw": 20, "racks": 1, "feeds": 2, "feed_kw": 40, "cooling": "air", "cooling_kw": 20}
    result = result_of(task, catalog)
    assert result["quantities"]["given-1.power.required"]["v"][1] > 48_000
    assert finding(result, "cooling_over")["params"]["have"] == 20_000
    one = result["quantities"]["given-1.power.server_peak"]["v"]
    assert one[0] <= 14_300 <= one[2]


def test_heat_is_power_times_3412(catalog: Catalog):
    result = result_of(task_on("h100-sxm5-80gb", 8, model={"preset": "llama-3.1-8b"}), catalog)
    power, heat = (result["quantities"][f"given-1.{name}"]["v"][1] for name in ("power.total", "heat.btu_h"))
    assert heat == pytest.approx(3.412 * power, rel=1e-5)


def test_supplies_that_do_not_carry_the_server_on_one_feed_are_a_finding_of_their_own(catalog: Catalog):
    task = task_on("h100-sxm5-80gb", 8, model={"preset": "llama-3.1-8b"}, strategy={"method": "lora"})
    task["facility"] = {"rack_kw": 40, "racks": 1, "feeds": 2, "feed_kw": 60, "cooling": "rear_door", "cooling_kw": 40}
    codes = {row["code"] for row in result_of(task, catalog)["findings"] if "given-1" in row["options"]}
    assert "rack_power_over" not in codes
    assert "feed_short" not in codes


def test_671b_on_two_cards_is_answered_with_the_number_that_it_needs(catalog: Catalog):
    task = task_on("h200-sxm5-141gb", 2, model={"preset": "deepseek-v3", "context_tokens": 4096})
    result = result_of(task, catalog)
    assert fit(result, "memory") == "does_not_fit"
    short = finding(result, "memory_short")
    assert short["params"]["gap"] > 0
    repair = short["repairs"][0]
    assert repair["code"] == "more_nodes"
    assert repair["value"] * 2 * 141e9 > 671e9 * 6


def test_the_load_of_an_unknown_card_is_a_stated_assumption_not_a_crash(catalog: Catalog):
    task = task_on("no-such-card", 8, model={"preset": "llama-3.1-8b"})
    result = result_of(task, catalog)
    assert "hardware_unknown" in {row["code"] for row in result["assumptions"]}
    assert all(option["key"] != "given-1" for option in result["options"])
