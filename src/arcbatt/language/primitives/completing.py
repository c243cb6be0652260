"""Completing: what is hidden in a grid, found by its symmetry or by what repeats in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.primitives.images import image_of, inside, no_step, places, redrawn, sides, walk
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import IJ, Grid, ij_of, int_of

_MOST_PERIOD: Final = 30
"""Rows or columns after which a grid may repeat itself."""
_MOST_SHIFT: Final = 8
"""Rows or columns by which a grid may be shifted onto itself."""

_Move = Callable[[int, int], IJ]


def _agreement(rows: Grid, hole: int, move: _Move) -> int:
    """How many known cells have the colour of the known cell they are sent to; 0 if one has another."""
    agree = 0
    for i, j in places(rows):
        a, b = move(i, j)
        if (a, b) == (i, j) or not inside(rows, (a, b)) or hole in (rows[i][j], rows[a][b]):
            continue
        if rows[i][j] != rows[a][b]:
            return 0
        agree += 1
    return agree


def _best(rows: Grid, hole: int, moves: Iterable[_Move]) -> _Move | None:
    """The move under which most cells agree and none differ, the first of several."""
    best, most = None, 0
    for move in moves:
        agree = _agreement(rows, hole, move)
        if agree > most:
            best, most = move, agree
    return best


def _middle_out(middle: int, most: int) -> list[int]:
    """The numbers that are at most so far from the middle, the nearest first, the lesser of two."""
    return sorted(range(middle - most, middle + most + 1), key=lambda s: (abs(s - middle), s))


def _columns_reversed(s: int) -> _Move:
    return lambda i, j: (i, s - j)


def _rows_reversed(s: int) -> _Move:
    return lambda i, j: (s - i, j)


def _transposed(s: int) -> _Move:
    return lambda i, j: (j + s, i - s)


def mirrorfill(grid: Grid, colour: int, mode: int) -> Grid:
    """The grid with cells of the colour filled by its mirror images: mode bits 4 columns, 2 rows, 1 transposed."""
    hole, mode = int_of(colour), int_of(mode)
    rows = image_of(grid)
    if not 0 <= mode <= 7:
        raise Fail(Reason.BOUNDS, f"mode {mode}, which is from 0 to 7")
    if not any(hole in row for row in rows):
        return rows
    tall, wide = sides(rows)
    ways = (
        (4, _columns_reversed, _middle_out(wide - 1, (wide - 1) // 2)),
        (2, _rows_reversed, _middle_out(tall - 1, (tall - 1) // 2)),
        (1, _transposed, _middle_out(0, min(tall, wide) // 2)),
    )
    found = [_best(rows, hole, map(way, offsets)) for bit, way, offsets in ways if mode & bit]
    moves = [move for move in found if move]
    if not moves:
        raise Fail(Reason.EMPTY, "the grid has no such symmetry")

    def seen(rows: Grid, i: int, j: int) -> int:
        there = (move(i, j) for move in moves) if rows[i][j] == hole else ()
        known = (rows[a][b] for a, b in there if inside(rows, (a, b)) and rows[a][b] != hole)
        return next(known, rows[i][j])

    before = None
    while rows != before:
        before = rows
        rows = redrawn(rows, partial(seen, rows))
    return rows


def gridperiod(grid: Grid, colour: int) -> IJ:
    """The rows and columns after which the grid repeats itself, cells of the colour being unknown; least area first."""
    hole = int_of(colour)
    rows = image_of(grid)
    tall, wide = sides(rows)
    pairs = [(p, q) for p in range(1, min(tall, _MOST_PERIOD) + 1) for q in range(1, min(wide, _MOST_PERIOD) + 1)]
    for p, q in sorted(pairs, key=lambda pair: (pair[0] * pair[1], pair)):
        if 2 * p * q > tall * wide:
            break
        known: dict[IJ, set[int]] = {(i, j): set() for i in range(p) for j in range(q)}
        for i, j in places(rows):
            known[i % p, j % q] |= {rows[i][j]} - {hole}
        if all(len(colours) == 1 for colours in known.values()):
            return p, q
    raise Fail(Reason.EMPTY, "the grid does not repeat itself")


def periodfill(grid: Grid, colour: int, period: IJ) -> Grid:
    """The grid with cells of the colour filled from the first known cell that is whole periods away."""
    hole, (p, q) = int_of(colour), ij_of(period)
    rows = image_of(grid)
    if p <= 0 or q <= 0:
        raise Fail(Reason.BOUNDS, f"a period of {p} x {q}")
    known: dict[IJ, int] = {}
    for i, j in places(rows):
        if rows[i][j] != hole:
            known.setdefault((i % p, j % q), rows[i][j])
    return redrawn(rows, lambda i, j: known.get((i % p, j % q), hole) if rows[i][j] == hole else rows[i][j])


def drift(grid: Grid, colour: int) -> IJ:
    """The shift, at most 8 rows and columns, under which most cells agree, none differ; the colour is unknown."""
    hole = int_of(colour)
    rows = image_of(grid)
    tall, wide = sides(rows)
    down, across = min(tall - 1, _MOST_SHIFT), min(wide - 1, _MOST_SHIFT)
    best, most = (0, 0), 0
    for shift in [(a, b) for a in range(down + 1) for b in range(-across, across + 1) if (a, b) > (0, 0)]:
        agree = _agreement(rows, hole, lambda i, j, by=shift: (i + by[0], j + by[1]))  # type: ignore[misc]
        if agree > most:
            best, most = shift, agree
    if not most:
        raise Fail(Reason.EMPTY, "no shift takes the grid onto itself")
    return best


def driftfill(grid: Grid, colour: int, shift: IJ) -> Grid:
    """The grid with cells of the colour filled from the nearest known cell that is whole shifts away, ahead first."""
    hole, by = int_of(colour), ij_of(shift)
    rows = image_of(grid)
    no_step(by)

    def seen(i: int, j: int) -> int:
        if rows[i][j] != hole:
            return rows[i][j]
        found = [
            (far, back, rows[a][b])
            for back, way in enumerate((by, (-by[0], -by[1])))
            for far, (a, b) in enumerate(walk(rows, (i, j), way))
            if rows[a][b] != hole
        ]
        return min(found)[2] if found else hole

    return redrawn(rows, seen)


_op = partial(make_spec, "completing", since=3)

OPS = (
    _op(mirrorfill, "Grid, Int, Int -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(gridperiod, "Grid, Int -> IJ", fails="limit empty"),
    _op(periodfill, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(drift, "Grid, Int -> IJ", fails="limit empty"),
    _op(driftfill, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
)
