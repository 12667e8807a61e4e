"""The servers that could serve a set of requirements, as columns of numbers; two queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.models import Accelerator, ServerAccelerator, Status

type Floats = NDArray[np.float64]

CLOSE_ENOUGH = 0.98
"""An equivalent may fall short of a figure by two per cent: less than the spread between two cards of one kind."""

TEXTS = (
    "server__slug", "server__vendor__slug", "server__vendor__name", "server__name", "accelerator__slug",
    "link", "server__form", "server__status", "server__cooling",
)  # fmt: skip
NUMBERS = (
    "min_count", "max_count", "step", "server__units", "server__depth_mm", "server__weight_kg",
    "server__psu_count", "server__psu_w", "server__psu_redundant", "server__max_power_w", "server__heat_btu_h",
    "server__inlet_c_max", "server__cpu_sockets", "server__cpu_cores_max", "server__ram_slots",
    "server__ram_max_gib", "server__nvme_bays", "server__fabric_slots",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What matching needs to know of an accelerator; None = not stated."""

    slug: str
    name: str
    vendor: str
    architecture: str
    memory_mib: float | None
    bandwidth_gb_s: float | None
    peak_tflops: float | None
    link: str
    link_gb_s: float | None
    tdp_w: float | None
    is_on_board: bool
    status: str

    def replaces(self, other: Card) -> bool:
        """The same maker and architecture and nothing less: software runs on it unchanged and not slower."""
        if self.slug == other.slug or (self.vendor, self.architecture) != (other.vendor, other.architecture):
            return False
        if self.status != Status.CURRENT or self.link != other.link or self.is_on_board != other.is_on_board:
            return False
        figures = ("memory_mib", "bandwidth_gb_s", "peak_tflops", *(("link_gb_s",) if other.link else ()))
        return all(
            (mine := getattr(self, name)) is not None
            and (theirs := getattr(other, name)) is not None
            and mine >= CLOSE_ENOUGH * theirs
            for name in figures
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A column of words: which of them stands in each row."""

    known: tuple[str, ...]
    codes: NDArray[np.int64]

    @classmethod
    def of(cls, column: Iterable[str]) -> Words:
        """Number the words of a column."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(word, len(numbers)) for word in column]
        return cls(known=tuple(numbers), codes=np.array(codes, dtype=np.int64))

    def __getitem__(self, index: int) -> str:
        """The word of one row."""
        return self.known[int(self.codes[index])]

    def each(self, value: Callable[[str], float]) -> Floats:
        """A number of each row that follows from its word; asked once per word."""
        return np.array([value(word) for word in self.known], dtype=np.float64)[self.codes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Pairs of server and accelerator as columns, one entry per pair, in the order of the server's slug."""

    cards: dict[str, Card]
    texts: dict[str, Words]
    numbers: dict[str, Floats]

    @classmethod
    def of(cls, rows: list[tuple[Any, ...]], cards: dict[str, Card]) -> Fleet:
        """Take rows of TEXTS + NUMBERS."""
        columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * (len(TEXTS) + len(NUMBERS))
        texts = {plain(name): Words.of(column) for name, column in zip(TEXTS, columns, strict=False)}
        numbers = {
            plain(name): np.array(column, dtype=np.float64)
            for name, column in zip(NUMBERS, columns[len(TEXTS) :], strict=True)
        }
        return cls(cards=cards, texts=texts, numbers=numbers)

    def __len__(self) -> int:
        """Number of pairs."""
        return len(self.texts["slug"].codes)

    def of_card(self, name: str) -> Floats:
        """A figure of the accelerator of each pair."""
        return self.texts["accelerator"].each(lambda slug: getattr(self.cards[slug], name))

    def is_text(self, name: str, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Whether a column of words holds one of these."""
        values = frozenset(wanted)
        return self.texts[name].each(lambda word: word in values).astype(np.bool_)

    def where(self, keep: NDArray[np.bool_]) -> Fleet:
        """The pairs that are kept."""
        return Fleet(
            cards=self.cards,
            texts={name: Words(known=words.known, codes=words.codes[keep]) for name, words in self.texts.items()},
            numbers={name: column[keep] for name, column in self.numbers.items()},
        )


def plain(name: str) -> str:
    """A column's name without the path of its join; the server's vendor keeps its table."""
    return {
        "server__vendor__slug": "vendor",
        "server__vendor__name": "vendor_name",
        "accelerator__slug": "accelerator",
    }.get(name, name.removeprefix("server__"))


def cards_by_slug() -> dict[str, Card]:
    """All accelerators; one query."""
    names = (
        "slug", "name", "vendor__slug", "architecture", "memory_mib", "bandwidth_gb_s", "bf16_tflops",
        "fp16_tflops", "link", "link_gb_s", "tdp_w", "form_factor", "status",
    )  # fmt: skip
    return {
        row[0]: Card(
            slug=row[0],
            name=row[1],
            vendor=row[2],
            architecture=row[3],
            memory_mib=row[4],
            bandwidth_gb_s=row[5],
            peak_tflops=row[6] if row[6] is not None else row[7],
            link=row[8],
            link_gb_s=row[9],
            tdp_w=row[10],
            is_on_board=not row[11].startswith(("PCIe", "NVL")) or row[11].startswith(("NVL72", "NVL4")),
            status=row[12],
        )
        for row in Accelerator.objects.values_list(*names)
    }


def equivalents(slug: str, cards: dict[str, Card]) -> frozenset[str]:
    """Accelerators on sale that replace this one."""
    wanted = cards.get(slug)
    return frozenset(card.slug for card in cards.values() if card.replaces(wanted)) if wanted else frozenset()


def fleet_for(slugs: Iterable[str], *, server_id: int | None = None) -> Fleet:
    """Servers that take any of these accelerators or one that replaces it; two queries."""
    cards = cards_by_slug()
    wanted = {name for slug in slugs for name in (slug, *equivalents(slug, cards))}
    pairs = ServerAccelerator.objects.filter(accelerator__slug__in=wanted)
    if server_id is not None:
        pairs = pairs.filter(server_id=server_id)
    return Fleet.of(list(pairs.order_by("server__slug", "accelerator__slug").values_list(*TEXTS, *NUMBERS)), cards)
