"""From an option of a result to servers of the catalog: what the option asks for, and what fits it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from catalog.matching import Line, Match, Matching, match, match_all
from catalog.models import Server
from catalog.requirement import Requirement, Site

SITE_KEYS = (
    "place", "racks", "rack_w", "feeds", "feed_w", "cooling", "cooling_w", "free_units", "depth_mm", "load_kg",
    "inlet_c",
)  # fmt: skip
SERVER_KEYS = (
    "accelerator", "gpus_per_server", "servers", "link", "memory_bytes", "cpu_cores", "ram_bytes",
    "storage_bytes", "drives", "fabric_ports", "growth_slots", "peak_w", "max_servers",
)  # fmt: skip


def requirement_of(option: Mapping[str, Any]) -> Requirement | None:
    """What the catalog must offer for this option; None when the option needs no server."""
    asked = option.get("requirement")
    if not asked:
        return None
    return Requirement(
        **{key: asked[key] for key in SERVER_KEYS if asked.get(key) is not None},
        vendors=frozenset(asked.get("vendors") or ()),
        excluded_vendors=frozenset(asked.get("excluded_vendors") or ()),
        site=Site(**{key: asked[key] for key in SITE_KEYS if asked.get(key) is not None}),
    )


def matching_of(options: Sequence[Mapping[str, Any]]) -> dict[str, Matching]:
    """The answer of the catalog for every option that needs a server, by its key; three queries in all."""
    asked = {option["key"]: requirement for option in options if (requirement := requirement_of(option)) is not None}
    return dict(zip(asked, match_all(list(asked.values())), strict=True))


def ranked(option: Mapping[str, Any]) -> list[Match]:
    """The servers of the catalog for one option, best first; near ones when none fits; none when none is needed."""
    requirement = requirement_of(option)
    if requirement is None:
        return []
    answer = match(requirement)
    return list(answer.matches or answer.near)


def fit_of(option: Mapping[str, Any], server: Server, *, quantity: int) -> dict[str, Any]:
    """How this server, so many times, fits the option: fit, lines, failing, unknown and node as plain JSON."""
    requirement = requirement_of(option)
    if requirement is None:
        return {"fit": "fits", "lines": [], "failing": [], "unknown": [], "node": None}
    enough = _line("quantity", required=requirement.servers, offered=quantity)
    answer = match(requirement, server_id=server.pk)
    found = (answer.matches or answer.near)[:1]
    if not found:
        missing = Line(code="accelerator", fit="does_not_fit", unit="", required=None, offered=None, left=None)
        lines, node = [missing, enough], None
    else:
        lines, node = [*found[0].lines, enough], asdict(found[0].node)
    failing = [line.code for line in lines if line.fit == "does_not_fit"]
    is_tight = any(line.fit == "at_limit" for line in lines)
    return {
        "fit": "does_not_fit" if failing else "at_limit" if is_tight else "fits",
        "lines": [asdict(line) for line in lines],
        "failing": failing,
        "unknown": [line.code for line in lines if line.fit == "not_stated"],
        "node": node,
    }


def _line(code: str, *, required: float, offered: float) -> Line:
    fit = "fits" if offered >= required else "does_not_fit"
    return Line(code=code, fit=fit, unit="count", required=required, offered=offered, left=offered - required)
