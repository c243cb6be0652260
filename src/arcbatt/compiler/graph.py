"""The merged program: one graph of hash-consed nodes. Building programs into it is the merge.

A node is an operation and the nodes it takes, named by their place in the graph; equal nodes are one node. So programs
that compute the same thing share it, whatever their variable names, argument style or line order, and lines nothing
depends on are never built. Functions are nodes like any other here: the primitive `size` as a value, or
`compose(f, g)`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from arcbatt.compiler.passes.commutative import canonical_order
from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.program import Assign, Call, Const, Expr, Name, Program, live_lines
from arcbatt.language.table import current
from arcbatt.language.types import Type
from arcbatt.support.collecting import collecting_later

INPUT: Final = "input"
CONST: Final = "const"
PRIMITIVE: Final = "primitive"
INVOKE: Final = "invoke"
"""A call of a function value: the function, then its arguments."""


class Node(NamedTuple):
    """An operation on other nodes. Of an input, a constant or a primitive, `args` holds its name or value."""

    op: str
    args: tuple[Any, ...]

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes it takes."""
        return () if self.op in (INPUT, CONST, PRIMITIVE) else self.args


@dataclass
class Graph:
    """Nodes in an order in which each stands after what it takes, and the outputs of programs."""

    nodes: list[Node] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    """Of each node, the source line it was first met on, for messages."""
    outputs: dict[str, int] = field(default_factory=dict)
    """Program name to the node it returns."""
    params: dict[str, tuple[str, ...]] = field(default_factory=dict)
    declared: dict[str, Type] = field(default_factory=dict)
    """Inputs beyond I, S and C, and their types: the arguments of a graph that is called."""
    merge_commutative: bool = True
    calls_read: int = 0
    """Calls in the programs that were built, before sharing."""
    _known: dict[Node, int] = field(default_factory=dict)
    _met: dict[int, Call] | None = None
    """Calls by node, while those of a program are looked up."""

    def add(self, op: str, args: tuple[Any, ...], line: int = 0) -> int:
        """The node, made if it is new."""
        node = Node(op, canonical_order(op, args) if self.merge_commutative else args)
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.lines.append(line)
        return known

    def input(self, name: str) -> int:
        """The node of a parameter."""
        return self.add(INPUT, (name,))

    def declare(self, name: str, kind: Type) -> int:
        """The node of an input of a declared type."""
        self.declared[name] = kind
        return self.input(name)

    def const(self, value: int | tuple[int, ...]) -> int:
        """The node of a constant; True is not 1."""
        return self.add(CONST, (type(value).__name__, value))

    def build(self, program: Program, values: dict[str, int] | None = None) -> int:
        """The node of what a program returns; `values` gives its parameters, if not the inputs themselves."""
        scope = dict(values or {name: self.input(name) for name in program.params})
        for line in live_lines(program):
            scope[line.target] = self._expression(line.value, scope)
        return self._expression(program.result, scope)

    def merge(self, program: Program) -> int:
        """Build a program and name its result as an output."""
        if program.name in self.outputs:
            raise UsageError(f"two programs are named {program.name}")
        self.outputs[program.name] = self.build(program)
        self.params[program.name] = program.params
        return self.outputs[program.name]

    def _expression(self, expr: Expr, scope: dict[str, int]) -> int:
        if isinstance(expr, Call):
            self.calls_read += 1
            args = tuple([self._expression(arg, scope) for arg in expr.args])
            function = expr.function
            if isinstance(function, Name) and function.id in current().ops:
                node = self.add(function.id, args, expr.line)
            else:
                node = self.add(INVOKE, (self._expression(function, scope), *args), expr.line)
            if self._met is not None:
                self._met.setdefault(node, expr)
            return node
        if isinstance(expr, Const):
            return self.const(expr.value)
        if expr.id in scope:
            return scope[expr.id]
        return self.const(CONSTANTS[expr.id]) if expr.id in CONSTANTS else self.add(PRIMITIVE, (expr.id,))

    def programs_of(self) -> dict[int, list[str]]:
        """Of each output node, the programs that return it."""
        programs: dict[int, list[str]] = {}
        for name, node in self.outputs.items():
            programs.setdefault(node, []).append(name)
        return programs

    def cone(self, roots: Iterable[int]) -> list[int]:
        """Every node the roots depend on, themselves included, in order."""
        return sorted(self.needed(roots))

    def needed(self, roots: Iterable[int]) -> set[int]:
        """The same in any order."""
        seen = set(roots)
        stack = list(seen)
        while stack:
            for arg in self.nodes[stack.pop()].inputs:
                if arg not in seen:
                    seen.add(arg)
                    stack.append(arg)
        return seen

    def only(self, names: Iterable[str]) -> tuple[Graph, list[int]]:
        """A graph of some of the programs, and which of these nodes its nodes are."""
        outputs = {name: self.outputs[name] for name in names}
        kept = self.cone(outputs.values())
        place = {node: new for new, node in enumerate(kept)}
        part = Graph(
            [self._moved(node, place) for node in kept],
            [self.lines[node] for node in kept],
            {name: place[node] for name, node in outputs.items()},
            {name: self.params[name] for name in outputs if name in self.params},
            self.declared,
            self.merge_commutative,
        )
        return part, kept

    def _moved(self, index: int, place: Mapping[int, int]) -> Node:
        node = self.nodes[index]
        return Node(node.op, tuple([place[arg] for arg in node.args])) if node.inputs else node

    def nodes_of(self, program: str) -> list[int]:
        """Every node of one program, in order."""
        return self.cone([self.outputs[program]])

    def programs_using(self, names: Collection[str]) -> list[str]:
        """The programs that call any of these operations, or take one as a function."""
        used = {
            index
            for index, node in enumerate(self.nodes)
            if (node.args[0] if node.op == PRIMITIVE else node.op) in names
        }
        return [program for program in self.outputs if not used.isdisjoint(self.nodes_of(program))]

    def calls_of(self, program: Program) -> dict[int, Call]:
        """Of each call of a program in the graph, how and on which line the program writes it first."""
        counted, self._met = self.calls_read, {}
        try:
            self.build(program)
            return self._met
        finally:
            self.calls_read, self._met = counted, None

    def calls(self) -> Iterator[int]:
        """The nodes that are calls."""
        return (index for index, node in enumerate(self.nodes) if node.op not in (INPUT, CONST, PRIMITIVE))

    def programs(self, names: Iterable[str]) -> list[Program]:
        """Some of the programs it was made of."""
        return [self.to_program(self.outputs[name], name) for name in names]

    def to_program(self, node: int, name: str = "solve_node") -> Program:
        """Any node as a program of its own."""
        cone = self.cone([node])
        inputs = {self.nodes[index].args[0] for index in cone if self.nodes[index].op == INPUT}
        params = ("I",) if inputs <= {"I"} else ("S", "I", "C")
        aside = {self.nodes[index].args[0] for index in cone if self._called_wrongly(index)}
        lines = []
        for index in cone:
            if index in aside:
                lines.append(Assign(f"t{index}", self.argument(index), self.lines[index]))
            elif self.is_call(index):
                call = self.call_expr(index)
                if self._called_wrongly(index):
                    call = Call(Name(f"t{self.nodes[index].args[0]}"), call.args, call.line)
                lines.append(Assign(f"t{index}", call, self.lines[index]))
        if lines and lines[-1].target == f"t{node}":
            return Program(name, params, tuple(lines[:-1]), lines[-1].value)
        return Program(name, params, tuple(lines), self.argument(node))

    def _called_wrongly(self, index: int) -> bool:
        """Whether a node calls a primitive, as a value, with another number of arguments than it takes.

        That fails when it runs; written by name it could not be read.
        """
        node = self.nodes[index]
        if node.op != INVOKE or self.nodes[node.args[0]].op != PRIMITIVE:
            return False
        return current().op(self.nodes[node.args[0]].args[0]).arity != len(node.args) - 1

    def is_call(self, index: int) -> bool:
        """Whether a node is a call."""
        return self.nodes[index].op not in (INPUT, CONST, PRIMITIVE)

    def call_expr(self, index: int) -> Call:
        """A call node as an expression over the variables of the calls it takes."""
        node = self.nodes[index]
        args = tuple(self.argument(arg) for arg in node.args)
        if node.op == INVOKE:
            return Call(args[0], args[1:], self.lines[index])
        return Call(Name(node.op), args, self.lines[index])

    def argument(self, index: int) -> Expr:
        """How a node is written where it is an argument."""
        node = self.nodes[index]
        if node.op in (INPUT, PRIMITIVE):
            return Name(node.args[0])
        if node.op == CONST:
            return const_expr(node.args[1])
        return Name(f"t{index}")


_NAMES: Final = {
    (type(value).__name__, value): name
    for name, value in reversed(CONSTANTS.items())
    if not (name[0] in "RFL" and name[1:].isdigit())
}


def const_expr(value: int | tuple[int, ...]) -> Expr:
    """A constant by its name where it has one."""
    name = _NAMES.get((type(value).__name__, value))  # type: ignore[arg-type]
    return Name(name) if name else Const(value)


@collecting_later()
def merge(programs: Iterable[Program], *, commutative: bool = True) -> Graph:
    """One graph of all the programs."""
    graph = Graph(merge_commutative=commutative)
    for program in programs:
        graph.merge(program)
    return graph
