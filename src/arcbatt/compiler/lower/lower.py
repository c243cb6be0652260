"""Typed graph to bytecode: slots by liveness, loop bodies as code of their own, casts where a rule wants a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from arcbatt.compiler.abi import (
    CODES,
    COLUMNAR,
    FIXED_COST,
    FUNCTIONS_VALUE,
    HIDDEN_ARG,
    LOOPS_INSIDE,
    MAX_FRAMES,
    MULTIPLIES,
    ORIGINALS,
    OVER_FUNCTIONS,
    PER_LANE,
)
from arcbatt.compiler.custom import KERNELS, CellKernel, Kernel
from arcbatt.compiler.lower import columns as columnwise
from arcbatt.compiler.lower.generic import GENERIC as _GENERIC
from arcbatt.compiler.lower.layout import LowerError, Pool, TypeTable, plain_form
from arcbatt.compiler.lower.variants import NUMBER, Variant
from arcbatt.compiler.typed import (
    CHOOSE,
    FREE,
    GROUP,
    GUARD,
    ON_FUNCTIONS,
    PICK,
    POWER,
    POWER_COUNT,
    POWER_IN_BODY,
    Body,
    BodyNode,
    TypedGraph,
    TypedNode,
    node_inputs,
)
from arcbatt.language.spec import Cost
from arcbatt.language.table import OPS
from arcbatt.language.types import (
    BOOL,
    CELL,
    GRID,
    IJ,
    INT,
    NEVER,
    OPT_INT,
    ROWS,
    Rule,
    Seq,
    Set,
    Tup,
    Type,
    as_seq,
    join,
)

_UNCOUNTED: Final = frozenset(
    CODES[name] for name in ("GUARD", "CHOOSE", "CAST", "COPY", "POWER_COUNT", "NEVER", "AS_EMPTY")
)
_OUTERMOST: Final = -1
_NO_COLOUR: Final = 1 << 20
_IJ_SIZE: Final = 2
_INSIDE: Final = {COLUMNAR: LOOPS_INSIDE["COLUMN_LOOPS"], PER_LANE: LOOPS_INSIDE["LANE_LOOPS"]}
_LOOPS: Final = {
    name: CODES[f"LOOP_{name.upper()}"]
    for name in (
        "apply", "mapply", "sfilter", "mfilter", "order", "argmax", "argmin", "valmax", "valmin", "extract",
        "papply", "mpapply", "prapply", "rapply",
    )
}  # fmt: skip


@dataclass
class Value:
    """Where a value is while code is written."""

    slot: int
    type: Type
    cost: int = 0


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
    """Operations of one's own in the code that are functions of the kernel."""
    nodes: list[tuple[int, int]] = field(default_factory=list)
    """From which place on the code belongs to which node of the graph, by ascending place."""


class _Slots:
    """Slot places; a freed place serves again for a slot of the same length."""

    def __init__(self) -> None:
        self.top = 1  # word 0 is no place
        self.free: dict[int, list[int]] = {}
        self.together = False
        """Whether slots are taken one behind the other."""
        self.depths: dict[int, int] = {}
        """Of each place, the bodies around what fills it, where there are any."""
        self.depth = 0
        """Bodies around what is being lowered."""

    def take(self, words: int, *, fresh: bool = False) -> int:
        if self.free.get(words) and not fresh and not self.together:
            place = self.free[words].pop()
        else:
            place = self.top
            self.top += words
        if self.depth:
            self.depths[place] = self.depth
        return place

    def release(self, place: int, words: int) -> None:
        self.free.setdefault(words, []).append(place)


def lower(graph: TypedGraph, *, columns: bool = True, without: Mapping[str, str] | None = None) -> Code:
    """The bytecode of a graph (without groups), programs that cannot be lowered left out with a reason.

    Without `columns` no loop runs for many items at once. `without` are operations of one's own whose functions are
    not to be had, and why.
    """
    return _Lowering(graph, columns, without or {}).run()


