"""Write the schema files: python -m assessments.sizing.schemas."""

from pathlib import Path

from assessments.sizing.schemas import FILES, built

for name, file in FILES.items():
    (Path(__file__).parent / file).write_text(built(name), encoding="utf-8")
