"""What type a plain value has, as the engine would take it for an argument."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, NEVER, OPT_INT, Seq, Set, Tup, Type, join

_LOOKED_AT: Final = 8
"""Items of a container that are looked at; whether all of them are alike is seen when they are packed."""


def type_of(value: Any) -> Type | None:
    """The type of a value, judged by its first items; None where it has none (a function, a list, text)."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if value is None:
        return OPT_INT
    if isinstance(value, frozenset):
        item = _joined(value)
        return None if item is None else Set(item)
    if isinstance(value, tuple):
        return _tuple_type(value)
    return None


def _tuple_type(value: tuple[Any, ...]) -> Type | None:
    if (not value or _is_row(value[0])) and all(_is_row(row) and len(row) == len(value[0]) for row in value):
        return GRID
    if len(value) == 2:
        parts = [type_of(part) for part in value]
        if parts == [INT, INT]:
            return IJ
        if parts == [INT, IJ]:
            return CELL
        known = tuple(part for part in parts if part)
        return Tup(known) if len(known) == 2 else None
    item = _joined(value)
    if item is not None:
        return Seq(item)
    parts = [type_of(part) for part in value]
    known = tuple(part for part in parts if part)
    return Tup(known) if len(known) == len(parts) else None


def _is_row(value: Any) -> bool:
    return isinstance(value, tuple) and set(map(type, value)) <= {int}


def _joined(items: Iterable[Any]) -> Type | None:
    """The type that holds the first of the items, or None."""
    kind: Type | None = NEVER
    for item in islice(items, _LOOKED_AT):
        one = type_of(item)
        kind = join(kind, one) if kind and one else None
        if kind is None:
            return None
    return kind


def with_items(kind: Type, item: Type) -> Type:
    """The type with items of containers that were all empty taken to be of another type."""
    match kind:
        case Set(inner):
            return Set(with_items(inner, item))
        case Seq(inner):
            return Seq(with_items(inner, item))
        case Tup(parts):
            return Tup(tuple([with_items(part, item) for part in parts]))
    return item if kind == NEVER else kind


def common_types(rows: Iterable[tuple[Any, ...]]) -> tuple[Type, ...] | None:
    """The types of the arguments of calls, judged by the first of them; None where the first has none."""
    found: tuple[Type, ...] | None = None
    for row in islice(rows, _LOOKED_AT):
        kinds = [type_of(value) for value in row]
        known = tuple(kind for kind in kinds if kind)
        if len(known) != len(kinds):
            break
        if found is None:
            found = known
            continue
        joined = [join(a, b) for a, b in zip(found, known, strict=True)]
        wider = tuple(kind for kind in joined if kind)
        if len(wider) != len(found) or (any(kind == GRID for kind in found) and wider != found):
            break
        found = wider
    return found
