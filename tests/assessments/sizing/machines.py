"""Small scenarios and setups that the physics tests share."""

from __future__ import annotations

from typing import Any

from assessments.sizing.architectures import preset
from assessments.sizing.architectures.shape import ModelShape
from assessments.sizing.estimate import estimate
from assessments.sizing.setup import Accelerator, Estimate, Fabric, Layout, Recipe, Scenario, Setup
from assessments.validation.cards import cards

GIB = 2.0**30
A100 = cards()["a100-sxm4-80gb"]
H100 = cards()["h100-sxm5-80gb"]
MIXED = Recipe(stack="megatron", tuned=True, weights="mixed", fused_optimizer=True)
HUGGING_FACE = Recipe(stack="hf", tuned=False, weights="mixed")
INFINIBAND = Fabric(slug="ndr", gbit_s=400.0)


def one(
    model: str | ModelShape,
    *,
    recipe: Recipe = MIXED,
    layout: Layout | None = None,
    gpus: int = 1,
    card: Accelerator = A100,
    accumulation: float | None = 1.0,
    **scenario: Any,
) -> Estimate:
    """The estimate of one setup; servers of eight cards, InfiniBand between them."""
    shape = preset(model) if isinstance(model, str) else model
    setup = Setup(
        accelerator=card,
        gpus=gpus,
        servers=max(1, gpus // 8),
        link="nvswitch",
        fabric=INFINIBAND if gpus > 8 else None,
        fabric_ports=8 if gpus > 8 else 0,
        recipe=recipe,
        layout=layout or Layout(),
        accumulation=accumulation,
    )
    return estimate(Scenario(shape=shape, **{"sequence_tokens": 2048.0, **scenario}), setup)
