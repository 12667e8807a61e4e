"""From an option of a result to servers of the catalogue: what the option asks for, and what fits it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.models import Server


def fit_of(option: Mapping[str, Any], server: Server, *, quantity: int, quantities: Mapping[str, Any]) -> dict[str, Any]:
    """How this server, so many times, fits the option: `{"fit", "lines": [...]}` as plain JSON."""
    return {}


def ranked(option: Mapping[str, Any], *, quantities: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The servers of the catalogue for the option, best first."""
    return []
