"""Objects and patches: finding them in grids, and drawing new ones."""

from __future__ import annotations

from functools import partial
from itertools import chain, product
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.limits import MAX_SIDE
from arcbatt.language.primitives.grids import rows_of, shift
from arcbatt.language.primitives.shapes import (
    as_patch,
    box_of,
    cell_at,
    cells_of,
    extent,
    height,
    mostcolor,
    numbered,
    palette,
    shape,
    toindices,
    ulcorner,
    width,
)
from arcbatt.language.spec import Cost, Fact, make_spec
from arcbatt.language.values import (
    IJ,
    Cell,
    Grid,
    Indices,
    Object,
    Patch,
    container_of,
    ij_of,
    int_of,
    need_room,
    number,
    ordered,
    tuple_of,
)

_STRAIGHT = ((-1, 0), (1, 0), (0, -1), (0, 1))
_SLANTED = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def _around(loc: IJ, steps: tuple[IJ, ...]) -> Indices:
    i, j = ij_of(loc)
    return frozenset((number(i + di), number(j + dj)) for di, dj in steps)


def dneighbors(loc: IJ) -> Indices:
    """The four places beside, above and below."""
    return _around(loc, _STRAIGHT)


def ineighbors(loc: IJ) -> Indices:
    """The four places diagonally next."""
    return _around(loc, _SLANTED)


def neighbors(loc: IJ) -> Indices:
    """The eight places around."""
    return _around(loc, _STRAIGHT + _SLANTED)


def asindices(grid: Grid) -> Indices:
    """Every place of the grid."""
    tall, wide = extent(grid) if tuple_of(grid) else (0, 0)
    need_room(tall * wide)
    return frozenset(product(range(tall), range(wide)))


def asobject(grid: Grid) -> Object:
    """Every cell of the grid."""
    return frozenset((cell, (i, j)) for i, row in enumerate(rows_of(grid)) for j, cell in enumerate(row))


def ofcolor(grid: Grid, colour: int) -> Indices:
    """The places of one colour."""
    return frozenset((i, j) for i, row in enumerate(rows_of(grid)) for j, cell in enumerate(row) if cell == colour)


def objects(grid: Grid, univalued: bool, diagonal: bool, without_bg: bool) -> frozenset[Object]:
    """Connected components: of one colour each or any, 4 or 8 neighbours, the most common colour left out or not."""
    background = mostcolor(grid) if without_bg else None
    steps = _STRAIGHT + _SLANTED if diagonal else _STRAIGHT
    tall, wide = extent(grid) if rows_of(grid) else (0, 0)
    cells = {(i, j): cell_at(grid, i, j) for i in range(tall) for j in range(wide)}
    cells = {place: colour for place, colour in cells.items() if colour != background}
    found = []
    while cells:
        start, colour = cells.popitem()
        component: list[Cell] = [(colour, start)]
        for _, (i, j) in component:  # grows while it is walked
            for di, dj in steps:
                place = (i + di, j + dj)
                if place in cells and (not univalued or cells[place] == colour):
                    component.append((cells.pop(place), place))
        found.append(frozenset(component))
    return frozenset(found)


def o_g(grid: Grid, mode: int) -> frozenset[Object]:
    """As objects; of mode, bit 4 is univalued, 2 diagonal, 1 without_bg."""
    if not 0 <= int_of(mode) <= 7:
        raise Fail(Reason.BOUNDS, f"mode {mode}, 0 to 7")
    return objects(grid, bool(mode & 4), bool(mode & 2), bool(mode & 1))


def _of_colours(grid: Grid, wanted: frozenset[int]) -> frozenset[Object]:
    return frozenset(frozenset(cell for cell in asobject(grid) if cell[0] == colour) for colour in wanted)


def partition(grid: Grid) -> frozenset[Object]:
    """One object for each colour."""
    return _of_colours(grid, palette(grid))


