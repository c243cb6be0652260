"""What all demonstrations have in common, and in what an answer departs from it.

A rule that fits the demonstrations by chance often gives an output that looks like none of theirs: a colour is gone
that never went, cells change that never did, a symmetry is broken. A trait is something that can be said of an input
and its output; where all demonstrations have it alike, an answer that does not is the less likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from arcbatt.language.values import IJ, Grid
from arcbatt.scoring.attempts import Question

DEPARTURE: Final = 1.0
"""What a trait that an answer does not share with the demonstrations adds to its description, in bits."""


class Traits:
    """What the demonstrations of a task have in common."""

    def __init__(self, question: Question) -> None:
        self._inputs = question.inputs
        shown = [dict(_traits(given, wanted)) for given, wanted in question.demonstrations]
        self._common = {
            name: value
            for name, value in shown[0].items()
            if all(name in one and one[name] == value for one in shown[1:])
        }

    def departures(self, test: int, grid: Grid) -> tuple[str, ...]:
        """In what an output for a test is unlike those of all demonstrations."""
        mine = _traits(self._inputs[test], grid)
        return tuple(name for name, value in mine if name in self._common and self._common[name] != value)


def _traits(given: Grid, wanted: Grid) -> Iterator[tuple[str, object]]:
    """Traits by name."""
    before, after = (Counter(chain.from_iterable(grid)) for grid in (given, wanted))
    yield "colours", frozenset(after)
    yield "one colour", len(after) == 1
    yield "colours that come", frozenset(after.keys() - before.keys())
    yield "colours that go", frozenset(before.keys() - after.keys())
    upright = tuple(zip(*wanted, strict=True))
    yield "symmetry from left to right", upright == upright[::-1]
    yield "symmetry from top to bottom", wanted == wanted[::-1]
    yield "symmetry by half a turn", wanted == tuple(row[::-1] for row in wanted[::-1])
    yield "symmetry about the diagonal", wanted == upright
    yield "rows of one colour", all(len(set(row)) == 1 for row in wanted)
    yield "columns of one colour", all(len(set(column)) == 1 for column in upright)
    if (len(given), len(given[0])) == (len(wanted), len(wanted[0])):
        yield from _changes(given, wanted, before, after)
    else:
        yield "a part of the input", _is_part(wanted, given)


def _changes(given: Grid, wanted: Grid, before: Counter[int], after: Counter[int]) -> Iterator[tuple[str, object]]:
    """Traits of an output as large as its input."""
    changed = [
        (i, j)
        for i, (row, old) in enumerate(zip(wanted, given, strict=True))
        if row != old
        for j, (cell, one) in enumerate(zip(row, old, strict=True))
        if cell != one
    ]
    ground = _commonest(before)
    gone, new = {given[i][j] for i, j in changed}, {wanted[i][j] for i, j in changed}
    parts = _parts(changed)
    yield "any change", bool(changed)
    yield "counts of colours", before == after
    yield "the most common colour", _commonest(after) == ground
    yield "colours that change", frozenset(gone)
    yield "colours that are painted", frozenset(new)
    yield "nothing but ground changes", gone == {ground}
    yield "nothing but ground is painted", new == {ground}
    yield "how many parts change", len(parts)
    yield "one part changes", len(parts) == 1
    yield "a single cell changes", min(parts, default=0) == 1
    yield "few cells change together", min(parts, default=0) <= _FEW


_FEW: Final = 2


def _commonest(count: Counter[int]) -> int:
    return min(count, key=lambda colour: (-count[colour], colour))


def _parts(places: Iterable[IJ]) -> list[int]:
    """The sizes of the parts that places fall into, those that touch at a corner being together."""
    left = set(places)
    found = []
    while left:
        part = [left.pop()]
        for i, j in part:  # which grows meanwhile
            near = [(a, b) for a in (i - 1, i, i + 1) for b in (j - 1, j, j + 1) if (a, b) in left]
            left.difference_update(near)
            part += near
        found.append(len(part))
    return found


def _is_part(small: Grid, large: Grid) -> bool:
    """Whether a grid stands somewhere in another."""
    wide = len(small[0])

    def stands(i: int, j: int, rows: Sequence[tuple[int, ...]]) -> bool:
        return all(large[i + down][j : j + wide] == row for down, row in enumerate(rows))

    return any(stands(i, j, small) for i in range(len(large) - len(small) + 1) for j in range(len(large[0]) - wide + 1))
