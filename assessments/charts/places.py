"""Where labels stand: none over another, none outside the plot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in units of the drawing, y downwards."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, dx: float, dy: float) -> "Box":
        """The same box elsewhere."""
        return Box(self.x + dx, self.y + dy, self.width, self.height)

    def meets(self, other: "Box") -> bool:
        """Whether the two share any area."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def holds(self, other: "Box") -> bool:
        """Whether another lies wholly inside."""
        return (
            self.x <= other.x
            and self.y <= other.y
            and other.x + other.width <= self.x + self.width
            and other.y + other.height <= self.y + self.height
        )


def place(box: Box, moves: Sequence[tuple[float, float]], taken: Iterable[Box], plot: Box) -> Box:
    """The box after the first move that keeps it free and inside the plot; inside at least when all are taken."""
    kept = list(taken)
    tried = [box.moved(dx, dy) for dx, dy in moves]
    inside = [one for one in tried if plot.holds(one)]
    free = [one for one in inside if not any(one.meets(other) for other in kept)]
    return next(iter(free or inside or tried))
