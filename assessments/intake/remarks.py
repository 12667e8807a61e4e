"""Soft remarks: combinations that deserve a second look; they never block."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from assessments.intake.forms import Answers
from assessments.intake.questions import UNKNOWN, Words
from assessments.intake.spoken import spoken
from assessments.intake.steps import Page, pages_of
from assessments.sizing.architectures import ConfigError, ModelShape, preset, preset_slugs, read_model_config
from assessments.sizing.calibration import CALIBRATION

TOKENS_PER_PARAMETER = 20
BYTES_PER_TOKEN = (2.0, 12.0)
CHECKPOINT_BYTES = CALIBRATION.host["ckpt_bytes_mixed_adamw"].typical
SLOW_CHECKPOINT_H = 0.2
NETWORKS = ("network_storage", "object_storage", "cloud")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A remark beside one answer."""

    page: Page
    field: str
    code: str
    title: Words
    text: Words

    def as_notice(self) -> dict[str, Any]:
        """Parameters of the notice component."""
        return {"tone": "warn", "title": self.title, "text": self.text}


def remarks_of(answers: Answers) -> list[Remark]:
    """Every remark on these answers."""
    found: list[Remark] = []
    by_scenario: dict[int, dict[str, Any]] = {}
    for page in pages_of(answers):
        values = page.form(answers).answered
        if page.step.is_per_scenario:
            by_scenario.setdefault(page.scenario, {})[page.step.slug] = values
        elif page.step.slug == "facility":
            found += _facility(page, values)
    for scenario, values in by_scenario.items():
        found += _scenario(scenario, values)
    return found


def shape_of(model: Mapping[str, Any]) -> ModelShape | None:
    """The exact shape of a named or uploaded model, None where only a size is known."""
    try:
        if model.get("preset") in preset_slugs():
            return preset(model["preset"])
        if model.get("config_text"):
            return read_model_config(model["config_text"])
    except ConfigError:
        return None
    return None


def params_of(model: Mapping[str, Any], shape: ModelShape | None) -> float | None:
    """Parameter count, the upper end of a range."""
    return shape.total_params if shape else _high(model.get("params"))


def _high(value: Any) -> float | None:
    if value is None or value == UNKNOWN:
        return None
    return float(value[1] if isinstance(value, list) else value)


def _page(slug: str, scenario: int) -> Page:
    return next(
        page
        for page in pages_of({"scenarios": {"count": str(scenario + 1)}})
        if page.step.slug == slug and page.scenario == scenario
    )


def _keep() -> str:
    return _("You may keep the answer.")


def _scenario(scenario: int, values: Mapping[str, Mapping[str, Any]]) -> Iterator[Remark]:
    strategy, model, dataset = values["strategy"], values["model"], values["dataset"]
    shape = shape_of(model)
    params = params_of(model, shape)
    context, tokens, volume = (
        _high(model.get("context_tokens")),
        _high(dataset.get("tokens")),
        _high(dataset.get("volume")),
    )
    if shape and shape.max_context and context and context > shape.max_context:
        text = _("The model stops at %(limit)s, you gave %(given)s.") % {
            "limit": spoken(shape.max_context, "context"),
            "given": spoken(context, "context"),
        }
        yield Remark(
            page=_page("model", scenario),
            field="context_tokens",
            code="context_above_model",
            title=_("The context is longer than the model knows."),
            text=f"{text} {_keep()}",
        )
    if strategy.get("method") == "from_scratch" and params and tokens and tokens < TOKENS_PER_PARAMETER * params:
        text = _("%(tokens)s for %(params)s; 20 per parameter is usual. Is fine-tuning meant?") % {
            "tokens": spoken(tokens, "tokens"),
            "params": spoken(params, "params"),
        }
        yield Remark(
            page=_page("dataset", scenario),
            field="tokens",
            code="scratch_small_data",
            title=_("Little data for training from scratch."),
            text=f"{text} {_keep()}",
        )
    if tokens and volume and dataset.get("profile") in (None, "continuous_text"):
        rate = volume / tokens
        if not BYTES_PER_TOKEN[0] <= rate <= BYTES_PER_TOKEN[1]:
            text = _("That is %(rate)s per token; 3–8 bytes are usual. Check the units.") % {
                "rate": spoken(round(rate, 2), "bytes")
            }
            yield Remark(
                page=_page("dataset", scenario),
                field="tokens",
                code="bytes_per_token",
                title=_("Volume and tokens do not match."),
                text=f"{text} {_keep()}",
            )
    if strategy.get("method") in ("lora", "qlora") and strategy.get("origin") is True:
        yield Remark(
            page=_page("strategy", scenario),
            field="origin",
            code="own_with_lora",
            title=_("LoRA needs a ready model."),
            text=f"{_('Add a scenario “from scratch”.')} {_keep()}",
        )
    gbit_s = _high(dataset.get("location_gbit_s"))
    if strategy.get("method") in ("from_scratch", "full") and dataset.get("location") in NETWORKS and gbit_s and params:
        hours = params * CHECKPOINT_BYTES * 8 / (gbit_s * 1e9) / 3600
        if hours > SLOW_CHECKPOINT_H:
            text = _("One checkpoint takes about %(time)s over this network. We plan local NVMe.") % {
                "time": spoken(round(hours, 1), "hours")
            }
            yield Remark(
                page=_page("dataset", scenario),
                field="location_gbit_s",
                code="network_checkpoint",
                title=_("The network is slow for checkpoints."),
                text=f"{text} {_keep()}",
            )


def _facility(page: Page, values: Mapping[str, Any]) -> Iterator[Remark]:
    rack, feed, cooling = (_high(values.get(name)) for name in ("rack_kw", "feed_kw", "cooling_kw"))
    if rack and feed and feed < rack:
        text = _("%(usable)s per feed, %(rack)s given for the rack.") % {
            "usable": spoken(feed, "kw"),
            "rack": spoken(rack, "kw"),
        }
        yield Remark(
            page=page,
            field="feed_kw",
            code="feed_below_rack",
            title=_("The feed is weaker than the rack."),
            text=f"{text} {_keep()}",
        )
    if rack and cooling and cooling < rack:
        text = _("We use %(cooling)s.") % {"cooling": spoken(cooling, "kw")}
        yield Remark(
            page=page,
            field="cooling_kw",
            code="cooling_below_power",
            title=_("Cooling is below power."),
            text=f"{text} {_keep()}",
        )