def fgpartition(grid: Grid) -> frozenset[Object]:
    """One object for each colour but the most common."""
    return _of_colours(grid, palette(grid) - {mostcolor(grid)})


def frontiers(grid: Grid) -> frozenset[Object]:
    """The rows and the columns of a single colour, as objects."""
    tall, wide = extent(grid)
    rows = ([(i, j) for j in range(wide)] for i in range(tall))
    columns = ([(i, j) for i in range(tall)] for j in range(wide))
    lines = [[(cell_at(grid, i, j), (i, j)) for i, j in line] for line in chain(rows, columns)]
    return frozenset(frozenset(line) for line in lines if len({colour for colour, _ in line}) == 1)


def toobject(patch: Patch, grid: Grid) -> Object:
    """The cells of the grid at the patch's places, those that lie on it."""
    tall, wide = extent(rows_of(grid))
    spots = numbered(toindices(patch))
    return frozenset((cell_at(grid, i, j), (i, j)) for i, j in spots if 0 <= i < tall and 0 <= j < wide)


def recolor(colour: int, patch: Patch) -> Object:
    """The patch in one colour."""
    return frozenset((colour, place) for place in toindices(patch))


def normalize(patch: Patch) -> Patch:
    """The patch moved so that its box starts at the origin."""
    if not container_of(patch):
        return frozenset()
    top, left = ulcorner(patch)
    return shift(patch, (number(-top), number(-left)))


def _rectangle(top: int, bottom: int, left: int, right: int) -> Indices:
    need_room((bottom - top + 1) * (right - left + 1))
    return frozenset(product(range(top, bottom + 1), range(left, right + 1)))


def _outline(top: int, bottom: int, left: int, right: int) -> Indices:
    need_room(2 * (bottom - top + right - left))
    sides = product(range(top, bottom + 1), (left, right))
    return frozenset(chain(sides, product((top, bottom), range(left, right + 1))))


def backdrop(patch: Patch) -> Indices:
    """Every place in the patch's box."""
    return _rectangle(*box_of(patch)) if container_of(patch) else frozenset()


def delta(patch: Patch) -> Indices:
    """The places of the box that are not in the patch."""
    return backdrop(patch) - toindices(patch)


def box(patch: Patch) -> Indices:
    """The outline of the patch's box."""
    return _outline(*box_of(patch)) if container_of(patch) else frozenset()


def inbox(patch: Patch) -> Indices:
    """The outline one inside the patch's box."""
    top, bottom, left, right = box_of(patch)
    rows = sorted((number(top + 1), number(bottom - 1)))
    columns = sorted((number(left + 1), number(right - 1)))
    return _outline(rows[0], rows[1], columns[0], columns[1])


def outbox(patch: Patch) -> Indices:
    """The outline one outside the patch's box."""
    top, bottom, left, right = box_of(patch)
    return _outline(number(top - 1), number(bottom + 1), number(left - 1), number(right + 1))


def connect(a: IJ, b: IJ) -> Indices:
    """The straight or diagonal line from a to b, both included; else nothing."""
    (ai, aj), (bi, bj) = ij_of(a), ij_of(b)
    rows, columns = bi - ai, bj - aj
    if rows and columns and abs(rows) != abs(columns):
        return frozenset()
    length = max(abs(rows), abs(columns))
    need_room(length + 1)
    di, dj = (rows > 0) - (rows < 0), (columns > 0) - (columns < 0)
    return frozenset((ai + k * di, aj + k * dj) for k in range(length + 1))


def shoot(start: IJ, direction: IJ) -> Indices:
    """The line from start, 42 steps in the direction."""
    (i, j), (di, dj) = ij_of(start), ij_of(direction)
    return connect(start, (number(i + 42 * di), number(j + 42 * dj)))


def vfrontier(loc: IJ) -> Indices:
    """The thirty places of the column, from row 0."""
    return frozenset((i, ij_of(loc)[1]) for i in range(30))


def hfrontier(loc: IJ) -> Indices:
    """The thirty places of the row, from column 0."""
    return frozenset((ij_of(loc)[0], j) for j in range(30))


