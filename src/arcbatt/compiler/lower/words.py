"""Values from the words native code keeps them in: the way back from `layout.Pool`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from arcbatt.compiler.abi import constant
from arcbatt.compiler.lower.layout import TypeTable
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, OPT_INT, Seq, Set, Tup, Type

_NONE: Final = constant("NONE")
_IJ_BITS, _PLACE_BITS, _COLOUR_BITS = map(constant, ("IJ_BITS", "PLACE_BITS", "COLOUR_BITS"))

Read = Callable[[int, int], Sequence[int]]
"""So many words from an offset on."""


class Words:
    """Reads values; `read` gives what they point to."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._types = TypeTable()

    def slot(self, kind: Type, words: Sequence[int]) -> Any:
        """The value of a slot's words, without the status."""
        if isinstance(kind, Tup) and kind not in (IJ, CELL):
            return self._parts(kind, words, self._types.slot_words, self.slot)
        if kind == IJ:
            return _signed(words[0]), _signed(words[1])
        if kind == CELL:
            return _signed(words[0]), (_signed(words[1]), _signed(words[2]))
        if kind in (INT, BOOL, OPT_INT):
            return _number(kind, _signed(words[0]))
        return self._pointed(kind, words)

    def _item(self, kind: Type, words: Sequence[int]) -> Any:
        """The value of an item's words."""
        if isinstance(kind, Tup) and kind not in (IJ, CELL):
            return self._parts(kind, words, self._item_words, self._item)
        if kind == IJ:
            return _field(words[0], _IJ_BITS, _IJ_BITS), _field(words[0], 0, _IJ_BITS)
        if kind == CELL:
            place = _field(words[0], _PLACE_BITS, _PLACE_BITS), _field(words[0], 0, _PLACE_BITS)
            return _field(words[0], 2 * _PLACE_BITS, _COLOUR_BITS), place
        if kind in (INT, BOOL, OPT_INT):
            return _number(kind, _signed(words[0] ^ 0x80000000))
        return self._pointed(kind, words)

    def _item_words(self, kind: Type) -> int:
        return self._types.rows[self._types.number(kind)].item_words

    def _parts(
        self, kind: Tup, words: Sequence[int], size: Callable[[Type], int], value: Callable[[Type, Sequence[int]], Any]
    ) -> tuple[Any, ...]:
        found = []
        at = 0
        for part in kind.parts:
            found.append(value(part, words[at : at + size(part)]))
            at += size(part)
        return tuple(found)

    def _pointed(self, kind: Type, words: Sequence[int]) -> Any:
        offset, count = words[0], words[1]
        if kind == GRID:
            height, width = count >> 16, count & 0xFFFF
            data = b"".join(word.to_bytes(4, "little") for word in self._read(offset, -(-height * width // 4)))
            rows = (data[at : at + width] for at in range(0, height * width, width or 1))
            return tuple(tuple(cell - 256 if cell > 127 else cell for cell in row) for row in rows)
        assert isinstance(kind, (Set, Seq)), kind
        size = self._item_words(kind.item)
        data_words = self._read(offset, size * count)
        items = [self._item(kind.item, data_words[at : at + size]) for at in range(0, size * count, size)]
        return frozenset(items) if isinstance(kind, Set) else tuple(items)


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def _field(word: int, first: int, bits: int) -> int:
    """A number from some bits of a key."""
    return (word >> first & (1 << bits) - 1) - (1 << (bits - 1))


def _number(kind: Type, number: int) -> int | bool | None:
    if kind == BOOL:
        return bool(number)
    return None if kind == OPT_INT and number == _NONE else number
