"""Types as native/core/digest.h reads them: a few words for each, nesting kept."""

from __future__ import annotations

from typing import Final

from arcbatt.compiler.abi import K_CELL, K_GRID, K_IJ, K_INT, K_OPT, K_SEQ, K_SET, K_TUP, constant
from arcbatt.compiler.lower.layout import plain_form
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, NEVER, OPT_INT, Seq, Set, Tup, Type

_BOOL_BITS: Final = constant("BOOL_BITS")
_SINGLE: Final = {INT: K_INT, NEVER: K_INT, OPT_INT: K_OPT, IJ: K_IJ, CELL: K_CELL, GRID: K_GRID}


def shape_of(kind: Type) -> list[int]:
    """The shape of a type that has a form in bytecode."""
    return _shape(plain_form(kind))[0]


def typed_shape(kind: Type) -> list[int]:
    """The shape with a bit, from BOOL_BITS on, for each number of a scalar that is a boolean."""
    plain = plain_form(kind)
    if plain in (INT, IJ, CELL):
        bits = sum(1 << place for place, leaf in enumerate(_leaves(kind)) if leaf == BOOL)
        return [_SINGLE[plain] | bits << _BOOL_BITS]
    if isinstance(kind, Set | Seq):
        inner = typed_shape(kind.item)
        return [*_shape(plain)[0][:2], len(inner), *inner]
    if isinstance(kind, Tup):
        return [K_TUP, len(kind.parts), *(word for part in kind.parts for word in typed_shape(part))]
    return _shape(plain)[0]


def _leaves(kind: Type) -> list[Type]:
    return [leaf for part in kind.parts for leaf in _leaves(part)] if isinstance(kind, Tup) else [kind]


def _shape(kind: Type) -> tuple[list[int], int]:
    """The shape, and how many words an item of the type takes."""
    if kind in _SINGLE:
        return [_SINGLE[kind]], 2 if kind == GRID else 1
    if isinstance(kind, Set | Seq):
        inner, words = _shape(kind.item)
        return [K_SET if isinstance(kind, Set) else K_SEQ, words, len(inner), *inner], 2
    assert isinstance(kind, Tup), kind
    parts = [_shape(part) for part in kind.parts]
    return [K_TUP, len(parts), *(word for part, _ in parts for word in part)], sum(words for _, words in parts)
