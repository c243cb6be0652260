"""Where nodes are emitted: the graph itself, or the body of a loop being built.

Both share one face, so that inlining a function does not care where it happens. A body hoists what does not depend on
its items to the context around it, and counts what it owes for that.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final

from arcbatt.compiler.functions import Ref, UnresolvedError
from arcbatt.compiler.passes.algebra import IDEMPOTENT, KEEPS_SOLID, TURN_INVARIANT, TURN_OF_TURN, TURNS
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import FAILED, FREE, INPUT_BITS, Body, BodyNode, TypedGraph, TypedNode
from arcbatt.language.encoding import encode
from arcbatt.language.failures import Fail
from arcbatt.language.reference import Machine
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, GRID, Set, Type
from arcbatt.language.values import Value

_FOLD_STEPS: Final = 20_000
_FOLD_SIZE: Final = 4_000


@dataclass
class Draft:
    """A node to be emitted."""

    op: str
    args: list[Ref]
    type: Type
    strict: int
    bodies: tuple[Body, ...] = ()
    can_fail: bool = True
    foldable: bool = False


class Context(ABC):
    """What the graph and a body have in common."""

    level = 0
    loop_level = 0

    def __init__(self, rewrites: Rewrites) -> None:
        self.rewrites = rewrites

    @abstractmethod
    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node's value here."""

    @abstractmethod
    def constant(self, value: Value, kind: Type) -> Ref:
        """A constant's value here."""

    def fold(self, draft: Draft) -> tuple[Ref, int] | None:
        """The draft as a constant and the steps it took, where all it takes is constant."""
        if not (self.rewrites.fold and draft.foldable and draft.args and all(arg.constant for arg in draft.args)):
            return None
        machine = Machine(_FOLD_STEPS)
        values = tuple(constant_value(arg) for arg in draft.args)
        try:
            result = machine.primitive(current().op(draft.op), values, machine.call)
        except Fail:
            return None
        if machine.size(result) > _FOLD_SIZE:
            return None
        return self.constant(result, draft.type), machine.steps


def const_args(value: Value, kind: Type) -> tuple[Any, ...]:
    """A constant's key and value: two are one node only if they are equal to the last bit and of one type."""
    return (str(kind), json.dumps(encode(value)), value)


def constant_value(ref: Ref) -> Value:
    """The value of a constant."""
    context = ref.context
    if isinstance(context, Top):
        return context.graph.nodes[ref.index].args[2]
    assert isinstance(context, BodyBuilder)
    return context.nodes[ref.index].args[2]


class Top(Context):
    """The graph: every node once, identities applied as nodes are made."""

    def __init__(self, rewrites: Rewrites) -> None:
        super().__init__(rewrites)
        self.graph = TypedGraph()
        self.folded = 0
        self.simplified = 0
        self.hoisted = 0
        self.body_shared = 0
        self._full: list[bool] = []
        """Of each node, whether it can only be a grid with rows and columns, all rows alike (or failed)."""

    def ref(self, index: int) -> Ref:
        """A node as a value."""
        node = self.graph.nodes[index]
        return Ref(self, index, node.type, self.graph.can_fail[index], node.op == "const")

    def input(self, name: str, kind: Type, bit: int) -> Ref:
        """An input; only the expected output may be unknown, so only it can fail."""
        return self._leaf(TypedNode("input", (name,), 0, (), kind), bit, name == "C")

    def constant(self, value: Value, kind: Type) -> Ref:
        """A constant node."""
        return self._leaf(TypedNode("const", const_args(value, kind), 0, (), kind), 0, False)

    def _leaf(self, node: TypedNode, depends: int, can_fail: bool) -> Ref:
        index = self.graph.add(node, depends, can_fail)
        if index == len(self._full):
            self._full.append(node.op == "input" and node.type == GRID and node.args[0] in INPUT_BITS)
        return self.ref(index)

    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node, computed now, made simpler, found or made."""
        self.hoisted += hoisted
        if folded := self.fold(draft):
            self.folded += 1
            return folded[0]
        if self.rewrites.algebra and not hoisted and (simpler := self._simpler(draft)):
            self.simplified += 1
            return simpler
        depends = 0
        for arg in draft.args:
            depends |= self.graph.depends[arg.index]
        args = tuple(arg.index for arg in draft.args)
        index = self.graph.add(
            TypedNode(draft.op, args, draft.strict, draft.bodies, draft.type), depends, draft.can_fail
        )
        if index == len(self._full):
            grids = [self._full[arg.index] for arg in draft.args if arg.type == GRID]
            self._full.append(draft.type == GRID and draft.op in KEEPS_SOLID and bool(grids) and all(grids))
        return self.ref(index)

    def _simpler(self, draft: Draft) -> Ref | None:
        """A value equal to the draft's that needs no new node, or a smaller one."""
        op, args = draft.op, draft.args
        if op == "identity":
            return args[0]
        inner = self.graph.nodes[args[0].index] if args else None
        if inner is None:
            return None
        if op in TURNS and inner.op in TURNS and draft.type == GRID and self._full[inner.args[0]]:
            turn = TURN_OF_TURN[op, inner.op]
            below = self.ref(inner.args[0])
            if turn == "identity":
                return below
            return self.emit(Draft(turn, [below], GRID, 1, can_fail=below.can_fail, foldable=True))
        if op in TURN_INVARIANT and inner.op in TURNS and inner.type == GRID and self._full[inner.args[0]]:
            below = self.ref(inner.args[0])
            return self.emit(
                Draft(op, [below, *args[1:]], draft.type, draft.strict, can_fail=draft.can_fail, foldable=True)
            )
        if op in IDEMPOTENT and inner.op == op and inner.type == draft.type:
            return args[0]
        if op == "flip" and inner.op == "flip" and inner.type == BOOL:
            below = self.ref(inner.args[0])
            return below if below.type == BOOL else None
        if op == "merge" and inner.op == "initset" and isinstance(draft.type, Set):
            below = self.ref(inner.args[0])
            return below if below.type == draft.type else None
        if op in ("first", "last") and inner.op == "initset":
            return self.ref(inner.args[0])
        if op == "branch" and inner.op == "const":
            chosen, other = (args[1], args[2]) if inner.args[2] else (args[2], args[1])
            return chosen if not other.can_fail and chosen.type == draft.type else None
        return None


