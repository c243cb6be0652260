"""Which loops can run by columns (native/columns.h): bodies without loops, whose values are numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arcbatt.lower.codes import CODES, FIXED_COST, MULTIPLIES, ORIGINALS
from arcbatt.lower.layout import K_CELL, K_GRID, K_INT, K_SEQ, K_SET, K_TUP, TypeTable
from arcbatt.lower.variants import VARIANTS

LOOPS: Final = frozenset(
    ["apply", "sfilter", "mfilter", "order", "argmax", "argmin", "valmax", "valmin", "extract", "papply", "prapply"]
)
_BY_NUMBER: Final = frozenset(["order", "argmax", "argmin", "valmax", "valmin", "sfilter", "mfilter", "extract"])
_ANY_TYPE: Final = frozenset(
    CODES[name] for name in ("COPY", "COPY_COUNTED", "GUARD", "PART", "ASTUPLE", "BRANCH", "CHOOSE", "EQUAL")
)
_UNCOUNTED: Final = frozenset(CODES[name] for name in ("COPY", "GUARD", "CHOOSE"))
_MOST_ROWS: Final = 512
_MOST_ARGS: Final = 4
_MOST_WORDS: Final = 4


@dataclass(frozen=True)
class Window:
    """A body's code and where its slots lie; what is outside is the same for all items."""

    code: list[int]
    first: int
    end: int
    params: list[tuple[int, int]]
    """Slot and type of each parameter."""
    result: int
    result_type: int


def column_words(
    loop: str, window: Window, types: TypeTable, depth_of: Callable[[int], int], containers: list[int], depth: int
) -> list[int] | None:
    """What a loop says behind its bodies to run by columns; None where it cannot.

    `depth` is how many bodies there are around the loop, `depth_of` around what fills a place outside. What depends on
    nothing but the containers' items is kept where the containers stay the same while the loop runs again.
    """
    scope = max(map(depth_of, containers))
    keeps = scope < depth
    rows = window.end - window.first
    if loop not in LOOPS or rows > _MOST_ROWS or not _plain_result(loop, types.rows[window.result_type][0]):
        return None
    if not all(_measurable(types, kind) for _, kind in window.params):
        return None
    kept = {slot: keeps for slot, _ in window.params}
    words = {slot: types.rows[kind][2] for slot, kind in window.params}
    pairs: dict[int, tuple[int, int, int]] = {}
    at = 0
    while (op := window.code[at]) != CODES["END_BODY"]:
        length = window.code[at + 1]
        if op == CODES["OWE"]:
            owed = window.code[at + 4 : at + length : 2]
            if any(window.first <= place < window.end for place in owed):
                return None
        else:
            instruction = window.code[at : at + length]
            if not _allowed(loop, instruction, window, types, kept):
                return None
            sources = _sources(instruction, pairs, types)
            kept[instruction[2]] = (
                keeps
                and op != CODES["INITSET"]
                and all(kept[source] if source in kept else depth_of(source) <= scope for source in sources)
            )
            words[instruction[2]] = types.rows[instruction[7]][2]
        at += length
    if window.result not in kept:
        return None
    bits = [0] * ((rows + 31) // 32)
    for slot, keep in kept.items():
        for row in range(slot - window.first, slot - window.first + 1 + words[slot]):
            bits[row // 32] |= int(keep) << row % 32
    return [window.first, rows, scope if keeps else 0, *bits]


def _sources(instruction: list[int], pairs: dict[int, tuple[int, int, int]], types: TypeTable) -> list[int]:
    """The places an instruction's value comes from; the part of a pair comes from that part alone.

    `pairs` holds, of each pair made so far, its first part, the words of that, and its second part.
    """
    op, count = instruction[0], instruction[6]
    args = instruction[8 : 8 + count]
    if op == CODES["ASTUPLE"]:
        pairs[instruction[2]] = (args[0], types.rows[instruction[8 + count]][2], args[1])
    if op == CODES["PART"] and args[0] in pairs:
        first, words, second = pairs[args[0]]
        offset = instruction[8 + 2 * count + 2]
        end = offset + types.rows[instruction[7]][2]
        return [first] if end <= words else [second] if offset >= words else args
    return args


def _plain_result(loop: str, kind: int) -> bool:
    return kind == K_INT if loop in _BY_NUMBER else kind <= K_CELL and kind != 1


def _allowed(loop: str, instruction: list[int], window: Window, types: TypeTable, known: dict[int, bool]) -> bool:
    op, dst, cost_place, count, kind = (instruction[place] for place in (0, 2, 4, 6, 7))
    args = instruction[8 : 8 + count]
    inside = [arg for arg in args if window.first <= arg < window.end]
    if cost_place or count > _MOST_ARGS or not window.first <= dst < window.end or dst in known:
        return False
    if any(arg not in known for arg in inside):
        return False
    arg_types = instruction[8 + count : 8 + 2 * count]
    if not all(_measurable(types, one) for one in (*arg_types, kind)):
        return False
    flags = instruction[8 + 2 * count]
    scalar = all(types.rows[one][7] for one in arg_types)
    containers = not any(types.rows[one][0] in (K_GRID, K_TUP) for one in arg_types[:2])
    if flags & ORIGINALS or (flags & MULTIPLIES and not containers):
        return False
    if op == CODES["INITSET"]:
        return types.rows[arg_types[0]][0] <= K_CELL and loop != "extract"
    if op == CODES["EQUAL"] and not scalar:
        return False
    if op not in _ANY_TYPE and (op >= len(VARIANTS) or not types.rows[kind][7]):
        return False
    return loop != "extract" or op in _UNCOUNTED or bool(flags & FIXED_COST)


def _measurable(types: TypeTable, kind: int) -> bool:
    """Whether a value is a few words whose size follows from them."""
    code, item, words, _, leaves, first, count, _ = types.rows[kind]
    if words > _MOST_WORDS:
        return False
    if leaves or code == K_GRID:
        return True
    if code == K_TUP:
        return all(
            types.rows[part][0] != K_TUP and _measurable(types, part) for part in types.parts[first : first + count]
        )
    return code in (K_SET, K_SEQ) and bool(types.rows[item][4])
