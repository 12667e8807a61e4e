"""Template tags that draw a result: its figures as SVG, its numbers and codes as words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import pgettext

from assessments import charts, wording
from assessments.models import Inquiry, PublicState
from assessments.pages.heading import day as day_of
from assessments.pages.progress import DONE, NOW

register = template.Library()

TONE_OF_STATE = {
    PublicState.CALCULATING: "",
    PublicState.WITH_ENGINEER: "note",
    PublicState.WAITING_FOR_YOU: "warn",
    PublicState.APPROVED: "pass",
    PublicState.CLOSED: "",
}
FIGURES = {
    "memory_bars": charts.memory_bars,
    "time_curve": charts.time_curve,
    "comparison": charts.comparison,
    "rack_elevation": charts.rack_elevation,
}


@register.simple_tag
def chart(
    name: str, result: Mapping[str, Any], *, caption: str = "", css_class: str = "", only: str = ""
) -> SafeString:
    """A figure in both cuts; the CSS shows the one that fits. only: key of the one option to draw."""
    draw = FIGURES[name]
    if only:
        result = {**result, "options": [option for option in result["options"] if option["key"] == only]}
    context = {
        "wide": draw(result, cut="wide"),
        "narrow": draw(result, cut="narrow"),
        "caption": caption,
        "css_class": css_class,
    }
    return SafeString(render_to_string("components/figure.html", context))


@register.simple_tag
def gauge(resource: str, result: Mapping[str, Any]) -> SafeString:
    """One rack resource against its limit, all options on one scale."""
    return charts.rack_gauge(result, resource)


@register.simple_tag
def dimension(numbers: Sequence[float]) -> SafeString:
    """The dimension line of a key figure; decoration, the words beside it say it all."""
    return charts.dimension(*numbers) if len(numbers) == 3 else SafeString("")


@register.simple_tag
def narrowing(now: tuple[float, float, float] | None, then: tuple[float, float, float]) -> SafeString:
    """Two dimension lines: the range now and with the exact answer."""
    return charts.narrowing(now, then) if now else SafeString("")


@register.simple_tag
def swatch(part: str) -> SafeString:
    """The colour and hatch of a memory part, for the head of its row."""
    return charts.swatch(part, str(wording.PARTS[part]))


@register.simple_tag
def memory_key() -> list[tuple[str, str]]:
    """Memory parts in the order of the bar, each with its word."""
    return [(part, str(wording.PARTS[part])) for part in (*charts.PART_ORDER, "reserve")]


@register.filter
def amount(value: float | Sequence[float] | None, unit: str) -> str:
    """A number of a base unit in the active language."""
    return wording.amount(value, unit)


@register.filter
def day(moment: datetime) -> str:
    """A date in words."""
    return day_of(moment)


@register.filter
def resource_label(code: str) -> str:
    """A resource by name."""
    return str(wording.RESOURCES.get(code, code))


@register.filter
def state_tone(inquiry: Inquiry) -> str:
    """Tone of the customer's word for a state."""
    return TONE_OF_STATE[inquiry.public_state]


@register.filter
def step_tone(state: str) -> str:
    """Tone of a progress step."""
    return "pass" if state == DONE else ""


@register.filter
def step_icon(state: str) -> str:
    """Icon of a progress step."""
    return {DONE: "pass", NOW: "clock"}.get(state, "")


@register.filter
def step_word(state: str) -> str:
    """done, running, next."""
    return {DONE: pgettext("step", "done"), NOW: pgettext("step", "running")}.get(state) or pgettext("step", "next")


@register.filter
def label(path: str) -> str:
    """The question that a JSON path of the task belongs to."""
    return wording.label_of(path)


@register.filter
def seconds(value: float) -> str:
    """A duration in seconds as people say it."""
    return wording.amount(value, "s")


@register.filter
def words(text: str) -> list[str]:
    """A list written as one string."""
    return text.split()
