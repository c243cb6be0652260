"""Sets and tuples of functions that are written out in a program: what plain primitives make of them."""

from __future__ import annotations

from typing import Any

from arcbatt.compiler.context import Ref, UnresolvedError
from arcbatt.compiler.functions import Known, Static, Value
from arcbatt.language.spec import Does, OpSpec
from arcbatt.language.values import rank


def of_functions(spec: OpSpec, args: list[Value]) -> Value:
    """A plain primitive of functions or of containers of functions, done when compiling."""
    match spec.does, args:
        case Does.SAME, [Known() | Static() as value]:
            return value
        case Does.SINGLE, [Known() | Static() as value]:
            return Static((value,), is_set=True)
        case Does.INSERT, [Known() | Static() as value, Static(members, True)]:
            return _set_of((*members, value))
        case Does.PAIR, [Known() | Static() as one_part, Known() | Static() as other_part]:
            return Static((one_part, other_part), is_set=False)
        case Does.JOIN, [Static(one, is_set), Static(two, _)]:
            return _set_of((*one, *two)) if is_set else Static((*one, *two), is_set=False)
        case Does.PRODUCT, [Static(one, _), Static(two, _)]:
            return _set_of(tuple(Static((a, b), is_set=False) for a in one for b in two))
        case Does.TUPLE, [Static(members, _)]:
            return Static(members, is_set=False)
        case Does.NTH, [Static(members, _)] if spec.generic and spec.generic.place is not None:
            if -len(members) <= spec.generic.place < len(members):
                return members[spec.generic.place]
    raise UnresolvedError(f"{spec.name} takes a function where a value is expected")


def static(members: tuple[Value, ...], is_set: bool) -> Static:
    """Functions just made, as a set or tuple."""
    known = tuple(member for member in members if isinstance(member, (Known, Static)))
    if len(known) != len(members):
        raise UnresolvedError("apply gives values and functions")
    return _set_of(known) if is_set else Static(known, is_set=False)


def _set_of(members: tuple[Known | Static, ...]) -> Static:
    """A set in the order of the language, where what is written decides it."""
    keyed = {_rank(member): member for member in members}
    return Static(tuple(keyed[key] for key in sorted(keyed)), is_set=True)


def _rank(value: Value) -> tuple[Any, ...]:
    """The reference's order of functions, where it can be known when compiling."""
    if isinstance(value, Ref):
        if not value.constant:
            raise UnresolvedError("a set of functions whose order is not known when compiling")
        return rank(value.value)
    if isinstance(value, Static):
        return (3 if value.is_set else 2, tuple(map(_rank, value.members)))
    if isinstance(value, Known):
        return (4, value.name, tuple(map(_rank, value.parts)))
    raise UnresolvedError("a set of functions whose order is not known when compiling")
