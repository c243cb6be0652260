"""Function values: what can be called, and calling what a combinator made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcbatt.language.failures import PRECEDENCE, Fail, Reason
from arcbatt.language.values import Call, Value, kind


@dataclass(frozen=True)
class Function:
    """A function value: a primitive by name, or a combinator with the parts it was given.

    Two functions are equal when they are written alike. `arity` is how many arguments a call takes,
    `depth` how many functions stand inside one another, `calls` how many primitives it holds.
    """

    name: str
    parts: tuple[Any, ...]
    arity: int
    depth: int = 1
    calls: int = 1

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.parts))})" if self.parts else self.name


EQUALITY = Function("equality", (), 2)


def function_of(value: Value) -> Function:
    """The value, if it can be called."""
    if isinstance(value, Function):
        return value
    raise Fail(Reason.TYPE, f"expected a function, got {kind(value)}")


def _both(call: Call, a: Function, b: Function, value: Value) -> tuple[Value, Value]:
    """Both functions of the value. Where both fail, the reason that takes precedence, as for any two arguments."""
    try:
        left = call(a, value)
    except Fail as first:
        try:
            call(b, value)
        except Fail as second:
            raise min(first, second, key=lambda fail: PRECEDENCE[fail.reason]) from None
        raise
    return left, call(b, value)


def invoke(call: Call, function: Function, arguments: tuple[Value, ...]) -> Value:
    """Call what a combinator made; `call` runs the parts."""
    if len(arguments) != function.arity:
        raise Fail(Reason.TYPE, f"{function.name} takes {function.arity} arguments, got {len(arguments)}")
    parts = function.parts
    match function.name:
        case "compose":
            return call(parts[0], call(parts[1], arguments[0]))
        case "chain":
            return call(parts[0], call(parts[1], call(parts[2], arguments[0])))
        case "fork":
            return call(parts[0], *_both(call, parts[1], parts[2], arguments[0]))
        case "matcher":
            return call(EQUALITY, call(parts[0], arguments[0]), parts[1])
        case "rbind":
            return call(parts[0], *arguments, parts[1])
        case "lbind":
            return call(parts[0], parts[1], *arguments)
        case _:
            value = arguments[0]
            for _ in range(parts[1]):
                value = call(parts[0], value)
            return value
