"""A hand-made result/1 with every part filled: what charts and document are tested on without the engine."""

from typing import Any

GIB = 2**30
PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "overhead")

TASK: dict[str, Any] = {
    "schema": "task/1",
    "scenarios": [
        {
            "name": "first",
            "runs_per_quarter": 3,
            "strategy": {"method": "full", "objective": "loss", "own_architecture": False},
            "model": {"preset": "llama-3.1-70b", "inputs": ["text"], "context_tokens": 8192},
            "dataset": {
                "bytes": 4e10,
                "tokens": "unknown",
                "text_language": "ru",
                "epochs": 2,
                "profile": "continuous_text",
                "location": "network_storage",
                "location_gbit_s": 10,
            },
            "cycle": {"wanted_h": 336, "latest_h": 672, "months_acceptable": False},
            "recipe": {"precision": "bf16", "optimizer": "adamw", "global_batch": "unknown"},
        }
    ],
    "horizon": {"use": "platform", "years": 3, "operation": "one_team"},
    "facility": {
        "place": "server_room",
        "rack_kw": 15,
        "feeds": 2,
        "feed_kw": 16,
        "cooling": "air",
        "cooling_kw": 15,
        "free_units": 12,
        "depth_mm": "unknown",
        "inlet_c": 24,
    },
}


class Builder:
    """Collects quantities under their IDs."""

    def __init__(self) -> None:
        self.quantities: dict[str, dict[str, Any]] = {}

    def add(self, name: str, value: Any, unit: str, origin: str = "computed", formula: str = "arithmetic") -> str:
        values = [value] * 3 if isinstance(value, int | float) else list(value)
        self.quantities[name] = {
            "v": values,
            "unit": unit,
            "origin": origin,
            "formula": formula,
            "inputs": [],
            "source": "arithmetic",
        }
        return name


def option(
    b: Builder,
    key: str,
    accelerator: str,
    gpus: int,
    servers: int,
    parts: tuple[float, ...],
    capacity: float,
    days: tuple[float, float, float],
    kw: float,
    units: int,
    fits: dict[str, str],
    techniques: tuple[str, ...],
) -> dict[str, Any]:
    ids = [b.add(f"{key}.memory.{p}", v * GIB, "bytes") for p, v in zip(PARTS, parts, strict=True)]
    total = sum(parts)
    m = {
        "total": b.add(f"{key}.memory.total", [total * 0.94 * GIB, total * GIB, total * 1.07 * GIB], "bytes"),
        "capacity": b.add(f"{key}.memory.capacity", capacity * GIB, "bytes"),
        "usable": b.add(f"{key}.memory.usable", capacity * 0.92 * GIB, "bytes"),
        "reserve": b.add(f"{key}.memory.reserve", capacity * 0.08 * GIB, "bytes"),
    }
    time = b.add(f"{key}.time.cycle", [d * 24 for d in days], "h")
    b.add(f"{key}.time.wanted", 336, "h", origin="answer")
    b.add(f"{key}.time.latest", 672, "h", origin="answer")
    rows = []
    for code, required, offered, unit in (
        ("memory", m["total"], m["usable"], "bytes"),
        ("time", time, b.add(f"{key}.time.target", 336, "h"), "h"),
        ("power", kw, 15, "kw"),
        ("heat", kw, 15, "kw"),
        ("units", units, 12, "units"),
        ("cpu_cores", 64, 128, "cores"),
        ("ram", 1.2e12, 2e12, "bytes"),
        ("storage", 3.4e12, 3e13, "bytes"),
        ("storage_read", 2.1e8, 5e9, "bytes_s"),
    ):
        need = required if isinstance(required, str) else b.add(f"{key}.{code}.required", required, unit)
        have = offered if isinstance(offered, str) else b.add(f"{key}.{code}.offered", offered, unit)
        a, c = b.quantities[need]["v"], b.quantities[have]["v"]
        left = b.add(f"{key}.{code}.left", [c[0] - a[2], c[1] - a[1], c[2] - a[0]], unit)
        rows.append({"code": code, "required": need, "offered": have, "left": left, "fit": fits.get(code, "fits")})
    worst = next((f for f in ("does_not_fit", "at_limit", "fits") if f in [r["fit"] for r in rows]), "fits")
    return {
        "key": key,
        "merged": [],
        "accelerator": accelerator,
        "gpus": gpus,
        "servers": servers,
        "link": "nvswitch",
        "fabric": "infiniband" if servers > 1 else None,
        "layout": {
            "tp": 1,
            "pp": 1,
            "cp": 1,
            "ep": 1,
            "sharding": "zero3",
            "offload": "none",
            "recompute": "full",
            "micro_batch": 1,
        },
        "recipe": {"precision": "bf16", "optimizer": "adamw"},
        "techniques": [
            {"code": t, "costs": b.add(f"{key}.technique.{t}", [0.15, 0.2, 0.25], "share")} for t in techniques
        ],
        "memory": {"moment": "step", "rank": "any", "parts": ids, **m},
        "deadline": {"target": "latest" if days[1] > 14 else "wanted", "sure": days[2] <= 14},
        "resources": rows,
        "fit": worst,
        "interconnect": {
            "profile": "switched",
            "weaker": [{"link": "pcie", "slower": b.add(f"{key}.link.slower_pcie", [0.4, 0.6, 1.0], "share")}],
        },
        "nearest_run": {
            "source": "llama-cookbook",
            "title": "Llama 3 70B full fine-tuning on 8 × H100",
            "url": "https://example.org/run",
            "same": ["method", "model"],
            "differs": ["accelerator"],
            "figures": [{"metric": "peak_gib", "value": 71.3, "unit": "gib"}],
        },
        "requirement": {},
    }


