"""How long a whole sizing takes over the full catalog: python -m tests.benchmarks.size."""

import gc
import json
import statistics
import sys
import time
from pathlib import Path

import django

ROUNDS = 15
EXAMPLES = Path(__file__).parents[2] / "assessments" / "examples"


def seconds_of(task: object, catalog: object) -> tuple[float, int]:
    """Median of the rounds [s] and the layouts that were examined."""
    from assessments.sizing import size

    sizing = size(task, catalog)  # type: ignore[arg-type]  # warms what is read once
    times = []
    gc.disable()
    for _ in range(ROUNDS):
        start = time.perf_counter()
        sizing = size(task, catalog)  # type: ignore[arg-type]  # the types of the engine
        times.append(time.perf_counter() - start)
    gc.enable()
    return statistics.median(times), sizing.layouts_examined


def main() -> None:
    """Print one line per example: milliseconds, layouts, microseconds per layout."""
    django.setup()
    from assessments.sizing import parse_catalog, parse_task
    from catalog.snapshot import snapshot

    catalog = parse_catalog(snapshot())
    if not catalog.accelerators:
        sys.exit("the catalog is empty: manage.py load_catalog")
    print(f"{len(catalog.accelerators)} accelerators, {len(catalog.platforms)} platforms")
    medians = []
    for path in sorted(EXAMPLES.glob("*.json")):
        median, layouts = seconds_of(parse_task(json.loads(path.read_text(encoding="utf-8"))), catalog)
        medians.append(median)
        each = f"{1e6 * median / layouts:.2f} µs each" if layouts else ""
        print(f"{path.stem:24} {1000 * median:6.1f} ms  {layouts:7,} layouts  {each}")
    print(f"median of the examples   {1000 * statistics.median(medians):6.1f} ms")


if __name__ == "__main__":
    main()
