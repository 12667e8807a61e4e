"""From an uploaded text to a plain dict, in bounded time and memory: JSON, YAML by a safe loader, TOML."""

import json
import re
import tomllib
from typing import Any

import yaml

from assessments.intake.import_messages import message
from assessments.sizing.architectures import ConfigError
from assessments.sizing.training_files import read_training_config

MOST_CHARACTERS = 1_000_000
MOST_YAML_CHARACTERS = 200_000
MOST_DEPTH = 40
MOST_NODES = 100_000

# The C loader where PyYAML was built with it; both are the safe ones, which build no objects of programs.
_YamlLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TOML_SECTION = re.compile(r"^\s*\[[\w.\"-]+\]\s*(#.*)?$", re.MULTILINE)
_YAML_OBJECT = re.compile(r"!!python|!<tag|^\s*!\w", re.MULTILINE)


class ImportFailed(ValueError):
    """A file that cannot be taken; `str()` is a sentence in the active language."""

    def __init__(self, code: str, **params: str | int | float) -> None:
        super().__init__(code)
        self.code = code
        self.params = params

    def __str__(self) -> str:
        return message(self.code, self.params)


def text_of(content: bytes) -> str:
    """The text of an uploaded file; a byte-order mark is dropped. Raises ImportFailed for a binary file."""
    if len(content) > 4 * MOST_CHARACTERS:
        raise ImportFailed("file_too_large", size=len(content), limit=MOST_CHARACTERS)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ImportFailed("file_kind") from None


def config_from_text(text: str) -> dict[str, Any]:
    """A model's configuration, which is always JSON. Raises ImportFailed."""
    return _object(_json(_bounded(text)))


def training_data_from_text(text: str) -> dict[str, Any]:
    """A training configuration as plain data: JSON, then TOML where it has sections, then YAML. Raises ImportFailed."""
    text = _bounded(text)
    try:
        return _object(_json(text))
    except ImportFailed as error:
        if error.code != "not_json":
            raise
    if _TOML_SECTION.search(text):
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError):
            pass
    return _object(_yaml(text))


def training_from_text(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A partial task from a training configuration of any known program, and the keys that it does not use.

    Raises ImportFailed, also for a file of a program that is recognised but not read.
    """
    data = training_data_from_text(text)
    try:
        return read_training_config(data)
    except ConfigError as error:
        raise ImportFailed(error.code, **error.params) from None


def _bounded(text: str) -> str:
    if len(text) > MOST_CHARACTERS:
        raise ImportFailed("file_too_large", size=len(text), limit=MOST_CHARACTERS)
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ImportFailed("file_empty")
    if "\x00" in text:
        raise ImportFailed("file_kind")
    return text


def _object(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise ImportFailed("file_kind")
    return {str(key): value for key, value in data.items()}


def _json(text: str) -> object:
    """Parsed JSON; the depth is measured first, because the parser recurses."""
    _check_depth(text)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ImportFailed("not_json", line=error.lineno, column=error.colno) from None
    except (ValueError, RecursionError):  # a number of more digits than Python converts
        raise ImportFailed("not_json", line=1, column=1) from None


def _check_depth(text: str) -> None:
    """Nesting of brackets outside strings, in one pass."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', text):
        match token.group()[0]:
            case "[" | "{":
                depth += 1
                if depth > MOST_DEPTH:
                    raise ImportFailed("file_too_deep", limit=MOST_DEPTH)
            case "]" | "}":
                depth -= 1


def _yaml(text: str) -> object:
    """Parsed YAML by the safe loader; size and repetition are measured on the event stream before anything is built."""
    if len(text) > MOST_YAML_CHARACTERS:
        raise ImportFailed("file_too_large", size=len(text), limit=MOST_YAML_CHARACTERS)
    try:
        _check_events(text)
        return yaml.load(text, Loader=_YamlLoader)  # noqa: S506 – the loader is one of PyYAML's safe ones
    except ImportFailed:
        raise
    except yaml.constructor.ConstructorError:
        raise ImportFailed("yaml_unsafe") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise ImportFailed(
            "not_yaml", line=mark.line + 1 if mark else 1, column=mark.column + 1 if mark else 1
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        raise ImportFailed("yaml_unsafe" if _YAML_OBJECT.search(text) else "not_yaml", line=1, column=1) from None


def _check_events(text: str) -> None:
    """Depth, and nodes after references are followed: a bomb repeats a few lines a billion times."""
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    nodes = 0
    for event in yaml.parse(text, Loader=_YamlLoader):
        if isinstance(event, yaml.AliasEvent):
            nodes += sizes.get(event.anchor or "", MOST_NODES)  # an alias to an open node refers to itself
        elif isinstance(event, yaml.NodeEvent):
            nodes += 1
            if isinstance(event, yaml.CollectionStartEvent):
                open_nodes.append((event.anchor, nodes))
                if len(open_nodes) > MOST_DEPTH:
                    raise ImportFailed("file_too_deep", limit=MOST_DEPTH)
            elif event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            if anchor:
                sizes[anchor] = nodes - before + 1
        if nodes > MOST_NODES:
            raise ImportFailed("yaml_unsafe")
