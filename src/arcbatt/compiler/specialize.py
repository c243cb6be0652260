"""From the merged graph to first-order form: infer types, inline functions, turn loops into bodies.

Every function a program calls is known when it is compiled, or one of a few that are, so `apply(compose(f, g), xs)`
becomes a loop whose body calls g, then f. What must fail by its types is a node that fails. What cannot be typed or
resolved is left out with a reason, and its programs run on the dynamic tier.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from arcbatt.compiler.body import BodyBuilder
from arcbatt.compiler.closures import Closures
from arcbatt.compiler.context import Context, DefectError, Draft, Ref, UnresolvedError, need_ref, need_small
from arcbatt.compiler.failing import failed, unique
from arcbatt.compiler.functions import (
    CHOICE,
    Either,
    Known,
    Mapped,
    Native,
    Value,
    combined,
    is_cheap,
    making,
    primitive,
    together,
)
from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.compiler.inline_loops import Loops, placed
from arcbatt.compiler.internal_errors import InternalError
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.step_bounds import NodeSteps, size_bound, step_bound, steps_of_types
from arcbatt.compiler.top import Top
from arcbatt.compiler.typed import (
    CHOOSE,
    DECLARED_BIT,
    GUARD,
    INPUT_BITS,
    POWER,
    POWER_COUNT,
)
from arcbatt.language.functions import Function
from arcbatt.language.limits import MAX_POWER
from arcbatt.language.primitives.containers import contained
from arcbatt.language.primitives.numbers import decrement, equality
from arcbatt.language.spec import Does, OpSpec
from arcbatt.language.table import current
from arcbatt.language.types import (
    BOOL,
    GRID,
    INT,
    NEVER,
    Closure,
    Seq,
    Set,
    Tup,
    Type,
    closures,
    join,
    type_of_constant,
)

_INPUT_TYPES: Final[dict[str, Type]] = {"I": GRID, "S": Seq(Tup((GRID, GRID))), "C": GRID}
_MOST_WRITTEN_OUT: Final = 32
"""Primitives that a known power is written out to; a longer one is a loop.

