"""Types of what a program may or may not hold: several at once, for the generator alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Final

from arcbatt.language.types import BOOL, CELL, IJ, INDICES, INT, OBJECT, OPT_INT, Seq, Set, Tup, Type

_MOST: Final = 4
"""Ways to read a type that are looked at."""


@dataclass(frozen=True, slots=True)
class Union(Type):
    """Any of several types; fits a type variable and, by itself, nothing else."""

    members: tuple[Type, ...]


def union(types: Iterable[Type]) -> Type:
    """The type of a value that is of one of these."""
    members: dict[Type, None] = {}
    for one in types:
        members |= dict.fromkeys(one.members if isinstance(one, Union) else (one,))
    found = tuple(members)[:_MOST]
    return found[0] if len(found) == 1 else Union(found)


@cache
def readings(term: Type) -> tuple[Type, ...]:
    """The types without unions that a value of a type may have, the first few."""
    match term:
        case Union(members):
            return tuple(islice((one for member in members for one in readings(member)), _MOST))
        case Set(item):
            return tuple(map(Set, readings(item)))
        case Seq(item):
            return tuple(map(Seq, readings(item)))
        case Tup(parts):
            return tuple(Tup(found) for found in islice(product(*map(readings, parts)), _MOST))
    return (term,)


NEAR: Final[dict[Type, tuple[Type, ...]]] = {
    OBJECT: (INDICES,),
    INDICES: (OBJECT, Seq(IJ)),
    INT: (BOOL, OPT_INT, IJ),
    BOOL: (INT,),
    IJ: (CELL, INT),
    CELL: (IJ,),
    Set(INT): (Seq(INT), INDICES),
    Seq(INT): (Set(INT), IJ),
    Set(OBJECT): (Set(INDICES), OBJECT),
    Set(INDICES): (Set(OBJECT), INDICES),
}
"""Types that people mix, since many primitives take either."""
