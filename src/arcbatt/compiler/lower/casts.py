"""Which types lie alike in memory, and between which the interpreter's CAST knows the way."""

from __future__ import annotations

from arcbatt.compiler.lower.layout import plain_form
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, NEVER, OPT_INT, ROWS, Seq, Set, Tup, Type, join


def different(a: Type, b: Type) -> bool:
    """Whether two types lie differently in memory."""
    return plain_form(a) != plain_form(b)


def castable(a: Type, b: Type) -> bool:
    """Whether CAST knows the way."""
    a, b = plain_form(a), plain_form(b)
    if a == b or (a == GRID and b == ROWS) or (b == GRID and a in (ROWS, Seq(Seq(OPT_INT)))):
        return True
    if isinstance(a, Seq) and isinstance(b, Set):
        return a.item == b.item
    if isinstance(a, Seq) and b == IJ:
        return a.item in (INT, OPT_INT)
    if type(a) is type(b) and isinstance(a, (Set, Seq)) and isinstance(b, (Set, Seq)):
        return _same_numbers(a.item, b.item)
    if isinstance(a, Tup) and isinstance(b, Tup):
        return _same_numbers(a, b)
    if {a, b} <= {INT, OPT_INT}:
        return True
    if isinstance(b, Seq) and isinstance(a, Tup) and a != CELL:
        return all(part == b.item for part in a.parts)
    return False


def joinable(a: Type, b: Type) -> bool:
    """Whether a value of one type can serve where another is wanted."""
    return a == NEVER or join(a, b) is not None or castable(a, b)


def costs_differ(given: Type, wanted: Type) -> bool:
    """Whether another form of an argument has another size: a set made of a tuple may have fewer items."""
    if wanted == BOOL:
        return given not in (INT, BOOL, OPT_INT)
    return isinstance(given, (Seq, Tup)) and isinstance(wanted, Set)


def _same_numbers(a: Type, b: Type) -> bool:
    """Whether two types hold the same numbers one after the other, but for None."""
    return _numbers(a) is not None and _numbers(a) == _numbers(b)


def _numbers(kind: Type) -> int | None:
    """How many numbers a value is, where it is nothing else."""
    if kind in (INT, OPT_INT):
        return 1
    if isinstance(kind, Tup):
        counts = [_numbers(part) for part in kind.parts]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None
    return None
