"""Checked reading of an untrusted configuration: types, bounds, aliases, and which keys were used."""

from collections.abc import Mapping, Sequence
from typing import Any

from assessments.sizing.architectures.errors import ConfigError
from assessments.sizing.architectures.shape import Assumption

# No published model comes near; beyond them a figure is a typing error, and layers would cost time.
MOST_LAYERS = 2_000
MOST_WIDTH = 4_000_000
MOST_VOCAB = 50_000_000
MOST_COUNT = 1_000_000_000_000
LONGEST_ECHO = 60
LARGEST_SHOWN = 1e18

MISSING: Any = object()


def _echo(value: Any) -> str:
    """The beginning of a wrong value, to show it; numbers of thousands of digits have no text."""
    try:
        return str(value)[:LONGEST_ECHO]
    except ValueError:
        return "…"


class Fields:
    """One level of a configuration. Every look-up is checked and remembered."""

    def __init__(self, data: Mapping[str, Any], path: str = "") -> None:
        if not isinstance(data, Mapping):
            raise ConfigError("config_not_object", key=path or "$")
        self.data = data
        self.path = path
        self.read: dict[str, Any] = {}
        self.assumptions: list[Assumption] = []

    def has(self, name: str) -> bool:
        """Whether the key is there and not null."""
        return self.data.get(name) is not None

    def assume(self, code: str, **params: str | int | float) -> None:
        """State what was taken where the file is silent."""
        assumption = Assumption(code=code, params=tuple(params.items()))
        if assumption not in self.assumptions:
            self.assumptions.append(assumption)

    def raw(self, *names: str) -> Any:
        """The first of these keys that is there and not null, else None."""
        for name in names:
            if self.data.get(name) is not None:
                self.read[name] = self.data[name]
                return self.data[name]
        return None

    def integer(self, *names: str, default: Any = MISSING, least: int = 1, most: int = MOST_WIDTH) -> Any:
        """A whole number within bounds; `default` when no key is given."""
        value = self.raw(*names)
        if value is None:
            if default is MISSING:
                raise ConfigError("config_key_missing", key=self._key(names[0]))
            return default
        name = next(n for n in names if n in self.read and self.read[n] is value)
        return self.checked(value, name, least=least, most=most)

    def checked(self, value: Any, name: str, *, least: int = 1, most: int = MOST_WIDTH) -> int:
        """The same value as an int, or ConfigError."""
        self._bounded(value, name, least, most)
        if value != int(value):
            raise ConfigError("config_not_number", key=self._key(name), value=_echo(value))
        return int(value)

    def number(self, *names: str, default: float, least: float = 0.0, most: float = 1e6) -> float:
        """A finite number within bounds."""
        value = self.raw(*names)
        if value is None:
            return default
        self._bounded(value, names[0], least, most)
        return float(value)

    def _bounded(self, value: Any, name: str, least: float, most: float) -> None:
        """Refuse what is no finite number between the bounds."""
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise ConfigError("config_not_number", key=self._key(name), value=_echo(value))
        if not least <= value <= most:
            shown = min(max(value, -LARGEST_SHOWN), LARGEST_SHOWN)
            raise ConfigError("config_out_of_range", key=self._key(name), value=float(shown), low=least, high=most)

    def boolean(self, *names: str, default: bool) -> bool:
        """A yes or no."""
        value = self.raw(*names)
        if value is None:
            return default
        if isinstance(value, bool) or value in (0, 1):
            return bool(value)
        raise ConfigError("config_not_boolean", key=self._key(names[0]), value=_echo(value))

    def text(self, *names: str, default: str = "") -> str:
        """A short string."""
        value = self.raw(*names)
        if value is None:
            return default
        if not isinstance(value, str):
            raise ConfigError("config_not_text", key=self._key(names[0]), value=_echo(value))
        return value

    def items(self, *names: str, most: int = MOST_LAYERS) -> Sequence[Any] | None:
        """A list, None when no key is given."""
        value = self.raw(*names)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise ConfigError("config_not_list", key=self._key(names[0]), value=_echo(value))
        if len(value) > most:
            raise ConfigError("config_out_of_range", key=self._key(names[0]), value=len(value), low=0, high=most)
        return value

    def integers(self, *names: str, default: Sequence[int] | None = None, least: int = 0) -> list[int]:
        """A list of whole numbers."""
        values = self.items(*names)
        if values is None:
            if default is None:
                raise ConfigError("config_key_missing", key=self._key(names[0]))
            return list(default)
        return [self.checked(v, names[0], least=least) for v in values]

    def layers(self, *names: str) -> int:
        """The number of layers, bounded because they are walked one by one."""
        return int(self.integer(*names, most=MOST_LAYERS))

    def sub(self, name: str) -> "Fields":
        """A nested object; its used keys and assumptions are collected under this level."""
        child = Fields(self.data.get(name) or {}, self._key(name))
        child.assumptions = self.assumptions
        self.read[name] = child.read
        return child

    def used(self) -> dict[str, Any]:
        """Only what was read, nested as in the file: what a task keeps of a configuration."""
        return {k: v for k, v in self.read.items() if v != {} or self.data.get(k) == {}}

    def _key(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name
