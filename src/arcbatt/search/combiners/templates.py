"""Templates: what a cell becomes by what is next to it, run on many grids at once, and written as programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.language.values import Grid
from arcbatt.search.write import Writer

OUTSIDE: Final = 10
INK: Final = 11
"""As a class of colours: anything on the grid but the ground."""
_MARGIN: Final = 2

Offset = tuple[int, int]
Cells = NDArray[np.int8]

NEAR: Final[tuple[Offset, ...]] = (
    *((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)),
    (-2, 0), (2, 0), (0, -2), (0, 2), (-2, -2), (-2, 2), (2, -2), (2, 2),
)  # fmt: skip
RAYS: Final[tuple[Offset, ...]] = NEAR[:8]
PLACES: Final = len(NEAR) + len(RAYS)
"""What a template can look at: neighbours, then what is seen first in each direction."""

Turn = tuple[int, int, int, int]
"""A matrix: what an offset becomes."""


@dataclass(frozen=True)
class Template:
    """A cell of a colour whose places have these classes of colours gets a colour, or that at a place."""

    centre: int
    places: tuple[tuple[int, int], ...]
    """Place and class."""
    colour: int
    """Or -1 less the place whose colour is copied."""

    def turned(self, turn: Turn) -> Template:
        """The same in another orientation."""
        moved = moved_places(turn)
        copied = -1 - moved[-1 - self.colour] if self.colour < 0 else self.colour
        return Template(self.centre, tuple(sorted((moved[place], one) for place, one in self.places)), copied)


@cache
def moved_places(turn: Turn) -> list[int]:
    """Of each place where it comes to lie."""
    a, b, c, d = turn
    there = [(a * i + b * j, c * i + d * j) for i, j in NEAR]
    return [*map(NEAR.index, there), *(len(NEAR) + RAYS.index(one) for one in there[: len(RAYS)])]


@dataclass(frozen=True)
class Stack:
    """Grids above one another in one array, apart from each other and the edge."""

    cells: Cells
    tops: tuple[tuple[int, int, int], ...]
    """Of each grid its first row, height and width."""

    @classmethod
    def of(cls, grids: Sequence[Grid]) -> Stack:
        """Some grids."""
        tall = sum(len(grid) + _MARGIN for grid in grids) + _MARGIN
        wide = max(len(grid[0]) for grid in grids) + 2 * _MARGIN
        cells = np.full((tall, wide), OUTSIDE, np.int8)
        tops, top = [], _MARGIN
        for grid in grids:
            cells[top : top + len(grid), _MARGIN : _MARGIN + len(grid[0])] = grid
            tops.append((top, len(grid), len(grid[0])))
            top += len(grid) + _MARGIN
        return cls(cells, tuple(tops))

    def grids(self, cells: Cells) -> tuple[Grid, ...]:
        """The grids of an array of the same layout."""
        return tuple(
            tuple(map(tuple, cells[top : top + tall, _MARGIN : _MARGIN + wide].tolist()))
            for top, tall, wide in self.tops
        )


def inner(cells: Cells, offset: Offset = (0, 0)) -> Cells:
    """The array without its margin, or the neighbours at an offset of what lies there."""
    i, j = offset
    tall, wide = cells.shape
    return cells[_MARGIN + i : tall - _MARGIN + i, _MARGIN + j : wide - _MARGIN + j]


def _seen(cells: Cells, ground: int, offset: Offset) -> Cells:
    """Of each cell of the inner array the first colour but the ground in a direction, or outside."""
    i, j = offset
    if i == 0:
        return _seen(cells.T, ground, (j, 0)).T
    turn = np.s_[::-i, :: j or 1]  # so that one looks up, or up and to the right
    seen = _seen_above(cells[turn], ground) if j == 0 else _unsheared(_seen_above(_sheared(cells[turn]), ground), cells)
    return inner(seen[turn])


def _seen_above(cells: Cells, ground: int) -> Cells:
    rows = np.where(cells != ground, np.arange(len(cells))[:, None], 0)
    last = np.maximum.accumulate(rows, axis=0)
    seen = np.full_like(cells, OUTSIDE)
    seen[1:] = np.take_along_axis(cells, last[:-1], axis=0)
    return seen


def _sheared(cells: Cells) -> Cells:
    """Each row moved right by its number, so that diagonals are columns."""
    tall, wide = cells.shape
    wider = np.full((tall, wide + tall + 1), OUTSIDE, np.int8)
    wider[:, :wide] = cells
    return wider.reshape(-1)[: tall * (wide + tall)].reshape(tall, wide + tall)


def _unsheared(cells: Cells, like: Cells) -> Cells:
    tall, wide = like.shape
    flat = np.full(tall * (wide + tall + 1), OUTSIDE, np.int8)
    flat[: cells.size] = cells.reshape(-1)
    return flat.reshape(tall, wide + tall + 1)[:, :wide]


class Machine:
    """Templates run on a stack of grids."""

    def __init__(self, start: Cells, ground: int) -> None:
        self.start, self.ground = start, ground

    def values(self, cells: Cells, place: int) -> Cells:
        """Of each inner cell what stands at a place."""
        if place < len(NEAR):
            return inner(cells, NEAR[place])
        return _seen(cells, self.ground, RAYS[place - len(NEAR)])

    def step(self, cells: Cells, templates: Sequence[Sequence[Template]]) -> tuple[Cells, list[NDArray[np.bool_]]]:
        """All templates at once, each in its orientations; and where each of them was."""
        seen: dict[int, Cells] = {}
        after, before = cells.copy(), inner(cells)
        fired = []
        for turned in templates:
            got = np.full(before.shape, -1, np.int8)  # where orientations differ, the greatest colour, as in `paint`
            for one in turned:
                where = before == one.centre
                for place, kind in one.places:
                    if place not in seen:
                        seen[place] = self.values(cells, place)
                    where &= self.of_kind(seen[place], kind)
                values = one.colour if one.colour >= 0 else self.values(cells, -1 - one.colour)
                got = np.where(where, np.maximum(got, values), got)
            anywhere = got >= 0
            inner(after)[anywhere] = got[anywhere]
            fired.append(anywhere)
        return after, fired

    def of_kind(self, values: Cells, kind: int) -> NDArray[np.bool_]:
        """Where values are of a class."""
        if kind == INK:
            return np.asarray((values != self.ground) & (values != OUTSIDE))
        return np.asarray(values == kind)

    def run(self, templates: Sequence[Sequence[Template]], once: bool) -> Cells | None:
        """What becomes of the start; None where it does not end."""
        cells = self.start
        for _ in range(1 if once else MOST_STEPS):
            after, _ = self.step(cells, templates)
            if (after == cells).all():
                return cells
            cells = after
        return cells if once else None


MOST_STEPS: Final = 60


@dataclass(frozen=True)
class Written:
    """Templates as a program."""

    templates: tuple[tuple[Template, ...], ...]
    ground: int
    once: bool

    def __call__(self, writer: Writer, given: str) -> str:
        """A function of one step, and its result or what it comes to."""
        out = "x"
        for turned in self.templates:
            if turned[0].colour >= 0:
                out = f"fill({out}, {turned[0].colour}, {_balanced('combine', list(map(self._where, turned)))})"
            else:
                out = f"paint({out}, {_balanced('combine', list(map(self._copied, turned)))})"
        step = writer.define("x", Writer(), out)
        if self.once:
            return writer.let(f"{step}({given})")
        return writer.let(f"iterate({step}, lambda x: flip(equality({step}(x), x)), {given})")

    def _where(self, one: Template) -> str:
        return _balanced("intersection", [f"ofcolor(x, {one.centre})", *(self._places(*two) for two in one.places)])

    def _copied(self, one: Template) -> str:
        place = -1 - one.colour
        if place >= len(NEAR):
            return f"toobject({self._where(one)}, {self._look(place)})"
        i, j = NEAR[place]
        return f"shift(toobject(shift({self._where(one)}, {(i, j)}), x), {(-i, -j)})"

    def _look(self, place: int) -> str:
        return f"look(x, {self.ground}, {RAYS[place - len(NEAR)]})"

    def _places(self, place: int, kind: int) -> str:
        if place >= len(NEAR):
            if kind == INK:
                return f"difference(asindices(x), ofcolor({self._look(place)}, -1))"
            return f"ofcolor({self._look(place)}, {-1 if kind == OUTSIDE else kind})"
        i, j = NEAR[place]
        if kind == OUTSIDE:
            return f"difference(asindices(x), shift(asindices(x), {(-i, -j)}))"
        if kind == INK:
            return f"shift(difference(asindices(x), ofcolor(x, {self.ground})), {(-i, -j)})"
        return f"shift(ofcolor(x, {kind}), {(-i, -j)})"


def _balanced(call: str, parts: Sequence[str]) -> str:
    """All parts joined by a call of two, nested as little as can be."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"{call}({_balanced(call, parts[:half])}, {_balanced(call, parts[half:])})"
