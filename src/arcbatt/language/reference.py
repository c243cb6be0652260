"""The reference evaluator: primitives, function values and whole programs under the language's limits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from arcbatt.language.constants import CONSTANTS
from arcbatt.language.expressions import Body, Const, Expr, Name, live_lines
from arcbatt.language.expressions import Call as CallExpr
from arcbatt.language.failures import UNKNOWN_OUTPUT, Fail, Failed, Outcome, Reason, first_failure
from arcbatt.language.functions import Function, function_of
from arcbatt.language.limits import (
    MAX_CALL_DEPTH,
    MAX_CELLS,
    MAX_ITEMS,
    MAX_LEVELS,
    MAX_SIDE,
    MAX_SIZE,
    MAX_STEPS,
    MAX_TOTAL_STEPS,
)
from arcbatt.language.sample import Sample
from arcbatt.language.spec import CombinatorSpec, Cost, Fact, Kind, OpSpec
from arcbatt.language.table import STANDARD, current
from arcbatt.language.types import GRID
from arcbatt.language.values import Call, Sizes, Value, levels_of, nesting_of, size_of, with_functions
from arcbatt.support.text import counted

MAKES_GRID: Final = frozenset(
    name for name, spec in STANDARD.ops.items() if any(rule.result == GRID for rule in spec.rules)
)
"""Primitives that may give grids; custom operations check what they give themselves."""
_NATURAL: Final[dict[type[Exception], Reason]] = {
    ZeroDivisionError: Reason.ZERO_DIVISION,
    IndexError: Reason.BOUNDS,
    RecursionError: Reason.LIMIT,
    MemoryError: Reason.LIMIT,
    TypeError: Reason.TYPE,
    ValueError: Reason.TYPE,
    AttributeError: Reason.TYPE,
}
_REMEMBERED: Final = 50_000
_FRAMES: Final = 50 * MAX_CALL_DEPTH
"""Frames of Python that so many calls inside one another, and values so many levels deep, stay below."""


class Machine:
    """Runs primitives, counting steps and sizes; a Fail leaves `call` where there is no result.

    Steps start anew with each outermost primitive, unless whoever uses the machine sees to that (`resets=False`); all
    of them together have a limit of their own.
    """

    def __init__(self, max_steps: int = MAX_STEPS, max_total: int = MAX_TOTAL_STEPS, *, resets: bool = True) -> None:
        self.language = current()
        self.max_steps = max_steps
        self.max_total = max_total
        self.steps = 0
        self.total_steps = 0
        self._depth = 0 if resets else 1
        self._calls_open = 0
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        self._sizes: Sizes = {}

    def call(self, function: Value, *args: Value) -> Value:
        """The function of the arguments. Steps are charged to the outermost primitive."""
        self._calls_open += 1
        try:
            if self._calls_open > MAX_CALL_DEPTH:
                raise Fail(Reason.LIMIT, f"more than {MAX_CALL_DEPTH} calls inside one another")
            return self._called(function, args)
        finally:
            self._calls_open -= 1

    def _called(self, function: Value, args: tuple[Value, ...]) -> Value:
        known = function_of(function)
        spec = self.language.op(known.name)
        arity = known.arity if known.parts else spec.arity
        if len(args) != arity:
            raise Fail(Reason.TYPE, f"{spec.name} takes {counted(arity, 'argument')}, got {len(args)}")
        if spec.combinator and known.parts:
            return self.combined(spec.combinator, known, args)
        return self.primitive(spec, args, self.call)

    def combined(self, made: CombinatorSpec, function: Function, args: tuple[Value, ...]) -> Value:
        """A call of what a combinator made; what is repeated counts together, as in a loop."""
        if not made.repeats:
            return made.invoke(self.call, function.parts, args)
        if self._depth == 0:
            self.steps = 0
        self._depth += 1
        try:
            return made.invoke(self.call, function.parts, args)
        finally:
            self._depth -= 1

    def primitive(self, spec: OpSpec, args: tuple[Value, ...], call: Call) -> Value:
        """One primitive on values; `call` runs functions it was given. Whatever Python raises becomes a Fail."""
        try:
            return self.run(spec, args, call)
        except Fail as fail:
            fail.primitive = fail.primitive or spec.name
            raise
        except tuple(_NATURAL) as error:
            reason = next(reason for kind, reason in _NATURAL.items() if isinstance(error, kind))
            raise Fail(reason, str(error), spec.name) from error

    def run(self, spec: OpSpec, args: tuple[Value, ...], call: Call | None = None) -> Value:
        """One primitive, charged to the outermost one; `call` runs functions it was given."""
        if spec.kind is Kind.COMBINATOR:
            cost = 2 + len(args)
            if self._depth == 0:
                self.steps = -cost  # only to all calls together
            self.charge(cost)
            return spec.reference(*args)
        if self._depth == 0:
            self.steps = 0
        sizes = [self.size(arg) for arg in args]
        self.charge(1 + sum(sizes))
        if spec.cost is Cost.PRODUCT:
            self.charge(sizes[0] * sizes[1])
        result = self.looped(spec, args, call or self.call) if spec.loop else spec.reference(*args)
        self.charge(self.checked_size(spec, result))
        return result

    def looped(self, spec: OpSpec, args: tuple[Value, ...], call: Call) -> Value:
        """A primitive that calls functions; what they do is charged to it."""
        self._depth += 1
        try:
            return spec.reference(call, *args)
        finally:
            self._depth -= 1

    def charge(self, steps: int) -> None:
        """Count steps; fail beyond the limit."""
        self.steps += steps
        self.total_steps += steps
        if self.steps > self.max_steps:
            raise Fail(Reason.LIMIT, f"more than {self.max_steps:,} steps")
        if self.total_steps > self.max_total:
            raise Fail(Reason.LIMIT, f"more than {self.max_total:,} steps in all calls together")

    def size(self, value: Value) -> int:
        """The size of a value; remembered for values met again."""
        if not isinstance(value, (tuple, frozenset)):
            return 1
        known = self._sizes.get(id(value))
        if known is None:
            if len(self._sizes) >= _REMEMBERED:
                self._sizes.clear()
            known = self._sizes[id(value)] = (value, size_of(value, self._sizes))
        return known[1]

    def checked_size(self, spec: OpSpec, value: Value) -> int:
        """The size of a result; fails where it is beyond a limit."""
        size = self.size(value)
        if isinstance(value, (tuple, frozenset)):
            items, most = len(value), MAX_ITEMS
            if spec.name in MAKES_GRID and isinstance(value, tuple):
                items, most = max(items, len(value[0]) if value else 0), MAX_SIDE
                if size > MAX_CELLS:
                    raise Fail(Reason.LIMIT, f"a grid of {size:,} cells, at most {MAX_CELLS:,}")
            if items > most:
                raise Fail(Reason.LIMIT, f"{items:,} items, at most {most:,}")
            if size > MAX_SIZE:
                raise Fail(Reason.LIMIT, f"a value of size {size:,}, at most {MAX_SIZE:,}")
            if levels_of(value) > MAX_LEVELS:
                raise Fail(Reason.LIMIT, f"a value more than {MAX_LEVELS} levels deep")
        return size


def primitive(name: str) -> Function:
    """A primitive as a function value."""
    return Function(name, (), current().op(name).arity)


def call(name: str, *args: Any) -> Any:
    """One primitive on plain values; raises Fail where there is no result."""
    return Machine().call(primitive(name), *args)


def evaluate(program: Body, sample: Sample, machine: Machine | None = None) -> Outcome:
    """The value of the program on the sample, or Failed."""
    return returned(_Evaluation(program, sample, machine or Machine()).result())


def returned(outcome: Outcome) -> Outcome:
    """What a program gives, unless it is too large with all that functions in it are made of."""
    if isinstance(outcome, (Function, tuple, frozenset)):
        functions = nesting_of(outcome)[1]
        size = with_functions(size_of(outcome), functions) if functions else 0
        if size > MAX_SIZE:
            return Failed(Reason.LIMIT, detail=f"size {size:,} with what functions are made of, at most {MAX_SIZE:,}")
    return outcome


class _Evaluation:
    """A program line by line. Values are known by numbers, so that equal calls are found: they are made once."""

    def __init__(self, program: Body, sample: Sample, machine: Machine) -> None:
        self.program = program
        self.machine = machine
        self.known: dict[tuple[Any, ...], int] = {}
        self.outcomes: list[Outcome] = []
        inputs: dict[str, Any] = {"I": sample.I}
        if "C" in program.params:
            inputs |= {"S": sample.S, "C": UNKNOWN_OUTPUT if sample.C is None else sample.C}
        self.names = {name: self.number((Name, name), partial(_given, value)) for name, value in inputs.items()}

    def result(self) -> Outcome:
        for line in live_lines(self.program):
            self.names[line.target] = self.expression(line.value)
        return self.outcomes[self.expression(self.program.result)]

    def number(self, key: tuple[Any, ...], outcome: Callable[[], Outcome]) -> int:
        """The number of an outcome by how it is made; made if it is new."""
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = len(self.outcomes)
            self.outcomes.append(outcome())
        return found

    def expression(self, expr: Expr) -> int:
        match expr:
            case Const(value):
                return self.constant(value)
            case Name(name):
                if name in self.names:
                    return self.names[name]
                return self.constant(CONSTANTS[name]) if name in CONSTANTS else self.function(name)
        function = self.expression(expr.function)
        args = [self.expression(arg) for arg in expr.args]
        values = [self.outcomes[number] for number in (function, *args)]
        by_name = isinstance(expr.function, Name) and self.machine.language.ops.get(expr.function.id)
        if by_name and Fact.COMMUTATIVE in by_name.facts:
            args.sort()
        key = (CallExpr, bool(by_name), function, *args)
        return self.number(key, lambda: call_outcome(lambda: self.machine.call(*values), values, expr))

    def constant(self, value: Value) -> int:
        return self.number((Const, type(value), value), partial(_given, value))

    def function(self, name: str) -> int:
        return self.number((primitive, name), partial(primitive, name))


def _given(value: Outcome) -> Outcome:
    return value


def call_outcome(run: Callable[[], Any], values: list[Any], call: CallExpr) -> Outcome:
    """The value of running a call, or Failed; a call given a failed value is not run."""
    if failed := first_failure(values):
        return failed
    try:
        return run()
    except Fail as fail:
        return Failed(fail.reason, fail.primitive or str(call.function), call.line, fail.detail)