class _Lowering:
    def __init__(self, graph: TypedGraph, columns: bool, without: Mapping[str, str]) -> None:
        self.graph = graph
        self.columns = columns
        self.without = without
        self.custom: set[str] = set()
        self.types = TypeTable()
        self.slots = _Slots()
        self.constants: dict[tuple[Any, ...], Value] = {}
        self.constant_values: list[tuple[int, Type, Any]] = []
        self.bodies: list[list[int]] = []
        self.owners: list[int] = []
        """Of each body, the node of the graph it belongs to."""
        self.marks: list[tuple[int, int]] = []
        """Where the code of each node begins in the main code."""
        self.inputs: dict[str, int] = {}
        self.loops = {PER_LANE: 0, COLUMNAR: 0}
        """Loops so far that lanes can run, and that run by columns."""

    def run(self) -> Code:
        values: dict[int, Value] = {}
        problems: dict[int, str] = {}
        needs_cost = self._needs_cost()
        last_use = self._last_use()
        main: list[int] = []
        kept = set(self.graph.outputs.values())
        outputs: dict[str, tuple[int, Type]] = {}
        rejected = dict(self.graph.unresolved)
        for index, node in enumerate(self.graph.nodes):
            blocked = next((problems[arg] for arg in node_inputs(node) if arg in problems), None)
            before = len(main)
            self.marks.append((before, index))
            try:
                if blocked is not None:
                    raise LowerError(blocked)
                args = [values[arg] for arg in node_inputs(node)]
                values[index] = self.node(main, node, args, _OUTERMOST, index in needs_cost)
            except LowerError as error:
                del main[before:]
                problems[index] = str(error)
            for arg in set(node_inputs(node)):
                if last_use[arg] == index and arg in values and arg not in kept and self._owns(arg):
                    self.slots.release(values[arg].slot, 1 + self.types.slot_words(values[arg].type))
        for name, index in self.graph.outputs.items():
            if index in problems:
                rejected[name] = problems[index]
                continue
            value = values[index]
            if value.type != GRID and _castable(value.type, GRID):
                self.marks.append((len(main), index))
                value = self.cast(main, value, GRID)
            outputs[name] = (value.slot, value.type)
        main += [CODES["HALT"], 2]
        return self._linked(main, outputs, rejected)

    def _owns(self, index: int) -> bool:
        node = self.graph.nodes[index]
        return node.op not in ("input", "const", "identity") and node.op != PICK

    def _last_use(self) -> dict[int, int]:
        last: dict[int, int] = {}
        for index, node in enumerate(self.graph.nodes):
            for arg in node_inputs(node):
                last[arg] = index
        return last

    def _needs_cost(self) -> set[int]:
        """Nodes whose cost a body owes."""
        return {node.args[place] for node in self.graph.nodes for place in _owed_args(node)}

    def _linked(self, main: list[int], outputs: dict[str, tuple[int, Type]], rejected: dict[str, str]) -> Code:
        """Bodies behind the main code, their places filled in, and the image of slots and constants."""
        starts, place = [], len(main)
        for body in self.bodies:
            starts.append(place)
            place += len(body)
        words = [*main, *(word for body in self.bodies for word in body)]
        at = 0
        while at < len(words):
            if words[at] >= CODES["LOOP_APPLY"]:
                self._patch(words, at, starts)
            at += words[at + 1]
        image = [0] * self.slots.top
        pool = Pool(self.slots.top)
        for slot, kind, value in self.constant_values:
            data = pool.slot(kind, value)
            image[slot + 1 : slot + 1 + len(data)] = data
        nodes = [*self.marks, *zip(starts, self.owners, strict=True)]
        return Code(words, self.types, image + pool.words, outputs, dict(self.inputs), rejected, self.custom, nodes)

    @staticmethod
    def _patch(words: list[int], at: int, starts: list[int]) -> None:
        extra = at + 8 + 2 * words[at + 6]
        body = extra + 2
        for _ in range(words[extra + 1]):
            words[body] = starts[words[body]]
            body += 4 + 2 * words[body + 3]

    # --- emitting ---
    def new_slot(self, kind: Type, *, fresh: bool = False) -> int:
        """A slot; a fresh one where its value is there before the code runs."""
        return self.slots.take(1 + self.types.slot_words(kind), fresh=fresh)

    def emit(
        self,
        code: list[int],
        op: int,
        args: list[Value],
        kind: Type,
        *,
        times: int = _OUTERMOST,
        cost: bool = False,
        strict: int | None = None,
        extra: tuple[int, ...] = (0,),
        slot: int | None = None,
    ) -> Value:
        """One instruction; its result."""
        place = self.new_slot(kind) if slot is None else slot
        numbers = [self.types.number(arg.type) for arg in args]
        number = self.types.number(kind)
        extra = self.with_fixed_cost(op, numbers, number, extra, never=kind == NEVER)
        cost_place = self.slots.take(1) if cost else 0
        words = [
            op, 0, place, times & 0xFFFFFFFF, cost_place, len(args) if strict is None else strict, len(args),
            number, *(arg.slot for arg in args), *numbers, *extra,
        ]  # fmt: skip
        words[1] = len(words)
        code += words
        return Value(place, kind, cost_place)

    def with_fixed_cost(
        self, op: int, args: list[int], result: int, extra: tuple[int, ...], *, never: bool
    ) -> tuple[int, ...]:
        """The extra words of an instruction, with its cost where that follows from the types, given by number."""
        if op >= CODES["LOOP_APPLY"] or op in _UNCOUNTED:
            return extra
        rest = extra[1:] or (0,)
        first = len(args) // 2 if extra[0] & ORIGINALS else 0
        written = args[first : len(args) - (extra[0] & HIDDEN_ARG) // HIDDEN_ARG]
        leaves = [self.types.rows[number][4] for number in (*written, result)]
        if not all(leaves) or extra[0] & MULTIPLIES or never:
            return (extra[0], 0, *rest)
        return (extra[0] | FIXED_COST, 1 + sum(leaves), *rest)

    def cast(self, code: list[int], value: Value, to: Type) -> Value:
        """The value in the form of another type."""
        if value.type == to or not _different(value.type, to):
            return Value(value.slot, to, value.cost)
        if value.type == NEVER:
            return self.emit(code, CODES["NEVER"], [value], to)
        if isinstance(value.type, (Set, Seq)) and value.type.item == NEVER and type(value.type) is type(to):
            return self.emit(code, CODES["AS_EMPTY"], [value], to)  # nothing has the form of any items
        if isinstance(to, Set) and isinstance(value.type, Tup):
            seq = as_seq(value.type)
            if seq is not None and _castable(value.type, seq) and _castable(seq, to):
                return self.cast(code, self.cast(code, value, seq), to)
        if not _castable(value.type, to):
            raise LowerError(f"no way from {value.type} to {to}")
        return self.emit(code, CODES["CAST"], [value], to)

    def constant(self, kind: Type, key: tuple[Any, ...], value: Any) -> Value:
        if key not in self.constants:
            Pool().slot(kind, value)  # refuses what has no form
            slot = self.new_slot(kind, fresh=True)
            self.slots.depths.pop(slot, None)
            self.constants[key] = Value(slot, kind)
            self.constant_values.append((slot, kind, value))
        return self.constants[key]

    def node(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool) -> Value:
        op = node.op
        if op == "input":
            self.inputs[node.args[0]] = slot = self.new_slot(node.type, fresh=True)
            return Value(slot, node.type)
        if op == "const":
            return self.constant(node.type, node.args[:2], node.args[2])
        if op in (GROUP, PICK):
            raise LowerError("groups are not lowered")
        if op in FREE and not node.bodies:
            return self.free_node(code, node, args)
        if node.bodies:
            return self.loop(code, node, args, times, cost)
        return self.plain(code, node, args, times, cost)

    def free_node(self, code: list[int], node: TypedNode | BodyNode, args: list[Value]) -> Value:
        if node.op == GUARD:
            first = self.cast(code, args[0], node.type)
            return self.emit(code, CODES["GUARD"], [first, *args[1:]], node.type, strict=0)
        if node.op == POWER_COUNT:
            return self.emit(code, CODES["POWER_COUNT"], [self.cast(code, args[0], INT), args[1]], INT)
        sides = [self.cast(code, side, node.type) for side in args[1:]]
        return self.emit(code, CODES["CHOOSE"], [args[0], *sides], node.type, strict=1)

    def plain(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool) -> Value:
        if node.type == NEVER or any(arg.type == NEVER for arg in args):
            return self.emit(code, CODES["NEVER"], args[:4], NEVER, times=times, cost=cost)
        name = node.op
        if name == "color" and isinstance(args[0].type, (Seq, Tup)):
            return self.color_of_tuple(code, args[0], times, cost)
        if name == "colorcount" and args[1].type not in (INT, BOOL, OPT_INT):
            return self.count_of_no_colour(code, args, times, cost)
        flags = (MULTIPLIES if OPS[name].cost is Cost.PRODUCT else 0,)
        rule = _rule_for(name, tuple(arg.type for arg in args), node.type)
        if name in _GENERIC:
            return _GENERIC[name](self, code, node, args, rule, times, cost)
        if name in KERNELS:
            return self.own_operation(code, KERNELS[name], name, args, times, cost)
        variant = Variant(name, rule)
        if variant not in NUMBER:
            raise LowerError(f"no native {name} of {rule}")
        cast = [self.cast(code, arg, param) for arg, param in zip(args, rule.params, strict=True)]
        if any(_costs_differ(arg.type, param) for arg, param in zip(args, rule.params, strict=True)):
            cast, flags = [*cast, *args], (flags[0] | ORIGINALS,)
        value = self.emit(code, NUMBER[variant], cast, rule.result, times=times, cost=cost, extra=flags)
        return Value(value.slot, node.type, value.cost) if not _different(rule.result, node.type) else value

    def own_operation(
        self, code: list[int], kernel: Kernel, name: str, args: list[Value], times: int, cost: bool
    ) -> Value:
        """An operation of one's own that has a kernel."""
        if name in self.without:
            raise LowerError(self.without[name])
        given = [self.cast(code, arg, param) for arg, param in zip(args, kernel.rule.params, strict=True)]
        flags = 0
        if any(_costs_differ(arg.type, param) for arg, param in zip(args, kernel.rule.params, strict=True)):
            given, flags = [*given, *args], ORIGINALS
        if isinstance(kernel, CellKernel):
            op, words = CODES["CELLS"], kernel.words
        else:
            op, words = CODES["CUSTOM"], (kernel.number,)
            self.custom.add(name)
        return self.emit(code, op, given, kernel.rule.result, times=times, cost=cost, extra=(flags, *words))

    def count_of_no_colour(self, code: list[int], args: list[Value], times: int, cost: bool) -> Value:
        """Cells of a colour that is no number: none, for what counting them costs."""
        rule = _rule_for("colorcount", (args[0].type, INT), INT)
        none = self.constant(INT, ("Int", str(_NO_COLOUR)), _NO_COLOUR)
        cast = [self.cast(code, args[0], rule.params[0]), none, *args]
        variant = NUMBER[Variant("colorcount", rule)]
        return self.emit(code, variant, cast, INT, times=times, cost=cost, extra=(ORIGINALS,))

    def color_of_tuple(self, code: list[int], arg: Value, times: int, cost: bool) -> Value:
        """The colour of the first of a tuple of cells, for what the tuple costs."""
        items = arg if isinstance(arg.type, Seq) else self.cast(code, arg, Seq(CELL))
        assert isinstance(items.type, Seq)
        item = items.type.item
        if not isinstance(item, Tup) or item.parts[0] not in (INT, BOOL):
            raise LowerError(f"color of {arg.type}")
        rank = self.constant(INT, ("Int", "0"), 0)
        uncounted = min(times, 0)
        first = self.emit(code, CODES["NTH"], [items, rank], item, times=uncounted, extra=(HIDDEN_ARG,))
        return self.emit(code, CODES["PART"], [first, arg], INT, times=times, cost=cost, extra=(ORIGINALS, 0))

    # --- loops ---
    def loop(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool) -> Value:
        name = node.op.removesuffix(ON_FUNCTIONS)
        flags = 0
        if node.op.endswith(ON_FUNCTIONS):
            flags = OVER_FUNCTIONS | FUNCTIONS_VALUE if name == "rapply" else OVER_FUNCTIONS
        if node.op == CHOOSE:
            return self.choose(code, node, args, times, cost)
        if node.op in (POWER, POWER_IN_BODY):
            return self.power(code, node, args, times, cost)
        if name == "rapply" and not flags:
            return self.each_function(code, node, args, times, cost)
        inside = times >= 0 and not cost
        if name == "apply" and self.columns and inside and (value := self.apply_to_pair(code, node, args, times)):
            return value
        count = len(node.bodies[0].params)
        containers = [self.container(code, args[k], node.bodies[0].params[k]) for k in range(count)]
        inner = [*containers, *args[count:]]
        wanted = self.result_type(name, node)
        first, how, window = self.body_together(node.bodies[0], args, wanted, name, containers)
        bodies = [first]
        if name in ("valmax", "valmin") and len(node.bodies) > 1:
            bodies.append(self.body(node.bodies[1], args, self.key_type(name, node.type), charged=True))
        op = CODES["LOOP_APPLY"] if name == "rapply" else _LOOPS[name]
        return self.emit(
            code, op, inner, node.type, times=times, cost=cost, strict=node.strict,
            extra=(
                flags | how, len(bodies), *(word for body in bodies for word in body), *window,
            ),
        )  # fmt: skip

    def body_together(
        self, body: Body, args: list[Value], wanted: Type | None, loop: str, containers: list[Value]
    ) -> tuple[list[int], int, list[int]]:
        """A body whose slots lie together; a flag for how many of its items can run at once, and what that takes."""
        for node in body.nodes:
            if node.op == "const":
                self.constant(node.type, node.args[:2], node.args[2])  # before the slots of the body
        first, together, before = self.slots.top, self.slots.together, dict(self.loops)
        self.slots.together = True
        try:
            words = self.body(body, args, wanted, charged=True, loop=loop)
        finally:
            self.slots.together = together
        rows = self.slots.top - first
        columns: list[int] | None = None
        if self.columns:
            params = list(zip(words[4::2], words[5::2], strict=True))
            code = self.bodies[words[0]]
            window = columnwise.Window(code, first, self.slots.top, params, words[1], words[2])
            walked = [value.slot for value in containers]
            columns = columnwise.column_words(
                loop, window, self.types, lambda place: self.slots.depths.get(place, 0), walked, self.slots.depth
            )
            if columns and not window.loops:
                self.loops[COLUMNAR] += 1
                return words, COLUMNAR, columns
        inside = max((_INSIDE[how] for how, count in before.items() if self.loops[how] > count), default=0)
        self.loops[PER_LANE] += 1
        return words, PER_LANE | (COLUMNAR if columns else 0), [first, rows, inside, *(columns or [])]

    def apply_to_pair(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int) -> Value | None:
        """`apply` to the two numbers of an IJ inside a body, written out."""
        body = node.bodies[0]
        if plain_form(args[0].type) != IJ or node.type != Seq(INT) or not _without_loops(body):
            return None
        results = []
        for part in (0, 1):
            number = self.emit(code, CODES["PART"], args[:1], INT, times=0, extra=(0, part))
            result = self.written_out(code, body, [number], args, times)
            results.append(self.cast(code, result, INT))
        loop_steps = 2 + _IJ_SIZE + _IJ_SIZE
        code += [CODES["CHARGE"], 4, times * loop_steps, 0]
        return self.emit(code, CODES["ASTUPLE"], results, IJ, times=0)

    def written_out(self, code: list[int], body: Body, params: list[Value], args: list[Value], times: int) -> Value:
        """A body's nodes in the code of the body around it, so many times charged."""
        captured = [args[place] for place in body.captures]
        values = [*params, *captured]
        self.owe(code, body, captured, times)
        for inner in body.nodes:
            given = [values[arg] for arg in node_inputs(inner)]
            values.append(self.node(code, inner, given, inner.times * times, False))
        return values[body.result]

    def owe(self, code: list[int], body: Body, captured: list[Value], times: int) -> None:
        """What each run of a body owes for work that was moved out of it."""
        if not (body.base or body.charges):
            return
        owed: list[int] = []
        for capture, count in body.charges:
            if not captured[capture].cost:
                raise LowerError("a cost that is not known")
            owed += [captured[capture].cost, count * times]
        code += [CODES["CHARGE"], 4 + len(owed), body.base * times, len(body.charges), *owed]

    def container(self, code: list[int], value: Value, item: Type) -> Value:
        """A container whose items have the type a body takes."""
        target: Type = Set(item) if isinstance(value.type, Set) else Seq(item)
        return self.cast(code, value, target)

    def result_type(self, name: str, node: TypedNode | BodyNode) -> Type | None:
        """What type the body's result must have; None where it may be what it is."""
        kind = node.type
        if name in ("apply", "papply", "prapply", "rapply"):
            assert isinstance(kind, (Set, Seq))
            return kind.item
        if name in ("mapply", "mpapply"):
            return None
        if name in ("sfilter", "mfilter", "extract"):
            return BOOL
        return None

    @staticmethod
    def key_type(name: str, kind: Type) -> Type | None:
        """The form a key is compared in: None among numbers has no order, so it must not be there."""
        if name not in ("order", "argmax", "argmin", "valmax", "valmin"):
            return None
        if kind == OPT_INT:
            return INT
        if "Int?" in str(kind):
            raise LowerError(f"a key of type {kind}")
        return kind

    def choose(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool) -> Value:
        bodies = [self.body(body, args, node.type, charged=True) for body in node.bodies]
        return self.emit(
            code, CODES["LOOP_CHOOSE"], args, node.type, times=times, cost=cost, strict=node.strict,
            extra=(0, 2, *(word for body in bodies for word in body)),
        )  # fmt: skip

    def power(self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool) -> Value:
        inner = [self.cast(code, args[0], node.type), *args[1:]]
        charged = node.op == POWER_IN_BODY
        body = self.body(node.bodies[0], args, node.type, charged=charged)
        return self.emit(
            code, CODES["LOOP_POWER"], inner, node.type, times=max(times, 0) if charged else _OUTERMOST,
            cost=cost and charged, strict=node.strict, extra=(0, 1, *body),
        )  # fmt: skip

    def each_function(
        self, code: list[int], node: TypedNode | BodyNode, args: list[Value], times: int, cost: bool
    ) -> Value:
        assert isinstance(node.type, (Set, Seq))
        bodies = [self.body(body, args, node.type.item, charged=True) for body in node.bodies]
        return self.emit(
            code, _LOOPS["rapply"], args, node.type, times=times, cost=cost, strict=node.strict,
            extra=(0, len(bodies), *(word for body in bodies for word in body)),
        )  # fmt: skip

    def body(self, body: Body, args: list[Value], wanted: Type | None, *, charged: bool, loop: str = "") -> list[int]:
        """Code for a body, put aside; the words a loop names it by."""
        self.slots.depth += 1
        try:
            if self.slots.depth > MAX_FRAMES:
                raise LowerError("loops nested too deep")
            return self.body_inside(body, args, wanted, charged, loop)
        finally:
            self.slots.depth -= 1

    def body_inside(self, body: Body, args: list[Value], wanted: Type | None, charged: bool, loop: str) -> list[int]:
        params = [Value(self.new_slot(kind), kind) for kind in body.params]
        captured = [args[place] for place in body.captures]
        values = [*params, *captured]
        code: list[int] = []
        if charged:
            self.owe(code, body, captured, 1)
        owed_inside = _owed_values(body)
        for place, node in enumerate(body.nodes):
            inner = [values[arg] for arg in node_inputs(node)]
            number = len(params) + len(captured) + place
            times = node.times if charged else _OUTERMOST
            values.append(self.node(code, node, inner, times, number in owed_inside))
        result = values[body.result]
        wanted = wanted or self.key_type(loop, result.type)
        if wanted is not None and wanted != NEVER:
            if not _joinable(result.type, wanted):
                raise LowerError(f"a body that gives {result.type}, not {wanted}")
            result = self.cast(code, result, wanted)
        elif wanted is None and result.type == GRID:
            result = self.cast(code, result, ROWS)
        elif wanted is None and isinstance(result.type, Tup):
            seq = as_seq(result.type)
            result = self.cast(code, result, seq) if seq else result
        code += [CODES["END_BODY"], 2]
        self.bodies.append(code)
        self.owners.append(self.marks[-1][1])
        words = [len(self.bodies) - 1, result.slot, self.types.number(result.type), len(params)]
        for param in params:
            words += [param.slot, self.types.number(param.type)]
        return words


def _owed_args(node: TypedNode | BodyNode) -> set[int]:
    """Arguments of a node whose cost its bodies owe, at any depth."""
    owed: set[int] = set()
    for body in node.bodies:
        owed.update(body.captures[capture] for capture, _ in body.charges)
        first = len(body.params)
        captured = (value - first for value in _owed_values(body))
        owed.update(body.captures[capture] for capture in captured if 0 <= capture < len(body.captures))
    return owed


def _owed_values(body: Body) -> set[int]:
    """Values of a body whose cost bodies inside it owe."""
    return {node.args[place] for node in body.nodes for place in _owed_args(node)}


def _without_loops(body: Body) -> bool:
    """Whether a body has no loops but over pairs, which are written out."""
    return all(not node.bodies or (node.op == "apply" and _without_loops(node.bodies[0])) for node in body.nodes)


def _joinable(a: Type, b: Type) -> bool:
    return a == NEVER or join(a, b) is not None or _castable(a, b)


def _different(a: Type, b: Type) -> bool:
    """Whether two types lie differently in memory."""
    return plain_form(a) != plain_form(b)


def _castable(a: Type, b: Type) -> bool:
    """Whether the interpreter's CAST knows the way."""
    a, b = plain_form(a), plain_form(b)
    if a == b or (a == GRID and b == ROWS) or (b == GRID and a in (ROWS, Seq(Seq(OPT_INT)))):
        return True
    if isinstance(a, Seq) and isinstance(b, Set):
        return a.item == b.item
    if isinstance(a, Seq) and b == IJ:
        return a.item in (INT, OPT_INT)
    if type(a) is type(b) and isinstance(a, (Set, Seq)) and isinstance(b, (Set, Seq)):
        return _same_numbers(a.item, b.item)
    if isinstance(a, Tup) and isinstance(b, Tup):
        return _same_numbers(a, b)
    if {a, b} <= {INT, OPT_INT}:
        return True
    if isinstance(b, Seq) and isinstance(a, Tup) and a != CELL:
        return all(part == b.item and (part in (IJ, CELL) or not isinstance(part, Tup)) for part in a.parts)
    return False


def _same_numbers(a: Type, b: Type) -> bool:
    """Whether two types hold the same numbers one after the other, but for None."""
    return _numbers(a) is not None and _numbers(a) == _numbers(b)


def _numbers(kind: Type) -> int | None:
    """How many numbers a value is, where it is nothing else."""
    if kind in (INT, OPT_INT):
        return 1
    if isinstance(kind, Tup):
        counts = [_numbers(part) for part in kind.parts]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None
    return None


def _costs_differ(given: Type, wanted: Type) -> bool:
    """Whether another form of an argument has another size: a set made of a tuple may have fewer items."""
    return isinstance(given, (Seq, Tup)) and isinstance(wanted, Set)


def _rule_for(name: str, types: tuple[Type, ...], result: Type) -> Rule:
    """The rule inference chose, with its variables filled in."""
    if name in ("paint", "underpaint") and as_seq(types[1]) == Seq(CELL):
        return Rule((GRID, Seq(CELL)), GRID)
    for exact in (True, False):
        if rule := OPS[name].rule_for(types, exact=exact):
            return rule
    if name in ("branch", "size"):  # a branch by a constant, the size of a Cell: typed where they stand
        return Rule(types, result)
    raise LowerError(f"no rule of {name} takes ({', '.join(map(str, types))})")
