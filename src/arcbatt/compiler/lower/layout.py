"""How types lie in memory, and constants as words, as native/core/types.h and native/core/values.h have them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from arcbatt.compiler.abi import K_CELL, K_GRID, K_IJ, K_INT, K_OPT, K_SEQ, K_SET, K_TUP, constant
from arcbatt.compiler.closures import number_of
from arcbatt.errors import ArcbattError
from arcbatt.language.functions import Function
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, NEVER, OPT_INT, Closure, Seq, Set, Tup, Type
from arcbatt.language.values import ordered

_MAX_ITEM_WORDS: Final = constant("MAX_ITEM_WORDS")
_MAX_TUPLE_WORDS: Final = constant("MAX_TUPLE_WORDS")
_MAX_TYPE_DEPTH: Final = constant("MAX_TYPE_DEPTH")
_MASK: Final = 0xFFFFFFFF
_NONE: Final = constant("NONE") & _MASK
_IJ_BITS, _PLACE_BITS, _COLOUR_BITS = map(constant, ("IJ_BITS", "PLACE_BITS", "COLOUR_BITS"))
_SCALARS: Final = {
    INT: (K_INT, 1, 1),
    BOOL: (K_INT, 1, 1),
    OPT_INT: (K_OPT, 1, 1),
    IJ: (K_IJ, 2, 2),
    CELL: (K_CELL, 3, 3),
}


class LowerError(ArcbattError):
    """Why a node has no form in bytecode; its programs run on the dynamic tier."""


class TypeRow(NamedTuple):
    """A row of the table, as `abi.TYPE_DESC` says."""

    kind: int
    item: int
    slot_words: int
    item_words: int
    leaves: int
    flat_first: int
    flat_count: int
    scalar: int


@dataclass
class TypeTable:
    """Types by number, as the interpreter sees them."""

    numbers: dict[Type, int] = field(default_factory=dict)
    rows: list[TypeRow] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    _asked: dict[Type, int] = field(default_factory=dict)
    """Of every type asked for, in whatever form, its number."""

    def number(self, kind: Type) -> int:
        """The number of a type, added if it is new; raises LowerError where it has no form."""
        known = self._asked.get(kind)
        if known is None:
            known = self._asked[kind] = self._number(plain_form(kind))
        return known

    def _number(self, kind: Type) -> int:
        if kind in self.numbers:
            return self.numbers[kind]
        if depth(kind) > _MAX_TYPE_DEPTH:
            raise LowerError(f"values nested too deep: {kind}")
        row = self._row(kind)
        if row.item_words > _MAX_TUPLE_WORDS:
            raise LowerError(f"a tuple of too many parts: {kind}")
        if row.kind in (K_SET, K_SEQ) and not self.is_narrow(row.item):
            raise LowerError(f"items of too many parts: {kind}")
        self.numbers[kind] = len(self.rows)
        self.rows.append(row)
        return self.numbers[kind]

    def _row(self, kind: Type) -> TypeRow:
        if kind == NEVER:
            kind = INT  # never there; any form will do
        if kind in _SCALARS:
            code, slot, leaves = _SCALARS[kind]
            return TypeRow(code, 0, slot, 1, leaves, 0, 0, 1)
        if kind == GRID:
            return TypeRow(K_GRID, 0, 2, 2, 0, 0, 0, 0)
        if isinstance(kind, (Set, Seq)):
            return TypeRow(K_SET if isinstance(kind, Set) else K_SEQ, self.number(kind.item), 2, 2, 0, 0, 0, 0)
        if isinstance(kind, Tup):
            if _has_nothing(kind):
                raise LowerError(f"a tuple of nothing: {kind}")
            flat = [self.number(part) for part in flat_parts(kind)]
            rows = [self.rows[number] for number in flat]
            first = len(self.parts)
            self.parts += flat
            return TypeRow(
                kind=K_TUP,
                item=0,
                slot_words=sum(row.slot_words for row in rows),
                item_words=sum(row.item_words for row in rows),
                leaves=sum(row.leaves for row in rows) if all(row.leaves for row in rows) else 0,
                flat_first=first,
                flat_count=len(flat),
                scalar=int(all(row.scalar for row in rows)),
            )
        raise LowerError(f"no form for {kind}")

    def is_narrow(self, number: int) -> bool:
        """Whether values of a type can be items, and be compared as such."""
        return self.rows[number].item_words <= _MAX_ITEM_WORDS

    def slot_words(self, kind: Type) -> int:
        """How many words a value takes in a slot."""
        return self.rows[self.number(kind)].slot_words


@cache
def plain_form(kind: Type) -> Type:
    """The type with integers in place of booleans and functions: they lie alike."""
    if kind == BOOL or isinstance(kind, Closure):
        return INT
    if isinstance(kind, Set):
        return Set(plain_form(kind.item))
    if isinstance(kind, Seq):
        return Seq(plain_form(kind.item))
    if isinstance(kind, Tup):
        return Tup(tuple(map(plain_form, kind.parts)))
    return kind


def flat_parts(kind: Type) -> list[Type]:
    """The parts of a tuple with nesting undone; an IJ and a Cell count as one part."""
    if isinstance(kind, Tup) and kind not in (IJ, CELL):
        return [leaf for part in kind.parts for leaf in flat_parts(part)]
    return [kind]


def _has_nothing(kind: Type) -> bool:
    """Whether it is or has a part that is the tuple of no parts, which has a size but no words."""
    return isinstance(kind, Tup) and (not kind.parts or any(map(_has_nothing, kind.parts)))


def depth(kind: Type) -> int:
    """Containers inside one another."""
    if isinstance(kind, (Set, Seq)):
        return 1 + depth(kind.item)
    if isinstance(kind, Tup):
        return max((depth(part) for part in kind.parts), default=0)
    return 0


def _number(value: Any) -> int:
    """A number, or the number of a function."""
    return number_of(value) if isinstance(value, Function) else int(value)


def _fits(number: int, bits: int) -> bool:
    """Whether a number fits into so many bits of a key."""
    return -1 << (bits - 1) <= number < 1 << (bits - 1)


def _biased(number: int, bits: int) -> int:
    """A number as it stands there, so that the order of bits is that of numbers."""
    return number + (1 << (bits - 1))


def _check_parts(kind: Type, value: Any) -> None:
    """Refuse the odd constant: the corner of nothing is (), which is no IJ."""
    if isinstance(kind, Tup) and (not isinstance(value, tuple) or len(value) != len(kind.parts)):
        raise LowerError(f"a constant that is not of its type {kind}")


@dataclass
class Pool:
    """Words that constants need beyond their slots; offsets count from `base`."""

    base: int = 0
    words: list[int] = field(default_factory=list)

    def slot(self, kind: Type, value: Any) -> list[int]:
        """The words of a value in a slot."""
        kind = plain_form(kind)
        _check_parts(kind, value)
        if isinstance(kind, Tup) and kind not in (IJ, CELL):
            return [word for part, item in zip(kind.parts, value, strict=True) for word in self.slot(part, item)]
        match kind:
            case t if t in (INT, BOOL):
                return [_number(value) & _MASK]
            case t if t == OPT_INT:
                return [_NONE if value is None else value & _MASK]
            case t if t == IJ:
                return [_number(part) & _MASK for part in value]
            case t if t == CELL:
                return [_number(value[0]) & _MASK, *(_number(part) & _MASK for part in value[1])]
            case t if t == GRID:
                return self._grid(value)
            case Set(item) | Seq(item):
                items = [self.item(item, one) for one in ordered(value)]
                place = self.base + len(self.words)
                for words in items:
                    self.words += words
                return [place, len(items)]
        raise LowerError(f"no form for a constant of type {kind}")

    def item(self, kind: Type, value: Any) -> list[int]:
        """The words of a value as an item of a container."""
        kind = plain_form(kind)
        _check_parts(kind, value)
        if isinstance(kind, Tup) and kind not in (IJ, CELL):
            return [word for part, item in zip(kind.parts, value, strict=True) for word in self.item(part, item)]
        if kind in (INT, BOOL):
            return [(_number(value) & _MASK) ^ 0x80000000]
        if kind == OPT_INT:
            return [0 if value is None else (value & _MASK) ^ 0x80000000]
        if kind == IJ:
            i, j = map(_number, value)
            if not (_fits(i, _IJ_BITS) and _fits(j, _IJ_BITS)):
                raise LowerError("a constant place beyond 16 bits")
            return [_biased(i, _IJ_BITS) << _IJ_BITS | _biased(j, _IJ_BITS)]
        if kind == CELL:
            colour, i, j = _number(value[0]), *map(_number, value[1])
            if not (_fits(colour, _COLOUR_BITS) and _fits(i, _PLACE_BITS) and _fits(j, _PLACE_BITS)):
                raise LowerError("a constant cell beyond its bits")
            place = _biased(i, _PLACE_BITS) << _PLACE_BITS | _biased(j, _PLACE_BITS)
            return [_biased(colour, _COLOUR_BITS) << 2 * _PLACE_BITS | place]
        return self.slot(kind, value)

    def _grid(self, value: Any) -> list[int]:
        height, width = len(value), len(value[0]) if value else 0
        if any(len(row) != width for row in value) or any(not -128 <= cell <= 127 for row in value for cell in row):
            raise LowerError("a constant grid that is ragged or has colours beyond a byte")
        data = bytes(cell & 255 for row in value for cell in row)
        data += bytes(-len(data) % 4)
        place = self.base + len(self.words)
        self.words += [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
        return [place, height << 16 | width]
