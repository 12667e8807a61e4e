"""What the border of the engine raises: codes and parameters with the place in the JSON, never a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskError:
    """One thing that is wrong in a task or a catalog; path is a JSON path such as scenarios[0].model.params."""

    path: str
    code: str
    params: Mapping[str, object] = field(default_factory=dict)


class TaskErrors(ValueError):
    """Everything that is wrong, in the order of the document."""

    def __init__(self, errors: tuple[TaskError, ...]) -> None:
        super().__init__("; ".join(f"{error.path}: {error.code}" for error in errors))
        self.errors = errors
