"""From the merged graph to first-order form: infer types, inline functions, turn loops into bodies.

Every function value of a program is known when it is compiled, so `apply(compose(f, g), xs)` becomes a loop whose body
calls g, then f. What cannot be typed or resolved is left out with a reason, and its programs run on the reference.
"""

from __future__ import annotations

from typing import Any, Final

from arcbatt.compiler.context import BodyBuilder, Context, Draft, Top, constant_value, need_ref
from arcbatt.compiler.functions import (
    Either,
    Known,
    Mapped,
    Native,
    Ref,
    Static,
    UnresolvedError,
    Value,
    combined,
    primitive,
)
from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, Graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.typed import (
    CHOOSE,
    DECLARED_BIT,
    GUARD,
    INPUT_BITS,
    ON_FUNCTIONS,
    POWER,
    POWER_COUNT,
    POWER_IN_BODY,
    Body,
)
from arcbatt.language.spec import Kind
from arcbatt.language.table import current
from arcbatt.language.types import (
    BOOL,
    GRID,
    INT,
    NEVER,
    Fn,
    Rule,
    Seq,
    Set,
    Tup,
    Type,
    as_seq,
    join,
    match,
    substitute,
    variables,
)
from arcbatt.language.values import ordered, rank

_INPUT_TYPES: Final[dict[str, Type]] = {"I": GRID, "S": Seq(Tup((GRID, GRID))), "C": GRID}
_CHOICE_STEPS: Final = 5
"""What `branch` of two functions costs: 1, and 1 each for condition, functions and result."""


def specialize(graph: Graph, rewrites: Rewrites | None = None) -> Top:
    """The typed graph of a merged graph, with counts of what the rewrites found."""
    return _Specializer(graph, Top(rewrites or Rewrites())).run()


def type_of_constant(value: Any) -> Type:
    """The type of a literal."""
    if isinstance(value, bool):
        return BOOL
    return INT if isinstance(value, int) else Tup((INT,) * len(value))


