"""Accelerators as published tables name them."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from importlib.resources import files

from assessments.sizing.setup import Accelerator

GIB = 2.0**30

# Pattern in the printed name → slug; the first that matches wins, so the longer names stand first.
PATTERNS = (
    (r"gb300", "gb300-nvl72-gpu"),
    (r"gb200", "gb200-nvl72-gpu"),
    (r"b300", "b300-sxm-288gb"),
    (r"b200|blackwell gpu", "b200-sxm-180gb"),
    (r"h200.*nvl", "h200-nvl-141gb"),
    (r"h200", "h200-sxm5-141gb"),
    (r"h20\b", "h20-96gb"),
    (r"h800", "h800-sxm5-80gb"),
    (r"h100.*nvl", "h100-nvl-94gb"),
    (r"h100.*pcie", "h100-pcie-80gb"),
    (r"h100.*96", "h100-sxm5-96gb"),
    (r"h100", "h100-sxm5-80gb"),
    (r"a800", "a800-sxm4-80gb"),
    (r"a100.*pcie.*80|a100.*80.*pcie", "a100-pcie-80gb"),
    (r"a100.*pcie.*40|a100.*40.*pcie", "a100-pcie-40gb"),
    (r"a100.*40", "a100-sxm4-40gb"),
    (r"a100", "a100-sxm4-80gb"),
    (r"v100.*sxm3", "v100-sxm3-32gb"),
    (r"v100.*16", "v100-sxm2-16gb"),
    (r"v100", "v100-sxm2-32gb"),
    (r"4070 ti super", "rtx-4070-ti-super"),
    (r"titan rtx", "titan-rtx"),
    (r"rtx 8000", "quadro-rtx-8000"),
    (r"rtx 6000 ada", "rtx-6000-ada"),
    (r"7900 xtx", "rx-7900-xtx"),
    (r"gaudi.*3", "gaudi3"),
    (r"gaudi", "gaudi2"),
    (r"l40s", "l40s"),
    (r"l40", "l40"),
    (r"l20", "l20"),
    (r"\bl4\b", "l4"),
    (r"a10g", "a10g"),
)


@cache
def cards() -> dict[str, Accelerator]:
    """Cards by slug, from the package's table of data-sheet figures."""
    text = (files("assessments.sizing.data") / "cards.csv").read_text(encoding="utf-8")
    return {row["slug"]: _card(row) for row in csv.DictReader(io.StringIO(text))}


def _card(row: dict[str, str]) -> Accelerator:
    def flops(precision: str) -> float | None:
        value = row[f"{precision}_tflops"]
        return float(value) * 1e12 if value else None

    return Accelerator(
        slug=row["slug"],
        vendor=row["vendor"],
        name=row["model"],
        architecture=row["architecture"],
        memory_bytes=float(row["memory_gb"]) * GIB,
        bandwidth_bytes_s=float(row["bandwidth_gbps"]) * 1e9 if row["bandwidth_gbps"] else None,
        peak_flops={p: flops(p) for p in ("fp32", "tf32", "bf16", "fp16", "fp8", "fp4")},
        link=row["link"] or None,
        link_bytes_s=float(row["link_gbps"]) * 1e9 if row["link_gbps"] else None,
        link_domain=int(row["link_domain"] or 1),
        pcie_gen=int(row["pcie_gen"]) if row["pcie_gen"] else None,
        pcie_lanes=int(row["pcie_lanes"]) if row["pcie_lanes"] else None,
        source=row["source"],
    )


def card_named(text: str) -> Accelerator | None:
    """The card that a printed name means, None when it is no card whose figures are known (a TPU, an empty cell)."""
    name = text.strip().lower().replace("-", " ")
    if not name or "tpu" in name:
        return None
    for pattern, slug in PATTERNS:
        if re.search(pattern, name):
            return cards().get(slug)
    slug = re.sub(r"[^a-z0-9]+", "-", re.sub(r"nvidia|geforce|amd|radeon|tesla|\d+gb", "", name)).strip("-")
    found = cards().get(slug) or cards().get(slug.replace("rtx", "rtx-")) or cards().get(slug.replace("-", ""))
    return found or next((card for key, card in cards().items() if slug and key.startswith(slug)), None)


def link_of(card: Accelerator, text: str) -> str:
    """The link inside the server: as printed, else what the card's form factor usually has."""
    said = text.lower()
    if "pcie" in said and "nvlink" not in said and "nvswitch" not in said:
        return "pcie" if card.link_bytes_s or "rtx" not in card.slug else "pcie_no_p2p"
    if card.link == "xgmi":
        return "xgmi"
    if card.link in {"roce", "hccs"}:
        return card.link
    if card.link == "nvlink":
        if "cube mesh" in said or card.slug.startswith("v100"):
            return "nvlink_mesh"
        return "nvlink_bridge" if "pcie" in card.slug or "nvl-" in card.slug or card.link_domain <= 2 else "nvswitch"
    return "pcie_no_p2p" if re.match(r"rtx-\d|rtx-?[345]0", card.slug) else "pcie"
