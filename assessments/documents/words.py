"""Small pieces of text that chapters share: title of the task, user text made safe, badges."""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from assessments.documents.context import DocumentContext
from assessments.wording import FITS, NBSP, amount, answer, task_title

# control characters, and marks that turn the direction of what follows: they could reorder our own words
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
BADGES = {"fits": "pass", "at_limit": "warn", "does_not_fit": "stop"}


@dataclass(frozen=True, slots=True)
class Badge:
    """A word with the icon of its severity: pass, warn, stop, note, assumed."""

    kind: str
    text: str


def fit_badge(fit: str) -> Badge:
    """Fits, at the limit, does not fit; what was not checked is a note."""
    return Badge(BADGES.get(fit, "note"), str(FITS.get(fit, FITS["unknown"])))


def printable(text: str, limit: int = 0) -> str:
    """What a person typed, without characters that cannot be printed; longer than `limit` ends with an ellipsis."""
    cleaned = _UNPRINTABLE.sub("", text.replace("\r\n", "\n").replace("\t", " ")).strip()
    if limit and len(cleaned) > limit:
        return cleaned[: limit - 1].rstrip() + "…"
    return cleaned


def title_of(context: DocumentContext) -> str:
    """Title given, or model and kind of training of the first scenario."""
    return printable(context.title or task_title(context.task), 140)


def task_line(context: DocumentContext) -> str:
    """Data, context and wanted time of the first scenario in one line."""
    scenario = context.task["scenarios"][0]
    dataset, cycle = scenario.get("dataset") or {}, scenario.get("cycle") or {}
    parts = []
    for path, section, key in (
        ("dataset.bytes", dataset, "bytes"),
        ("dataset.tokens", dataset, "tokens"),
        ("dataset.samples", dataset, "samples"),
    ):
        if _is_known(section.get(key)):
            parts.append(answer(path, section[key]))
    if _is_known(dataset.get("epochs")):
        parts.append(amount(dataset["epochs"], "passes"))
    context_tokens = (scenario.get("model") or {}).get("context_tokens")
    if _is_known(context_tokens):
        parts.append(_("context %(tokens)s") % {"tokens": answer("model.context_tokens", context_tokens)})
    if _is_known(cycle.get("wanted_h")):
        parts.append(_("wanted time %(time)s") % {"time": answer("cycle.wanted_h", cycle["wanted_h"])})
    line = ", ".join(parts)
    return f"{line[:1].upper()}{line[1:]}" if line else ""


def _is_known(value: Any) -> bool:
    return value is not None and value != "unknown"


def day(context: DocumentContext) -> str:
    """Date of the run in the document's language."""
    return date_format(context.made_at, "DATE_FORMAT").replace(" ", NBSP)


def status_word(context: DocumentContext) -> str:
    """The status as it stands in the running head."""
    if context.superseded_by is not None:
        return _("Superseded by revision %(n)d") % {"n": context.superseded_by}
    if context.approval:
        return _("Approved by an engineer")
    return _("Automatic, not reviewed by an engineer")
