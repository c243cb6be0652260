"""Grids: turning, cutting, joining, scaling and painting them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.primitives.shapes import (
    Element,
    Piece,
    as_patch,
    cell_at,
    cells_of,
    extent,
    holds_cells,
    mostcolor,
    numbered,
    shape,
    toindices,
    ulcorner,
)
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import (
    IJ,
    Grid,
    Object,
    Patch,
    container_of,
    ij_of,
    int_of,
    need_room,
    need_side,
    number,
    ordered,
    pair_of,
    set_of,
    tuple_of,
)


def rows_of(grid: Grid) -> Grid:
    """The value, if it is a tuple of rows."""
    for row in tuple_of(grid):
        tuple_of(row)
    return grid


def _turned(patch: Patch, row: IJ, column: IJ, offset: IJ) -> Patch:
    """Each place (i, j) sent to the dot products with `row` and `column`, plus the offset."""
    if not container_of(patch):
        return frozenset()
    (a, b), (c, d), (down, right) = row, column, offset
    if holds_cells(patch):
        return frozenset(
            (colour, (number(a * i + b * j + down), number(c * i + d * j + right)))
            for colour, (i, j) in cells_of(patch)
        )
    return frozenset((number(a * i + b * j + down), number(c * i + d * j + right)) for i, j in numbered(patch))


def rot90(grid: Grid) -> Grid:
    """A quarter turn clockwise."""
    return tuple(zip(*reversed(rows_of(grid)), strict=False))


def rot180(grid: Grid) -> Grid:
    """Half a turn."""
    return tuple(row[::-1] for row in reversed(rows_of(grid)))


def rot270(grid: Grid) -> Grid:
    """A quarter turn anticlockwise."""
    return tuple(zip(*rows_of(grid), strict=False))[::-1]


def _need_box(patch: Patch) -> tuple[int, int, int, int]:
    if not container_of(patch):
        raise Fail(Reason.EMPTY, "an empty patch has no box to turn in")
    (top, left), (tall, wide) = ulcorner(patch), shape(as_patch(patch))
    return top, left, tall, wide


def hmirror(piece: Piece) -> Piece:
    """Rows in reverse."""
    if isinstance(piece, tuple):
        return rows_of(piece)[::-1]
    top, _, tall, _ = _need_box(piece)
    return _turned(piece, (-1, 0), (0, 1), (2 * top + tall - 1, 0))


def vmirror(piece: Piece) -> Piece:
    """Columns in reverse."""
    if isinstance(piece, tuple):
        return tuple(row[::-1] for row in rows_of(piece))
    _, left, _, wide = _need_box(piece)
    return _turned(piece, (1, 0), (0, -1), (0, 2 * left + wide - 1))


def dmirror(piece: Piece) -> Piece:
    """Transposed: mirrored at the diagonal from the upper left."""
    if isinstance(piece, tuple):
        return tuple(zip(*rows_of(piece), strict=False))
    top, left, _, _ = _need_box(piece)
    return _turned(piece, (0, 1), (1, 0), (top - left, left - top))


def cmirror(piece: Piece) -> Piece:
    """Mirrored at the diagonal from the upper right."""
    if isinstance(piece, tuple):
        return tuple(zip(*(row[::-1] for row in reversed(rows_of(piece))), strict=False))
    top, left, tall, wide = _need_box(piece)
    return _turned(piece, (0, -1), (-1, 0), (top + left + wide - 1, top + left + tall - 1))


def crop(grid: Grid, start: IJ, dims: IJ) -> Grid:
    """The part that Python slices from start, dims long, would take."""
    (i, j), (tall, wide) = ij_of(start), ij_of(dims)
    return tuple(row[j : j + wide] for row in rows_of(grid)[i : i + tall])


def subgrid(patch: Patch, grid: Grid) -> Grid:
    """The part of the grid in the patch's box."""
    top, left, tall, wide = _need_box(patch)
    return crop(grid, (top, left), (tall, wide))


def hconcat(a: Grid, b: Grid) -> Grid:
    """B to the right of a, as tall as the lower of them."""
    return tuple(left + right for left, right in zip(rows_of(a), rows_of(b), strict=False))


def vconcat(a: Grid, b: Grid) -> Grid:
    """B below a."""
    return (*rows_of(a), *rows_of(b))


def hsplit(grid: Grid, n: int) -> tuple[Grid, ...]:
    """N equal parts from left to right; where n does not divide, one column between them is left out."""
    tall, wide = extent(grid)
    part, step = _parts(wide, n)
    return tuple(crop(grid, (0, k * step), (tall, part)) for k in range(n))


def vsplit(grid: Grid, n: int) -> tuple[Grid, ...]:
    """N equal parts from top to bottom; where n does not divide, one row between them is left out."""
    tall, wide = extent(grid)
    part, step = _parts(tall, n)
    return tuple(crop(grid, (k * step, 0), (part, wide)) for k in range(n))