def result() -> dict[str, Any]:
    """Full fine-tuning of a 70B on three platforms; the third does not fit the rack."""
    b = Builder()
    options = [
        option(
            b,
            "economical",
            "h200-sxm5-141gb",
            8,
            1,
            (19.6, 16.4, 49.3, 12.5, 1.5, 5.5),
            140,
            (15, 20, 26),
            10.2,
            8,
            {"time": "at_limit"},
            ("optimizer_8bit", "recompute_full", "fsdp"),
        ),
        option(
            b,
            "balanced",
            "b200-sxm-180gb",
            8,
            1,
            (19.6, 16.4, 98.6, 12.5, 1.5, 5.5),
            179,
            (7, 10, 13),
            14.3,
            10,
            {"power": "at_limit", "memory": "at_limit"},
            ("recompute_full", "fsdp"),
        ),
        option(
            b,
            "growth",
            "h200-sxm5-141gb",
            16,
            2,
            (11.4, 8.2, 49.3, 12.5, 1.5, 6.5),
            140,
            (8, 11, 14),
            20.4,
            16,
            {"power": "does_not_fit", "units": "does_not_fit", "heat": "does_not_fit"},
            ("recompute_full", "fsdp"),
        ),
    ]
    curves = []
    for accelerator, base in (("h200-sxm5-141gb", 20.0), ("b200-sxm-180gb", 10.0)):
        points = []
        for gpus in (4, 8, 16, 24, 32):
            days = base * 8 / gpus * (1 + 0.01 * gpus)
            name = b.add(f"curve.{accelerator}.{gpus}.time", [days * 24 * f for f in (0.75, 1, 1.3)], "h")
            points.append(
                {
                    "gpus": gpus,
                    "servers": max(1, gpus // 8),
                    "time": name,
                    "fit": "does_not_fit" if gpus < 8 else "fits",
                }
            )
        curves.append({"accelerator": accelerator, "link": "nvswitch", "points": points})
    comparison = []
    for case, values in (
        ("inference", (131.4, 0, 0, 4.0, 0, 1.5)),
        ("qlora", (36, 0.4, 3.2, 13, 1.5, 2)),
        ("lora", (131.4, 0.4, 3.2, 13, 1.5, 2)),
        ("full", (131.4, 131.4, 788.6, 13, 1.5, 5.5)),
    ):
        ids = [b.add(f"comparison.{case}.{p}", v * GIB, "bytes") for p, v in zip(PARTS, values, strict=True)]
        comparison.append({"case": case, "parts": ids})
    summary = {
        "gpus": b.add("summary.gpus", [8, 8, 16], "gpus"),
        "servers": b.add("summary.servers", [1, 1, 2], "servers"),
        "time": b.add("summary.time", [7 * 24, 10 * 24, 26 * 24], "h"),
        "memory": b.add("summary.memory", [89 * GIB, 105 * GIB, 154 * GIB], "bytes"),
        "power": b.add("summary.power", [10.2, 14.3, 20.4], "kw"),
    }
    tokens = b.add("dataset.tokens", [5e9, 6.7e9, 8e9], "tokens", origin="assumption")
    b.add("model.params", 70.6e9, "params", origin="answer")
    return {
        "schema": "result/1",
        "engine": "1.0.0",
        "calibration": "2026-11",
        "catalog": {"label": "2026-11", "sha256": "ab" * 32},
        "task_sha256": "cd" * 32,
        "overrides": {},
        "setups": {},
        "calibrated": {"inside": True, "why": []},
        "scenarios": [{"name": "first", "decides": ["memory", "time"]}],
        "verdict": {
            "class": "one_server",
            "advice": [],
            "code": "verdict_server",
            "params": {"n_gpus": 8, "time": [168, 240, 312], "option": "balanced"},
        },
        "summary": summary,
        "assumptions": [
            {
                "path": "scenarios[0].dataset.tokens",
                "value": [5e9, 8e9],
                "code": "assumed_tokens",
                "params": {"tokens": [5e9, 8e9], "gain": 0.4},
                "source": "arithmetic",
            },
            {
                "path": "facility.depth_mm",
                "value": 900,
                "code": "assume_depth",
                "params": {"value": 900},
                "source": "arithmetic",
            },
        ],
        "quantities": b.quantities,
        "options": options,
        "curves": curves,
        "comparison": comparison,
        "findings": [
            {
                "code": "rack_power_over",
                "severity": "stop",
                "params": {"need": 20400, "have": 15000, "feed": 25000},
                "options": ["growth"],
                "repairs": [{"path": "facility.rack_kw", "value": 25, "verified": True}],
            },
            {
                "code": "units_over",
                "severity": "stop",
                "params": {"need": 16, "have": 12},
                "options": ["growth"],
                "repairs": [],
            },
            {
                "code": "memory_8bit_optimizer",
                "severity": "warn",
                "params": {"need": 154 * GIB, "limit": 129 * GIB},
                "options": ["economical"],
                "repairs": [],
            },
            {
                "code": "rack_power_at_limit",
                "severity": "warn",
                "params": {"share": 0.95, "left": 700},
                "options": ["balanced"],
                "repairs": [],
            },
            {
                "code": "assumed_tokens",
                "severity": "assumed",
                "params": {"tokens": [5e9, 8e9], "gain": 0.4},
                "options": ["economical", "balanced", "growth"],
                "repairs": [],
            },
            {
                "code": "storage_enough",
                "severity": "note",
                "params": {"need": 2.1e8, "have": 5e9},
                "options": ["economical", "balanced", "growth"],
                "repairs": [],
            },
        ],
        "sensitivity": [
            {
                "path": "scenarios[0].dataset.tokens",
                "how": "how_tokens",
                "target": "balanced.time.cycle",
                "then": [216, 240, 288],
                "share": 0.4,
                "decides": [],
                "opens": [],
            },
            {
                "path": "facility.rack_kw",
                "how": "how_rack",
                "target": "balanced.power.required",
                "then": [14.3, 14.3, 14.3],
                "share": 0.0,
                "decides": [],
                "opens": ["growth"],
            },
        ],
        "knobs": [],
        "_tokens": tokens,
    }