@dataclass
class _Local:
    """A node of a body being built; arguments are references."""

    op: str
    args: tuple[Any, ...]
    strict: int
    bodies: tuple[Body, ...]
    type: Type
    times: int


class BodyBuilder(Context):
    """The body of a loop (or, without parameters, a branch of a choice inside one)."""

    def __init__(self, parent: Context, params: tuple[Type, ...], *, loop: bool = True) -> None:
        super().__init__(parent.rewrites)
        self.parent = parent
        self.level = parent.level + 1
        self.loop_level = self.level if loop else parent.loop_level
        self.param_types = params
        self.nodes: list[_Local] = []
        self.base = 0
        self.charges: dict[int, int] = {}
        self._captured: list[Ref] = []
        self._capture_of: dict[tuple[int, int], int] = {}
        self._known: dict[tuple[Any, ...], int] = {}
        # Parameters have indexes below zero: -1 the first, -2 the second.
        self.params = [Ref(self, -1 - position, kind, can_fail=False) for position, kind in enumerate(params)]

    def constant(self, value: Value, kind: Type) -> Ref:
        """A constant of this body."""
        local = _Local("const", const_args(value, kind), 0, (), kind, 0)
        return Ref(self, self._intern(local), kind, can_fail=False, constant=True)

    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node, in this body or, where it does not depend on the item, outside."""
        if folded := self.fold(draft):
            self.base += 0 if hoisted else folded[1]
            return folded[0]
        if self.rewrites.hoist and draft.args and self._outside_loop(draft.args):
            return self._hoist(draft, hoisted)
        args = tuple(self._here(arg) for arg in draft.args)
        local = _Local(draft.op, args, draft.strict, draft.bodies, draft.type, 0 if hoisted else 1)
        return Ref(self, self._intern(local), draft.type, draft.can_fail)

    def _outside_loop(self, args: list[Ref]) -> bool:
        return self.loop_level > 0 and all(arg.constant or arg.context.level < self.loop_level for arg in args)

    def _hoist(self, draft: Draft, hoisted: bool) -> Ref:
        outer: Context = self
        while outer.level >= self.loop_level:
            assert isinstance(outer, BodyBuilder)
            outer = outer.parent
        moved = Draft(
            draft.op,
            [outer.constant(constant_value(arg), arg.type) if arg.constant else arg for arg in draft.args],
            draft.type,
            draft.strict,
            draft.bodies,
            draft.can_fail,
        )
        ref = outer.emit(moved, hoisted=True)
        if not hoisted and draft.op not in FREE:
            capture = self._capture(ref)
            self.charges[capture] = self.charges.get(capture, 0) + 1
        return ref

    def _capture(self, ref: Ref) -> int:
        key = (ref.context.level, ref.index)
        if key not in self._capture_of:
            self._capture_of[key] = len(self._captured)
            self._captured.append(ref)
        return self._capture_of[key]

    def _here(self, ref: Ref) -> tuple[str, int]:
        """How this body names a value: its own, or captured."""
        if ref.context is self:
            return ("param", -1 - ref.index) if ref.index < 0 else ("node", ref.index)
        if ref.constant:
            return ("node", self.constant(constant_value(ref), ref.type).index)
        return ("capture", self._capture(ref))

    def _intern(self, local: _Local) -> int:
        key = (local.op, local.args, local.strict, local.bodies, local.type)
        known = self._known.get(key) if self.rewrites.body_sharing or local.op == "const" else None
        if known is None:
            known = self._known[key] = len(self.nodes)
            self.nodes.append(local)
        else:
            self.nodes[known].times += local.times
            if local.times:
                self._count_shared()
        return known

    def _count_shared(self) -> None:
        context: Context = self
        while isinstance(context, BodyBuilder):
            context = context.parent
        assert isinstance(context, Top)
        context.body_shared += 1

    def finish(self, result: Ref) -> tuple[Body, list[Ref]]:
        """The body, its captures numbered from zero, and what they are; the owner places them among its arguments."""
        place = self._here(result)
        first_node = len(self.param_types) + len(self._captured)

        def number(name: tuple[str, int]) -> int:
            kind, index = name
            return (
                index if kind == "param" else len(self.param_types) + index if kind == "capture" else first_node + index
            )

        nodes = tuple(
            BodyNode(
                local.op,
                local.args if local.op in ("const", FAILED) else tuple(map(number, local.args)),
                local.strict,
                local.bodies,
                local.type,
                local.times,
            )
            for local in self.nodes
        )
        captures = tuple(range(len(self._captured)))
        body = Body(self.param_types, captures, nodes, number(place), tuple(self.charges.items()), self.base)
        return body, self._captured


def need_ref(value: Any, what: str) -> Ref:
    """The value, if it is one and not a function."""
    if isinstance(value, Ref):
        return value
    raise UnresolvedError(f"{what} takes a function where a value is expected")
