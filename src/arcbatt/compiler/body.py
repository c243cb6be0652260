"""The body of a loop as the context nodes are emitted to.

It hoists what does not depend on its items to the context around it, and counts what it is charged for that. Equal
calls are one node, which counts as often as it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcbatt.compiler.context import Context, Draft, Ref, const_args
from arcbatt.compiler.passes.hoist import hoisted_draft, stands_outside
from arcbatt.compiler.typed import FREE, Body, BodyNode
from arcbatt.language.limits import MAX_ITEMS, MAX_STEPS
from arcbatt.language.types import Type
from arcbatt.language.values import Value


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
        super().__init__(parent.rewrites, parent.folder)
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

    def constant_at(self, index: int) -> Value:
        """The value of one of its constants."""
        return self.nodes[index].args[2]

    def count_steps(self, steps: int) -> None:
        """Count the steps of a call that nothing is emitted for."""
        self.base += 0 if self.free else steps

    def count_shared(self) -> None:
        """Note that a call in a body was found to be there already."""
        self.parent.count_shared()

    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node, in this body or, where it does not depend on the item, outside."""
        hoisted = hoisted or self.free
        if folded := self.fold(draft):
            self.base += 0 if hoisted else folded[1]
            return folded[0]
        if self.rewrites.hoist and draft.args and stands_outside(draft.args, self.loop_level):
            return self._hoist(draft, hoisted)
        args = tuple([self._here(arg) for arg in draft.args])
        local = _Local(draft.op, args, draft.strict, draft.bodies, draft.type, 0 if hoisted else 1)
        return Ref(self, self._intern(local), draft.type, draft.can_fail)

    def _hoist(self, draft: Draft, hoisted: bool) -> Ref:
        outer: Context = self
        while outer.level >= self.loop_level:
            assert isinstance(outer, BodyBuilder)
            outer = outer.parent
        ref = outer.emit(hoisted_draft(draft, outer), hoisted=True)
        if not hoisted and (draft.op not in FREE or draft.bodies):
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
            return ("node", self.constant(ref.value, ref.type).index)
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
                self.count_shared()
        return known

    @property
    def makes_few_steps(self) -> bool:
        """Whether it costs just `base` steps, and a loop over it never too many."""
        constant = not self.charges and all(local.op == "const" for local in self.nodes)
        return constant and 2 * MAX_ITEMS * self.base <= MAX_STEPS

    def finish(self, result: Ref) -> tuple[Body, list[Ref]]:
        """The body, its captures numbered from zero, and what they are; the owner places them among its arguments."""
        place = self._here(result)
        first_node = len(self.param_types) + len(self._captured)
        starts = {"param": 0, "capture": len(self.param_types), "node": first_node}

        def number(name: tuple[str, int]) -> int:
            return starts[name[0]] + name[1]

        nodes = tuple(
            BodyNode(
                local.op,
                local.args if local.op == "const" else tuple(map(number, local.args)),
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
