"""Rays: what is seen along lines, colours that run over the ground, and what falls."""

from __future__ import annotations

from functools import partial
from typing import Any

from arcbatt.language.primitives.images import image_of, lines, no_step, places, redrawn, regions
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import IJ, Grid, ij_of, int_of


def _seen(rows: Grid, ground: int, direction: IJ) -> dict[IJ, int | None]:
    """Of each place the first colour from it on, without it, that is not the ground."""
    found: dict[IJ, int | None] = {}
    for line in lines(rows, _back(direction)):
        colour = None
        for i, j in line:
            found[i, j] = colour
            colour = colour if rows[i][j] == ground else rows[i][j]
    return found


def _back(direction: IJ) -> IJ:
    return -direction[0], -direction[1]


def look(grid: Grid, ground: int, direction: IJ) -> Grid:
    """For each cell the first colour but the ground that is seen from it in the direction; -1 where there is none."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    seen = _seen(rows, ground, way)

    def cell(i: int, j: int) -> int:
        colour = seen[i, j]
        return -1 if colour is None else colour

    return redrawn(rows, cell)


def smear(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with every colour but the ground run in the direction, over the ground alone."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    seen = _seen(rows, ground, _back(way))

    def cell(i: int, j: int) -> int:
        colour = seen[i, j]
        return rows[i][j] if rows[i][j] != ground or colour is None else colour

    return redrawn(rows, cell)


def beam(grid: Grid, colour: int, ground: int, direction: IJ) -> Grid:
    """The grid with one colour run in the direction, over the ground, until anything else is in its way."""
    colour, ground, way = int_of(colour), int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    seen = _seen(rows, ground, _back(way))
    return redrawn(rows, lambda i, j: colour if rows[i][j] == ground and seen[i, j] == colour else rows[i][j])


def bridge(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with ground between two cells of one colour, in the direction, filled with that colour."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    seen, seen_back = _seen(rows, ground, way), _seen(rows, ground, _back(way))

    def cell(i: int, j: int) -> int:
        ahead, behind = seen[i, j], seen_back[i, j]
        return ahead if rows[i][j] == ground and ahead == behind and ahead is not None else rows[i][j]

    return redrawn(rows, cell)


def cellfall(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with every cell but the ground moved in the direction as far as it goes, each line by itself."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    fallen = dict.fromkeys(places(rows), ground)
    for line in lines(rows, _back(way)):
        cells = [rows[i][j] for i, j in line if rows[i][j] != ground]
        fallen.update(zip(line, cells, strict=False))
    return redrawn(rows, lambda i, j: fallen[i, j])


def regionfall(grid: Grid, ground: int, diagonal: Any, direction: IJ) -> Grid:
    """The grid with every region of one colour but the ground moved in the direction until it rests on something."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    found = [region for region in regions(rows, bool(diagonal)) if rows[region[0][0]][region[0][1]] != ground]
    fallen = {
        (i + far * way[0], j + far * way[1]): rows[i][j]
        for region, far in zip(found, _ways(rows, found, way), strict=True)
        for i, j in region
    }
    return redrawn(rows, lambda i, j: fallen.get((i, j), ground))


def _ways(rows: Grid, found: list[list[IJ]], way: IJ) -> list[int]:
    """How far each region goes: to the edge, or as far as one before it goes and the gap between them, if less."""
    owner = {place: k for k, region in enumerate(found) for place in region}
    gaps: list[tuple[int, int, int | None]] = []
    for line in lines(rows, _back(way)):
        ahead, gap = None, 0
        for place in line:
            if place not in owner:
                gap += 1
                continue
            gaps.append((owner[place], gap, ahead))
            ahead, gap = owner[place], 0
    far = [len(rows) + len(rows[0])] * len(found)
    before = None
    while far != before:
        before = list(far)
        for k, gap, ahead in gaps:
            if ahead != k:
                far[k] = min(far[k], gap if ahead is None else gap + far[ahead])
    return far


_op = partial(make_spec, "rays", since=3)

OPS = (
    _op(look, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(smear, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(beam, "Grid, Int, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(bridge, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(cellfall, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(regionfall, "Grid, Int, Bool, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
)
