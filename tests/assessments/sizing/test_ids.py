"""The ids of quantities are a committed list: adjustments, links and webhooks point at them."""

import re
from pathlib import Path
from typing import Any

from assessments.sizing import Catalog, parse_task, size

LIST = Path(__file__).parents[3] / "assessments" / "sizing" / "data" / "quantity_ids.txt"
OPTION = re.compile(r"^(economical|balanced|growth|given-\d+|custom-\d+)\.")


def kind_of(name: str) -> str:
    """An id with the option, the scenario and the card left out."""
    short = OPTION.sub("<option>.", name)
    short = re.sub(r"(^|\.)s\d+\.", r"\1<scenario>.", short)
    short = re.sub(r"^curve\..*\.g\d+$", "curve.<accelerator>.<gpus>", short)
    return re.sub(r"\.slower_[a-z0-9_]+$", ".slower_<link>", short)


def test_every_id_stands_in_the_committed_list(example: dict[str, Any], catalog: Catalog):
    known = set(LIST.read_text(encoding="utf-8").split())
    example["hardware"] = [{"accelerator": "a100-sxm4-80gb", "gpus": 8}]
    found = {kind_of(name) for name in size(parse_task(example), catalog).as_result()["quantities"]}
    assert found <= known, sorted(found - known)


def test_the_list_is_sorted_and_names_each_id_once():
    lines = LIST.read_text(encoding="utf-8").split()
    assert lines == sorted(set(lines))
