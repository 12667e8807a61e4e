"""A small catalog for the engine's tests: twelve cards of the product's own catalog, and example tasks."""

import json
from pathlib import Path
from typing import Any

import pytest

from assessments.sizing import Catalog, parse_catalog

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[2] / "assessments" / "examples"
EXAMPLE_NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.json")))


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """Twelve cards and forty platforms."""
    return parse_catalog(json.loads((HERE / "catalog.json").read_text(encoding="utf-8")))


@pytest.fixture(params=EXAMPLE_NAMES)
def example(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Each of the shipped example tasks."""
    task: dict[str, Any] = json.loads((EXAMPLES / f"{request.param}.json").read_text(encoding="utf-8"))
    return task


@pytest.fixture
def lora() -> dict[str, Any]:
    """A LoRA of an 8B model, a fresh copy."""
    task: dict[str, Any] = json.loads((EXAMPLES / "lora-8b.json").read_text(encoding="utf-8"))
    return task
