"""Plural forms: the one list of nouns that follow a number."""

from collections.abc import Callable

from django.utils.translation import npgettext

NOUNS: dict[str, Callable[[int], str]] = {
    "servers": lambda n: npgettext("count", "server", "servers", n),
    "nodes": lambda n: npgettext("count", "node", "nodes", n),
    "gpus": lambda n: npgettext("count", "GPU", "GPUs", n),
    "cores": lambda n: npgettext("count", "core", "cores", n),
    "drives": lambda n: npgettext("count", "drive", "drives", n),
    "ports": lambda n: npgettext("count", "port", "ports", n),
    "slots": lambda n: npgettext("count", "slot", "slots", n),
    "racks": lambda n: npgettext("count", "rack", "racks", n),
    "feeds": lambda n: npgettext("count", "feed", "feeds", n),
    "copies": lambda n: npgettext("count", "copy", "copies", n),
    "passes": lambda n: npgettext("count", "pass", "passes", n),
    "assumptions": lambda n: npgettext("count", "assumption", "assumptions", n),
    "questions": lambda n: npgettext("count", "question", "questions", n),
    "findings": lambda n: npgettext("count", "finding", "findings", n),
    "requests": lambda n: npgettext("count", "request", "requests", n),
    "runs": lambda n: npgettext("count", "run", "runs", n),
    "used": lambda n: npgettext("count", "field", "fields", n),
    "people": lambda n: npgettext("count", "person", "people", n),
    "minutes": lambda n: npgettext("count", "minute", "minutes", n),
    "days": lambda n: npgettext("count", "day", "days", n),
    "days_short": lambda n: npgettext("unit", "day", "days", n),
    "workdays": lambda n: npgettext("count", "working day", "working days", n),
    "years": lambda n: npgettext("count", "year", "years", n),
    "tokens": lambda n: npgettext("count", "token", "tokens", n),
    "samples": lambda n: npgettext("count", "sample", "samples", n),
    "parameters": lambda n: npgettext("count", "parameter", "parameters", n),
    "adjustments": lambda n: npgettext("count", "adjustment", "adjustments", n),
    "times": lambda n: npgettext("count", "time", "times", n),
    "pages": lambda n: npgettext("count", "page", "pages", n),
}


def plural(noun: str, value: float) -> str:
    """The form of a noun after a number; a fraction takes the form after two (1,5 года, 1.5 years)."""
    size = abs(float(value))
    n = round(size) if size >= 10 or size.is_integer() else 2
    return NOUNS[noun](n)
