"""A complete questionnaire, as typed, for the tests of the intake."""

from typing import Any

COMPLETE: dict[str, dict[str, Any]] = {
    "strategy": {"method": "full", "precision": "bf16", "optimizer": "adamw"},
    "model": {"described_by": "name", "preset": "Llama 3.1 8B", "inputs": ["text"], "context_tokens": "8k"},
    "dataset": {
        "volume": "40",
        "volume_unit": "gb",
        "tokens_unknown": "on",
        "epochs": "2",
        "profile": "continuous_text",
    },
    "cycle": {"wanted": "14", "wanted_unit": "d", "latest": "4 нед", "runs_per_quarter": "3"},
    "horizon": {"use": "platform", "years": "3"},
    "facility": {"rack_kw": "15", "rack_kw_unit": "kw", "depth_mm_unknown": "on"},
    "business": {"organization": "АО «Пример»", "purpose": "Ассистент по документации", "contact_name": "А. Орлова"},
}
