"""Lowering of loops: bodies as separate code, kept until the main code is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arcbatt.compiler.abi import (
    CODES,
    COLUMNAR,
    FUNCTIONS_VALUE,
    MAX_FRAMES,
    OVER_FUNCTIONS,
)
from arcbatt.compiler.lower.casts import joinable
from arcbatt.compiler.lower.columns import Window, column_words
from arcbatt.compiler.lower.emitter import Emitter, Site, Value
from arcbatt.compiler.lower.layout import LowerError, plain_form
from arcbatt.compiler.typed import (
    CHOOSE,
    ON_FUNCTIONS,
    POWER,
    Body,
    BodyNode,
    TypedNode,
    node_inputs,
)
from arcbatt.language.spec import Gives, LoopSpec, Over
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, GRID, IJ, INT, NEVER, OPT_INT, ROWS, Seq, Set, Tup, Type, as_seq

_IJ_SIZE: Final = 2

Node = TypedNode | BodyNode
LowerNode = Callable[[Site, Node, list[Value]], Value]


class Loops:
    """Writes loops and their bodies; `node` writes any node of a body."""

    def __init__(self, out: Emitter, node: LowerNode, columns: bool) -> None:
        self.out = out
        self.node = node
        self.columns = columns
        self.bodies: list[list[int]] = []
        self.owners: list[int] = []
        """Of each body, the node of the graph it belongs to."""
        self.owner = 0
        """The node of the graph that is being lowered."""

    def lower(self, site: Site, node: Node, args: list[Value]) -> Value:
        """Write a node that has bodies."""
        if node.op == CHOOSE:
            return self._choose(site, node, args)
        if node.op == POWER:
            return self._power(site, node, args)
        name = node.op.removesuffix(ON_FUNCTIONS)
        loop = current().op(name).loop
        assert loop is not None
        if node.op.endswith(ON_FUNCTIONS):
            functions = loop.over is Over.FUNCTIONS
            code = CODES["LOOP_APPLY"] if functions else _code(name)
            flags = OVER_FUNCTIONS | FUNCTIONS_VALUE if functions else OVER_FUNCTIONS
            return self._over_items(site, node, args, loop, code, flags)
        if loop.over is Over.FUNCTIONS:
            return self._each_function(site, node, args, _code(name))
        if loop.carries:
            return self._carrying(site, node, args, loop, _code(name))
        inside = site.times >= 0 and not site.cost
        if loop.maps and self.columns and inside and (value := self._over_pair(site, node, args)):
            return value
        return self._over_items(site, node, args, loop, _code(name), 0)

    def _over_items(self, site: Site, node: Node, args: list[Value], loop: LoopSpec, code: int, flags: int) -> Value:
        params = node.bodies[0].params
        containers = [self._container(site.code, arg, item) for arg, item in zip(args, params, strict=False)]
        words, columns = self._body_with_columns(node.bodies[0], args, _wanted(loop, node.type), loop, containers)
        bodies = [words]
        if loop.zero and len(node.bodies) > 1:
            bodies.append(self._body(node.bodies[1], args, _key_type(node.type)))
        flags |= COLUMNAR if columns else 0
        extra = (flags, len(bodies), *(word for body in bodies for word in body), *columns)
        given = [*containers, *args[len(params) :]]
        return self.out.emit(site, code, given, node.type, strict=node.strict, extra=extra)

    def _body_with_columns(
        self, body: Body, args: list[Value], wanted: Type | None, loop: LoopSpec, containers: list[Value]
    ) -> tuple[list[int], list[int]]:
        """A body, and what it takes to run it for many items at once; nothing where that cannot be."""
        slots = self.out.slots
        for node in body.nodes:
            if node.op == "const":
                self.out.constant(node.type, node.args[:2], node.args[2])  # before the slots of the body
        first, together = slots.top, slots.together
        slots.together = True
        try:
            words = self._body(body, args, wanted, loop=loop)
        finally:
            slots.together = together
        if not self.columns:
            return words, []
        params = list(zip(words[4::2], words[5::2], strict=True))
        window = Window(self.bodies[words[0]], first, slots.top, params, words[1], words[2])
        walked = [value.slot for value in containers]
        columns = column_words(
            loop, window, self.out.types, lambda place: slots.depths.get(place, 0), walked, slots.depth
        )
        return words, columns or []

    def _over_pair(self, site: Site, node: Node, args: list[Value]) -> Value | None:
        """A loop over the two numbers of an IJ inside a body, written out."""
        body = node.bodies[0]
        if plain_form(args[0].type) != IJ or node.type != Seq(INT) or not _without_loops(body):
            return None
        free = Site(site.code, 0)
        results = []
        for part in (0, 1):
            number = self.out.emit(free, CODES["PART"], args[:1], INT, extra=(0, part))
            result = self._written_out(site, body, [number], args)
            results.append(self.out.cast(site.code, result, INT))
        loop_steps = 2 + _IJ_SIZE + _IJ_SIZE
        site.code.extend([CODES["CHARGE"], 4, site.times * loop_steps, 0])
        return self.out.emit(free, CODES["ASTUPLE"], results, IJ)

    def _written_out(self, site: Site, body: Body, params: list[Value], args: list[Value]) -> Value:
        """A body's nodes in the code of the body around it, so many times charged."""
        captured = [args[place] for place in body.captures]
        values = [*params, *captured]
        _charge(site.code, body, captured, site.times)
        for inner in body.nodes:
            given = [values[arg] for arg in node_inputs(inner)]
            values.append(self.node(Site(site.code, inner.times * site.times), inner, given))
        return values[body.result]

    def _container(self, code: list[int], value: Value, item: Type) -> Value:
        """A container whose items have the type a body takes."""
        target: Type = Set(item) if isinstance(value.type, Set) else Seq(item)
        return self.out.cast(code, value, target)

    def _choose(self, site: Site, node: Node, args: list[Value]) -> Value:
        bodies = [self._body(body, args, node.type) for body in node.bodies]
        extra = (0, 2, *(word for body in bodies for word in body))
        given = [self.out.cast(site.code, args[0], BOOL), *args[1:]]
        return self.out.emit(site, CODES["LOOP_CHOOSE"], given, node.type, strict=node.strict, extra=extra)

    def _power(self, site: Site, node: Node, args: list[Value]) -> Value:
        inner = [self.out.cast(site.code, args[0], node.type), *args[1:]]
        body = self._body(node.bodies[0], args, node.type)
        return self.out.emit(site, CODES["LOOP_POWER"], inner, node.type, strict=node.strict, extra=(0, 1, *body))

    def _carrying(self, site: Site, node: Node, args: list[Value], loop: LoopSpec, code: int) -> Value:
        """A loop that carries a state, which has the form of the result from the start."""
        while_true = loop.over is Over.STATES
        if while_true:
            given, place = [], 0
            words = [*self._body(node.bodies[0], args, BOOL), *self._body(node.bodies[1], args, node.type)]
        else:
            (pair,) = node.bodies[0].params
            assert isinstance(pair, Tup)
            given, place = [self._container(site.code, args[0], pair.parts[1])], 1
            words = self._body(node.bodies[0], args, node.type)
        given += [self.out.cast(site.code, args[place], node.type), *args[place + 1 :]]
        extra = (0, len(node.bodies), *words)
        return self.out.emit(site, code, given, node.type, strict=node.strict, extra=extra)

    def _each_function(self, site: Site, node: Node, args: list[Value], code: int) -> Value:
        assert isinstance(node.type, (Set, Seq))
        bodies = [self._body(body, args, node.type.item) for body in node.bodies]
        extra = (0, len(bodies), *(word for body in bodies for word in body))
        return self.out.emit(site, code, args, node.type, strict=node.strict, extra=extra)

    def _body(self, body: Body, args: list[Value], wanted: Type | None, *, loop: LoopSpec | None = None) -> list[int]:
        """Code for a body, kept for later; the words a loop names it by."""
        self.out.slots.depth += 1
        try:
            if self.out.slots.depth > MAX_FRAMES:
                raise LowerError("loops nested too deep")
            return self._body_inside(body, args, wanted, loop)
        finally:
            self.out.slots.depth -= 1

    def _body_inside(self, body: Body, args: list[Value], wanted: Type | None, loop: LoopSpec | None) -> list[int]:
        out = self.out
        params = [Value(out.new_slot(kind), kind) for kind in body.params]
        captured = [args[place] for place in body.captures]
        values = [*params, *captured]
        code: list[int] = []
        _charge(code, body, captured, 1)
        charged_inside = _charged_values(body)
        for place, node in enumerate(body.nodes):
            inner = [values[arg] for arg in node_inputs(node)]
            number = len(params) + len(captured) + place
            values.append(self.node(Site(code, node.times, number in charged_inside), node, inner))
        result = self._result(code, values[body.result], wanted, loop)
        code += [CODES["END_BODY"], 2]
        self.bodies.append(code)
        self.owners.append(self.owner)
        words = [len(self.bodies) - 1, result.slot, out.types.number(result.type), len(params)]
        for param in params:
            words += [param.slot, out.types.number(param.type)]
        return words

    def _result(self, code: list[int], result: Value, wanted: Type | None, loop: LoopSpec | None) -> Value:
        """A body's result in the form the loop wants."""
        if wanted is None and loop is not None and loop.gives is Gives.KEY:
            wanted = _key_type(result.type)
            if not self.out.types.is_narrow(self.out.types.number(wanted)):
                raise LowerError(f"a key of too many parts: {wanted}")
        if wanted is not None and wanted != NEVER:
            if wanted != BOOL and not joinable(result.type, wanted):
                raise LowerError(f"a body that gives {result.type}, not {wanted}")
            return self.out.cast(code, result, wanted)
        if wanted is None and result.type == GRID:
            return self.out.cast(code, result, ROWS)
        if wanted is None and isinstance(result.type, Tup):
            seq = as_seq(result.type)
            return self.out.cast(code, result, seq) if seq else result
        return result


