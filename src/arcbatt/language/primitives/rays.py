"""Rays: what is seen along lines, colours that run over the ground, and what falls."""

from __future__ import annotations

from functools import partial
from typing import Any

from arcbatt.language.primitives.images import image_of, inside, no_step, places, redrawn, regions, walk
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import IJ, Grid, ij_of, int_of


def _seen(rows: Grid, place: IJ, ground: int, direction: IJ) -> int | None:
    """The first colour from a place on, without it, that is not the ground."""
    return next((rows[i][j] for i, j in walk(rows, place, direction) if rows[i][j] != ground), None)


def _back(direction: IJ) -> IJ:
    return -direction[0], -direction[1]


def look(grid: Grid, ground: int, direction: IJ) -> Grid:
    """For each cell the first colour but the ground that is seen from it in the direction; -1 where there is none."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)

    def cell(i: int, j: int) -> int:
        colour = _seen(rows, (i, j), ground, way)
        return -1 if colour is None else colour

    return redrawn(rows, cell)


def smear(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with every colour but the ground run in the direction, over the ground alone."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)

    def cell(i: int, j: int) -> int:
        colour = _seen(rows, (i, j), ground, _back(way))
        return rows[i][j] if rows[i][j] != ground or colour is None else colour

    return redrawn(rows, cell)


def beam(grid: Grid, colour: int, ground: int, direction: IJ) -> Grid:
    """The grid with one colour run in the direction, over the ground, until anything else is in its way."""
    colour, ground, way = int_of(colour), int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    return redrawn(
        rows,
        lambda i, j: (
            colour if rows[i][j] == ground and _seen(rows, (i, j), ground, _back(way)) == colour else rows[i][j]
        ),
    )


def bridge(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with ground between two cells of one colour, in the direction, filled with that colour."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)

    def cell(i: int, j: int) -> int:
        ahead, behind = (_seen(rows, (i, j), ground, step) for step in (way, _back(way)))
        return ahead if rows[i][j] == ground and ahead == behind and ahead is not None else rows[i][j]

    return redrawn(rows, cell)


def cellfall(grid: Grid, ground: int, direction: IJ) -> Grid:
    """The grid with every cell but the ground moved in the direction as far as it goes, each line by itself."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    fallen = dict.fromkeys(places(rows), ground)
    for i, j in places(rows):
        if not inside(rows, (i + way[0], j + way[1])):
            line = [(i, j), *walk(rows, (i, j), _back(way))]
            cells = [rows[a][b] for a, b in line if rows[a][b] != ground]
            fallen.update(zip(line, cells, strict=False))
    return redrawn(rows, lambda i, j: fallen[i, j])


def regionfall(grid: Grid, ground: int, diagonal: Any, direction: IJ) -> Grid:
    """The grid with every region of one colour but the ground moved in the direction until it rests on something."""
    ground, way = int_of(ground), ij_of(direction)
    rows = image_of(grid)
    no_step(way)
    found = [region for region in regions(rows, bool(diagonal)) if rows[region[0][0]][region[0][1]] != ground]
    colours = [rows[region[0][0]][region[0][1]] for region in found]
    while len(resting := _resting(rows, found, way)) < len(found):
        moved = [[(i + way[0], j + way[1]) for i, j in region] for region in found]
        found = [region if k in resting else moved[k] for k, region in enumerate(found)]
    cells = {place: colour for region, colour in zip(found, colours, strict=True) for place in region}
    return redrawn(rows, lambda i, j: cells.get((i, j), ground))


def _resting(rows: Grid, found: list[list[IJ]], way: IJ) -> set[int]:
    """Which regions cannot move: those at the edge, and those before which one lies that cannot."""
    owner = {place: k for k, region in enumerate(found) for place in region}
    ahead = [{(i + way[0], j + way[1]) for i, j in region} for region in found]
    resting = {k for k, places_ahead in enumerate(ahead) if not all(inside(rows, place) for place in places_ahead)}
    grown = True
    while grown:
        more = {k for k, there in enumerate(ahead) if any(owner.get(p, k) != k and owner[p] in resting for p in there)}
        grown = not more <= resting
        resting |= more
    return resting


_op = partial(make_spec, "rays", since=3)

OPS = (
    _op(look, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(smear, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(beam, "Grid, Int, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(bridge, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(cellfall, "Grid, Int, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(regionfall, "Grid, Int, Bool, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
)
