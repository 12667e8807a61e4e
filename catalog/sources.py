"""The sources of a row's figures as one line of text: `tdp_w: doc-a, doc-b | *: doc-c`."""

from __future__ import annotations

from collections.abc import Mapping


def sources_text(sources: Mapping[str, list[str]]) -> str:
    """Write the sources in the order of their figures, the catch-all `*` last."""
    return " | ".join(
        f"{figure}: {', '.join(sources[figure])}" for figure in sorted(sources, key=lambda name: (name == "*", name))
    )


def sources_from_text(text: str) -> dict[str, list[str]]:
    """Read what `sources_text` writes.

    Raises ValueError with the part that could not be read.
    """
    found: dict[str, list[str]] = {}
    for part in filter(None, (piece.strip() for piece in text.split("|"))):
        figure, colon, documents = part.partition(":")
        slugs = [slug.strip() for slug in documents.split(",") if slug.strip()]
        if not colon or not slugs or not figure.strip():
            raise ValueError(part)
        found[figure.strip()] = slugs
    return found
