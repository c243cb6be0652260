"""Loops that carry a state, in first-order form: `fold` and `iterate` as nodes whose bodies take the state along.

The type of the state is that of its start, widened by what the function makes of it until it holds. What it does not
settle at in a few rounds, and a state of functions, is the dynamic tier's. So is what typed code is slower at: states
of containers in containers, which it copies in each turn, and functions that choose, of which it computes in advance
what does not depend on the choice (in loops that come of Python's `if` that is most of the work).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arcbatt.compiler.context import Context, Ref, UnresolvedError
from arcbatt.compiler.failing import failed
from arcbatt.compiler.functions import Known, Native, Value
from arcbatt.compiler.typed import CHOOSE, Body
from arcbatt.language.spec import OpSpec
from arcbatt.language.types import GRID, NEVER, Seq, Set, Tup, Type, closures, join

Built = tuple[Body, list[Ref], Any]
MakeBody = Callable[[Context, Known | Native, tuple[Type, ...]], Built]
Inline = Callable[[Context, Known | Native, list[Value]], Value]

_MOST_ROUNDS: Final = 4
"""How often the type of a state may be widened: its parts, and what is in them."""


def settled(name: str, kind: Type, build: Callable[[Type], Built]) -> tuple[Type, Body, list[Ref]]:
    """The type of a state that a body keeps, and that body with what it captures."""
    for _ in range(_MOST_ROUNDS):
        if any(closures(kind)):
            raise UnresolvedError(f"{name} with a state of functions")
        body, captured, result = build(kind)
        if not isinstance(result, Ref):
            raise UnresolvedError(f"{name} of a function that gives functions")
        wider = join(kind, result.type)
        if wider is None:
            raise UnresolvedError(f"{name} whose state is {kind}, then {result.type}")
        if wider == kind:
            if _nested(kind):
                raise UnresolvedError(f"{name} with a state of containers in containers")
            if _chooses(body):
                raise UnresolvedError(f"{name} of a function that chooses")
            return kind, body, captured
        kind = wider
    raise UnresolvedError(f"{name} whose state does not keep its type")


def _nested(kind: Type) -> bool:
    if isinstance(kind, Tup):
        return any(map(_nested, kind.parts))
    return isinstance(kind, Set | Seq) and _has_container(kind.item)


def _has_container(kind: Type) -> bool:
    if isinstance(kind, Tup):
        return any(map(_has_container, kind.parts))
    return kind == GRID or isinstance(kind, Set | Seq)


def _chooses(body: Body) -> bool:
    return any(node.op == CHOOSE or any(map(_chooses, node.bodies)) for node in body.nodes)


class StateLoops:
    """Builds them; `body` makes the body of a loop, `call` inlines a call of a function."""

    def __init__(self, body: MakeBody, call: Inline) -> None:
        self.body = body
        self.call = call

    def over_items(
        self, context: Context, spec: OpSpec, function: Known | Native, item: Type, start: Ref
    ) -> tuple[Type, Body, list[Ref]]:
        """The state's type and the body of a loop over items, whose function takes the pair (state, item)."""

        def run(inner: Context, given: list[Value]) -> Value:
            return failed(inner, ()) if item == NEVER else self.call(inner, function, given)  # of no items

        return settled(spec.name, start.type, lambda kind: self.body(context, Native(run), (Tup((kind, item)),)))

    def while_true(
        self, context: Context, spec: OpSpec, function: Known | Native, condition: Known | Native, start: Ref
    ) -> tuple[Type, list[tuple[Body, list[Ref]]]]:
        """The state's type and the bodies of a loop that goes on while a condition holds: that, and its function."""
        kind, body, captured = settled(spec.name, start.type, lambda kind: self.body(context, function, (kind,)))
        test, test_captured, result = self.body(context, condition, (kind,))
        if not isinstance(result, Ref):
            raise UnresolvedError(f"{spec.name} while a function is true")
        return kind, [(test, test_captured), (body, captured)]