Outside of loops calls that are written out have steps of their own, where those of a power are counted together: so
many calls, if all are of cheap primitives, never reach the limit.
"""
_MOST_INLINED: Final = 20_000
"""Calls that one call of a program may be inlined to."""
_MANY_INLINED: Final = 200
_MOST_WITH_MANY: Final = 50
"""How many calls of a program may be inlined to more than `_MANY_INLINED`."""
_MOST_NESTED: Final = 120
"""Functions that may be called inside one another."""
_NO_NODES: Final = frozenset[int]()
_TOO_MUCH: Final = "functions that are too much to write out"
_TOO_MANY_STEPS: Final = "calls that may take too many steps together"
_RETURNS_FUNCTION: Final = "the program returns a function"


def specialize(graph: Graph, rewrites: Rewrites | None = None) -> Top:
    """The typed graph of a merged graph, with counts of what the rewrites found."""
    return _Specializer(graph, Top(rewrites or Rewrites())).run()


class _Specializer:
    def __init__(self, graph: Graph, top: Top) -> None:
        self.source = graph
        self.top = top
        self.values: list[Value | UnresolvedError] = []
        self.origins: dict[UnresolvedError, int] = {}
        """The node at which each was met first; nodes that take it have the same one."""
        self.closures = Closures(graph, top)
        self.loops = Loops(top, self.call, self.closures)
        self.steps: list[NodeSteps] = []
        self.inlined = 0
        """Calls that the node at hand was inlined to so far."""
        self.nested = 0
        self.large: list[frozenset[int]] = []
        """Of each node, those it depends on that were inlined to many calls."""

    def run(self) -> Top:
        for index in range(len(self.source.nodes)):
            try:
                self.values.append(self.bounded_node(index))
            except UnresolvedError as error:
                self.origins.setdefault(error, index)
                self.values.append(error.with_traceback(None))  # which would keep all that was at hand
            except Exception as error:
                defect = DefectError(InternalError.of("compiling", error))
                self.origins[defect] = index
                self.values.append(defect)
            self.closures.met(index, self.values[-1])
            self.steps.append(self.top.steps)
            self.top.steps = NodeSteps()
        for name, index in self.source.outputs.items():
            self.bound(name, index)
            self.output(name, index)
        return self.top

    def bound(self, name: str, index: int) -> None:
        """Note what a program may take; one that may take too much is left to the dynamic tier."""
        bound = step_bound([self.steps[node] for node in self.source.needed([index])])
        self.top.graph.bounds[name] = bound
        if not bound.fits and not isinstance(self.values[index], UnresolvedError):
            error = UnresolvedError(_TOO_MANY_STEPS)
            self.values[index], self.origins[error] = error, index

    def output(self, name: str, index: int) -> None:
        """Note what a program returns, or why that has no first-order form."""
        value, graph = self.values[index], self.top.graph
        if isinstance(value, Ref) and not any(closures(value.type)):
            graph.outputs[name] = value.index
        elif isinstance(value, UnresolvedError):
            graph.unresolved[name], graph.unresolved_at[name] = str(value), self.origins[value]
            if isinstance(value, DefectError):
                graph.internal_errors[name] = value.internal
        elif isinstance(value, Either):
            why = f"the program returns {value.left.type} or {value.right.type}"
            graph.unresolved[name], graph.unresolved_at[name] = why, index
        else:
            graph.unresolved[name], graph.unresolved_at[name] = _RETURNS_FUNCTION, index

    def bounded_node(self, index: int) -> Value:
        """A node, unless all that its programs are inlined to would be too much."""
        below = self.source.nodes[index].inputs
        large = _NO_NODES
        for arg in below:
            large |= self.large[arg]
        self.large.append(large)
        if len(large) > _MOST_WITH_MANY:
            raise UnresolvedError(_TOO_MUCH)
        self.inlined = 0
        try:
            return self.node(index)
        finally:
            if self.inlined > _MANY_INLINED:
                self.large[index] = large | {index}

    def node(self, index: int) -> Value:
        node = self.source.nodes[index]
        if node.op == INPUT:
            name = node.args[0]
            kind = self.source.declared.get(name) or _INPUT_TYPES[name]
            return self.top.input(name, kind, INPUT_BITS.get(name, DECLARED_BIT))
        if node.op == CONST:
            kind = type_of_constant(node.args[1])
            need_small(kind)
            return self.top.constant(node.args[1], kind)
        if node.op == PRIMITIVE:
            return primitive(node.args[0])
        args = [self.value(arg) for arg in node.args]
        if node.op != INVOKE:
            return self.call_primitive(self.top, node.op, args)
        function = self.closures.function(args[0])
        if isinstance(function, Known):
            return self.guarded(self.top, function, args[1:])
        _need_one_type(args)
        return failed(self.top, args)

    def value(self, index: int) -> Value:
        value = self.values[index]
        if isinstance(value, UnresolvedError):
            raise value.with_traceback(None)
        return value

    # --- calls of functions ---
    def guarded(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of a function, failed where a value bound into it has failed.

        Such a failure stands beside those of the arguments, and before whatever fails in the call.
        """
        result = self.call(context, function, args)
        bound = [ref for ref in function.values() if ref.may_fail and ref.context.level >= context.loop_level]
        if not bound or not function.parts:
            return result
        if any(isinstance(arg, Either) and not arg.strict for arg in args):
            raise UnresolvedError("a call of a function that may have failed, of a value that is one of two types")
        given = [ref for arg in args for ref in ([arg] if isinstance(arg, Ref) else arg.values()) if ref.may_fail]
        return self.unless_failed(context, result, unique([*bound, *given]))

    def unless_failed(self, context: Context, value: Value, others: list[Ref]) -> Value:
        """A value, or the failure of one of some others, which comes before its own."""
        if isinstance(value, Mapped):
            raise UnresolvedError("functions made from items by a function that may have failed")
        if isinstance(value, Either):
            condition = value.condition
            if value.strict:
                strict = [condition, *unique(value.values())]
                condition = context.emit(Draft(GUARD, strict, condition.type, len(strict)))
            strict = [condition, *others]
            condition = context.emit(Draft(GUARD, strict, condition.type, len(strict)))
            return Either(condition, value.left, value.right, strict=False)
        ref = self.as_ref(context, value, CHOOSE)  # a function that is made would not know that it failed
        return context.emit(Draft(GUARD, [ref, *others], ref.type, 1 + len(others)))

    def call(self, context: Context, function: Known | Native, args: list[Value]) -> Value:
        """The function of the arguments, inlined."""
        self.inlined += 1
        self.nested += 1
        try:
            if self.inlined > _MOST_INLINED or self.nested > _MOST_NESTED:
                raise UnresolvedError(_TOO_MUCH)
            return self._called(context, function, args)
        finally:
            self.nested -= 1

    def _called(self, context: Context, function: Known | Native, args: list[Value]) -> Value:
        if isinstance(function, Native):
            result: Value = function.build(context, args)
            return result
        if not function.parts:
            return self.call_primitive(context, function.name, args)
        if function.name == CHOICE:
            return self.choose(context, function, args)
        if len(args) != function.arity:
            return failed(context, [function, *args])
        made = current().op(function.name).combinator
        assert made is not None
        if made.repeats:
            return self.power(context, function, args[0])
        value: Value = made.invoke(partial(self.part, context), function.parts, tuple(args))
        return value

    def part(self, context: Context, part: Any, *args: Value) -> Value:
        """A call of a part of a function, which may be a primitive that a combinator itself calls."""
        known = primitive(part.name) if isinstance(part, Function) else part
        assert isinstance(known, Known)
        # Functions made inside a body may have failed values bound into them; those of the program were checked before.
        call = self.guarded if isinstance(context, BodyBuilder) else self.call
        return call(context, known, [*args])

    # --- combinators ---
    def combine(self, context: Context, spec: OpSpec, args: list[Value]) -> Value:
        """The function a combinator makes; it fails where a part is no function."""
        assert spec.combinator is not None
        parts = [self.closures.function(arg) for arg in args]
        _need_one_type(parts)
        wrong = [part for part in parts[: spec.combinator.functions] if isinstance(part, Ref)]
        if any(isinstance(part, Ref) and part.type == NEVER for part in parts):
            return failed(context, parts)
        if spec.combinator.repeats:
            count = parts[1]
            if not isinstance(count, Ref) or join(count.type, INT) is None:
                return failed(context, parts)
            parts[1] = self.power_count(context, spec, count, parts[0])  # which it looks at before the function
        self._count_making(context, parts)
        if wrong:
            return failed(context, parts)
        return combined(spec, tuple(parts), together(map(self.closures.extent, parts)))

    def _count_making(self, context: Context, parts: list[Value]) -> None:
        """Count the steps of making a function.

        Where a part has failed none is made, and nothing is charged. A body charges each item the same, so where every
        step counts such a function is the dynamic tier's.
        """
        refs = [ref for part in parts for ref in ([part] if isinstance(part, Ref) else part.refs())]
        in_loop = isinstance(context, BodyBuilder) and not context.free
        if in_loop and context.rewrites.every_step and any(ref.can_fail for ref in refs):
            raise UnresolvedError("a function made in a loop of what may fail, where every step counts")
        context.count_steps(making(len(parts)))

    def power_count(self, context: Context, spec: OpSpec, count: Ref, function: Value) -> Ref:
        """How often a power applies its function: a node that checks the number, where it is not known to be good.

        A value bound into the function that has failed comes before what is wrong with the number.
        """
        known = _static_int(count)
        if known is not None and 1 <= known <= MAX_POWER:
            return count
        if count.type not in (INT, BOOL):
            raise UnresolvedError(f"{spec.name} by a number of type {count.type}")
        bound = [function] if isinstance(function, Ref) else [*function.values()]
        bound = [ref for ref in unique(bound) if ref.may_fail]
        if bound:
            count = context.emit(Draft(GUARD, [count, count, *bound], count.type, 2 + len(bound)))
        return context.emit(Draft(POWER_COUNT, [count], INT, 1))

    def power(self, context: Context, function: Known, start: Value) -> Value:
        inner, count = function.parts
        assert isinstance(inner, Known)
        assert isinstance(count, Ref)
        known = _static_int(count)
        inside = isinstance(context, BodyBuilder)
        short = known is not None and known * inner.calls <= _MOST_WRITTEN_OUT
        if known is not None and short and (inside or (self.top.rewrites.unroll and is_cheap(inner))):
            value = start
            for _ in range(known):
                value = self.part(context, inner, value)
            return value
        first = self.as_ref(context, start, function.name)
        looped = self.power_loop(context, inner, first, count)
        if looped is None and inside:  # it is applied once at least, after which the type may hold
            first = self.as_ref(context, self.part(context, inner, first), function.name)
            looped = self.power_loop(context, inner, first, self.one_less(context, count))
        if looped is None:
            raise UnresolvedError(f"{function.name} of a function that changes the type")
        return looped

    def power_loop(self, context: Context, function: Known, first: Ref, count: Ref) -> Ref | None:
        """A function applied so many times, or None where the type does not hold however often that is."""
        kind = first.type
        for _ in range(3):
            body, captured, result = self.loops.body(context, function, (kind,))
            wider = join(kind, result.type) if isinstance(result, Ref) else None
            if wider is None:
                return None
            if wider == kind:
                return self.loops.emit(context, POWER, function, [first, count], captured, [(body, captured)], kind)
            kind = wider
        return None

    def one_less(self, context: Context, count: Ref) -> Ref:
        """A number that is one at least, less one; that costs nothing."""
        name = decrement.__name__
        return context.emit(Draft(name, [count], INT, 1, can_fail=count.can_fail, foldable=True), hoisted=True)

    # --- one of several functions, or of two values ---
    def choose(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of whichever of some functions is chosen when the program runs; the others are not called."""
        which, *candidates = function.parts
        assert isinstance(which, Ref)
        functions = [candidate for candidate in candidates if isinstance(candidate, Known)]
        if isinstance(context, BodyBuilder):
            return self.choose_in_body(context, which, functions, args)
        results = [self.part(context, candidate, *args) for candidate in functions]
        chosen = results[-1]
        for candidate, result in zip(functions[-2::-1], results[-2::-1], strict=True):
            chosen = self.either(context, self.is_one_of(context, which, [candidate]), result, chosen)
        return chosen if len(functions) > 1 or not which.may_fail else self.unless_failed(context, chosen, [which])

    def either(self, context: Context, condition: Ref, left: Value, right: Value) -> Value:
        """One of two values outside of loops; a failure of the other does not count."""
        one, two = (self.as_ref(context, value, CHOOSE) for value in (left, right))
        kind = join(one.type, two.type)
        if kind is None:
            return Either(condition, one, two, strict=False)
        return context.emit(Draft(CHOOSE, [condition, one, two], kind, 1))

    def is_one_of(self, context: Context, which: Ref, functions: list[Known]) -> Ref:
        """Whether a value is one of some functions; asking costs nothing."""
        codes = [code for function in functions for code in self.closures.codes(context, which, function)]
        kind = Closure(frozenset[int]().union(*(numbers for code in codes for numbers in closures(code.type))))
        among, name = codes[0], equality.__name__
        if len(codes) > 1:
            among, name = context.constant(frozenset(code.value for code in codes), Set(kind)), contained.__name__
        draft = Draft(name, [which, among], BOOL, 2, can_fail=which.can_fail, foldable=True)
        return context.emit(draft, hoisted=True)

    def choose_in_body(self, context: BodyBuilder, which: Ref, functions: list[Known], args: list[Value]) -> Value:
        half = (len(functions) + 1) // 2
        condition = self.is_one_of(context, which, functions[:half])
        sides = [BodyBuilder(context, (), loop=False) for _ in range(2)]
        results: list[Value] = []
        for side, some in zip(sides, (functions[:half], functions[half:]), strict=True):
            one = some[0] if len(some) == 1 else Known(CHOICE, (which, *some), len(args))
            results.append(self.part(side, one, *args) if some else failed(side, ()))
        built = []
        for side, result in zip(sides, results, strict=True):
            ref = self.as_ref(side, result, CHOOSE)
            if not self.closures.in_context(ref.type, side):
                raise UnresolvedError("a choice of functions that are made inside it")
            built.append((*side.finish(ref), ref.type))
        kind = join(built[0][2], built[1][2])
        if kind is None:
            raise UnresolvedError(f"a choice of functions that give {built[0][2]} and {built[1][2]}")
        captured = unique([condition, *built[0][1], *built[1][1]])
        bodies = tuple(placed(body, refs, captured) for body, refs, _ in built)
        return context.emit(Draft(CHOOSE, captured, kind, 1, bodies))

    def to_either(self, context: Context, name: str, args: list[Value]) -> Value:
        """A primitive of one of two values of different types: of each, then chosen."""
        at = next(place for place, arg in enumerate(args) if isinstance(arg, Either))
        either = args[at]
        assert isinstance(either, Either)
        rest = [self.as_ref(context, arg, name) for place, arg in enumerate(args) if place != at]
        sides = [
            need_ref(self.call_primitive(context, name, [*args[:at], side, *args[at + 1 :]]), name)
            for side in (either.left, either.right)
        ]
        condition = either.condition
        if either.strict:
            guards = [condition, *unique([*either.values(), *rest])]
            condition = context.emit(Draft(GUARD, guards, condition.type, len(guards)))
        others = [ref for ref in rest if ref.may_fail] if either.condition.may_fail and not either.strict else []
        kind = join(sides[0].type, sides[1].type)
        if kind is None:
            if others:
                raise UnresolvedError(f"{name} of a value that is one of two types")
            return Either(condition, sides[0], sides[1], strict=False)
        chosen = context.emit(Draft(CHOOSE, [condition, *sides], kind, 1))
        return context.emit(Draft(GUARD, [chosen, chosen, *others], kind, 2 + len(others))) if others else chosen

    # --- calls of primitives ---
    def as_ref(self, context: Context, value: Value, what: str) -> Ref:
        """A value as it is, a function as the number that stands for it."""
        return self.closures.value(context, value) if isinstance(value, Known) else need_ref(value, what)

    def call_primitive(self, context: Context, name: str, args: list[Value]) -> Value:
        spec = current().op(name)
        if len(args) != spec.arity:
            return failed(context, args)
        if spec.combinator:
            return self.combine(context, spec, args)
        if any(isinstance(arg, Either) for arg in args):
            return self.to_either(context, name, args)
        if spec.loop:
            return self.loops.loop(context, spec, spec.loop, args)
        refs = [arg if isinstance(arg, Ref) else self.as_ref(context, arg, name) for arg in args]
        types = tuple([ref.type for ref in refs])
        found = spec.call_type(types)
        chooses = spec.does is Does.CHOOSE
        if found is None and chooses and refs[0].constant and not isinstance(refs[0].value, (tuple, frozenset)):
            refs[0] = context.constant(bool(refs[0].value), BOOL)
            found = refs[1 if refs[0].value else 2].type, True
        if found is None:
            if chooses and context is self.top and self.top.rewrites.algebra:  # it is left out, and its steps with it
                self.top.steps.bounded += steps_of_types(*types, max(types[1:], key=size_bound))
                return Either(refs[0], refs[1], refs[2], strict=True)
            raise UnresolvedError(f"no rule of {name} takes ({', '.join(str(ref.type) for ref in refs)})")
        kind, exact = found
        if spec.generic:
            self.closures.check(spec, types, kind)
        can_fail = spec.can_fail or not exact or any(ref.can_fail for ref in refs)
        return context.emit(Draft(name, refs, kind, len(refs), can_fail=can_fail, foldable=True))


def _need_one_type(values: list[Value]) -> None:
    if any(isinstance(value, Either) for value in values):
        raise UnresolvedError("a call of a value that is one of two types")


def _static_int(value: Ref) -> int | None:
    """A number that is known when compiling, or None."""
    return int(value.value) if value.constant and value.type in (INT, BOOL) else None