def occurrences(grid: Grid, obj: Object) -> Indices:
    """The upper left corners of where the grid holds the object's cells."""
    tall, wide = extent(rows_of(grid))
    cells = [(i, j, colour) for colour, (i, j) in cells_of(ordered(normalize(obj)))]
    box_tall, box_wide = shape(as_patch(obj))
    if not cells:
        need_room((tall + 1) * (wide + 1))
    return frozenset(
        (i, j)
        for i in range(tall - box_tall + 1)
        for j in range(wide - box_wide + 1)
        if all(cell_at(grid, i + di, j + dj) == colour for di, dj, colour in cells)
    )


def _period(obj: Object, length: int, step: IJ) -> int:
    """The least shift against the step under which what stays in the box agrees with the object."""
    if length > MAX_SIDE:
        raise Fail(Reason.LIMIT, f"an object {length} long, at most {MAX_SIDE}")
    cells: frozenset[Any] = normalize(obj)
    spots = cells_of(cells) if length > 1 else []
    for p in range(1, length):
        moved = ((colour, (i - p * step[0], j - p * step[1])) for colour, (i, j) in spots)
        if all(cell in cells for cell in moved if min(cell[1]) >= 0):
            return p
    return length


def hperiod(obj: Object) -> int:
    """The least number of columns after which the object repeats itself; its width if it does not."""
    return _period(obj, width(as_patch(obj)), (0, 1))


def vperiod(obj: Object) -> int:
    """The least number of rows after which the object repeats itself; its height if it does not."""
    return _period(obj, height(as_patch(obj)), (1, 0))


_op = partial(make_spec, "objects and patches")

OPS = (
    _op(
        objects,
        "Grid, Bool, Bool, Bool -> {Object}",
        Fact.SET_AS_GRID,
        object_mode=(4, 2, 1),
        fails="empty",
        late=(1, 2, 3),
    ),
    _op(o_g, "Grid, Int -> {Object}", object_mode=(1,), fails="empty bounds", late=(0,)),
    _op(partition, "Grid -> {Object}", Fact.SET_AS_GRID),
    _op(fgpartition, "Grid -> {Object}", Fact.SET_AS_GRID, fails="empty"),
    _op(frontiers, "Grid -> {Object}", fails="empty"),
    _op(asindices, "Grid -> Indices"),
    _op(asobject, "Grid -> Object", Fact.SET_AS_GRID),
    _op(ofcolor, "Grid, Int -> Indices", Fact.SET_AS_GRID, late=(1,)),
    _op(toobject, "Patch, Grid -> Object", fails="empty", late=(0,)),
    _op(recolor, "Int, Patch -> Object", late=(0,)),
    _op(normalize, "Patch -> Patch", Fact.IDEMPOTENT, fails="limit"),
    _op(backdrop, "Patch -> Indices", fails="limit"),
    _op(delta, "Patch -> Indices", fails="limit"),
    _op(box, "Patch -> Indices", fails="limit"),
    _op(inbox, "Patch -> Indices", fails="empty limit"),
    _op(outbox, "Patch -> Indices", fails="empty limit"),
    _op(dneighbors, "IJ -> Indices", fails="limit"),
    _op(ineighbors, "IJ -> Indices", fails="limit"),
    _op(neighbors, "IJ -> Indices", fails="limit"),
    _op(connect, "IJ, IJ -> Indices", Fact.COMMUTATIVE, fails="limit"),
    _op(shoot, "IJ, IJ -> Indices", fails="limit"),
    _op(vfrontier, "IJ -> Indices"),
    _op(hfrontier, "IJ -> Indices"),
    _op(occurrences, "Grid, Object -> Indices", cost=Cost.PRODUCT, fails="empty limit", late=(1,)),
    _op(hperiod, "Object -> Int", fails="limit"),
    _op(vperiod, "Object -> Int", fails="limit"),
)
