"""Typed graph to bytecode: slots by liveness, loop bodies behind the main code, an image of slots and constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arcbatt.compiler.abi import CODES, FIRST_LOOP
from arcbatt.compiler.internal_errors import InternalErrors
from arcbatt.compiler.lower.casts import castable
from arcbatt.compiler.lower.emitter import OUTERMOST, Emitter, Site, Value
from arcbatt.compiler.lower.layout import LowerError, Pool, TypeTable
from arcbatt.compiler.lower.loops import Loops, charged_args
from arcbatt.compiler.lower.plain import lower_plain
from arcbatt.compiler.typed import FAILED, FREE, GUARD, POWER_COUNT, BodyNode, TypedGraph, TypedNode, node_inputs
from arcbatt.language.spec import Does
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, GRID, INT, Type
from arcbatt.support.collecting import collecting_later


@dataclass
class Code:
    """A lowered graph: everything the interpreter needs."""

    words: list[int]
    types: TypeTable
    image: list[int]
    """The first words of the arena: slots, with constants in place, then what constants point to."""
    outputs: dict[str, tuple[int, Type]]
    inputs: dict[str, int]
    """Slots of I, S and C, where they are used."""
    rejected: dict[str, str] = field(default_factory=dict)
    """Programs that have no form in bytecode, and why."""
    custom: set[str] = field(default_factory=set)
    """Custom operations in the code that are functions of the kernel."""
    nodes: list[tuple[int, int]] = field(default_factory=list)
    """From which place on the code belongs to which node of `graph`, by ascending place."""
    graph: TypedGraph = field(default_factory=TypedGraph)
    """What was lowered."""
    internal_errors: InternalErrors = field(default_factory=dict)
    """Of the programs that were rejected, those over which arcbatt itself failed."""


@collecting_later()
def lower(
    graph: TypedGraph, *, columns: bool = True, without: Mapping[str, str] | None = None, reuse: bool = True
) -> Code:
    """The bytecode of a graph, programs that cannot be lowered left out with a reason.

    Without `columns` no loop runs for many items at once. `without` are custom operations whose functions are
    not to be had, and why. Without `reuse` every value has a slot of its own.
    """
    return _Lowering(graph, columns, without or {}, reuse).run()


class _Lowering:
    def __init__(self, graph: TypedGraph, columns: bool, without: Mapping[str, str], reuse: bool) -> None:
        self.graph = graph
        self.out = Emitter(without, reuse=reuse)
        self.loops = Loops(self.out, self.node, columns)
        self.marks: list[tuple[int, int]] = []
        """Where the code of each node begins in the main code."""
        self.inputs: dict[str, int] = {}

    def run(self) -> Code:
        values: dict[int, Value] = {}
        problems: dict[int, str] = {}
        needs_cost = self._needs_cost()
        last_use = self._last_use()
        main: list[int] = []
        kept = set(self.graph.outputs.values())
        for index, node in enumerate(self.graph.nodes):
            blocked = next((problems[arg] for arg in node_inputs(node) if arg in problems), None)
            before = len(main)
            self.marks.append((before, index))
            self.loops.owner = index
            try:
                if blocked is not None:
                    raise LowerError(blocked)
                args = [values[arg] for arg in node_inputs(node)]
                values[index] = self.node(Site(main, OUTERMOST, index in needs_cost), node, args)
            except LowerError as error:
                del main[before:]
                problems[index] = str(error)
            for arg in set(node_inputs(node)):
                if last_use[arg] == index and arg in values and arg not in kept and self._owns(arg):
                    self.out.release(values[arg])
        outputs, rejected = self._outputs(main, values, problems)
        main += [CODES["HALT"], 2]
        return self._linked(main, outputs, rejected)

    def _outputs(
        self, main: list[int], values: dict[int, Value], problems: dict[int, str]
    ) -> tuple[dict[str, tuple[int, Type]], dict[str, str]]:
        """Where what programs return is, as a grid where it can be one; and the programs that have none, and why."""
        outputs: dict[str, tuple[int, Type]] = {}
        rejected = dict(self.graph.unresolved)
        for name, index in self.graph.outputs.items():
            if index in problems:
                rejected[name] = problems[index]
                continue
            value = values[index]
            if value.type != GRID and castable(value.type, GRID):
                self.marks.append((len(main), index))
                value = self.out.cast(main, value, GRID)
            outputs[name] = (value.slot, value.type)
        return outputs, rejected

    def _owns(self, index: int) -> bool:
        op = self.graph.nodes[index].op
        spec = current().ops.get(op)
        return op not in ("input", "const") and (spec is None or spec.does is not Does.SAME)

    def _last_use(self) -> dict[int, int]:
        last: dict[int, int] = {}
        for index, node in enumerate(self.graph.nodes):
            for arg in node_inputs(node):
                last[arg] = index
        return last

    def _needs_cost(self) -> set[int]:
        """Nodes whose cost a body is charged."""
        return {node.args[place] for node in self.graph.nodes for place in charged_args(node)}

    def node(self, site: Site, node: TypedNode | BodyNode, args: list[Value]) -> Value:
        """Write a node; its value."""
        if node.op == "input":
            self.inputs[node.args[0]] = slot = self.out.new_slot(node.type, fresh=True)
            return Value(slot, node.type)
        if node.op == "const":
            return self.out.constant(node.type, node.args[:2], node.args[2])
        if node.bodies:
            return self.loops.lower(site, node, args)
        if node.op == FAILED:
            return self.out.emit(Site(site.code, 0), CODES["NEVER"], [], node.type)
        if node.op in FREE:
            return self._free(site.code, node, args)
        return lower_plain(self.out, site, node, args)

    def _free(self, code: list[int], node: TypedNode | BodyNode, args: list[Value]) -> Value:
        """A node that costs no steps."""
        site = Site(code)
        if node.op == GUARD:
            first = self.out.cast(code, args[0], node.type)
            return self.out.emit(site, CODES["GUARD"], [first, *args[1:]], node.type, strict=0)
        if node.op == POWER_COUNT:
            return self.out.emit(site, CODES["POWER_COUNT"], [self.out.cast(code, args[0], INT)], INT)
        sides = [self.out.cast(code, side, node.type) for side in args[1:]]
        condition = self.out.cast(code, args[0], BOOL)
        return self.out.emit(site, CODES["CHOOSE"], [condition, *sides], node.type, strict=1)

    def _linked(self, main: list[int], outputs: dict[str, tuple[int, Type]], rejected: dict[str, str]) -> Code:
        """Bodies behind the main code, their places filled in, and the image of slots and constants."""
        bodies = self.loops.bodies
        starts, place = [], len(main)
        for body in bodies:
            starts.append(place)
            place += len(body)
        words = [*main, *(word for body in bodies for word in body)]
        at = 0
        while at < len(words):
            if words[at] >= FIRST_LOOP:
                _patch(words, at, starts)
            at += words[at + 1]
        top = self.out.slots.top
        image = [0] * top
        pool = Pool(top)
        for slot, kind, value in self.out.constant_values:
            data = pool.slot(kind, value)
            image[slot + 1 : slot + 1 + len(data)] = data
        nodes = [*self.marks, *zip(starts, self.loops.owners, strict=True)]
        inputs, custom = dict(self.inputs), self.out.custom
        errors = dict(self.graph.internal_errors)
        return Code(
            words, self.out.types, image + pool.words, outputs, inputs, rejected, custom, nodes, self.graph, errors
        )


def _patch(words: list[int], at: int, starts: list[int]) -> None:
    """Fill in where the bodies of a loop begin."""
    extra = at + 8 + 2 * words[at + 6]
    body = extra + 2
    for _ in range(words[extra + 1]):
        words[body] = starts[words[body]]
        body += 4 + 2 * words[body + 3]
