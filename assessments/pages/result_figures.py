"""The tables beside the figures: memory by part, time by GPU count, weaker links."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from assessments import wording
from assessments.pages.result_tables import Cell, Quantities, Row, card_of, slower

type Json = Mapping[str, Any]

GIB = 2.0**30
COUNTS_SHOWN = 12
CURVES_SHOWN = 3
MEMORY_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("state", ("weights", "gradients", "optimizer")),
    ("step", ("activations", "logits")),
    ("overhead", ("overhead",)),
)


def memory_rows(result: Json) -> tuple[Row, ...]:
    """GiB of one GPU by part, rounded so that each column sums; then what is free and what is kept back."""
    q = Quantities(result)
    names = {
        "state": pgettext("memory group", "Model states"),
        "step": pgettext("memory group", "One step"),
        "overhead": pgettext("memory group", "Overhead"),
    }
    columns = [_memory_column(q, option["memory"]) for option in result["options"]]
    rows: list[Row] = []
    for group, parts in MEMORY_GROUPS:
        rows.append(Row(label=names[group], cells=(), kind="group"))
        rows += [_memory_row(str(wording.PARTS[part]).capitalize(), columns, part, part=part) for part in parts]
    rows.append(_memory_row(_("In use"), columns, "total", kind="total"))
    rows.append(_memory_row(_("Free up to the limit"), columns, "free", part="free"))
    rows.append(_memory_row(_("Kept in reserve"), columns, "reserve", part="reserve"))
    return tuple(rows)


def _memory_column(q: Quantities, memory: Json) -> Mapping[str, Decimal]:
    def typical(name: str | None) -> float:
        found = q.get(name)
        return found["v"][1] / GIB if found else 0.0

    names = [name.rsplit(".", 1)[-1] for name in memory["parts"]]
    total = typical(memory["total"])
    parts = wording.to_sum([typical(name) for name in memory["parts"]], total)
    used = _tenths(total)
    column: dict[str, Decimal] = dict(zip(names, parts, strict=True))
    return column | {
        "total": used,
        "free": _tenths(typical(memory.get("usable"))) - used,
        "reserve": _tenths(typical(memory.get("reserve"))),
    }


def _tenths(value: float) -> Decimal:
    return Decimal(repr(value)).quantize(Decimal("0.1"))


def _memory_row(
    label: str, columns: Iterable[Mapping[str, Decimal]], key: str, *, part: str = "", kind: str = ""
) -> Row:
    cells = []
    for column in columns:
        value = column.get(key)
        cells.append(Cell(main="–" if value is None else wording.decimal(float(value), 1)))
    return Row(label=label, cells=tuple(cells), part=part, kind=kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable:
    """The curves of chapter 4 as a table: heads = accelerators, one row per GPU count."""

    heads: tuple[str, ...]
    rows: tuple[Row, ...]


def _curves(result: Json) -> list[Json]:
    """The curves worth a column: accelerators of the options first."""
    chosen = [option["accelerator"] for option in result["options"]]
    return sorted(result.get("curves") or (), key=lambda curve: curve["accelerator"] not in chosen)[:CURVES_SHOWN]


def _counts(result: Json) -> list[int]:
    """GPU counts worth a row: those of the options, then the ones that most curves have, near the options."""
    chosen = {option["gpus"] for option in result["options"]}
    most = 4 * max(chosen, default=1)
    curves_of: dict[int, int] = {}
    for curve in _curves(result):
        for point in curve["points"]:
            if point["gpus"] <= most:
                curves_of[point["gpus"]] = curves_of.get(point["gpus"], 0) + 1
    ranked = sorted(curves_of, key=lambda gpus: (gpus not in chosen, -curves_of[gpus], gpus))
    return sorted(ranked[:COUNTS_SHOWN])


def time_table(result: Json) -> TimeTable:
    """Time of a cycle by GPU count and accelerator; a count that does not fit memory says so."""
    q = Quantities(result)
    curves = _curves(result)
    letters = {(o["accelerator"], o["gpus"]): wording.option_letter(o["key"]) for o in result["options"]}
    counts = _counts(result)
    rows = []
    for gpus in counts:
        cells = []
        for curve in curves:
            point = next((p for p in curve["points"] if p["gpus"] == gpus), None)
            letter = letters.get((curve["accelerator"], gpus), "")
            if point is None:
                cells.append(Cell(main="–"))
            elif point["fit"] == "does_not_fit":
                cells.append(Cell(main=_("no memory")))
            else:
                cells.append(Cell(main=q.range(point["time"]), aside=letter))
        rows.append(Row(label=str(gpus), cells=tuple(cells)))
    heads = tuple(card_of(curve) for curve in curves)
    return TimeTable(heads=heads, rows=tuple(rows))


def link_rows(result: Json) -> tuple[Row, ...]:
    """What each weaker link would make of the step, option by option."""
    q = Quantities(result)
    names: dict[str, str] = {}
    for option in result["options"]:
        for weaker in option["interconnect"]["weaker"]:
            names.setdefault(weaker["link"], wording.fabric_name(weaker["link"]))
    rows = []
    for link, name in names.items():
        cells = []
        for option in result["options"]:
            found = next((w for w in option["interconnect"]["weaker"] if w["link"] == link), None)
            cells.append(Cell(main=slower(q, found, "%(factor)s") if found else "–"))
        rows.append(Row(label=name, cells=tuple(cells)))
    return tuple(rows)
