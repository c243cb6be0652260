"""The graph as the context nodes are emitted to: every node once, identities applied as nodes are made."""

from __future__ import annotations

from typing import Final

from arcbatt.compiler.context import Context, Draft, Ref, const_args
from arcbatt.compiler.passes.algebra import simpler
from arcbatt.compiler.passes.fold import MOST_STEPS, Folder
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.step_bounds import NodeSteps, bounded_steps, is_counted, steps_left_out
from arcbatt.compiler.typed import INPUT_BITS, TypedGraph, TypedNode
from arcbatt.language.spec import Fact
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, Type
from arcbatt.language.values import Value

_KEEPS_GRID: Final = STANDARD.names_with(Fact.KEEPS_GRID)


class Top(Context):
    """The graph, with counts of what the rewrites found."""

    def __init__(self, rewrites: Rewrites) -> None:
        super().__init__(rewrites, Folder())
        self.graph = TypedGraph()
        self.folded = 0
        self.simplified = 0
        self.hoisted = 0
        self.body_shared = 0
        self.steps = NodeSteps()
        """Of the node of the merged graph that is at hand."""
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

    def constant_at(self, index: int) -> Value:
        """The value of a constant node."""
        return self.graph.nodes[index].args[2]

    def count_steps(self, steps: int) -> None:
        """Count the steps of a call that nothing is emitted for."""
        self.steps.bounded += 0 if self.free else steps

    def count_shared(self) -> None:
        """Note that a call in a body was found to be there already."""
        self.body_shared += 1

    def _leaf(self, node: TypedNode, depends: int, can_fail: bool) -> Ref:
        index = self.graph.add(node, depends, can_fail)
        if index == len(self._full):
            self._full.append(node.op == "input" and node.type == GRID and node.args[0] in INPUT_BITS)
        return self.ref(index)

    def emit(self, draft: Draft, *, hoisted: bool = False) -> Ref:
        """The node, computed now, made simpler, found or made."""
        self.hoisted += hoisted
        hoisted = hoisted or self.free
        self.steps.bounded += 0 if hoisted else bounded_steps(draft)
        if folded := self.fold(draft):
            self.folded += 1
            self.steps.bounded += MOST_STEPS
            return folded[0]
        if self.rewrites.algebra and not hoisted and (found := simpler(draft, self.graph.nodes, self._full, self.ref)):
            self.simplified += 1
            self.steps.bounded += steps_left_out(draft)
            return self.emit(found) if isinstance(found, Draft) else found
        depends = 0
        for arg in draft.args:
            depends |= self.graph.depends[arg.index]
        args = tuple([arg.index for arg in draft.args])
        index = self.graph.add(
            TypedNode(draft.op, args, draft.strict, draft.bodies, draft.type), depends, draft.can_fail
        )
        if is_counted(draft) and not hoisted:
            self.steps.counted.append(index)
        if index == len(self._full):
            grids = [self._full[arg.index] for arg in draft.args if arg.type == GRID]
            self._full.append(draft.type == GRID and draft.op in _KEEPS_GRID and bool(grids) and all(grids))
        return self.ref(index)
