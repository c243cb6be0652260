"""Functions as data: where a program keeps functions in containers or chooses among them when it runs.

A function that is handled as a value is a number: its place among all functions that are, in the language's order as
far as that is known when compiling. A value's type says which numbers it may be (`Closure`), so a call of it is a
choice among those. What is bound into a function stays where it is computed; the number does not carry it.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

from arcbatt.compiler.context import Context, Draft, Ref, UnresolvedError, const_args
from arcbatt.compiler.failing import unique
from arcbatt.compiler.functions import CHOICE, Extent, Known, Value, choice, together
from arcbatt.compiler.graph import CONST, PRIMITIVE, Graph
from arcbatt.compiler.typed import GUARD
from arcbatt.language.failures import Fail
from arcbatt.language.functions import Function
from arcbatt.language.spec import Does, OpSpec
from arcbatt.language.table import current
from arcbatt.language.types import NEVER, Closure, Seq, Set, Tup, Type, closures, join, type_of_constant
from arcbatt.language.values import nesting_of, ordered, rank

_HOW_MANY = "a function with functions bound into it, how many is not known when compiling"
_UNKNOWN: Any = object()
"""In place of a value that is not known when compiling."""
_COMPARES = frozenset({Does.COMPARE, Does.SEARCH, Does.SUBTRACT, Does.OF_ITEMS})


def code_of(number: int) -> Function:
    """The constant that stands for a function: like nothing but a function, in the order of numbers."""
    return Function(f"{number:08}", (), 0)


def number_of(code: Function) -> int:
    """The number of a constant that stands for a function."""
    return int(code.name)


class Closures:
    """The functions of a graph that are handled as values, by number."""

    def __init__(self, graph: Graph, top: Context) -> None:
        self.top = top
        self._members: dict[int, tuple[Known, ...]] = {}
        """Of containers outside of loops that may have failed, the functions in them."""
        self._functions: dict[int, Known] = {}
        self._numbers: dict[Any, int] = {key: at for at, key in enumerate(_written_out(graph), 1)}
        self._next = len(self._numbers) + 1
        self._nodes: dict[int, str] = {}
        """Of nodes of the typed graph, a name of the node of the merged graph they came from."""
        self._in_order: dict[frozenset[int], bool] = {}

    def met(self, index: int, value: Value | UnresolvedError) -> None:
        """Note what a node of the merged graph is."""
        if isinstance(value, Ref) and not value.constant:
            self._nodes.setdefault(value.index, _not_known(index))

    def _key(self, value: Value) -> Any:
        """What tells a function from every other."""
        if isinstance(value, Known):
            return (value.name, tuple(map(self._key, value.parts)))
        if not isinstance(value, Ref):
            return (type(value).__name__, id(value))
        if value.constant:
            return const_args(value.value, value.type)[:2]
        if value.context is self.top and value.index in self._nodes:
            return (self._nodes[value.index], ())
        return (id(value.context), value.index)

    def value(self, context: Context, function: Known, *, guarded: bool = True) -> Ref:
        """A function as a value; failed where a value bound into it has failed."""
        if function.name == CHOICE:
            which = function.parts[0]
            assert isinstance(which, Ref)
            return which
        number = self._numbers.setdefault(self._key(function), self._next)
        self._next = max(self._next, number + 1)
        self._functions.setdefault(number, function)
        kind = Closure(frozenset((number,)))
        code = context.constant(code_of(number), kind)
        bound = [ref for ref in function.values() if ref.may_fail and ref.context.level >= context.loop_level]
        if not bound or not guarded:
            return code
        return context.emit(Draft(GUARD, [code, *bound], kind, 1 + len(bound)))

    def function(self, value: Value) -> Value:
        """The function a value is, where it is one; any other value as it is."""
        if not isinstance(value, Ref) or not isinstance(value.type, Closure):
            return value
        if value.constant:
            return self._functions[number_of(value.value)]
        found = tuple(self._functions[number] for number in sorted(value.type.numbers))
        return found[0] if len(found) == 1 and not value.may_fail else choice(value, found)

    def codes(self, context: Context, which: Ref, function: Known) -> list[Ref]:
        """What a value is where it is a function, which may have several numbers."""
        assert isinstance(which.type, Closure)
        key = self._key(function)
        numbers = [number for number in sorted(which.type.numbers) if self._key(self._functions[number]) == key]
        return [context.constant(code_of(number), Closure(frozenset((number,)))) for number in numbers]

    def container(self, functions: list[Known], counted: Ref | None, *, is_set: bool) -> Ref:
        """A container of functions outside of loops; failed where making them, or what is bound into one, failed."""
        refs = [self.value(self.top, function, guarded=False) for function in functions]
        if is_set and not self._ordered(frozenset(number_of(ref.value) for ref in refs)):
            refs = [self._anew(function) for function in functions]
        item: Type = NEVER
        for ref in refs:
            item = join(item, ref.type) or NEVER
        codes = [ref.value for ref in refs]
        if is_set and len(set(codes)) < len(codes):
            raise UnresolvedError("a set of functions some of which are equal")
        kind = Set(item) if is_set else Seq(item)
        self.check_sets(kind)
        made = self.top.constant(frozenset(codes) if is_set else tuple(codes), kind)
        bound = unique(ref for function in functions for ref in function.values() if ref.may_fail)
        if counted:
            bound.append(counted)
        if bound:
            members = self.members(made)
            made = self.top.emit(Draft(GUARD, [made, *bound], kind, 1 + len(bound)))
            self._members[made.index] = members or ()
        return made

    def members(self, container: Ref) -> tuple[Known, ...] | None:
        """The functions in a container, in order, where just which they are is known."""
        if container.context is self.top and container.index in self._members:
            return self._members[container.index]
        if container.constant and isinstance(container.value, (tuple, frozenset)):
            codes = ordered(container.value)
            if all(isinstance(code, Function) for code in codes):
                return tuple(self._functions[number_of(code)] for code in codes)
        if isinstance(container.type, Tup):
            parts = [part for part in container.type.parts if isinstance(part, Closure) and len(part.numbers) == 1]
            if len(parts) == len(container.type.parts):
                return tuple(self._functions[number] for part in parts for number in part.numbers)
        return None

    def extent(self, value: Value) -> Extent:
        """The extent of the functions that a value is or holds; refused where only running tells how many it holds."""
        if isinstance(value, Known):
            return value.depth, value.calls
        if not isinstance(value, Ref):
            raise UnresolvedError(_HOW_MANY)
        members = self.members(value)
        if members is None and value.constant:
            members = tuple(self._functions[number_of(code)] for code in nesting_of(value.value)[1])
        return self._extent_of_type(value.type) if members is None else together(map(self.extent, members))

    def _extent_of_type(self, kind: Type) -> Extent:
        """The extent that a value of a type has at most."""
        match kind:
            case Closure(numbers):
                extents = [self.extent(self._functions[number]) for number in numbers]
                return max(depth for depth, _ in extents), max(calls for _, calls in extents)
            case Set(Closure(numbers)):
                return together(self.extent(self._functions[number]) for number in numbers)
            case Tup(parts):
                return together(map(self._extent_of_type, parts))
        if any(closures(kind)):
            raise UnresolvedError(_HOW_MANY)
        return 0, 0

    def in_context(self, kind: Type, context: Context) -> bool:
        """Whether no function a value of this type may be is made of values inside a body."""
        refs = [ref for numbers in closures(kind) for number in numbers for ref in self._functions[number].refs()]
        return all(ref.context.level < context.level for ref in refs)

    def check(self, spec: OpSpec, args: tuple[Type, ...], result: Type) -> None:
        """Refuse a call whose outcome depends on how functions compare, where only running would tell."""
        if spec.does in _COMPARES:
            self._need_order(frozenset().union(*(numbers for kind in args for numbers in closures(kind))))
        if spec.does is not Does.SINGLE:  # a set of one has no order
            self.check_sets(result)

    def check_sets(self, kind: Type) -> None:
        """Refuse sets of functions whose order is not known."""
        match kind:
            case Set(item):
                for numbers in closures(item):
                    self._need_order(numbers)
            case Seq(item):
                self.check_sets(item)
            case Tup(parts):
                for part in parts:
                    self.check_sets(part)

    def _need_order(self, numbers: frozenset[int]) -> None:
        if not self._ordered(numbers):
            raise UnresolvedError("functions whose order is not known when compiling")

    def _ordered(self, numbers: frozenset[int]) -> bool:
        """Whether the numbers of functions are known to be in the order of the functions."""
        if numbers not in self._in_order:
            found = [self._functions[number] for number in sorted(numbers)]
            self._in_order[numbers] = all(_order(a, b) == -1 for a, b in pairwise(found))
        return self._in_order[numbers]

    def _anew(self, function: Known) -> Ref:
        """A function under one more number, behind all others."""
        number = self._next
        self._next += 1
        self._functions[number] = function
        return self.top.constant(code_of(number), Closure(frozenset((number,))))


def _written_out(graph: Graph) -> list[Any]:
    """Every primitive, and the functions written out in programs that values are made of: keys in order."""
    values: list[Any] = []
    """Of each node its value, as far as it is known."""
    ops = current().ops
    made: set[Function] = {Function(name, (), spec.arity) for name, spec in ops.items()}
    for node in graph.nodes:
        values.append(_UNKNOWN)
        spec = ops.get(node.op)
        if node.op == CONST:
            values[-1] = node.args[1]
        elif node.op == PRIMITIVE:
            values[-1] = Function(node.args[0], (), ops[node.args[0]].arity)
        elif spec is not None and spec.combinator:
            made.update(values[arg] for arg in node.args[spec.combinator.functions :] if _is_known(values[arg]))
            with suppress(Fail):
                values[-1] = spec.reference(*(_value_of(values, arg) for arg in node.args))
        elif spec is not None and spec.generic:
            made.update(values[arg] for arg in node.args if _is_known(values[arg]))
    return [_key_of_value(function) for function in sorted(made, key=rank)]


def _value_of(values: list[Any], index: int) -> Any:
    """The value of a node, or a function that stands for it."""
    return Function(_not_known(index), (), 0) if values[index] is _UNKNOWN else values[index]


def _not_known(index: int) -> str:
    """The name of what stands for the value of a node that is not known when compiling."""
    return f"?{index}"


def _is_known(value: Any) -> bool:
    return isinstance(value, Function) and not value.name.startswith("?")


def _key_of_value(value: Any) -> Any:
    if isinstance(value, Function):
        return (value.name, tuple(map(_key_of_value, value.parts)))
    return const_args(value, type_of_constant(value))[:2]


def _order(a: Value, b: Value) -> int | None:
    """-1, 0 or 1 as the language orders two functions or values, None where only running tells."""
    if isinstance(a, Known) and isinstance(b, Known):
        if CHOICE in (a.name, b.name):
            return None
        if a.name != b.name or not (a.parts and b.parts):
            return _compared((a.name, len(a.parts)), (b.name, len(b.parts)))
        orders = (_order(x, y) for x, y in zip(a.parts, b.parts, strict=True))
        return next((order for order in orders if order != 0), 0)
    if not (isinstance(a, Ref) and isinstance(b, Ref)):
        return None
    if a.constant and b.constant:
        return _compared(rank(a.value), rank(b.value))
    return 0 if (a.context, a.index) == (b.context, b.index) else None


def _compared(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)
