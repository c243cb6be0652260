"""Functions: values that can be called, the combinators that make them, and their use on containers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcbatt.errors import PRECEDENCE, Fail, Reason
from arcbatt.limits import MAX_DEPTH, MAX_FUNCTION_CALLS
from arcbatt.reference.containers import merge
from arcbatt.reference.values import Call, Container, Value, container_of, int_of, kind, like, ordered


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


def _combined(name: str, arity: int, *parts: Value, times: int = 1, extra: int = 0) -> Function:
    """A combinator's result; fails where functions grow beyond the limits."""
    functions = [part for part in parts if isinstance(part, Function)]
    depth = 1 + max(function.depth for function in functions)
    calls = times * sum(function.calls for function in functions) + extra
    if depth > MAX_DEPTH:
        raise Fail(Reason.LIMIT, f"functions {depth} deep, at most {MAX_DEPTH}")
    if calls > MAX_FUNCTION_CALLS:
        raise Fail(Reason.LIMIT, f"{calls} primitives in a function, at most {MAX_FUNCTION_CALLS}")
    return Function(name, parts, arity, depth, calls)


def compose(outer: Function, inner: Function) -> Function:
    """X -> outer(inner(x))."""
    return _combined("compose", 1, function_of(outer), function_of(inner))


def chain(h: Function, g: Function, f: Function) -> Function:
    """X -> h(g(f(x)))."""
    return _combined("chain", 1, function_of(h), function_of(g), function_of(f))


def fork(outer: Function, a: Function, b: Function) -> Function:
    """X -> outer(a(x), b(x))."""
    return _combined("fork", 1, function_of(outer), function_of(a), function_of(b))


def matcher(function: Function, target: Value) -> Function:
    """X -> function(x) == target."""
    return _combined("matcher", 1, function_of(function), target, extra=1)


def rbind(function: Function, fixed: Value) -> Function:
    """The function with its last argument fixed."""
    return _combined("rbind", function_of(function).arity - 1, function, fixed)


def lbind(function: Function, fixed: Value) -> Function:
    """The function with its first argument fixed."""
    return _combined("lbind", function_of(function).arity - 1, function, fixed)


def power(function: Function, n: int) -> Function:
    """The function applied n times, n at least 1."""
    if int_of(n) < 1:
        raise Fail(Reason.BOUNDS, f"power {n}, at least 1")
    return _combined("power", 1, function_of(function), n, times=n)


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


def apply(call: Call, function: Function, container: Container) -> Container:
    """The function of each item, in the same kind of container."""
    return like(container, [call(function, item) for item in ordered(container_of(container))])


def rapply(call: Call, functions: Container, value: Value) -> Container:
    """Each function of the value, in the same kind of container."""
    return like(functions, [call(function, value) for function in ordered(container_of(functions))])


def mapply(call: Call, function: Function, container: Container) -> Container:
    """The function of each item, merged."""
    return merge(apply(call, function, container))


def papply(call: Call, function: Function, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """The function of each pair of items of two tuples in step, as long as the shorter."""
    pairs = zip(ordered(container_of(a)), ordered(container_of(b)), strict=False)
    return tuple(call(function, x, y) for x, y in pairs)


def mpapply(call: Call, function: Function, a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """The function of each pair of items of two tuples in step, merged."""
    return tuple(merge(papply(call, function, a, b)))


def prapply(call: Call, function: Function, a: Container, b: Container) -> frozenset[Any]:
    """The set of the function of every item of a with every item of b."""
    rows = ordered(container_of(b))
    return frozenset(call(function, x, y) for x in ordered(container_of(a)) for y in rows)
