"""Every number can be recomputed from its derivation: formulas and inputs are enough."""

import math
from typing import Any

from assessments.sizing import Catalog, parse_task, size
from assessments.sizing.codes import FORMULAS, UNITS

ARITHMETIC = {
    "sum": math.fsum,
    "product": math.prod,
    "quotient": lambda x: x[0] / x[1],
    "difference": lambda x: x[0] - x[1],
    "same": lambda x: x[0],
    "shared_product": lambda x: x[0] * x[1] / x[2],
}
SIX_DIGITS = 2e-5


def value_of(item: str | float, quantities: dict[str, Any]) -> float:
    return float(quantities[item]["v"][1]) if isinstance(item, str) else float(item)


def recomputed(name: str, quantities: dict[str, Any]) -> float:
    """A quantity from the leaves of its derivation alone."""
    quantity = quantities[name]
    if quantity["formula"] not in ARITHMETIC or quantity["origin"] == "pinned":
        return float(quantity["v"][1])
    inputs = [recomputed(i, quantities) if isinstance(i, str) else float(i) for i in quantity["inputs"]]
    return float(ARITHMETIC[quantity["formula"]](inputs))


def test_the_memory_bar_is_recomputed_by_hand(example: dict[str, Any], catalog: Catalog):
    result = size(parse_task(example), catalog).as_result()
    quantities = result["quantities"]
    for option in result["options"]:
        total = quantities[option["memory"]["total"]]["v"][1]
        by_hand = [recomputed(part, quantities) for part in option["memory"]["parts"]]
        for part, value in zip(option["memory"]["parts"], by_hand, strict=True):
            assert abs(value - quantities[part]["v"][1]) <= SIX_DIGITS * total, part
        assert math.isclose(sum(by_hand), total, rel_tol=SIX_DIGITS)
        usable = quantities["memory.reserve"]["v"][1]
        capacity = quantities[option["memory"]["capacity"]]["v"][1]
        assert math.isclose(capacity * (1 - usable), quantities[option["memory"]["usable"]]["v"][1], rel_tol=SIX_DIGITS)


def test_the_time_of_a_cycle_is_recomputed_by_hand(example: dict[str, Any], catalog: Catalog):
    result = size(parse_task(example), catalog).as_result()
    quantities = result["quantities"]

    def at(name: str) -> float:
        return float(quantities[name]["v"][1])

    for option in result["options"]:
        key = option["key"] if len(result["scenarios"]) == 1 else f"{option['key']}.s1"
        speed = at(f"{key}.time.mfu") * at(f"{key}.time.peak") / at(f"{key}.time.flops_per_token")
        assert math.isclose(speed, at(f"{key}.time.tokens_per_s_gpu"), rel_tol=SIX_DIGITS)
        tokens, passes, together = quantities[f"{key}.time.compute"]["inputs"]
        compute = at(tokens) * passes / at(together) / 3600
        assert math.isclose(compute, at(f"{key}.time.compute"), rel_tol=SIX_DIGITS)
        cycle = compute / at(f"{key}.time.run_share") / (1 - at(f"{key}.time.data_stall"))
        assert math.isclose(cycle, at(f"{key}.time.cycle"), rel_tol=2 * SIX_DIGITS)


def test_every_arithmetic_formula_gives_its_value(example: dict[str, Any], catalog: Catalog):
    quantities = size(parse_task(example), catalog).as_result()["quantities"]
    for name, quantity in quantities.items():
        if quantity["formula"] not in ARITHMETIC:
            continue
        inputs = [value_of(item, quantities) for item in quantity["inputs"]]
        scale = max([abs(x) for x in inputs] + [abs(quantity["v"][1])])
        if ".memory." in name and quantity["formula"] == "sum":
            option = name.split(".memory.")[0]
            scale = max(scale, quantities[f"{option}.memory.total"]["v"][1])
        if ".memory.logits" in name:
            scale = quantities[name.replace("logits", "total")]["v"][1]
        expected = ARITHMETIC[quantity["formula"]](inputs)
        assert abs(expected - quantity["v"][1]) <= SIX_DIGITS * max(scale, abs(expected)), name


def test_every_input_is_a_number_or_a_quantity_or_a_name(example: dict[str, Any], catalog: Catalog):
    result = size(parse_task(example), catalog).as_result()
    quantities = result["quantities"]
    subjects = {name.rsplit(".", 1)[0] for name in quantities}
    for name, quantity in quantities.items():
        assert quantity["formula"] in FORMULAS, name
        assert quantity["unit"] in UNITS, name
        for item in quantity["inputs"]:
            if isinstance(item, str) and item.rsplit(".", 1)[0] in subjects:
                assert item in quantities, f"{name} ← {item}"
