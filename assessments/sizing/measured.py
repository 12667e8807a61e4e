"""A step that the customer measured becomes the anchor of the physics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from assessments.sizing.answers import UNKNOWN
from assessments.sizing.catalog import Catalog
from assessments.sizing.machines import link_of
from assessments.sizing.questions import Measured
from assessments.sizing.resolve import Case
from assessments.sizing.setup import Layout, Measurement, Recipe, Setup
from assessments.sizing.task import TrainingTask

GIB = 2.0**30


def anchor_of(task: TrainingTask, catalog: Catalog, cases: Sequence[Case]) -> Measurement | None:
    """The first measurement that names a known card and a figure; None when there is none."""
    for row in task.measurements:
        case = next((c for c in cases if c.index == int(row.scenario or 0)), None)
        accelerator = catalog.accelerators.get(row.accelerator or "")
        if case is None or accelerator is None or not (row.peak_gib or row.tokens_per_s or row.step_s):
            continue
        gpus = int(row.gpus or 1)
        scenario = case.typical
        if row.seq_len is not None:
            scenario = replace(scenario, sequence_tokens=float(row.seq_len))
        setup = Setup(
            accelerator=accelerator,
            gpus=gpus,
            link=link_of(accelerator, gpus, ()),
            recipe=_recipe(case.recipe, row),
            layout=_layout(row, gpus),
        )
        notion = row.peak_metric if isinstance(row.peak_metric, str) and row.peak_metric != UNKNOWN else "process"
        return Measurement(
            scenario=scenario,
            setup=setup,
            peak_bytes=None if row.peak_gib is None else row.peak_gib * GIB,
            notion=notion,  # type: ignore[arg-type]  # the enum of the task is the physics' one
            tokens_per_s_gpu=None if row.tokens_per_s is None else row.tokens_per_s / gpus,
            step_s=row.step_s,
        )
    return None


def _recipe(base: Recipe, row: Measured) -> Recipe:
    given = row.recipe
    if given is None:
        return base
    known: dict[str, Any] = {
        name: value
        for name in ("precision", "optimizer", "stack", "loss")
        if isinstance(value := getattr(given, name), str) and value != UNKNOWN
    }
    if isinstance(given.flash_attention, bool):
        known["flash_attention"] = given.flash_attention
    return replace(base, **known, assumed=base.assumed - set(known))


def _layout(row: Measured, gpus: int) -> Layout:
    given = row.recipe
    bound = given.layout if given is not None else None
    recompute = (
        given.recompute
        if given is not None and isinstance(given.recompute, str) and given.recompute != UNKNOWN
        else "none"
    )
    sharding = (
        bound.sharding if bound is not None and isinstance(bound.sharding, str) and bound.sharding != UNKNOWN else None
    )
    return Layout(
        tp=int((bound.tp if bound else None) or 1),
        pp=int((bound.pp if bound else None) or 1),
        cp=int((bound.cp if bound else None) or 1),
        ep=int((bound.ep if bound else None) or 1),
        sharding=sharding or ("zero3" if gpus > 1 else "none"),
        recompute=recompute,
        micro_batch=float(row.micro_batch or 1),
    )
