"""Values as words of the native code and back, written again from native/core/values.h to check the other side's."""

from __future__ import annotations

from typing import Any

from arcbatt.language.types import BOOL, CELL, GRID, IJ, INT, OPT_INT, Set, Type
from arcbatt.language.values import ordered

MASK = 0xFFFFFFFF


class NoFormError(Exception):
    """A value that does not fit its bits."""


def key(kind: Type, value: Any) -> int:
    if kind in (INT, BOOL):
        return (int(value) & MASK) ^ 0x80000000
    if kind == IJ:
        if not all(-32768 <= part <= 32767 for part in value):
            raise NoFormError
        return (value[0] + 32768) << 16 | (value[1] + 32768)
    colour, (i, j) = value
    if not (-128 <= colour <= 127 and -2048 <= i <= 2047 and -2048 <= j <= 2047):
        raise NoFormError
    return (colour + 128) << 24 | (i + 2048) << 12 | (j + 2048)


def encode(kind: Type, value: Any, arena: list[int]) -> list[int]:
    """The words of a value in a slot; what it points to goes to the arena."""
    if kind in (INT, BOOL):
        return [int(value) & MASK]
    if kind == OPT_INT:
        return [(-(2**31) if value is None else value) & MASK]
    if kind == IJ:
        return [part & MASK for part in value]
    if kind == GRID:
        height, width = len(value), len(value[0]) if value else 0
        data = bytes(cell & 255 for row in value for cell in row)
        data += bytes(-len(data) % 4)
        place = len(arena)
        arena += [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
        return [place, height << 16 | width]
    words = [
        [key(kind.item, x)] if kind.item in (INT, IJ, CELL) else encode(kind.item, x, arena) for x in ordered(value)
    ]
    place = len(arena)
    for item in words:
        arena += item
    return [place, len(words)]


def signed(word: int) -> int:
    return word - 2**32 if word >= 2**31 else word


def decode(kind: Type, words: list[int], arena: list[int]) -> Any:
    """The value back from its words; sets must be sorted and distinct."""
    if kind == INT:
        return signed(words[0])
    if kind == BOOL:
        return bool(words[0])
    if kind == OPT_INT:
        return None if signed(words[0]) == -(2**31) else signed(words[0])
    if kind == IJ:
        return signed(words[0]), signed(words[1])
    if kind == GRID:
        height, width = words[1] >> 16, words[1] & 0xFFFF
        count = height * width
        data = b"".join(word.to_bytes(4, "little") for word in arena[words[0] : words[0] + (count + 3) // 4])[:count]
        cells = [cell - 256 if cell > 127 else cell for cell in data]
        return tuple(tuple(cells[row * width : (row + 1) * width]) for row in range(height))
    place, count = words[0], words[1]
    if kind.item in (INT, IJ, CELL):
        items = [_unkeyed(kind.item, word) for word in arena[place : place + count]]
    else:
        items = [decode(kind.item, arena[place + 2 * at : place + 2 * at + 2], arena) for at in range(count)]
    if isinstance(kind, Set):
        assert list(ordered(frozenset(items))) == items, "a set that is not sorted or not distinct"
        return frozenset(items)
    return tuple(items)


def _unkeyed(kind: Type, word: int) -> Any:
    if kind == INT:
        return signed(word ^ 0x80000000)
    if kind == IJ:
        return (word >> 16) - 32768, (word & 0xFFFF) - 32768
    return (word >> 24) - 128, (((word >> 12) & 0xFFF) - 2048, (word & 0xFFF) - 2048)
