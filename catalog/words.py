"""The codes of a match in words, in the active language."""

from __future__ import annotations

from collections.abc import Iterable

from django.utils.formats import number_format
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog.matching import Line, Match, Matching, Reason

NBSP = "\u00a0"

CHECKS = {
    "accelerator": _("accelerator"),
    "quantity": _("number of servers"),
    "status": _("on sale"),
    "vendor": _("maker"),
    "count": _("accelerators in a server"),
    "link": _("link between accelerators"),
    "memory": _("accelerator memory"),
    "cpu_cores": _("CPU cores"),
    "ram": _("memory of a server"),
    "storage": _("NVMe bays"),
    "fabric": _("slots for the fabric"),
    "growth_slots": _("free slots for growth"),
    "units": _("rack units"),
    "depth": _("depth"),
    "weight": _("weight"),
    "inlet": _("inlet temperature"),
    "cooling": _("kind of cooling"),
    "form": _("place of installation"),
    "servers": _("number of servers"),
    "power": _("power of a rack"),
    "feed": _("power of one feed"),
    "heat": _("heat"),
    "density": _("heat of a rack to air"),
    "psu": _("power supplies after a failure"),
    "psu_feed": _("power supplies on one feed"),
}
FITS = {
    "fits": _("fits"),
    "at_limit": _("at the limit"),
    "not_stated": _("not stated"),
    "does_not_fit": _("does not fit"),
}
REASONS = {
    "fewer_failures": _("fails fewer requirements"),
    "exact_accelerator": _("carries the accelerator itself, not one that replaces it"),
    "fewer_unknown": _("its sheet leaves fewer requirements open"),
    "fewer_tight": _("fewer figures at the limit"),
    "less_waste": _("fewer accelerator slots stay empty"),
    "fewer_units": _("takes fewer rack units"),
    "less_power": _("draws less at full load"),
    "more_memory_slots": _("more memory slots"),
    "second_maker": _("moved up so that a second maker is among the first"),
    "name": _("equal; by name"),
}
ANSWERS = {
    "match_fits": _("The catalog has a fitting server"),
    "match_unknown": _("Fits as far as the sheet says"),
    "match_near": _("A near miss"),
    "match_none": _("Nothing in the catalog fits"),
}
UNITS = {
    "w": ("kW", 1e3),
    "bytes": ("GiB", float(1 << 30)),
    "mm": ("mm", 1.0),
    "kg": ("kg", 1.0),
    "celsius": ("°C", 1.0),
    "units": ("U", 1.0),
}


def check_name(code: str) -> str:
    """A requirement by its name."""
    return str(CHECKS[code])


def names(codes: Iterable[str]) -> str:
    """Several requirements by name."""
    return ", ".join(check_name(code) for code in codes)


def amount(value: float | None, unit: str) -> str:
    """A figure with its unit as people read it; nothing is said of what is not stated."""
    if value is None:
        return gettext("not stated") if unit else "–"
    label, factor = UNITS.get(unit, ("", 1.0))
    shown = value / factor
    text = number_format(
        shown, decimal_pos=0 if shown >= 100 or shown == int(shown) else 1, use_l10n=True, force_grouping=True
    )
    return f"{text}{NBSP}{gettext(label)}" if label else text


def line(entry: Line) -> str:
    """One requirement of one server in words."""
    if not entry.unit or entry.fit == "not_stated":
        return f"{check_name(entry.code)}: {FITS[entry.fit]}"
    return gettext("%(name)s: needs %(required)s, has %(offered)s") % {
        "name": check_name(entry.code),
        "required": amount(entry.required, entry.unit),
        "offered": amount(entry.offered, entry.unit),
    }


def reason(why: Reason | None) -> str:
    """Why a server stands before the next."""
    return str(REASONS[why.code]) if why else ""


def verdict(match: Match) -> str:
    """How one server fits, in one phrase."""
    if match.failing:
        return gettext("fails: %(names)s") % {"names": names(match.failing)}
    tight = [entry.code for entry in match.lines if entry.fit == "at_limit"]
    parts = [str(FITS[match.fit])]
    if tight:
        parts = [gettext("at the limit: %(names)s") % {"names": names(tight)}]
    if match.unknown:
        parts.append(gettext("not stated: %(names)s") % {"names": names(match.unknown)})
    return "; ".join(parts)


def answer(matching: Matching) -> str:
    """The answer for one option in one sentence; never empty."""
    head = str(ANSWERS[matching.code])
    if matching.code in {"match_near", "match_none"}:
        return gettext("%(answer)s, because: %(obstacles)s") % {"answer": head, "obstacles": names(matching.obstacles)}
    return head
