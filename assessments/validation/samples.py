"""Rows of pictures, video and sound: the network and its sample as the engine takes them, by the engine's own rules."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from assessments.sizing.architectures.described import DescribedSample, described_sample

NAMED = re.compile(r"`([^`]+)`")
FILLED = ("micro_batch", "grad_accum", "lora_rank", "optimizer")
IN_HOST_MEMORY = "ramtorch"  # frozen layers live in host memory and are copied to the card when they are needed


def completed(row: Mapping[str, str]) -> Mapping[str, str]:
    """The row with the cells that a public configuration named in it states; cells that are filled stay.

    LyCORIS adapters (LoKr) freeze the base as LoRA does and are sized as LoRA.
    """
    filled = dict(row)
    found = NAMED.search(row["input_desc"])
    name = found.group(1) if found else ""
    stated = _configurations().get(name, {})
    filled |= {key: stated[key] for key in FILLED if not row[key] and stated.get(key)}
    if "lokr" in row["method"].lower():
        filled["method"] = "lora"
    if IN_HOST_MEMORY in name and not row["offload"]:
        filled["offload"] = "parameters"
    return filled


def is_counted_in_samples(row: Mapping[str, str]) -> bool:
    """Whether samples per second are samples: some tables count frames or single amplitudes of sound."""
    return not re.search(r"unit (frames|tokens|mels)", row["notes"].lower())


def sample_of(row: Mapping[str, str]) -> DescribedSample | None:
    """Network and size of one sample; None where the table does not say enough of either."""
    try:
        params = float(row["params_b"]) * 1e9
    except ValueError:
        params = None
    return described_sample(row["model"], row["input_desc"], params)


@cache
def _configurations() -> Mapping[str, Mapping[str, str]]:
    text = (files("assessments.validation") / "data" / "named_configurations.csv").read_text(encoding="utf-8")
    return {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
