"""The audit trail of one request as a table for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from assessments.review.desk import EventLine

HEADER = ("sequence", "at", "verb", "from", "to", "actor", "actor_kind", "reason", "change")


def timeline_table(lines: Sequence[EventLine]) -> str:
    """CSV in the order of what happened; times in UTC, codes as stored, words beside them."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADER)
    for line in reversed(lines):
        event = line.event
        row = (
            *(event.sequence, event.created_at.isoformat(), event.verb, event.before, event.after),
            *(event.actor.email if event.actor else "", event.actor_kind, event.reason, line.change),
        )
        writer.writerow([_plain(str(cell)) for cell in row])
    return out.getvalue()


def _plain(cell: str) -> str:
    """A cell that a spreadsheet shows and does not calculate."""
    return f"'{cell}" if cell[:1] in "=+-@\t\r" and cell else cell
