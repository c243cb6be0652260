"""Loops in first-order form: a primitive that calls a function for items becomes a node with a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arcbatt.compiler.body import BodyBuilder
from arcbatt.compiler.context import Context, Draft, Ref, UnresolvedError, need_ref
from arcbatt.compiler.functions import Known, Mapped, Native, Static, Value
from arcbatt.compiler.static_functions import static
from arcbatt.compiler.top import Top
from arcbatt.compiler.typed import ON_FUNCTIONS, Body
from arcbatt.language.spec import Gives, LoopSpec, OpSpec, Over
from arcbatt.language.types import (
    BOOL,
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
from arcbatt.language.values import ordered

_NO_BODY: Final = Body((), (), (), 0, (), 0)

Inline = Callable[[Context, Known | Native, list[Value]], Value]


class Loops:
    """Builds loops; `call` inlines a call of a function."""

    def __init__(self, top: Top, call: Inline) -> None:
        self.top = top
        self.call = call
        self._bodies: dict[tuple[Any, ...], tuple[Body, list[Ref], Ref]] = {}

    def loop(self, context: Context, spec: OpSpec, loop: LoopSpec, args: list[Value]) -> Value:
        """A loop, as a node with a body."""
        if loop.over is Over.FUNCTIONS:
            return self._each_function(context, spec, args)
        position = spec.function_place
        function = args[position]
        if not isinstance(function, Known):
            raise UnresolvedError(f"{spec.name} of a function that is not known when compiling")
        rest = [arg for at, arg in enumerate(args) if at != position]
        mapped = rest[0]
        if isinstance(mapped, Mapped) and len(rest) == 1:
            return self._over_functions(context, spec, loop, function, mapped)
        if isinstance(mapped, Static) and loop.maps and context is self.top:
            made = tuple(self.call(context, function, [member]) for member in mapped.members)
            return static(made, mapped.is_set)
        containers = [need_ref(arg, spec.name) for arg in rest]
        problem = UnresolvedError(f"no rule of {spec.name} takes ({', '.join(str(ref.type) for ref in containers)})")
        for rule in spec.rules:
            built = self._by_rule(context, spec, loop, rule, function, containers)
            if isinstance(built, UnresolvedError):
                problem = built
            elif built is not None:
                return built
        raise problem

    def _by_rule(
        self, context: Context, spec: OpSpec, loop: LoopSpec, rule: Rule, function: Known, containers: list[Ref]
    ) -> Value | UnresolvedError | None:
        """The loop by one rule; None where its containers do not fit, an error where its function does not."""
        bound: dict[str, Type] = {}
        patterns = [param for at, param in enumerate(rule.params) if at != spec.function_place]
        wanted = rule.params[spec.function_place]
        assert isinstance(wanted, Fn)
        if not all(match(param, ref.type, bound) for param, ref in zip(patterns, containers, strict=True)):
            return None
        params = tuple(substitute(param, bound) for param in wanted.params)
        try:
            body, captured, result = self.body(context, function, params)
        except UnresolvedError as error:
            return error
        if not isinstance(result, Ref):
            if loop.maps:
                return self._of_functions(context, function, containers[0], result)
            return UnresolvedError(f"{spec.name} of a function that gives functions")
        if loop.gives is Gives.CONTAINER and result.type in (INT, BOOL):
            bound |= dict.fromkeys(variables(wanted.result), NEVER)  # numbers merge only where there are none
        elif not match(wanted.result, result.type, bound):
            return UnresolvedError(f"{spec.name} of a function that gives {result.type}, not {wanted.result}")
        bodies, captures = [(body, captured)], [*captured]
        if loop.zero:
            zero = self._body_of_zero(context, function, result.type)
            if zero is not None:
                bodies.append(zero)
                captures += zero[1]
        return self.emit(context, spec.name, function, containers, captures, bodies, substitute(rule.result, bound))

    def emit(
        self,
        context: Context,
        op: str,
        function: Known,
        containers: list[Ref],
        captures: list[Ref],
        bodies: list[tuple[Body, list[Ref]]],
        kind: Type,
    ) -> Ref:
        """The node of a loop; what it captures is not strict, as containers and what is bound into the function are."""
        strict = [*containers, *unique([*function.values()], without=containers)]
        args = [*strict, *unique(captures, without=strict)]
        bodies_placed = tuple(placed(body, refs, args) for body, refs in bodies)
        return context.emit(Draft(op, args, kind, len(strict), bodies_placed))

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

    def _of_functions(
        self, context: Context, function: Known, container: Ref, made: tuple[BodyBuilder, Value]
    ) -> Value:
        """A map by a function that gives functions: written out over a constant, else kept with its container."""
        if container.constant and context is self.top:
            refs = [context.constant(item, type_of_constant(item)) for item in ordered(container.value)]
            is_set = isinstance(container.type, Set)
            return static(tuple(self.call(context, function, [ref]) for ref in refs), is_set)
        builder, template = made
        if not isinstance(template, Known):
            raise UnresolvedError("apply of a function that gives sets of functions")
        inner = [ref for ref in template.values() if ref.context is builder]
        # Functions made from a set keep its order and number only if the item itself is what first differs in them.
        if isinstance(container.type, Set) and (not inner or inner[0].index != -1):
            raise UnresolvedError("a set of functions whose order is not known when compiling")
        return Mapped(container, function)

    def _body_of_zero(self, context: Context, function: Known, kind: Type) -> tuple[Body, list[Ref]] | None:
        """The key of 0, which the greatest or least key of nothing is; None where that cannot be typed.

        It runs once at most, so nothing is moved out of it that is not moved out of the loop around as well.
        """
        builder = BodyBuilder(context, (), loop=False)
        try:
            result = self.call(builder, function, [builder.constant(0, INT)])
        except UnresolvedError:
            return None
        return builder.finish(result) if isinstance(result, Ref) and join(kind, result.type) == kind else None

    def _over_functions(self, context: Context, spec: OpSpec, loop: LoopSpec, function: Known, mapped: Mapped) -> Value:
        """A loop over functions made from the items of a container: a loop over that container."""
        if loop.gives not in (Gives.ITEM, Gives.CONTAINER):
            raise UnresolvedError(f"{spec.name} over functions")

        def build(inner: Context, args: list[Value]) -> Value:
            made = self.call(inner, mapped.function, args)
            return self.call(inner, function, [made])

        return self._over_mapped(context, spec, mapped, function, Native(build), [])

    def _each_function(self, context: Context, spec: OpSpec, args: list[Value]) -> Value:
        """Each function of a value: functions written out, or made from the items of a container."""
        name = spec.name
        functions, value = args[0], need_ref(args[1], name)
        if isinstance(functions, Mapped):

            def build(inner: Context, items: list[Value]) -> Value:
                made = self.call(inner, functions.function, items)
                if not isinstance(made, Known):
                    raise UnresolvedError(f"{name} of something that is not a function")
                return self.call(inner, made, [value])

            bound = Known("bound", (functions.function, value))
            return self._over_mapped(context, spec, functions, bound, Native(build), [value])
        if not isinstance(functions, Static) or not functions.members:
            raise UnresolvedError(f"{name} of functions that are not known when compiling")
        built: list[tuple[Body, list[Ref]]] = []
        kind: Type | None = None
        for member in functions.members:
            builder = BodyBuilder(context, ())
            if not isinstance(member, Known):
                raise UnresolvedError(f"{name} of something that is not a function")
            result = need_ref(self.call(builder, member, [value]), name)
            kind = result.type if kind is None else join(kind, result.type)
            if kind is None:
                raise UnresolvedError(f"{name} of functions that give different types")
            built.append(builder.finish(result))
        bound = Known("bound", functions.members)
        captures = [ref for _, refs in built for ref in refs]
        assert kind is not None
        container = Set(kind) if functions.is_set else Seq(kind)
        return self.emit(context, name, bound, [value], captures, built, container)

    def _over_mapped(
        self, context: Context, spec: OpSpec, mapped: Mapped, bound: Known, native: Native, extra: list[Ref]
    ) -> Value:
        over = mapped.container.type
        body, captured, result = self.body(context, native, (_item(over),))
        if not isinstance(result, Ref):
            raise UnresolvedError(f"{spec.name} of functions that give functions")
        merges = spec.loop is not None and spec.loop.gives is Gives.CONTAINER
        item = _item(result.type) if merges else result.type
        kind: Type = Set(item) if isinstance(over, Set) else Seq(item)
        holder = Known("bound", (mapped.function, bound))
        containers = [mapped.container, *extra]
        return self.emit(context, spec.name + ON_FUNCTIONS, holder, containers, captured, [(body, captured)], kind)


def type_of_constant(value: Any) -> Type:
    """The type of a literal."""
    if isinstance(value, bool):
        return BOOL
    return INT if isinstance(value, int) else Tup((INT,) * len(value))


def _item(kind: Type) -> Type:
    seq = kind if isinstance(kind, Set) else as_seq(kind)
    if seq is None:
        raise UnresolvedError(f"a loop over {kind}")
    return seq.item


def unique(refs: list[Ref], without: list[Ref] | None = None) -> list[Ref]:
    """Each value once, in order."""
    seen = {(ref.context.level, ref.index) for ref in without or ()}
    kept = []
    for ref in refs:
        key = (ref.context.level, ref.index)
        if key not in seen:
            seen.add(key)
            kept.append(ref)
    return kept


def placed(body: Body, captured: list[Ref], args: list[Ref]) -> Body:
    """The body with its captures placed among the arguments of its owner."""
    places = {(ref.context.level, ref.index): place for place, ref in enumerate(args)}
    return body._replace(captures=tuple(places[ref.context.level, ref.index] for ref in captured))
