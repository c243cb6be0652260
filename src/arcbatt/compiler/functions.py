"""Function values at compile time: what is known of a function before any value is.

Every function in a program is a primitive, a combinator over known parts, or one of several such that is chosen when
the program runs; the parts may be values that are only known then. `Known` mirrors the reference's function values:
same arity, depth and size limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from arcbatt.compiler.context import Ref, UnresolvedError
from arcbatt.language.limits import MAX_DEPTH, MAX_FUNCTION_CALLS
from arcbatt.language.spec import Cost, Kind, OpSpec
from arcbatt.language.table import current

CHOICE: Final = "one of"
"""In place of a combinator's name: the first part says which of the others it is."""

_OF_DIFFERENT_NUMBERS: Final = -100
"""In place of how many arguments a choice takes."""


@dataclass(frozen=True, slots=True)
class Known:
    """A function: a primitive by name, a combinator with its parts, or a choice."""

    name: str
    parts: tuple[Value, ...] = ()
    arity: int = 0
    depth: int = 1
    calls: int = 1

    def values(self) -> Iterator[Ref]:
        """Every value bound into the function, at any depth; a call fails where one has failed.

        Of a choice that is what says which: values bound into a function that is not chosen do not matter.
        """
        for part in self.parts[:1] if self.name == CHOICE else self.parts:
            if isinstance(part, Ref):
                yield part
            else:
                yield from part.values()

    def refs(self) -> Iterator[Ref]:
        """Every value it is made of, those of functions that may not be chosen included."""
        for part in self.parts:
            if isinstance(part, Ref):
                yield part
            else:
                yield from part.refs()


@dataclass(frozen=True, slots=True)
class Mapped:
    """Functions made from the items of a container, one each: apply(lbind(lbind, shift), patches), say."""

    container: Ref
    function: Known
    counted: Ref | None
    """What making them costs: it fails where making one does, or all take too many steps. None where it cannot."""

    def values(self) -> Iterator[Ref]:
        """The container, and what is bound into the function that makes the functions."""
        yield self.container
        if self.counted:
            yield self.counted
        yield from self.function.values()

    def refs(self) -> Iterator[Ref]:
        """Every value it is made of."""
        yield self.container
        if self.counted:
            yield self.counted
        yield from self.function.refs()


@dataclass(frozen=True, slots=True)
class Either:
    """One of two values whose types have nothing in common, by a condition; what uses it is done to both.

    With `strict`, from `branch` of values: either's failure fails it. Without, from a call of one of two functions.
    """

    condition: Ref
    left: Ref
    right: Ref
    strict: bool

    def values(self) -> Iterator[Ref]:
        """What it depends on."""
        yield from (self.condition, self.left, self.right)

    def refs(self) -> Iterator[Ref]:
        """Every value it is made of."""
        return self.values()


@dataclass(frozen=True, slots=True)
class Native:
    """A function the compiler itself makes, for use inside a loop it builds."""

    build: Callable[[Any, list[Any]], Any] = field(compare=False)


Value = Ref | Known | Mapped | Either


def primitive(name: str) -> Known:
    """A primitive as a function."""
    return Known(name, (), current().op(name).arity)


def choice(which: Ref, functions: tuple[Known, ...]) -> Known:
    """One of some functions, which a number says when the program runs."""
    arities = {function.arity for function in functions}
    arity = functions[0].arity if len(arities) == 1 else _OF_DIFFERENT_NUMBERS
    depth = max(function.depth for function in functions)
    return Known(CHOICE, (which, *functions), arity, depth, max(function.calls for function in functions))


Extent = tuple[int, int]
"""Of the functions that a value is or holds: at most how many stand inside one another, and primitives in them."""


def together(extents: Iterable[Extent]) -> Extent:
    """The extent of what holds all of these."""
    depths, calls = [0], [0]
    for depth, count in extents:
        depths.append(depth)
        calls.append(count)
    return max(depths), sum(calls)


def making(parts: int) -> int:
    """The steps that making a function of so many parts takes."""
    return 2 + parts


def combined(spec: OpSpec, parts: tuple[Value, ...], extent: Extent) -> Known:
    """What a combinator makes of its parts, which together have an extent, within the limits of the language."""
    made = spec.combinator
    assert made is not None
    functions = [part for part in parts[: made.functions] if isinstance(part, Known)]
    if len(functions) != made.functions:
        raise UnresolvedError(f"{spec.name} takes a function that is not known when compiling")
    if made.binds and functions[0].arity == _OF_DIFFERENT_NUMBERS:
        raise UnresolvedError("a choice of functions that take different numbers of arguments")
    arity = functions[0].arity - 1 if made.binds else 1
    depth, calls = extent[0] + 1, extent[1] + made.calls
    if depth > MAX_DEPTH or calls > MAX_FUNCTION_CALLS:
        raise UnresolvedError(f"{spec.name} makes a function beyond the limits")
    return Known(spec.name, parts, arity, depth, calls)


def is_cheap(function: Known) -> bool:
    """Whether all it calls are primitives whose steps grow with the sizes of their arguments: no loops, no powers."""
    if function.name == CHOICE:
        return False
    made = current().op(function.name).combinator
    if made is not None and made.repeats:
        return False
    if function.parts:
        return all(is_cheap(part) for part in function.parts if isinstance(part, Known))
    spec = current().op(function.name)
    return spec.kind is Kind.PLAIN and spec.cost is Cost.LINEAR