def _parts(side: int, n: int) -> IJ:
    """Length of a part, and from one part's start to the next."""
    if int_of(n) == 0:
        raise Fail(Reason.ZERO_DIVISION, "split in zero parts")
    need_room(n)
    return side // n, side // n + (side % n != 0)


def tophalf(grid: Grid) -> Grid:
    """The upper half, without a middle row."""
    return rows_of(grid)[: len(grid) // 2]


def bottomhalf(grid: Grid) -> Grid:
    """The lower half, without a middle row."""
    return rows_of(grid)[(len(grid) + 1) // 2 :]


def lefthalf(grid: Grid) -> Grid:
    """The left half, without a middle column."""
    return rot270(tophalf(rot90(grid)))


def righthalf(grid: Grid) -> Grid:
    """The right half, without a middle column."""
    return rot270(bottomhalf(rot90(grid)))


def upscale(element: Element, n: int) -> Element:
    """Each cell as n by n cells; an object keeps its upper left corner."""
    if isinstance(element, tuple):
        return vupscale(hupscale(element, n), n)
    if not set_of(element):
        return element
    times = range(int_of(n))
    need_room(len(element) * len(times) ** 2)
    top, left = ulcorner(element)
    return frozenset(
        (colour, (number((i - top) * n + di + top), number((j - left) * n + dj + left)))
        for colour, (i, j) in cells_of(element)
        for di in times
        for dj in times
    )


def hupscale(grid: Grid, n: int) -> Grid:
    """Each cell n times as wide."""
    need_side(len(rows_of(grid)), max(map(len, grid), default=0) * int_of(n))
    return tuple(tuple(cell for cell in row for _ in range(n)) for row in grid)


def vupscale(grid: Grid, n: int) -> Grid:
    """Each cell n times as tall."""
    need_side(len(rows_of(grid)) * int_of(n), 0)
    return tuple(row for row in grid for _ in range(n))


def downscale(grid: Grid, n: int) -> Grid:
    """Every n-th row and column, from the first."""
    if int_of(n) == 0:
        raise Fail(Reason.ZERO_DIVISION, "downscale by zero")
    extent(grid)
    return tuple(row[:: abs(n)] for row in rows_of(grid)[:: abs(n)])


def trim(grid: Grid) -> Grid:
    """The grid without its outer ring of cells."""
    return tuple(row[1:-1] for row in rows_of(grid)[1:-1])


def compress(grid: Grid) -> Grid:
    """The grid without rows and columns of a single colour."""
    kept = [k for k, column in enumerate(zip(*rows_of(grid), strict=False)) if len(set(column)) != 1]
    return tuple(tuple(row[k] for k in kept) for row in grid if len(set(row)) != 1)


def canvas(colour: int, dims: IJ) -> Grid:
    """A grid of one colour."""
    tall, wide = pair_of(dims)
    if int_of(tall) <= 0:
        return ()
    need_side(tall, int_of(wide))
    return tuple((colour,) * wide for _ in range(tall))


def cellwise(a: Grid, b: Grid, fallback: int) -> Grid:
    """Where two grids have the same cell that cell, else the fallback; the shape of a."""
    tall, wide = extent(a)
    if len(rows_of(b)) < tall or any(len(row) < wide for row in (*rows_of(a), *b[:tall])):
        raise Fail(Reason.BOUNDS, "the second grid is smaller than the first")
    return tuple(
        tuple(x if x == y else int_of(fallback) for x, y in zip(ra[:wide], rb, strict=False))
        for ra, rb in zip(a, b, strict=False)
    )


def replace(grid: Grid, replacee: int, replacer: int) -> Grid:
    """The grid with one colour in place of another."""
    return tuple(tuple(replacer if cell == replacee else cell for cell in row) for row in rows_of(grid))


def switch(grid: Grid, a: int, b: int) -> Grid:
    """The grid with two colours exchanged."""
    swap = {a: b, b: a}
    return tuple(tuple(swap.get(cell, cell) for cell in row) for row in rows_of(grid))


def index(grid: Grid, loc: IJ) -> int | None:
    """The colour at a place; None off the grid."""
    tall, wide = extent(grid)
    i, j = ij_of(loc)
    if not (0 <= i < tall and 0 <= j < wide):
        return None
    return cell_at(grid, i, j)


def _painted(grid: Grid, cells: Iterable[Any], only_on: int | None = None) -> Grid:
    """The grid with cells set, in order, where they lie on it (and on the given colour)."""
    tall, wide = extent(grid)
    rows = [list(row) for row in rows_of(grid)]
    for colour, (i, j) in cells_of(cells):
        if 0 <= i < tall and 0 <= j < wide and (cell_at(grid, i, j) == only_on or only_on is None):
            rows[i][j] = colour
    return tuple(map(tuple, rows))


def fill(grid: Grid, colour: int, patch: Patch) -> Grid:
    """The grid with the colour on the patch."""
    return _painted(grid, [(int_of(colour), place) for place in toindices(patch)])


def underfill(grid: Grid, colour: int, patch: Patch) -> Grid:
    """The grid with the colour on the patch, only where its most common colour was."""
    return _painted(grid, [(int_of(colour), place) for place in toindices(patch)], mostcolor(grid))


def paint(grid: Grid, obj: Object) -> Grid:
    """The grid with the object's cells; of two on one place the greater colour."""
    return _painted(grid, ordered(container_of(obj)))


def underpaint(grid: Grid, obj: Object) -> Grid:
    """The grid with the object's cells, only where its most common colour was."""
    return _painted(grid, ordered(container_of(obj)), mostcolor(grid))


def cover(grid: Grid, patch: Patch) -> Grid:
    """The grid with its most common colour on the patch."""
    return fill(grid, mostcolor(grid), patch)


def shift(patch: Patch, directions: IJ) -> Patch:
    """The patch moved."""
    di, dj = ij_of(directions)
    return _turned(patch, (1, 0), (0, 1), (di, dj))


def move(grid: Grid, obj: Object, offset: IJ) -> Grid:
    """The grid with the object covered where it was and painted where it moved."""
    return paint(cover(grid, obj), shift(obj, offset))


_op = partial(make_spec, "grids")

OPS = (
    _op(rot90, "Grid -> Grid", Fact.KEEPS_GRID, Fact.TURN),
    _op(rot180, "Grid -> Grid", Fact.KEEPS_GRID, Fact.INVOLUTION, Fact.TURN),
    _op(rot270, "Grid -> Grid", Fact.KEEPS_GRID, Fact.TURN),
    _op(hmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, Fact.TURN, fails="empty"),
    _op(vmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, Fact.TURN, fails="empty"),
    _op(dmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, Fact.TURN, fails="empty"),
    _op(cmirror, "Piece -> Piece", Fact.KEEPS_GRID, Fact.INVOLUTION, Fact.TURN, fails="empty"),
    _op(crop, "Grid, IJ, IJ -> Grid"),
    _op(subgrid, "Patch, Grid -> Grid", fails="empty", late=(1,)),
    _op(hconcat, "Grid, Grid -> Grid", Fact.KEEPS_GRID, fails="limit"),
    _op(vconcat, "Grid, Grid -> Grid", fails="limit"),
    _op(hsplit, "Grid, Int -> [Grid]", fails="empty zero-division limit", late=(1,)),
    _op(vsplit, "Grid, Int -> [Grid]", fails="empty zero-division limit", late=(1,)),
    _op(tophalf, "Grid -> Grid"),
    _op(bottomhalf, "Grid -> Grid"),
    _op(lefthalf, "Grid -> Grid"),
    _op(righthalf, "Grid -> Grid"),
    _op(upscale, "Element, Int -> Element", fails="limit", late=(1,)),
    _op(hupscale, "Grid, Int -> Grid", fails="limit"),
    _op(vupscale, "Grid, Int -> Grid", fails="limit"),
    _op(downscale, "Grid, Int -> Grid", fails="empty zero-division", late=(0,)),
    _op(trim, "Grid -> Grid"),
    _op(compress, "Grid -> Grid"),
    _op(canvas, "Int, IJ -> Grid", fails="limit", late=(0, 1)),
    _op(cellwise, "Grid, Grid, Int -> Grid", Fact.KEEPS_GRID, fails="empty bounds", late=(1, 2)),
    _op(replace, "Grid, Int, Int -> Grid", Fact.KEEPS_GRID, late=(1, 2)),
    _op(switch, "Grid, Int, Int -> Grid", Fact.KEEPS_GRID, late=(1, 2)),
    _op(index, "Grid, IJ -> Int?", Fact.IJ_LATE, Fact.IJ_AFTER_GRID, fails="empty bounds", late=(1,)),
    _op(fill, "Grid, Int, Patch -> Grid", Fact.KEEPS_GRID, fails="empty", late=(1,)),
    _op(underfill, "Grid, Int, Patch -> Grid", Fact.SET_AS_GRID, Fact.KEEPS_GRID, fails="empty", late=(1,)),
    _op(paint, "Grid, Object -> Grid", Fact.KEEPS_GRID, Fact.CELLS_IN_ORDER, fails="empty"),
    _op(underpaint, "Grid, Object -> Grid", Fact.SET_AS_GRID, Fact.KEEPS_GRID, Fact.CELLS_IN_ORDER, fails="empty"),
    _op(cover, "Grid, Patch -> Grid", Fact.SET_AS_GRID, Fact.KEEPS_GRID, fails="empty", late=(1,)),
    _op(shift, "Patch, IJ -> Patch", fails="limit"),
    _op(
        move,
        "Grid, Object, IJ -> Grid",
        Fact.SET_AS_GRID,
        Fact.KEEPS_GRID,
        Fact.IJ_LATE,
        fails="empty limit",
        late=(1, 2),
    ),
)
