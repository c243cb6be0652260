"""Running first-order form on the reference's primitives: the definition every engine is held to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from arcbatt.compiler.typed import (
    CHOOSE,
    FAILED,
    GUARD,
    ON_FUNCTIONS,
    POWER,
    POWER_COUNT,
    Body,
    BodyNode,
    TypedGraph,
    TypedNode,
    node_inputs,
)
from arcbatt.language.failures import UNKNOWN_OUTPUT, Fail, Failed, Outcome, Reason, first_failure
from arcbatt.language.limits import MAX_POWER, MAX_STEPS
from arcbatt.language.primitives.containers import merge
from arcbatt.language.reference import Machine
from arcbatt.language.sample import Sample
from arcbatt.language.spec import Gives, LoopSpec, OpSpec, Over
from arcbatt.language.table import current
from arcbatt.language.types import Set
from arcbatt.language.values import like, ordered


class _EscapedType:
    def __repr__(self) -> str:
        return "ESCAPED"


ESCAPED: Final = _EscapedType()
"""The outcome of what this form cannot express for this sample; the program must run as it was written."""


class _EscapeError(Exception):
    """Leaves loops when a value is ESCAPED."""


def evaluate_graph(
    graph: TypedGraph, sample: Sample, wanted: Iterable[str] | None = None, max_steps: int = MAX_STEPS
) -> dict[str, Outcome]:
    """What each resolved program (or only the wanted ones) gives on a sample; may be ESCAPED."""
    names = [name for name in (graph.outputs if wanted is None else wanted) if name in graph.outputs]
    run = _Run(graph, sample, max_steps)
    return {name: run.value(graph.outputs[name]) for name in names}


class _Run:
    """One sample's values, computed as they are asked for."""

    def __init__(self, graph: TypedGraph, sample: Sample, max_steps: int) -> None:
        self.graph = graph
        self.machine = Machine(max_steps, resets=False)
        self.known: dict[int, Any] = {}
        self.costs: dict[int, int] = {}
        self.inputs = {"I": sample.I, "S": sample.S, "C": UNKNOWN_OUTPUT if sample.C is None else sample.C}

    def value(self, root: int) -> Outcome:
        """The outcome of a node and of all it takes."""
        stack = [root]
        while stack:
            index = stack[-1]
            node = self.graph.nodes[index]
            waiting = [arg for arg in node_inputs(node) if arg not in self.known] if index not in self.known else []
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if index not in self.known:
                self.known[index], self.costs[index] = self._computed(node)
        return self.known[root]

    def _computed(self, node: TypedNode) -> tuple[Any, int]:
        if node.op == "input":
            return self.inputs[node.args[0]], 0
        if node.op == "const":
            return node.args[2], 0
        args = [self.known[arg] for arg in node_inputs(node)]
        costs = [self.costs[arg] for arg in node_inputs(node)]
        return self._measured(node, args, costs)

    def _measured(self, node: TypedNode | BodyNode, args: list[Any], costs: list[int]) -> tuple[Outcome, int]:
        """The outcome of a node and the steps it took, counted from zero."""
        before, self.machine.steps = self.machine.steps, 0
        try:
            return self._outcome(node, args, costs), self.machine.steps
        except _EscapeError:
            return ESCAPED, 0
        finally:
            self.machine.steps = before

    def _outcome(self, node: TypedNode | BodyNode, args: list[Any], costs: list[int]) -> Outcome:
        if any(arg is ESCAPED for arg in args):
            return ESCAPED
        if node.op == FAILED:
            return Failed(Reason.TYPE)
        if node.op == GUARD:
            return first_failure(args[1:]) or args[0]
        if failed := first_failure(args[: node.strict]):
            return failed
        try:
            if node.op == CHOOSE:
                if not node.bodies:
                    return args[1] if args[0] else args[2]
                return self._body(node.bodies[0 if args[0] else 1], (), args, costs)
            if node.op == POWER_COUNT:
                return _power_count(args[0])
            if node.bodies:
                return self._loop(node, args, costs)
            return self.machine.primitive(current().op(node.op), tuple(args), self.machine.call)
        except Fail as fail:
            return Failed(fail.reason, fail.primitive or node.op, 0, fail.detail)

    def _loop(self, node: TypedNode | BodyNode, args: list[Any], costs: list[int]) -> Any:
        if node.op == POWER:
            return self._power(node, args, costs)
        spec = current().op(node.op.removesuffix(ON_FUNCTIONS))
        loop = spec.loop
        assert loop is not None
        if node.op.endswith(ON_FUNCTIONS):
            return self._over_functions(spec, loop, node, args, costs)
        if loop.over is Over.FUNCTIONS:
            return self._each_function(spec, node, args, costs)
        if loop.carries:
            return self._carrying(spec, loop, node, args, costs)
        of_zero = loop.zero and not args[0]
        if of_zero and len(node.bodies) == 1:
            raise _EscapeError
        containers = args[: spec.arity - 1]

        def call(_: Any, *items: Any) -> Any:
            body = node.bodies[1 if of_zero else 0]
            return self._body(body, items if body.params else (), args, costs)

        arguments = [*containers]
        arguments.insert(spec.function_place, node.op)  # any scalar: only its size of 1 counts
        return self.machine.primitive(spec, tuple(arguments), call)

    def _carrying(
        self, spec: OpSpec, loop: LoopSpec, node: TypedNode | BodyNode, args: list[Any], costs: list[int]
    ) -> Any:
        """A loop that carries a state; functions are the numbers of their bodies, of size 1 as they are."""

        def call(which: Any, *given: Any) -> Any:
            return self._body(node.bodies[which], given, args, costs)

        given = (1, 0, args[0]) if loop.over is Over.STATES else (args[0], args[1], 0)
        return self.machine.primitive(spec, given, call)

    def _each_function(self, spec: OpSpec, node: TypedNode | BodyNode, args: list[Any], costs: list[int]) -> Any:
        machine = self.machine
        machine.charge(1 + len(node.bodies) + machine.size(args[0]))
        results = [self._body(body, (), args, costs) for body in node.bodies]
        value: Any = frozenset(results) if isinstance(node.type, Set) else tuple(results)
        machine.charge(machine.checked_size(spec, value))
        return value

    def _power(self, node: TypedNode | BodyNode, args: list[Any], costs: list[int]) -> Any:
        value = args[0]
        for _ in range(args[1]):
            value = self._body(node.bodies[0], (value,), args, costs)
        return value

    def _over_functions(
        self, spec: OpSpec, loop: LoopSpec, node: TypedNode | BodyNode, args: list[Any], costs: list[int]
    ) -> Any:
        machine = self.machine
        machine.charge(1 + len(args[0]) + (machine.size(args[1]) if loop.over is Over.FUNCTIONS else 1))
        results = [self._body(node.bodies[0], (item,), args, costs) for item in ordered(args[0])]
        value: Any = like(args[0], results)
        if loop.gives is Gives.CONTAINER:
            value = merge(value)
        machine.charge(machine.checked_size(spec, value))
        return value

    def _body(self, body: Body, items: tuple[Any, ...], args: list[Any], costs: list[int]) -> Any:
        """One run of a body; raises Fail where its result has failed."""
        machine = self.machine
        values = [*items, *(args[place] for place in body.captures)]
        spent = [*(0 for _ in items), *(costs[place] for place in body.captures)]
        machine.charge(body.base + sum(times * spent[len(items) + capture] for capture, times in body.charges))
        for node in body.nodes:
            if node.op == "const":
                outcome, cost = node.args[2], 0
            else:
                outcome, cost = self._measured(
                    node, [values[arg] for arg in node.args], [spent[arg] for arg in node.args]
                )
                machine.charge(node.times * cost)
            values.append(outcome)
            spent.append(cost)
        result = values[body.result]
        if result is ESCAPED:
            raise _EscapeError
        if isinstance(result, Failed):
            raise Fail(result.reason, result.detail, result.primitive)
        return result


def _power_count(count: int) -> int:
    """How often a function is applied; fails as `power` does."""
    if count < 1:
        raise Fail(Reason.BOUNDS, f"power {count}, at least 1", POWER)
    if count > MAX_POWER:
        raise Fail(Reason.LIMIT, f"power {count}, at most {MAX_POWER}", POWER)
    return count