def _code(name: str) -> int:
    """The operation of a loop, which is named like it."""
    return CODES[f"LOOP_{name.upper()}"]


def _wanted(loop: LoopSpec, kind: Type) -> Type | None:
    """What type the body of a loop that gives a type must give; None where it may be what it is."""
    if loop.gives is Gives.ITEM:
        assert isinstance(kind, (Set, Seq))
        return kind.item
    return BOOL if loop.gives is Gives.CONDITION else None


def _key_type(kind: Type) -> Type:
    """The form a key is compared in: None among numbers has no order, so it must not be there."""
    if kind == OPT_INT:
        return INT
    if str(OPT_INT) in str(kind):
        raise LowerError(f"a key of type {kind}")
    return kind


def _charge(code: list[int], body: Body, captured: list[Value], times: int) -> None:
    """Charge each run of a body for work that was hoisted out of it."""
    if not (body.base or body.charges):
        return
    charges: list[int] = []
    for capture, count in body.charges:
        if not captured[capture].cost:
            raise LowerError("a cost that is not known")
        charges += [captured[capture].cost, count * times]
    code += [CODES["CHARGE"], 4 + len(charges), body.base * times, len(body.charges), *charges]


def charged_args(node: Node) -> set[int]:
    """Arguments of a node whose cost its bodies are charged, at any depth."""
    charged: set[int] = set()
    for body in node.bodies:
        charged.update(body.captures[capture] for capture, _ in body.charges)
        first = len(body.params)
        captured = (value - first for value in _charged_values(body))
        charged.update(body.captures[capture] for capture in captured if 0 <= capture < len(body.captures))
    return charged


def _charged_values(body: Body) -> set[int]:
    """Values of a body whose cost bodies inside it are charged."""
    return {node.args[place] for node in body.nodes for place in charged_args(node)}


def _without_loops(body: Body) -> bool:
    """Whether a body has no loops but over pairs, which are written out."""
    return all(not node.bodies or (_maps(node) and _without_loops(node.bodies[0])) for node in body.nodes)


def _maps(node: BodyNode) -> bool:
    spec = current().ops.get(node.op)
    return spec is not None and spec.loop is not None and spec.loop.maps
