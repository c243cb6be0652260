"""Function values at compile time: what is known of a function before any value is.

Every function in a program is a primitive, or a combinator over known parts; the parts may be values that are only
known when the program runs. `Known` mirrors the reference's function values: same arity, depth and size limits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from arcbatt.compiler.context import Ref, UnresolvedError
from arcbatt.language.limits import MAX_DEPTH, MAX_FUNCTION_CALLS
from arcbatt.language.spec import OpSpec
from arcbatt.language.table import current


@dataclass(frozen=True, slots=True)
class Known:
    """A function: a primitive by name, or a combinator with its parts."""

    name: str
    parts: tuple[Value, ...] = ()
    arity: int = 0
    depth: int = 1
    calls: int = 1

    def values(self) -> Iterator[Ref]:
        """Every value bound into the function, at any depth."""
        for part in self.parts:
            if isinstance(part, Ref):
                yield part
            else:
                yield from part.values()


@dataclass(frozen=True, slots=True)
class Static:
    """A set or tuple written out in the program whose items are functions, or pairs of such; a set's in order."""

    members: tuple[Known | Static, ...]
    is_set: bool

    def values(self) -> Iterator[Ref]:
        """Every value bound into its functions."""
        for member in self.members:
            yield from member.values()


@dataclass(frozen=True, slots=True)
class Mapped:
    """Functions made from the items of a container, one each: apply(lbind(lbind, shift), patches), say."""

    container: Ref
    function: Known

    def values(self) -> Iterator[Ref]:
        """The container, and what is bound into the function that makes the functions."""
        yield self.container
        yield from self.function.values()


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


@dataclass(frozen=True, slots=True)
class Native:
    """A function the compiler itself makes, for use inside a loop it builds."""

    build: Callable[[Any, list[Any]], Any] = field(compare=False)


Value = Ref | Known | Static | Mapped | Either


def primitive(name: str) -> Known:
    """A primitive as a function."""
    return Known(name, (), current().op(name).arity)


def combined(spec: OpSpec, parts: tuple[Value, ...], times: int = 1) -> Known:
    """What a combinator makes of its parts, within the limits of the language; `times` is a known power."""
    made = spec.combinator
    assert made is not None
    functions: list[Known] = []
    for part in parts[: made.functions]:
        if not isinstance(part, Known):
            raise UnresolvedError(f"{spec.name} takes a function that is not known when compiling")
        functions.append(part)
    arity = functions[0].arity - 1 if made.binds else 1
    functions += [part for part in parts[made.functions :] if isinstance(part, Known)]
    depth = 1 + max(function.depth for function in functions)
    calls = times * sum(function.calls for function in functions) + made.calls
    if depth > MAX_DEPTH or calls > MAX_FUNCTION_CALLS:
        raise UnresolvedError(f"{spec.name} makes a function beyond the limits")
    return Known(spec.name, parts, arity, depth, calls)
