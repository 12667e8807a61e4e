"""The shapes in which texts are kept and spoken."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

type Words = str | _StrPromise


@dataclass(frozen=True, slots=True)
class Text:
    """A finding or verdict before its parameters are put in; an empty string = nothing to say."""

    title: Words
    what: Words
    do: Words


@dataclass(frozen=True, slots=True)
class Technique:
    """A technique: its name, what it gives, what it costs, when not to use it."""

    name: Words
    gives: Words
    costs: Words
    avoid: Words


@dataclass(frozen=True, slots=True)
class Spoken:
    """A finding or verdict in the active language."""

    title: str
    what: str
    do: str
