"""The servers that could serve a set of requirements, as columns of numbers; three queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.models import Accelerator, Server, ServerAccelerator, Status

type Floats = NDArray[np.float64]

CLOSE_ENOUGH = 0.98
"""An equivalent may fall short of a figure by two per cent: less than the spread between two cards of one kind."""

TEXTS = ("slug", "vendor__slug", "vendor__name", "name", "form", "status", "cooling")
NUMBERS = (
    "units", "depth_mm", "weight_kg", "psu_count", "psu_w", "psu_redundant", "max_power_w", "heat_btu_h", "inlet_c_max",
    "cpu_sockets", "cpu_cores_max", "ram_slots", "ram_max_gib", "nvme_bays", "fabric_slots",
)  # fmt: skip
PAIR_NUMBERS = ("min_count", "max_count", "step")
PLAIN_NAMES = {"vendor__slug": "vendor", "vendor__name": "vendor_name"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What matching needs to know of an accelerator; None = not stated."""

    pk: int
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
        words = list(column)
        known = tuple(dict.fromkeys(words))
        if len(known) == len(words):
            return cls(known=known, codes=np.arange(len(known), dtype=np.int64))
        numbers = dict(zip(known, range(len(known)), strict=True))
        return cls(known=known, codes=np.array([numbers[word] for word in words], dtype=np.int64))

    def __getitem__(self, index: int) -> str:
        """The word of one row."""
        return self.known[int(self.codes[index])]

    def at(self, rows: NDArray[np.int64]) -> Words:
        """The words of these rows."""
        return Words(known=self.known, codes=self.codes[rows])

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
    def of(cls, servers: list[tuple[Any, ...]], pairs: list[tuple[Any, ...]], cards: dict[str, Card]) -> Fleet:
        """Join servers (id, TEXTS, NUMBERS) with their pairs (server, accelerator, link, PAIR_NUMBERS)."""
        columns = list(zip(*servers, strict=True)) if servers else [()] * (1 + len(TEXTS) + len(NUMBERS))
        joined = list(zip(*pairs, strict=True)) if pairs else [()] * (3 + len(PAIR_NUMBERS))
        place = dict(zip(columns[0], range(len(servers)), strict=True))
        found = np.array([place[pk] for pk in joined[0]], dtype=np.int64)
        order = np.lexsort((np.array(joined[1], dtype=np.int64), found))
        at = found[order]
        slugs = {card.pk: card.slug for card in cards.values()}
        texts = {
            PLAIN_NAMES.get(name, name): words.at(at)
            for name, words in zip(TEXTS, map(Words.of, columns[1:]), strict=False)
        }
        texts |= {
            "accelerator": Words.of(slugs[pk] for pk in joined[1]).at(order),
            "link": Words.of(joined[2]).at(order),
        }
        numbers = {
            name: np.array(column, dtype=np.float64)[at]
            for name, column in zip(NUMBERS, columns[1 + len(TEXTS) :], strict=True)
        }
        own = zip(PAIR_NUMBERS, joined[3:], strict=True)
        numbers |= {name: np.array(column, dtype=np.float64)[order] for name, column in own}
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
            texts={name: words.at(np.flatnonzero(keep)) for name, words in self.texts.items()},
            numbers={name: column[keep] for name, column in self.numbers.items()},
        )


def cards_by_slug() -> dict[str, Card]:
    """All accelerators; one query."""
    names = (
        "slug", "name", "vendor__slug", "architecture", "memory_mib", "bandwidth_gb_s", "bf16_tflops",
        "fp16_tflops", "link", "link_gb_s", "tdp_w", "form_factor", "status", "pk",
    )  # fmt: skip
    return {
        row[0]: Card(
            pk=row[-1],
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
    """Servers that take any of these accelerators or one that replaces it; three queries."""
    cards = cards_by_slug()
    wanted = {name for slug in slugs for name in (slug, *equivalents(slug, cards))}
    pairs = ServerAccelerator.objects.filter(accelerator__in=[cards[slug].pk for slug in wanted if slug in cards])
    if server_id is not None:
        pairs = pairs.filter(server=server_id)
    servers = Server.objects.filter(pk__in=pairs.order_by().values("server")).order_by("slug")
    return Fleet.of(
        list(servers.values_list("pk", *TEXTS, *NUMBERS)),
        list(pairs.order_by().values_list("server", "accelerator", "link", *PAIR_NUMBERS)),
        cards,
    )
