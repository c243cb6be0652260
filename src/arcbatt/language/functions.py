"""Function values: what can be called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.values import Value, kind, ordered


@dataclass(frozen=True)
class Function:
    """A function value: a primitive by name, or a combinator with the parts it was given.

    Two functions are equal when they are written alike. `arity` is how many arguments a call takes,
    `depth` how many functions stand inside one another, `calls` how many primitives it holds, both with the functions
    in containers bound into it; `levels` how many functions and containers stand inside one another. `size`
    counts all its parts, functions and values.
    """

    name: str
    parts: tuple[Any, ...]
    arity: int
    depth: int = 1
    calls: int = 1
    levels: int = 1
    size: int = 1

    def __repr__(self) -> str:
        return f"<function {self}>"

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(_text, self.parts))})" if self.parts else self.name


def _text(value: Value) -> str:
    """A value bound into a function, sets in the language's order."""
    if isinstance(value, frozenset):
        return f"{{{', '.join(map(_text, ordered(value)))}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))}{',' * (len(value) == 1)})"
    return str(value)


def function_of(value: Value) -> Function:
    """The value, if it can be called."""
    if isinstance(value, Function):
        return value
    raise Fail(Reason.TYPE, f"expected a function, got {kind(value)}")
