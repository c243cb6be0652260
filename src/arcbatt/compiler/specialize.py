"""From the merged graph to first-order form: infer types, inline functions, turn loops into bodies.

Every function value of a program is known when it is compiled, so `apply(compose(f, g), xs)` becomes a loop whose body
calls g, then f. What cannot be typed or resolved is left out with a reason, and its programs run on the dynamic tier.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from arcbatt.compiler.body import BodyBuilder
from arcbatt.compiler.context import Context, DefectError, Draft, Ref, UnresolvedError, need_ref, need_small
from arcbatt.compiler.functions import Either, Known, Native, Value, combined, primitive
from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.compiler.inline_loops import Loops, placed, type_of_constant, unique
from arcbatt.compiler.internal_errors import InternalError
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.static_functions import of_functions
from arcbatt.compiler.top import Top
from arcbatt.compiler.typed import CHOOSE, DECLARED_BIT, GUARD, INPUT_BITS, POWER, POWER_COUNT, POWER_IN_BODY
from arcbatt.language.functions import Function
from arcbatt.language.spec import Does, OpSpec
from arcbatt.language.table import current
from arcbatt.language.types import BOOL, GRID, INT, Seq, Tup, Type, join

_INPUT_TYPES: Final[dict[str, Type]] = {"I": GRID, "S": Seq(Tup((GRID, GRID))), "C": GRID}
_CHOICE_STEPS: Final = 5
"""What choosing one of two functions costs: 1, and 1 each for condition, functions and result."""


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
        self.loops = Loops(top, self.call)

    def run(self) -> Top:
        for index in range(len(self.source.nodes)):
            try:
                self.values.append(self.node(index))
            except UnresolvedError as error:
                self.origins.setdefault(error, index)
                self.values.append(error)
            except Exception as error:
                defect = DefectError(InternalError.of("compiling", error))
                self.origins[defect] = index
                self.values.append(defect)
        for name, index in self.source.outputs.items():
            self.output(name, index)
        return self.top

    def output(self, name: str, index: int) -> None:
        """Note what a program returns, or why that has no first-order form."""
        value, graph = self.values[index], self.top.graph
        if isinstance(value, Ref):
            graph.outputs[name] = value.index
        elif isinstance(value, UnresolvedError):
            graph.unresolved[name], graph.unresolved_at[name] = str(value), self.origins[value]
            if isinstance(value, DefectError):
                graph.internal_errors[name] = value.internal
        else:
            graph.unresolved[name], graph.unresolved_at[name] = "the program returns a function", index

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
        function = args[0]
        if not isinstance(function, Known):
            raise UnresolvedError("a call of something that is not a known function")
        return self.guarded(self.top, function, args[1:])

    def value(self, index: int) -> Value:
        value = self.values[index]
        if isinstance(value, UnresolvedError):
            raise value
        return value

    # --- calls of functions ---
    def guarded(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of a function, failed where a value bound into it has failed."""
        result = self.call(context, function, args)
        bound = [ref for ref in function.values() if ref.can_fail and ref.context.level >= context.loop_level]
        if not bound or not isinstance(result, Ref) or not function.parts:
            return result
        strict = [result, *unique([*bound, *(arg for arg in args if isinstance(arg, Ref))])]
        return context.emit(Draft(GUARD, strict, result.type, len(strict)))

    def call(self, context: Context, function: Known | Native, args: list[Value]) -> Value:
        """The function of the arguments, inlined."""
        if isinstance(function, Native):
            result: Value = function.build(context, args)
            return result
        if not function.parts:
            return self.call_primitive(context, function.name, args)
        if len(args) != function.arity:
            raise UnresolvedError(f"{function.name} makes a function of {function.arity}, called with {len(args)}")
        made = current().op(function.name).combinator
        if made is None:
            return self.choose(context, function, args)
        if made.repeats:
            return self.power(context, function, args[0])
        value: Value = made.invoke(partial(self.part, context), function.parts, tuple(args))
        return value

    def part(self, context: Context, part: Any, *args: Value) -> Value:
        """A call of a part of a function, which may be a primitive that a combinator itself calls."""
        known = primitive(part.name) if isinstance(part, Function) else part
        if not isinstance(known, Known):
            raise UnresolvedError("a call of something that is not a known function")
        # Functions made inside a body may have failed values bound into them; those of the program were checked before.
        call = self.guarded if isinstance(context, BodyBuilder) else self.call
        return call(context, known, [*args])

    def power_of(self, context: Context, spec: OpSpec, args: list[Value]) -> Known:
        """`power`: written out where the number is known, else with a node that checks the number."""
        function, count = args[0], need_ref(args[1], spec.name)
        if (known := _static_int(count)) is not None:
            if known < 1:
                raise UnresolvedError(f"{spec.name} {known}")
            return combined(spec, (function, count), known)
        single = combined(spec, (function, count))
        if count.type not in (INT, BOOL):
            raise UnresolvedError(f"{spec.name} by a number of type {count.type}")
        calls = context.constant(single.calls, INT)
        checked = context.emit(Draft(POWER_COUNT, [self.unless_failed(context, count, function), calls], INT, 1))
        return combined(spec, (function, checked))

    def unless_failed(self, context: Context, count: Ref, function: Value) -> Ref:
        """A number, failed where a value bound into a function has failed: that comes before what is wrong with it."""
        bound = [ref for ref in function.values() if ref.can_fail] if isinstance(function, Known) else []
        if not bound:
            return count
        strict = [count, *unique([count, *bound])]
        return context.emit(Draft(GUARD, strict, count.type, len(strict)))

    def power(self, context: Context, function: Known, start: Value) -> Value:
        inner, count = function.parts
        assert isinstance(inner, Known)
        assert isinstance(count, Ref)
        if (known := _static_int(count)) is not None:
            value = start
            for _ in range(known):
                value = self.part(context, inner, value)
            return value
        first = need_ref(start, function.name)
        kind = first.type
        for _ in range(3):  # the type must hold however often the function is applied
            body, captured, result = self.loops.body(context, inner, (kind,))
            wider = join(kind, result.type) if isinstance(result, Ref) else None
            if wider is None:
                break
            if wider == kind:
                op = POWER_IN_BODY if isinstance(context, BodyBuilder) else POWER
                return self.loops.emit(context, op, inner, [first, count], captured, [(body, captured)], kind)
            kind = wider
        raise UnresolvedError(f"{function.name} of a function that changes the type")

    # --- one of two functions, or of two values ---
    def choose(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of whichever of two functions a condition chooses; the other is not called."""
        name = function.name
        condition = need_ref(function.parts[0], name)
        branches = function.parts[1:]
        if isinstance(context, BodyBuilder):
            return self.choose_in_body(context, name, condition, branches, args)
        left, right = (need_ref(self.part(context, part, *args), name) for part in branches)
        kind = join(left.type, right.type)
        if kind is None:
            return Either(condition, left, right, strict=False)
        return context.emit(Draft(CHOOSE, [condition, left, right], kind, 1))

    def choose_in_body(
        self, context: BodyBuilder, name: str, condition: Ref, branches: tuple[Value, ...], args: list[Value]
    ) -> Value:
        built = []
        for part in branches:
            builder = BodyBuilder(context, (), loop=False)
            result = need_ref(self.part(builder, part, *args), name)
            built.append((*builder.finish(result), result.type))
        kind = join(built[0][2], built[1][2])
        if kind is None:
            raise UnresolvedError(f"{name} of functions that give {built[0][2]} and {built[1][2]}")
        captured = unique([condition, *built[0][1], *built[1][1]])
        bodies = tuple(placed(body, refs, captured) for body, refs, _ in built)
        return context.emit(Draft(CHOOSE, captured, kind, 1, bodies))

    def to_either(self, context: Context, name: str, args: list[Value]) -> Value:
        """A primitive of one of two values of different types: of each, then chosen."""
        at = next(place for place, arg in enumerate(args) if isinstance(arg, Either))
        either = args[at]
        assert isinstance(either, Either)
        rest = [need_ref(arg, name) for place, arg in enumerate(args) if place != at]
        if not either.strict and any(ref.can_fail for ref in rest):
            raise UnresolvedError(f"{name} of a value that is one of two types")
        sides = [
            need_ref(self.call_primitive(context, name, [*args[:at], side, *args[at + 1 :]]), name)
            for side in (either.left, either.right)
        ]
        kind = join(sides[0].type, sides[1].type)
        if kind is None:
            raise UnresolvedError(f"{name} of a value that is one of two types")
        chosen = context.emit(Draft(CHOOSE, [either.condition, *sides], kind, 1))
        if not either.strict:
            return chosen
        guards = unique([chosen, *either.values(), *rest])
        return context.emit(Draft(GUARD, guards, kind, len(guards)))

    # --- calls of primitives ---
    def call_primitive(self, context: Context, name: str, args: list[Value]) -> Value:
        spec = current().op(name)
        if len(args) != spec.arity:
            raise UnresolvedError(f"{name} takes {spec.arity} arguments, got {len(args)}")
        if spec.combinator:
            return self.power_of(context, spec, args) if spec.combinator.repeats else combined(spec, tuple(args))
        if spec.loop:
            return self.loops.loop(context, spec, spec.loop, args)
        refs = [arg for arg in args if isinstance(arg, Ref)]
        if len(refs) != len(args):
            return self.with_functions(context, spec, args)
        found = spec.call_type(tuple([ref.type for ref in refs]))
        chooses = spec.does is Does.CHOOSE and refs[0].type == BOOL
        if found is None and chooses and refs[0].constant:
            found = refs[1 if refs[0].value else 2].type, True
        if found is None:
            if chooses and context is self.top:
                return Either(refs[0], refs[1], refs[2], strict=True)
            raise UnresolvedError(f"no rule of {name} takes ({', '.join(str(ref.type) for ref in refs)})")
        kind, exact = found
        can_fail = spec.can_fail or not exact or any(ref.can_fail for ref in refs)
        return context.emit(Draft(name, refs, kind, len(refs), can_fail=can_fail, foldable=True))

    def with_functions(self, context: Context, spec: OpSpec, args: list[Value]) -> Value:
        """Plain primitives given functions, or containers of functions: done here and now where that is possible."""
        if any(isinstance(arg, Either) for arg in args):
            return self.to_either(context, spec.name, args)
        match spec.does, args:
            case Does.CHOOSE, [Ref() as condition, Known() as a, Known() as b]:
                if isinstance(context, BodyBuilder):
                    context.base += _CHOICE_STEPS
                if a.arity != b.arity:
                    raise UnresolvedError(f"{spec.name} of functions that take different numbers of arguments")
                return Known(spec.name, (condition, a, b), a.arity, 1 + max(a.depth, b.depth), a.calls + b.calls)
        if isinstance(context, BodyBuilder):
            raise UnresolvedError(f"{spec.name} of functions inside a loop")
        return of_functions(spec, args)


def _static_int(value: Ref) -> int | None:
    """A number that is known when compiling, or None."""
    return int(value.value) if value.constant and value.type in (INT, BOOL) else None
