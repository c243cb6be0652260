"""Loops in first-order form: a primitive that calls a function for items becomes a node with a body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arcbatt.compiler.body import BodyBuilder
from arcbatt.compiler.closures import Closures
from arcbatt.compiler.context import Context, Draft, Ref, UnresolvedError, need_ref
from arcbatt.compiler.failing import failed, unique
from arcbatt.compiler.functions import CHOICE, Either, Known, Mapped, Native, Value
from arcbatt.compiler.state_loops import StateLoops
from arcbatt.compiler.step_bounds import steps_of_types
from arcbatt.compiler.top import Top
from arcbatt.compiler.typed import GUARD, ON_FUNCTIONS, Body
from arcbatt.language.limits import MAX_ITEMS
from arcbatt.language.primitives.containers import first, last, totuple
from arcbatt.language.spec import Gives, LoopSpec, OpSpec, Over
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
from arcbatt.language.values import ordered

_ENDS: Final = (first, last)
_NO_BODY: Final = Body((), (), (), 0, (), 0)

Inline = Callable[[Context, Known | Native, list[Value]], Value]


class Loops:
    """Builds loops; `call` inlines a call of a function."""

    def __init__(self, top: Top, call: Inline, closures: Closures) -> None:
        self.top = top
        self.call = call
        self.closures = closures
        self.states = StateLoops(self.body, call)
        self._bodies: dict[tuple[Any, ...], tuple[Body, list[Ref], Ref]] = {}

    def loop(self, context: Context, spec: OpSpec, loop: LoopSpec, args: list[Value]) -> Value:
        """A loop, as a node with a body."""
        if loop.carries:
            return self._carrying(context, spec, loop, args)
        if loop.over is Over.FUNCTIONS:
            return self._each_function(context, spec, args)
        position = spec.function_place
        rest = [arg for at, arg in enumerate(args) if at != position]
        mapped = rest[0]
        if isinstance(mapped, Mapped) and len(rest) == 1:
            function = self.closures.function(args[position])
            if isinstance(function, Known):
                return self._over_functions(context, spec, loop, function, mapped)
        refs = [self._ref(context, arg, spec.name) for arg in args]
        if any(ref.type == NEVER for ref in refs):
            return failed(context, refs)
        containers = [ref for at, ref in enumerate(refs) if at != position]
        if not loop.zero and any(not _is_container(ref.type) for ref in containers):
            return context.emit(Draft(spec.name, refs, NEVER, len(refs)))
        called, bound = self._callee(spec, args[position])
        problem = UnresolvedError(f"no rule of {spec.name} takes ({', '.join(str(ref.type) for ref in containers)})")
        for rule in spec.rules:
            built = self._by_rule(context, spec, loop, rule, called, bound, containers)
            if isinstance(built, UnresolvedError):
                problem = built
            elif built is not None:
                return built
        raise problem

    def _carrying(self, context: Context, spec: OpSpec, loop: LoopSpec, args: list[Value]) -> Value:
        """A loop that carries a state."""
        refs = [self._ref(context, arg, spec.name) for arg in args]
        if any(ref.type == NEVER for ref in refs):
            return failed(context, refs)
        if loop.over is Over.STATES:
            (function, one), (condition, two), start = *(self._callee(spec, arg) for arg in args[:2]), refs[2]
            kind, bodies = self.states.while_true(context, spec, function, condition, start)
            captures = [ref for _, captured in bodies for ref in captured]
            return self.emit(context, spec.name, Known("bound", (one, two)), [start], captures, bodies, kind)
        container, start = refs[:2]
        if not _is_container(container.type):
            return context.emit(Draft(spec.name, refs, NEVER, len(refs)))
        called, bound = self._callee(spec, args[2])
        kind, body, captured = self.states.over_items(context, spec, called, _item(container.type), start)
        return self.emit(context, spec.name, bound, [container, start], captured, [(body, captured)], kind)

    def _callee(self, spec: OpSpec, given: Value) -> tuple[Known | Native, Known]:
        """What a loop calls, and what has the values bound into it; a number is as large as a function, and none."""
        function = self.closures.function(given)
        if isinstance(function, Known):
            return function, function
        if isinstance(function, Ref) and function.type in (INT, BOOL):
            return Native(lambda inner, _: failed(inner, ())), Known("bound", (function,))
        raise UnresolvedError(f"{spec.name} of a function that is not known when compiling")

    def _ref(self, context: Context, value: Value, what: str) -> Ref:
        return self.closures.value(context, value) if isinstance(value, Known) else need_ref(value, what)

    def _by_rule(
        self,
        context: Context,
        spec: OpSpec,
        loop: LoopSpec,
        rule: Rule,
        function: Known | Native,
        holder: Known,
        containers: list[Ref],
    ) -> Value | UnresolvedError | None:
        """The loop by one rule; None where its containers do not fit, an error where its function does not.

        `holder` has what is bound into the function.
        """
        bound: dict[str, Type] = {}
        patterns = [param for at, param in enumerate(rule.params) if at != spec.function_place]
        wanted = rule.params[spec.function_place]
        assert isinstance(wanted, Fn)
        if not all(match(param, ref.type, bound) for param, ref in zip(patterns, containers, strict=True)):
            return None
        open_names = {name for param in wanted.params for name in variables(substitute(param, bound))}
        bound |= dict.fromkeys(open_names, NEVER)  # items of what holds none
        params = tuple(substitute(param, bound) for param in wanted.params)
        try:
            body, captured, result = self.body(context, function, params)
        except UnresolvedError as error:
            return error
        if not isinstance(result, Ref):
            if loop.maps and isinstance(function, Known):
                return self._of_functions(context, spec, function, containers[0], result)
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
        kind = substitute(rule.result, bound)
        kind = substitute(kind, dict.fromkeys(variables(kind), NEVER))  # of what always fails, where there is any
        self.closures.check_sets(kind)
        return self.emit(context, spec.name, holder, containers, captures, bodies, kind)

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
        if isinstance(result, Known) and all(ref.context.level < builder.level for ref in result.refs()):
            result = self.closures.value(builder, result)
        if not isinstance(result, Ref):
            return _NO_BODY, [], (builder, result)
        if not self.closures.in_context(result.type, builder):
            raise UnresolvedError("a loop that gives functions made inside it")
        built = (*builder.finish(result), result)
        if context is self.top and isinstance(function, Known):
            self._bodies[key] = built
        return built

    def _of_functions(
        self, context: Context, spec: OpSpec, function: Known, container: Ref, made: tuple[BodyBuilder, Value]
    ) -> Value:
        """A map by a function that gives functions: written out over a constant, else kept with its container."""
        builder, template = made
        if not isinstance(template, Known):
            raise UnresolvedError(f"{spec.name} of a function that gives sets of functions")
        items = self._items_of(container) if context is self.top else []
        functions = self._written_out(function, items)
        known = bool(items) and all(ref.constant for one in functions for ref in one.refs())
        if context is self.top and self.top.rewrites.algebra and (builder.makes_few_steps or known):
            counted = None  # its steps are few
            self.top.steps.bounded += (len(items) or MAX_ITEMS) * builder.base
            self.top.steps.bounded += steps_of_types(INT, container.type, container.type)
        else:
            counted = self._counted(context, spec, function, container, builder, template)
        if items:
            return self.closures.container(functions, counted, is_set=isinstance(container.type, Set))
        inner = [ref for ref in template.values() if ref.context is builder]
        # Functions made from a set keep its order and number only if the item itself is what first differs in them.
        if isinstance(container.type, Set) and (not inner or inner[0].index != -1):
            raise UnresolvedError("a set of functions whose order is not known when compiling")
        return Mapped(container, function, counted)

    def _counted(
        self, context: Context, spec: OpSpec, function: Known, container: Ref, builder: BodyBuilder, template: Known
    ) -> Ref:
        """The same map with a number in place of each function, as large as one: it costs the same."""
        number = builder.constant(0, INT)
        made = unique(ref for ref in template.refs() if ref.context is builder and ref.can_fail)
        if made:
            number = builder.emit(Draft(GUARD, [number, *made], INT, 1 + len(made)), hoisted=True)
        body, captured = builder.finish(number)
        if isinstance(container.type, Set):  # equal numbers would be one
            draft = Draft(totuple.__name__, [container], Seq(container.type.item), 1, can_fail=container.can_fail)
            container = context.emit(draft, hoisted=True)
        return self.emit(context, spec.name, function, [container], captured, [(body, captured)], Seq(INT))

    def _items_of(self, container: Ref) -> list[Ref]:
        """The items of a container outside of loops, where they are known one by one."""
        if container.constant:
            return [self.top.constant(item, _item(container.type)) for item in ordered(container.value)]
        if isinstance(container.type, Tup) and len(container.type.parts) == len(_ENDS):
            drafts = [
                Draft(end.__name__, [container], part, 1, can_fail=container.can_fail)
                for end, part in zip(_ENDS, container.type.parts, strict=True)
            ]
            return [self.top.emit(draft, hoisted=True) for draft in drafts]
        return []

    def _written_out(self, function: Known, items: list[Ref]) -> list[Known]:
        """The functions a function makes of items; what that costs is counted elsewhere."""
        made: list[Known] = []
        for item in items:
            one = self.closures.function(self._made(self.top, function, [item]))
            if not isinstance(one, Known) or one.name == CHOICE:
                raise UnresolvedError("a container of functions that are not known when compiling")
            made.append(one)
        return made

    def _made(self, context: Context, maker: Known, items: list[Value]) -> Value:
        """What a function makes of an item, again: the loop that made it was charged for that."""
        with context.uncounted():
            return self.call(context, maker, items)

    def _body_of_zero(self, context: Context, function: Known | Native, kind: Type) -> tuple[Body, list[Ref]] | None:
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
            made = self._made(inner, mapped.function, args)
            return self.call(inner, function, [made])

        return self._over_mapped(context, spec, mapped, function, Native(build), [])

    def _each_function(self, context: Context, spec: OpSpec, args: list[Value]) -> Value:
        """Each function of a value: functions written out, chosen when the program runs, or made from items."""
        name = spec.name
        functions, value = args
        given = self._ref(context, value, name)
        if isinstance(functions, Mapped):
            return self._over_mapped(
                context, spec, functions, functions.function, self._calling(functions.function, value), [given]
            )
        container = self._ref(context, functions, name)
        if NEVER in (container.type, given.type):
            return failed(context, [container, given])
        if not _is_container(container.type):
            return context.emit(Draft(name, [container, given], NEVER, 2))
        members = self.closures.members(container)
        if not members:
            native = self._calling(None, value)
            return self._over(context, spec, container, Known("bound", ()), native, [given])
        built, kind = self._bodies_of(context, name, members, value)
        bound = Known("bound", (container, *members) if container.may_fail else members)
        captures = [ref for _, refs in built for ref in refs]
        made: Type = Set(kind) if isinstance(container.type, Set) else Seq(kind)
        self.closures.check_sets(made)
        return self.emit(context, name, bound, [given], captures, built, made)

    def _calling(self, maker: Known | None, value: Value) -> Native:
        """A call, with a value, of the function that an item is, or that is made of it."""

        def build(inner: Context, items: list[Value]) -> Value:
            made = self.closures.function(self._made(inner, maker, items) if maker else items[0])
            if isinstance(made, Either):
                raise UnresolvedError("a call of a value that is one of two types")
            return self.call(inner, made, [value]) if isinstance(made, Known) else failed(inner, [made])

        return Native(build)

    def _bodies_of(
        self, context: Context, name: str, members: tuple[Known, ...], value: Value
    ) -> tuple[list[tuple[Body, list[Ref]]], Type]:
        """A body for each of some functions of a value, and the type they give.

        Functions that give functions are called around the loop instead, so that what those are made of is there.
        """
        built: list[tuple[Body, list[Ref]]] = []
        kind: Type = NEVER
        for member in members:
            builder = BodyBuilder(context, ())
            result = self.call(builder, member, [value])
            if not isinstance(result, Ref) or not self.closures.in_context(result.type, builder):
                made_for, builder = builder.base, BodyBuilder(context, ())
                builder.base = made_for
                result = self._ref(context, self.call(context, member, [value]), name)
            wider = join(kind, result.type)
            if wider is None:
                raise UnresolvedError(f"{name} of functions that give different types")
            kind = wider
            built.append(builder.finish(result))
        return built, kind

    def _over_mapped(
        self, context: Context, spec: OpSpec, mapped: Mapped, bound: Known, native: Native, extra: list[Ref]
    ) -> Value:
        counted = (mapped.counted,) if mapped.counted else ()
        holder = Known("bound", (mapped.function, *counted, bound))
        return self._over(context, spec, mapped.container, holder, native, extra)

    def _over(
        self, context: Context, spec: OpSpec, container: Ref, holder: Known, native: Native, extra: list[Ref]
    ) -> Value:
        """A loop over functions, one for each item of a container; `holder` has what is bound into them."""
        over = container.type
        body, captured, result = self.body(context, native, (_item(over),))
        if not isinstance(result, Ref):
            raise UnresolvedError(f"{spec.name} of functions that give functions")
        merges = spec.loop is not None and spec.loop.gives is Gives.CONTAINER
        item = _item(result.type) if merges and result.type != NEVER else result.type
        kind: Type = Set(item) if isinstance(over, Set) else Seq(item)
        self.closures.check_sets(kind)
        containers = [container, *extra]
        return self.emit(context, spec.name + ON_FUNCTIONS, holder, containers, captured, [(body, captured)], kind)


def _is_container(kind: Type) -> bool:
    return isinstance(kind, (Set, Seq, Tup)) or kind == GRID


def _item(kind: Type) -> Type:
    seq = kind if isinstance(kind, Set) else as_seq(kind)
    if seq is None:
        raise UnresolvedError(f"a loop over {kind}")
    return seq.item


def placed(body: Body, captured: list[Ref], args: list[Ref]) -> Body:
    """The body with its captures placed among the arguments of its owner."""
    places = {(ref.context.level, ref.index): place for place, ref in enumerate(args)}
    return body._replace(captures=tuple(places[ref.context.level, ref.index] for ref in captured))
