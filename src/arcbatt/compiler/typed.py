"""The first-order form: typed nodes, loops with bodies, no functions.

A *body* is what a loop runs for each item: a short list of nodes over its parameters and what it captures from
outside. Captured values stand among the arguments of the loop; the first `strict` of those make the loop fail when they
have failed (its containers, and values the program bound into the function), the rest are values that were hoisted
out of the body and matter only where the body uses them.

Steps are part of the language, so moving work must not change them: a body node knows how often its call occurs in the
program (`times`), and a body lists the captured nodes whose cost it is charged each time it runs (`charges`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.language.limits import MAX_TOTAL_STEPS
from arcbatt.language.types import Type

MOST_REPEATS: Final = 8
"""How often a program may make a call of many steps over again and still be compiled."""

CHOOSE: Final = "choose"
"""One of two results by a condition; a failure of the other does not count."""
GUARD: Final = "guard"
"""The first argument, or failed where a later one has: values bound into a function fail it before it is called."""
FAILED: Final = "failed"
"""What fails for type, whatever the sample."""
POWER: Final = "power"
"""A body applied again and again: the value, how often."""
POWER_COUNT: Final = "power_count"
"""A number of times, failed where the language does not allow it."""
FREE: Final = frozenset({CHOOSE, GUARD, POWER_COUNT})
"""Nodes of this form alone, that cost no steps."""
ON_FUNCTIONS: Final = "@functions"
"""Behind the name of a loop: its container stands for functions made from the items, one each."""

I_BIT, S_BIT, C_BIT, DECLARED_BIT = 1, 2, 4, 8
INPUT_BITS: Final = {"I": I_BIT, "S": S_BIT, "C": C_BIT}


class Body(NamedTuple):
    """What a loop runs for each item. Values are numbered: parameters, captures, then nodes."""

    params: tuple[Type, ...]
    captures: tuple[int, ...]
    """Of each captured value, its place among the arguments of the node that owns the body."""
    nodes: tuple[BodyNode, ...]
    result: int
    charges: tuple[tuple[int, int], ...]
    """Captured nodes whose cost each run is charged, and how many times."""
    base: int
    """Steps each run is charged for what was computed when the program was compiled."""


class BodyNode(NamedTuple):
    """A node inside a body; arguments are the body's own numbers."""

    op: str
    args: tuple[Any, ...]
    strict: int
    bodies: tuple[Body, ...]
    type: Type
    times: int


class TypedNode(NamedTuple):
    """A node of the graph; arguments are nodes that stand before it."""

    op: str
    args: tuple[Any, ...]
    strict: int
    bodies: tuple[Body, ...]
    type: Type


class StepBound(NamedTuple):
    """Of a program: steps of the calls whose types bound them, and how often any other call of it is made at most."""

    bounded: int
    repeats: int

    @property
    def fits(self) -> bool:
        """Whether that leaves room for other calls."""
        return 2 * self.bounded <= MAX_TOTAL_STEPS and self.repeats <= MOST_REPEATS


@dataclass
class TypedGraph:
    """Typed nodes in order, what programs return, and the programs that could not be brought to this form."""

    nodes: list[TypedNode] = field(default_factory=list)
    depends: list[int] = field(default_factory=list)
    """Of each node, the inputs it depends on, as bits."""
    can_fail: list[bool] = field(default_factory=list)
    outputs: dict[str, int] = field(default_factory=dict)
    unresolved: dict[str, str] = field(default_factory=dict)
    """Program to the reason it must run on the dynamic tier."""
    unresolved_at: dict[str, int] = field(default_factory=dict)
    """Of these programs, the node of the merged graph over which that is so."""
    internal_errors: InternalErrors = field(default_factory=dict)
    """Of these programs, those over which the compiler itself failed."""
    bounds: dict[str, StepBound] = field(default_factory=dict)
    """Of each program, how many steps it may take that are not counted when it runs."""
    _known: dict[TypedNode, int] = field(default_factory=dict)

    def add(self, node: TypedNode, depends: int, can_fail: bool) -> int:
        """The node, made if it is new."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.depends.append(depends)
            self.can_fail.append(can_fail)
        return known

    def live(self) -> list[bool]:
        """Of each node, whether an output depends on it."""
        needed = [False] * len(self.nodes)
        for node in self.outputs.values():
            needed[node] = True
        for index in range(len(self.nodes) - 1, -1, -1):
            if needed[index]:
                for arg in node_inputs(self.nodes[index]):
                    needed[arg] = True
        return needed

    def pruned(self) -> TypedGraph:
        """The graph without nodes no output depends on."""
        needed = self.live()
        result = TypedGraph(
            unresolved=self.unresolved,
            unresolved_at=self.unresolved_at,
            internal_errors=self.internal_errors,
            bounds=self.bounds,
        )
        place: list[int] = []
        for index, node in enumerate(self.nodes):
            place.append(len(result.nodes) if needed[index] else -1)
            if needed[index]:
                result.nodes.append(with_inputs(node, place))
                result.depends.append(self.depends[index])
                result.can_fail.append(self.can_fail[index])
        result.outputs = {name: place[node] for name, node in self.outputs.items()}
        return result

    def class_counts(self) -> dict[str, int]:
        """How many nodes depend on what: nothing, S alone, I, or C."""
        names = {0: "constant", S_BIT: "S only"}
        counts = {"constant": 0, "S only": 0, "I": 0, "C": 0}
        for bits in self.depends:
            counts[names.get(bits) or ("C" if bits & C_BIT else "I")] += 1
        return counts


_LEAVES: Final = frozenset({"input", "const", FAILED})


def node_inputs(node: TypedNode | BodyNode) -> tuple[int, ...]:
    """The nodes a node takes."""
    return () if node.op in _LEAVES else node.args


def with_inputs(node: TypedNode, place: Sequence[int] | Mapping[int, int]) -> TypedNode:
    """The node over the new places of what it takes."""
    return node if node.op in _LEAVES else node._replace(args=tuple([place[arg] for arg in node.args]))


def body_nodes(node: TypedNode | BodyNode) -> Iterator[BodyNode]:
    """Every node inside the bodies of a node, at any depth."""
    for body in node.bodies:
        for inner in body.nodes:
            yield inner
            yield from body_nodes(inner)