class _Specializer:
    def __init__(self, graph: Graph, top: Top) -> None:
        self.source = graph
        self.top = top
        self.values: list[Value | UnresolvedError] = []
        self._bodies: dict[tuple[Any, ...], tuple[Body, list[Ref], Ref]] = {}

    def run(self) -> Top:
        for index in range(len(self.source.nodes)):
            try:
                self.values.append(self.node(index))
            except UnresolvedError as error:
                self.values.append(error)
        for name, index in self.source.outputs.items():
            value = self.values[index]
            if isinstance(value, Ref):
                self.top.graph.outputs[name] = value.index
            else:
                reason = str(value) if isinstance(value, UnresolvedError) else "the program returns a function"
                self.top.graph.unresolved[name] = reason
        return self.top

    def node(self, index: int) -> Value:
        node = self.source.nodes[index]
        if node.op == INPUT:
            name = node.args[0]
            kind = self.source.declared.get(name) or _INPUT_TYPES[name]
            return self.top.input(name, kind, INPUT_BITS.get(name, DECLARED_BIT))
        if node.op == CONST:
            return self.top.constant(node.args[1], type_of_constant(node.args[1]))
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

    def guarded(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of a function, failed where a value bound into it has failed."""
        result = self.call(context, function, args)
        bound = [ref for ref in function.values() if ref.can_fail and ref.context.level >= context.loop_level]
        if not bound or not isinstance(result, Ref) or not function.parts:
            return result
        strict = [result, *_unique([*bound, *(arg for arg in args if isinstance(arg, Ref))])]
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
        parts = function.parts
        match function.name:
            case "compose" | "chain":
                value: Value = args[0]
                for part in reversed(parts):
                    value = self.part(context, part, [value])
                return value
            case "fork":
                left, right = self.part(context, parts[1], args), self.part(context, parts[2], args)
                return self.part(context, parts[0], [left, right])
            case "matcher":
                return self.call_primitive(context, "equality", [self.part(context, parts[0], args), parts[1]])
            case "rbind":
                return self.part(context, parts[0], [*args, parts[1]])
            case "lbind":
                return self.part(context, parts[0], [parts[1], *args])
            case "power":
                return self.power(context, function, args[0])
            case _:
                return self.choose(context, function, args)

    def power_of(self, context: Context, args: list[Value]) -> Known:
        """`power`: written out where the number is known, else with a node that checks the number."""
        function, count = args[0], need_ref(args[1], "power")
        if (known := _static_int(count)) is not None:
            if known < 1:
                raise UnresolvedError(f"power {known}")
            return combined("power", (function, count), known)
        single = combined("power", (function, count))
        if count.type not in (INT, BOOL):
            raise UnresolvedError(f"power by a number of type {count.type}")
        calls = context.constant(single.calls, INT)
        return combined("power", (function, context.emit(Draft(POWER_COUNT, [count, calls], INT, 1))))

    def power(self, context: Context, function: Known, start: Value) -> Value:
        inner, count = function.parts
        assert isinstance(inner, Known)
        assert isinstance(count, Ref)
        if (known := _static_int(count)) is not None:
            value = start
            for _ in range(known):
                value = self.part(context, inner, [value])
            return value
        first = need_ref(start, "power")
        kind = first.type
        for _ in range(3):  # the type must hold however often the function is applied
            body, captured, result = self.body(context, inner, (kind,))
            wider = join(kind, result.type) if isinstance(result, Ref) else None
            if wider is None:
                raise UnresolvedError("power of a function that changes the type")
            if wider == kind:
                op = POWER_IN_BODY if isinstance(context, BodyBuilder) else POWER
                return self.emit_loop(context, op, inner, [first, count], captured, [(body, captured)], kind)
            kind = wider
        raise UnresolvedError("power of a function that changes the type")

    def part(self, context: Context, part: Value, args: list[Value]) -> Value:
        if not isinstance(part, Known):
            raise UnresolvedError("a call of something that is not a known function")
        # Functions made inside a body may have failed values bound into them; those of the program were checked before.
        return self.guarded(context, part, args) if isinstance(context, BodyBuilder) else self.call(context, part, args)

    def choose(self, context: Context, function: Known, args: list[Value]) -> Value:
        """A call of whichever of two functions a condition chooses; the other is not called."""
        condition = need_ref(function.parts[0], "branch")
        branches = function.parts[1:]
        if isinstance(context, BodyBuilder):
            return self.choose_in_body(context, condition, branches, args)
        left, right = (need_ref(self.part(context, part, args), "branch") for part in branches)
        kind = join(left.type, right.type)
        if kind is None:
            return Either(condition, left, right, strict=False)
        return context.emit(Draft(CHOOSE, [condition, left, right], kind, 1))

    def choose_in_body(
        self, context: BodyBuilder, condition: Ref, branches: tuple[Value, ...], args: list[Value]
    ) -> Value:
        built = []
        for part in branches:
            builder = BodyBuilder(context, (), loop=False)
            result = need_ref(self.part(builder, part, args), "branch")
            built.append((*builder.finish(result), result.type))
        kind = join(built[0][2], built[1][2])
        if kind is None:
            raise UnresolvedError(f"branch of functions that give {built[0][2]} and {built[1][2]}")
        captured = _unique([condition, *built[0][1], *built[1][1]])
        bodies = tuple(_placed(body, refs, captured) for body, refs, _ in built)
        return context.emit(Draft(CHOOSE, captured, kind, 1, bodies))

    def call_primitive(self, context: Context, name: str, args: list[Value]) -> Value:
        spec = current().op(name)
        if len(args) != spec.arity:
            raise UnresolvedError(f"{name} takes {spec.arity} arguments, got {len(args)}")
        if spec.kind is Kind.COMBINATOR:
            return self.power_of(context, args) if name == "power" else combined(name, tuple(args))
        if spec.kind is Kind.LOOP:
            return self.loop(context, name, args)
        refs = [arg for arg in args if isinstance(arg, Ref)]
        if len(refs) != len(args):
            return self.with_functions(context, name, args)
        found = spec.call_type(tuple([ref.type for ref in refs]))
        if found is None and name == "branch" and refs[0].constant and refs[0].type == BOOL:
            found = refs[1 if constant_value(refs[0]) else 2].type, True
        if found is None:
            if name == "branch" and refs[0].type == BOOL and context is self.top:
                return Either(refs[0], refs[1], refs[2], strict=True)
            raise UnresolvedError(f"no rule of {name} takes ({', '.join(str(ref.type) for ref in refs)})")
        kind, exact = found
        can_fail = spec.can_fail or not exact or any(ref.can_fail for ref in refs)
        return context.emit(Draft(name, refs, kind, len(refs), can_fail=can_fail, foldable=True))

    def with_functions(self, context: Context, name: str, args: list[Value]) -> Value:
        """Plain primitives given functions, or containers of functions: done here and now where that is possible."""
        if any(isinstance(arg, Either) for arg in args):
            return self.to_either(context, name, args)
        match name, args:
            case "branch", [Ref() as condition, Known() as a, Known() as b]:
                if isinstance(context, BodyBuilder):
                    context.base += _CHOICE_STEPS
                if a.arity != b.arity:
                    raise UnresolvedError("branch of functions that take different numbers of arguments")
                return Known("branch", (condition, a, b), a.arity, 1 + max(a.depth, b.depth), a.calls + b.calls)
        if isinstance(context, BodyBuilder):
            raise UnresolvedError(f"{name} of functions inside a loop")
        match name, args:
            case "identity", [Known() | Static() as value]:
                return value
            case "initset", [Known() | Static() as value]:
                return Static((value,), is_set=True)
            case "insert", [Known() | Static() as value, Static(members, True)]:
                return _static_set((*members, value))
            case "astuple", [Known() | Static() as one_part, Known() | Static() as other_part]:
                return Static((one_part, other_part), is_set=False)
            case "combine", [Static(one, is_set), Static(two, _)]:
                return _static_set((*one, *two)) if is_set else Static((*one, *two), is_set=False)
            case "product", [Static(one, _), Static(two, _)]:
                return _static_set(tuple(Static((a, b), is_set=False) for a in one for b in two))
            case "totuple", [Static(members, _)]:
                return Static(members, is_set=False)
            case (("first" | "last" | "second"), [Static(members, _)]) if len(members) > (name == "second"):
                return members[{"first": 0, "second": 1, "last": -1}[name]]
        raise UnresolvedError(f"{name} takes a function where a value is expected")

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
        guards = _unique([chosen, *either.values(), *rest])
        return context.emit(Draft(GUARD, guards, kind, len(guards)))

    def loop(self, context: Context, name: str, args: list[Value]) -> Value:
        """A primitive that calls a function for items, as a node with a body."""
        if name == "rapply":
            return self.rapply(context, args)
        spec = current().op(name)
        position = spec.function_place
        function = args[position]
        if not isinstance(function, Known):
            raise UnresolvedError(f"{name} of a function that is not known when compiling")
        rest = [arg for at, arg in enumerate(args) if at != position]
        mapped = rest[0]
        if isinstance(mapped, Mapped) and len(rest) == 1:
            return self.over_functions(context, name, function, mapped)
        if isinstance(mapped, Static) and name == "apply" and context is self.top:
            made = tuple(self.call(context, function, [member]) for member in mapped.members)
            return _static(made, mapped.is_set)
        containers = [need_ref(arg, name) for arg in rest]
        problem = UnresolvedError(f"no rule of {name} takes ({', '.join(str(ref.type) for ref in containers)})")
        for rule in spec.rules:
            built = self.try_rule(context, name, rule, position, function, containers)
            if isinstance(built, UnresolvedError):
                problem = built
            elif built is not None:
                return built
        raise problem

    def try_rule(
        self, context: Context, name: str, rule: Rule, position: int, function: Known, containers: list[Ref]
    ) -> Value | UnresolvedError | None:
        """The loop by one rule; None where its containers do not fit, an error where its function does not."""
        bound: dict[str, Type] = {}
        patterns = [param for at, param in enumerate(rule.params) if at != position]
        wanted = rule.params[position]
        assert isinstance(wanted, Fn)
        if not all(match(param, ref.type, bound) for param, ref in zip(patterns, containers, strict=True)):
            return None
        params = tuple(substitute(param, bound) for param in wanted.params)
        try:
            body, captured, result = self.body(context, function, params)
        except UnresolvedError as error:
            return error
        if not isinstance(result, Ref):
            if name == "apply":
                return self.apply_to_functions(context, function, containers[0], result)
            return UnresolvedError(f"{name} of a function that gives functions")
        if name in ("mapply", "mpapply") and result.type in (INT, BOOL):
            bound |= dict.fromkeys(variables(wanted.result), NEVER)  # numbers merge only where there are none
        elif not match(wanted.result, result.type, bound):
            return UnresolvedError(f"{name} of a function that gives {result.type}, not {wanted.result}")
        bodies, captures = [(body, captured)], [*captured]
        if name in ("valmax", "valmin"):
            zero = self.body_of_zero(context, function, result.type)
            if zero is not None:
                bodies.append(zero)
                captures += zero[1]
        return self.emit_loop(context, name, function, containers, captures, bodies, substitute(rule.result, bound))

    def emit_loop(
        self,
        context: Context,
        op: str,
        function: Known,
        containers: list[Ref],
        captures: list[Ref],
        bodies: list[tuple[Body, list[Ref]]],
        kind: Type,
    ) -> Ref:
        strict = [*containers, *_unique([*function.values()], without=containers)]
        args = [*strict, *_unique(captures, without=strict)]
        placed = tuple(_placed(body, refs, args) for body, refs in bodies)
        return context.emit(Draft(op, args, kind, len(strict), placed))

    def body(self, context: Context, function: Known | Native, params: tuple[Type, ...]) -> tuple[Body, list[Ref], Any]:
        """The body of a loop that calls the function, what it captures, and its result."""
        key = (function, params)
        if context is self.top and isinstance(function, Known) and key in self._bodies:
            return self._bodies[key]
        builder = BodyBuilder(context, params)
        result = self.call(builder, function, [*builder.params])
        if not isinstance(result, Ref):
            return _NO_BODY, [], (builder, result)
        built = (*builder.finish(result), result)
        if context is self.top and isinstance(function, Known):
            self._bodies[key] = built
        return built

    def apply_to_functions(
        self, context: Context, function: Known, container: Ref, made: tuple[BodyBuilder, Value]
    ) -> Value:
        """`apply` of a function that gives functions: written out over a constant, else kept with its container."""
        if container.constant and context is self.top:
            items = ordered(constant_value(container))
            refs = [context.constant(item, type_of_constant(item)) for item in items]
            is_set = isinstance(container.type, Set)
            return _static(tuple(self.call(context, function, [ref]) for ref in refs), is_set)
        builder, template = made
        if not isinstance(template, Known):
            raise UnresolvedError("apply of a function that gives sets of functions")
        inner = [ref for ref in template.values() if ref.context is builder]
        # Functions made from a set keep its order and number only if the item itself is what first differs in them.
        if isinstance(container.type, Set) and (not inner or inner[0].index != -1):
            raise UnresolvedError("a set of functions whose order is not known when compiling")
        return Mapped(container, function)

    def body_of_zero(self, context: Context, function: Known, kind: Type) -> tuple[Body, list[Ref]] | None:
        """Valmax and valmin of nothing give key(0); None where that cannot be typed.

        It runs once at most, so nothing is moved out of it that is not moved out of the loop around as well.
        """
        builder = BodyBuilder(context, (), loop=False)
        try:
            result = self.call(builder, function, [builder.constant(0, INT)])
        except UnresolvedError:
            return None
        return builder.finish(result) if isinstance(result, Ref) and join(kind, result.type) == kind else None

    def over_functions(self, context: Context, name: str, function: Known, mapped: Mapped) -> Value:
        """A loop over functions made from the items of a container: a loop over that container."""
        if name not in ("apply", "mapply"):
            raise UnresolvedError(f"{name} over functions")

        def build(inner: Context, args: list[Value]) -> Value:
            made = self.call(inner, mapped.function, args)
            return self.call(inner, function, [made])

        return self.loop_over_mapped(context, name, mapped, function, Native(build))

    def rapply(self, context: Context, args: list[Value]) -> Value:
        """Each function of a value: functions written out, or made from the items of a container."""
        functions, value = args[0], need_ref(args[1], "rapply")
        if isinstance(functions, Mapped):

            def build(inner: Context, items: list[Value]) -> Value:
                made = self.call(inner, functions.function, items)
                if not isinstance(made, Known):
                    raise UnresolvedError("rapply of something that is not a function")
                return self.call(inner, made, [value])

            bound = Known("bound", (functions.function, value))
            return self.loop_over_mapped(context, "rapply", functions, bound, Native(build), extra=[value])
        if not isinstance(functions, Static) or not functions.members:
            raise UnresolvedError("rapply of functions that are not known when compiling")
        built: list[tuple[Body, list[Ref]]] = []
        kind: Type | None = None
        for member in functions.members:
            builder = BodyBuilder(context, ())
            if not isinstance(member, Known):
                raise UnresolvedError("rapply of something that is not a function")
            result = need_ref(self.call(builder, member, [value]), "rapply")
            kind = result.type if kind is None else join(kind, result.type)
            if kind is None:
                raise UnresolvedError("rapply of functions that give different types")
            built.append(builder.finish(result))
        bound = Known("bound", functions.members)
        captures = [ref for _, refs in built for ref in refs]
        assert kind is not None
        container = Set(kind) if functions.is_set else Seq(kind)
        return self.emit_loop(context, "rapply", bound, [value], captures, built, container)

    def loop_over_mapped(
        self,
        context: Context,
        name: str,
        mapped: Mapped,
        bound: Known,
        native: Native,
        extra: list[Ref] | None = None,
    ) -> Value:
        item = mapped.container.type.item if isinstance(mapped.container.type, Set) else _item(mapped.container.type)
        body, captured, result = self.body(context, native, (item,))
        if not isinstance(result, Ref):
            raise UnresolvedError(f"{name} of functions that give functions")
        outer: type[Set] | type[Seq] = Set if isinstance(mapped.container.type, Set) else Seq
        kind: Type = outer(result.type)
        if name == "mapply":
            inner = result.type.item if isinstance(result.type, Set) else _item(result.type)
            kind = outer(inner)
        holder = Known("bound", (mapped.function, bound))
        containers = [mapped.container, *(extra or [])]
        return self.emit_loop(context, name + ON_FUNCTIONS, holder, containers, captured, [(body, captured)], kind)


_NO_BODY: Final = Body((), (), (), 0, (), 0)


def _static(members: tuple[Value, ...], is_set: bool) -> Static:
    """Functions just made, as a set or tuple."""
    known = tuple(member for member in members if isinstance(member, (Known, Static)))
    if len(known) != len(members):
        raise UnresolvedError("apply gives values and functions")
    return _static_set(known) if is_set else Static(known, is_set=False)


def _static_set(members: tuple[Known | Static, ...]) -> Static:
    """A set in the order of the language, where what is written decides it."""
    keyed = {_static_rank(member): member for member in members}
    return Static(tuple(keyed[key] for key in sorted(keyed)), is_set=True)


def _static_rank(value: Value) -> tuple[Any, ...]:
    """The reference's order of functions, where it can be known when compiling."""
    if isinstance(value, Ref):
        if not value.constant:
            raise UnresolvedError("a set of functions whose order is not known when compiling")
        return rank(constant_value(value))
    if isinstance(value, Static):
        return (3 if value.is_set else 2, tuple(map(_static_rank, value.members)))
    if isinstance(value, Known):
        return (4, value.name, tuple(map(_static_rank, value.parts)))
    raise UnresolvedError("a set of functions whose order is not known when compiling")


def _item(kind: Type) -> Type:
    seq = as_seq(kind)
    if seq is None:
        raise UnresolvedError(f"a loop over {kind}")
    return seq.item


def _static_int(value: Ref) -> int | None:
    """A number that is known when compiling, or None."""
    return int(constant_value(value)) if value.constant and value.type in (INT, BOOL) else None


def _unique(refs: list[Ref], without: list[Ref] | None = None) -> list[Ref]:
    """Each value once, in order."""
    seen = {(ref.context.level, ref.index) for ref in without or ()}
    kept = []
    for ref in refs:
        key = (ref.context.level, ref.index)
        if key not in seen:
            seen.add(key)
            kept.append(ref)
    return kept


def _placed(body: Body, captured: list[Ref], args: list[Ref]) -> Body:
    """The body with its captures placed among the arguments of its owner."""
    places = {(ref.context.level, ref.index): place for place, ref in enumerate(args)}
    return body._replace(captures=tuple(places[ref.context.level, ref.index] for ref in captured))
