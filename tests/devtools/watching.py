"""A reference that notes what a program does: which features of the language its run has come to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arcbatt.language.failures import Fail
from arcbatt.language.functions import Function
from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.reference import Machine
from arcbatt.language.spec import Does, Kind, OpSpec, Over

FEATURES = (
    "functions in a tuple",
    "functions in a set",
    "function in a branch",
    "function chosen by a loop",
    "loop over functions",
    "each function of a tuple called",
    "each function of a set called",
    "combinator as a value",
    "deep function",
    "items of two types",
    "branch of two types",
    "truth of any value",
    "power by more than a constant drawn",
    "wrong kind of argument",
    "wrong number of arguments",
    "call of no function",
    "None",
    "empty container",
    "empty container in a container",
    "deep container",
    "large number",
    "end of 32 bits",
)
LARGE = 65_535
_DEEPEST = 8
"""Levels that the form of a value is told by: pairs inside pairs may be shared, and double with each."""
_LOOKED_AT = 50


class Watching(Machine):
    """Notes features in `seen`, by the values that primitives get and give."""

    def __init__(self, max_steps: int) -> None:
        super().__init__(max_steps)
        self.seen: set[str] = set()

    def call(self, function: Any, *args: Any) -> Any:
        if not isinstance(function, Function):
            self.seen.add("call of no function")
        elif len(args) != (function.arity if function.parts else self.language.op(function.name).arity):
            self.seen.add("wrong number of arguments")
        return super().call(function, *args)

    def run(self, spec: OpSpec, args: tuple[Any, ...], call: Any = None) -> Any:
        self.note(spec, args)
        try:
            result = super().run(spec, args, call)
        except (TypeError, AttributeError, ValueError):
            self.seen.add("wrong kind of argument")
            raise
        except Fail as fail:
            if fail.reason == "type":
                self.seen.add("wrong kind of argument")
            raise
        if isinstance(result, Function) and call is not None and spec.kind is Kind.LOOP:
            self.seen.add("function chosen by a loop")
        self.seen |= set(features(result))
        return result

    def note(self, spec: OpSpec, args: tuple[Any, ...]) -> None:
        functions = [isinstance(arg, Function) for arg in args]
        if spec.does is Does.CHOOSE:
            if any(functions[1:]):
                self.seen.add("function in a branch")
            if len({kind(arg) for arg in args[1:]} - {None}) > 1:
                self.seen.add("branch of two types")
            if not isinstance(args[0], bool):
                self.seen.add("truth of any value")
        if spec.loop:
            containers = [arg for arg in args if isinstance(arg, tuple | frozenset)]
            if spec.loop.over is Over.FUNCTIONS:
                kind_of_container = "set" if isinstance(args[0], frozenset) else "tuple"
                self.seen.add(f"each function of a {kind_of_container} called")
            elif any(isinstance(item, Function) for one in containers for item in one):
                self.seen.add("loop over functions")
        if spec.combinator and spec.combinator.repeats and isinstance(args[1], int) and args[1] > 3:
            self.seen.add("power by more than a constant drawn")
        parts = [arg for arg in args if isinstance(arg, Function)] if spec.combinator else []
        if any(self.language.op(part.name).combinator and not part.parts for part in parts):
            self.seen.add("combinator as a value")
        if any(part.depth > 4 for part in parts):
            self.seen.add("deep function")
        for arg in args:
            self.seen |= set(features(arg))


def kind(value: Any, depth: int = 0) -> Any:
    """The form of a value, as far as one of its items tells it; None where it has none to tell."""
    if not isinstance(value, tuple | frozenset) or depth == _DEEPEST:
        return type(value)
    if isinstance(value, tuple) and len(value) == 2:
        left, right = (kind(item, depth + 1) for item in value)
        return (tuple, left) if left == right else (tuple, left, right)
    return (type(value), kind(next(iter(value)), depth + 1)) if value else None


def features(value: Any, depth: int = 0) -> Iterator[str]:
    """What there is to a value."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        if not -LARGE < value < LARGE:
            yield "large number"
        if value in (INT_MAX, INT_MIN):
            yield "end of 32 bits"
    elif value is None:
        yield "None"
    elif isinstance(value, tuple | frozenset):
        items = list(value)[:_LOOKED_AT]
        if not items:
            yield "empty container" if depth == 0 else "empty container in a container"
        if depth > 3:
            yield "deep container"
        if any(isinstance(item, Function) for item in items):
            yield "functions in a set" if isinstance(value, frozenset) else "functions in a tuple"
        if len({kind(item) for item in items} - {None}) > 1:
            yield "items of two types"
        if depth < 8:
            for item in items[:6]:
                yield from features(item, depth + 1)
