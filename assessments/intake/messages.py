"""What the engine's border says about a task, as sentences beside the field."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from assessments.intake.import_messages import message
from assessments.intake.spoken import spoken
from assessments.sizing.errors import TaskError


def _latest_before_wanted(_params: Mapping[str, Any]) -> str:
    return _("The latest time is before the wanted one: change either")


def _active_above_total(_params: Mapping[str, Any]) -> str:
    return _("More active parameters than in total")


def _unknown_preset(params: Mapping[str, Any]) -> str:
    return _("“%(name)s” is not listed: attach its config.json") % {"name": params.get("name", "")}


def _required(_params: Mapping[str, Any]) -> str:
    return _("Answer or tick “Don’t know”")


def _out_of_range(params: Mapping[str, Any]) -> str:
    low, high = (spoken(float(params[bound]), "count") for bound in ("low", "high"))
    return _("From %(low)s to %(high)s; you gave %(given)s") % {"low": low, "high": high, "given": params["given"]}


MESSAGES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "latest_before_wanted": _latest_before_wanted,
    "active_above_total": _active_above_total,
    "unknown_preset": _unknown_preset,
    "required": _required,
    "out_of_range": _out_of_range,
}
CONFIG_FIELDS = ("config", "shape")


def message_of(error: TaskError) -> str:
    """The sentence of an error, in the active language."""
    if error.code in MESSAGES:
        return MESSAGES[error.code](error.params)
    if error.path.rpartition(".")[2] in CONFIG_FIELDS:
        return message(error.code, error.params)
    return _("This answer does not fit: change it or tick “Don’t know”")
