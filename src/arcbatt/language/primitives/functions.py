"""Functions: values that can be called, the combinators that make them, and their use on containers."""

from __future__ import annotations

from functools import partial
from typing import Any

from arcbatt.language.failures import PRECEDENCE, Fail, Reason
from arcbatt.language.functions import Function, function_of
from arcbatt.language.limits import MAX_DEPTH, MAX_FUNCTION_CALLS, MAX_LEVELS, MAX_POWER
from arcbatt.language.primitives.containers import merge
from arcbatt.language.primitives.numbers import equality
from arcbatt.language.spec import CombinatorSpec, Gives, LoopSpec, Over, make_spec
from arcbatt.language.values import (
    Call,
    Container,
    Value,
    container_of,
    int_of,
    like,
    nesting_of,
    ordered,
    size_of,
    with_functions,
)


def _combined(name: str, arity: int, *parts: Value, extra: int = 0) -> Function:
    """A combinator's result; fails where functions grow beyond the limits."""
    nested = list(map(nesting_of, parts))
    functions = [function for _, inside in nested for function in inside]
    depth = 1 + max(function.depth for function in functions)
    calls = sum(function.calls for function in functions) + extra
    if depth > MAX_DEPTH:
        raise Fail(Reason.LIMIT, f"functions {depth} deep, at most {MAX_DEPTH}")
    if calls > MAX_FUNCTION_CALLS:
        raise Fail(Reason.LIMIT, f"{calls} primitives in a function, at most {MAX_FUNCTION_CALLS}")
    levels = 1 + max(levels for levels, _ in nested)
    if levels > MAX_LEVELS:
        raise Fail(Reason.LIMIT, f"values {levels} deep in a function, at most {MAX_LEVELS}")
    sizes = (with_functions(size_of(part), inside) for part, (_, inside) in zip(parts, nested, strict=True))
    return Function(name, parts, arity, depth, calls, levels, 1 + sum(max(1, size) for size in sizes))


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
    if n > MAX_POWER:
        raise Fail(Reason.LIMIT, f"power {n}, at most {MAX_POWER}")
    return _combined("power", 1, function_of(function), n)


# --- how what they make is called ---

_EQUALITY = Function(equality.__name__, (), 2)


def _composed(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    return call(parts[0], call(parts[1], arguments[0]))


def _chained(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    return call(parts[0], call(parts[1], call(parts[2], arguments[0])))


def _forked(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    """Where both inner functions fail, the reason that takes precedence, as for any two arguments."""
    try:
        left = call(parts[1], arguments[0])
    except Fail as first:
        try:
            call(parts[2], arguments[0])
        except Fail as second:
            raise min(first, second, key=lambda fail: PRECEDENCE[fail.reason]) from None
        raise
    return call(parts[0], left, call(parts[2], arguments[0]))


def _matched(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    return call(_EQUALITY, call(parts[0], arguments[0]), parts[1])


def _right_bound(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    return call(parts[0], *arguments, parts[1])


def _left_bound(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    return call(parts[0], parts[1], *arguments)


def _again(call: Call, parts: tuple[Value, ...], arguments: tuple[Value, ...]) -> Value:
    value = arguments[0]
    for _ in range(parts[1]):
        value = call(parts[0], value)
    return value


# --- loops ---


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


def fold(call: Call, container: Container, initial: Value, function: Function) -> Value:
    """The last state: initial, then for each item the function of the pair (state, item)."""
    state = initial
    for item in ordered(container_of(container)):
        state = call(function, (state, item))
    return state


def iterate(call: Call, function: Function, condition: Function, initial: Value) -> Value:
    """The function applied to initial again and again, while the condition holds."""
    state = initial
    times = 0
    while call(condition, state):
        if times == MAX_POWER:
            raise Fail(Reason.LIMIT, f"more than {MAX_POWER} times")
        state = call(function, state)
        times += 1
    return state


_op = partial(make_spec, "functions")

OPS = (
    _op(compose, "(b -> c), (a -> b) -> (a -> c)", combinator=CombinatorSpec(_composed, 2), fails="limit"),
    _op(chain, "(c -> d), (b -> c), (a -> b) -> (a -> d)", combinator=CombinatorSpec(_chained, 3), fails="limit"),
    _op(fork, "(b, c -> d), (a -> b), (a -> c) -> (a -> d)", combinator=CombinatorSpec(_forked, 3), fails="limit"),
    _op(matcher, "(a -> b), c -> (a -> Bool)", combinator=CombinatorSpec(_matched, 1, calls=1), fails="limit"),
    _op(rbind, "(a.., b -> c), b -> (a.. -> c)", combinator=CombinatorSpec(_right_bound, 1, binds=True), fails="limit"),
    _op(lbind, "(a, b.. -> c), a -> (b.. -> c)", combinator=CombinatorSpec(_left_bound, 1, binds=True), fails="limit"),
    _op(power, "(a -> a), Int -> (a -> a)", combinator=CombinatorSpec(_again, 1, repeats=True), fails="bounds limit"),
    _op(apply, "(a -> b), <a> -> <b>", loop=LoopSpec(Gives.ITEM, columnar=True), fails="limit"),
    _op(rapply, "<(a -> b)>, a -> <b>", loop=LoopSpec(Gives.ITEM, Over.FUNCTIONS)),
    _op(mapply, "(a -> ~b), <a> -> <b>", loop=LoopSpec(Gives.CONTAINER), fails="limit"),
    _op(papply, "(a, b -> c), ~a, ~b -> [c]", loop=LoopSpec(Gives.ITEM, Over.IN_STEP, columnar=True), fails="limit"),
    _op(mpapply, "(a, b -> ~c), ~a, ~b -> [c]", loop=LoopSpec(Gives.CONTAINER, Over.IN_STEP), fails="limit"),
    _op(prapply, "(a, b -> c), ~a, ~b -> {c}", loop=LoopSpec(Gives.ITEM, Over.PRODUCT, columnar=True), fails="limit"),
    _op(fold, "~a, b, ((b, a) -> b) -> b", loop=LoopSpec(Gives.STATE), since=3),
    _op(iterate, "(a -> a), (a -> Bool), a -> a", loop=LoopSpec(Gives.STATE, Over.STATES), fails="limit", since=3),
)
