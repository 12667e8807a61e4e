"""A published measurement beside the setup that the engine is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assessments.sizing.setup import Notion, Scenario, Setup

type Modality = Literal["text", "vision", "diffusion", "speech", "other"]
type Subset = Literal["dense", "moe", "ordinary", ""]
type Metric = Literal[
    "peak_gib",
    "tokens_per_s_gpu",
    "tokens_per_s",
    "samples_per_s",
    "step_s",
    "gpu_hours",
    "wall_hours",
    "tflops_per_gpu",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row that can be predicted.

    published: in the metric's unit; None = ran out of memory. card_bytes: memory of the card, None = not named
    amount: tokens of the run, for hours
    configuration: what makes rows distinct; known: stack, notion and recipe are all stated
    counted: whether the row may enter statistics
    """

    kind: Literal["memory", "throughput", "ms-swift", "mlperf"]
    id: str
    source: str
    modality: Modality
    metric: Metric
    published: float | None
    scenario: Scenario
    setup: Setup
    notion: Notion = "process"
    card_bytes: float | None = None
    amount: float | None = None
    is_whole_run: bool = False
    known: bool = False
    subset: Subset = ""
    configuration: str = ""
    counted: bool = True
    parts: tuple[tuple[str, float], ...] = ()
