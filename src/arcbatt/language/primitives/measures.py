"""Measures: numbers in the place of colours, that say of each cell how it lies among the others."""

from __future__ import annotations

from functools import partial
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.primitives.images import (
    GREATEST,
    drawn,
    image_of,
    images_of,
    inside,
    no_step,
    places,
    redrawn,
    regions,
    same_shape,
    sides,
    sides_fit,
    walk,
)
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import IJ, Container, Grid, Indices, container_of, ij_of, int_of


def colormask(grid: Grid, colour: int) -> Grid:
    """1 where the grid has the colour, else 0."""
    colour = int_of(colour)
    rows = image_of(grid)
    return redrawn(rows, lambda i, j: int(rows[i][j] == colour))


def ramp(dims: IJ, step: IJ) -> Grid:
    """A grid of the size dims that counts from 0 at the upper left, by step with each row and each column."""
    (tall, wide), (down, across) = ij_of(dims), ij_of(step)
    if tall <= 0 or wide <= 0:
        raise Fail(Reason.EMPTY, "a grid without cells")
    sides_fit(tall, wide)
    return drawn(tall, wide, lambda i, j: i * down + j * across)


def wrap(grid: Grid, n: int) -> Grid:
    """Each number of the grid modulo n."""
    n = int_of(n)
    rows = image_of(grid)
    if n == 0:
        raise Fail(Reason.ZERO_DIVISION, "modulo zero")
    return redrawn(rows, lambda i, j: rows[i][j] % n)


def cellmin(a: Grid, b: Grid) -> Grid:
    """The lesser of two grids' numbers at each place."""
    a, b = images_of(a, b)
    same_shape((a, b))
    return redrawn(a, lambda i, j: min(a[i][j], b[i][j]))


def cellmax(a: Grid, b: Grid) -> Grid:
    """The greater of two grids' numbers at each place."""
    a, b = images_of(a, b)
    same_shape((a, b))
    return redrawn(a, lambda i, j: max(a[i][j], b[i][j]))


def enclosed(grid: Grid, ground: int, diagonal: Any) -> Indices:
    """The places of the ground that no way over the ground, by sides or also by corners, joins with the edge."""
    ground = int_of(ground)
    rows = image_of(grid)
    tall, wide = sides(rows)
    edge = {(i, j) for i, j in places(rows) if i in (0, tall - 1) or j in (0, wide - 1)}
    found = [region for region in regions(rows, bool(diagonal)) if rows[region[0][0]][region[0][1]] == ground]
    return frozenset(place for region in found if edge.isdisjoint(region) for place in region)


def regionsize(grid: Grid, diagonal: Any) -> Grid:
    """Of each cell how many cells its region of one colour has, at most 127."""
    rows = image_of(grid)
    sizes = {place: len(region) for region in regions(rows, bool(diagonal)) for place in region}
    return redrawn(rows, lambda i, j: min(sizes[i, j], GREATEST))


def inset(grid: Grid, diagonal: Any, direction: IJ) -> Grid:
    """Of each cell how far it is from the end, in the direction, of the box of its region of one colour."""
    way = ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    far: dict[IJ, int] = {}
    for region in regions(rows, bool(diagonal)):
        ends = [(max if way[k] > 0 else min)(place[k] for place in region) for k in (0, 1)]
        far |= {place: min(abs(ends[k] - place[k]) for k in (0, 1) if way[k]) for place in region}
    return redrawn(rows, lambda i, j: min(far[i, j], GREATEST))


def ranks(grid: Grid, ground: int) -> Grid:
    """Of each cell how many different numbers of the grid are greater; the ground stays and does not count."""
    ground = int_of(ground)
    rows = image_of(grid)
    numbers = {cell for row in rows for cell in row} - {ground}
    return redrawn(
        rows, lambda i, j: ground if rows[i][j] == ground else sum(number > rows[i][j] for number in numbers)
    )


def rankof(value: int, container: Container) -> int:
    """How many different numbers of the container are greater."""
    value, numbers = int_of(value), {int_of(item) for item in container_of(container)}
    return sum(number > value for number in numbers)


def _apart(a: IJ, b: IJ, diagonal: Any) -> int:
    """Steps from one place to another, by sides or also by corners."""
    down, across = abs(a[0] - b[0]), abs(a[1] - b[1])
    return max(down, across) if diagonal else down + across


def distance(grid: Grid, colour: int, diagonal: Any) -> Grid:
    """Of each cell how many steps, by sides or also by corners, it is from the colour; at most 127."""
    colour = int_of(colour)
    rows = image_of(grid)
    there = [(i, j) for i, j in places(rows) if rows[i][j] == colour]
    return redrawn(rows, lambda i, j: min([GREATEST, *(_apart((i, j), place, diagonal) for place in there)]))


def nearfill(grid: Grid, ground: int, steps: int, diagonal: Any) -> Grid:
    """The grid with ground in the colour of the nearest other cell at most so many steps away, the first of several."""
    ground, steps = int_of(ground), int_of(steps)
    rows = image_of(grid)
    there = [(i, j) for i, j in places(rows) if rows[i][j] != ground]

    def cell(i: int, j: int) -> int:
        far, (a, b) = min(((_apart((i, j), place, diagonal), place) for place in there), default=(0, (i, j)))
        return rows[a][b] if far <= steps else rows[i][j]

    return redrawn(rows, cell)


def neighborcount(grid: Grid, colour: int, diagonal: Any) -> Grid:
    """Of each cell how many of its neighbours, by sides or also by corners, have the colour."""
    colour = int_of(colour)
    rows = image_of(grid)
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if _apart((0, 0), (a, b), diagonal) == 1]

    def cell(i: int, j: int) -> int:
        near = [(i + a, j + b) for a, b in steps]
        return sum(inside(rows, (a, b)) and rows[a][b] == colour for a, b in near)

    return redrawn(rows, cell)


def linecount(grid: Grid, colour: int, direction: IJ) -> Grid:
    """Of each cell how many cells of the colour lie on the line through it in the direction; at most 127."""
    colour, way = int_of(colour), ij_of(direction)
    rows = image_of(grid)
    no_step(way)

    def cell(i: int, j: int) -> int:
        line = [(i, j), *walk(rows, (i, j), way), *walk(rows, (i, j), (-way[0], -way[1]))]
        return min(GREATEST, sum(rows[a][b] == colour for a, b in line))

    return redrawn(rows, cell)


_op = partial(make_spec, "measures", since=3)

OPS = (
    _op(colormask, "Grid, Int -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(ramp, "IJ, IJ -> Grid", fails="limit empty"),
    _op(wrap, "Grid, Int -> Grid", Fact.KEEPS_GRID, fails="limit empty zero-division"),
    _op(cellmin, "Grid, Grid -> Grid", Fact.COMMUTATIVE, Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(cellmax, "Grid, Grid -> Grid", Fact.COMMUTATIVE, Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(enclosed, "Grid, Int, Bool -> Indices", fails="limit empty"),
    _op(regionsize, "Grid, Bool -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(inset, "Grid, Bool, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(ranks, "Grid, Int -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(rankof, "Int, ~Int -> Int"),
    _op(distance, "Grid, Int, Bool -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(nearfill, "Grid, Int, Int, Bool -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(neighborcount, "Grid, Int, Bool -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(linecount, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
)
