"""Colour and shape: what grids and patches look like, and where patches lie.

A tuple of cells or places serves as a patch wherever nothing else a tuple could mean is asked for; what
takes a grid too (height, palette, a mirror) sees a tuple as a grid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.spec import Cost, Fact, make_spec
from arcbatt.language.values import (
    IJ,
    Cell,
    Container,
    Grid,
    Indices,
    Object,
    Patch,
    container_of,
    first_item,
    ij_of,
    int_of,
    key_ranks,
    number,
    ordered,
    pair_of,
    set_of,
    tuple_of,
)

Element = Grid | Object
Piece = Grid | Patch


def as_patch(patch: Patch) -> Patch:
    """A tuple of cells or places as the patch it serves for."""
    return frozenset(container_of(patch))


def toindices(patch: Patch) -> Indices:
    """The places of a patch, without colours."""
    if not container_of(patch):
        return frozenset()
    return frozenset(pair_of(cell)[1] for cell in patch) if holds_cells(patch) else frozenset(patch)


def holds_cells(patch: Patch) -> bool:
    """Whether a patch that is not empty is an object: its first item carries a colour."""
    kinds = {type(item[1]) if isinstance(item, tuple) and len(item) == 2 else None for item in patch}
    first = next(iter(patch)) if len(kinds) == 1 else first_item(patch)
    return isinstance(pair_of(first)[1], tuple)


def numbered(places: Indices) -> Indices:
    """The places, if all are pairs of numbers."""
    for place in places:
        ij_of(place)
    return places


def cells_of(items: Iterable[Any]) -> list[Cell]:
    """The items, if all are cells: any colour with a pair of numbers."""
    return [(colour, ij_of(place)) for colour, place in map(pair_of, items)]


def places(patch: Patch) -> Indices:
    """The places of a patch that must not be empty."""
    if not container_of(patch):
        raise Fail(Reason.EMPTY, "an empty patch has no place")
    return numbered(toindices(patch))


def extent(grid: Grid) -> IJ:
    """Rows and columns of a grid that must not be empty."""
    if not tuple_of(grid):
        raise Fail(Reason.EMPTY, "an empty grid")
    return len(grid), len(tuple_of(grid[0]))


def cell_at(grid: Grid, i: int, j: int) -> int:
    """The cell at a place inside the grid's shape; a ragged grid may have none there."""
    if j >= len(grid[i]):
        raise Fail(Reason.BOUNDS, f"row {i} is shorter than the first")
    return grid[i][j]


def colours(element: Element) -> list[int]:
    """The colour of every cell."""
    if isinstance(element, tuple):
        return list(chain.from_iterable(tuple_of(row) for row in element))
    return [pair_of(cell)[0] for cell in set_of(element)]


def _colours_ascending(element: Element) -> list[tuple[int, int]]:
    counts = Counter(colours(element))
    if not counts:
        raise Fail(Reason.EMPTY, "no cell, so no colour")
    return [(colour, counts[colour]) for colour in _ascending(counts)]


def _ascending(found: Iterable[Any]) -> list[Any]:
    """Distinct colours ascending."""
    distinct = list(found)
    ranks = key_ranks(distinct)
    return [distinct[place] for place in sorted(range(len(distinct)), key=ranks.__getitem__)]


def mostcolor(element: Element) -> int:
    """The colour of most cells; the least of several."""
    return max(_colours_ascending(element), key=lambda counted: counted[1])[0]


def leastcolor(element: Element) -> int:
    """The colour of fewest cells among those there; the least of several."""
    return min(_colours_ascending(element), key=lambda counted: counted[1])[0]


def palette(element: Element) -> frozenset[int]:
    """The set of colours."""
    return frozenset(colours(element))


def p_g(grid: Grid) -> tuple[int, ...]:
    """The colours of a grid, ascending."""
    return tuple(_ascending(palette(tuple_of(grid))))


def numcolors(element: Element) -> int:
    """How many colours there are."""
    return len(palette(element))


def color(patch: Object) -> int:
    """The colour of an object's first cell."""
    if not container_of(patch):
        raise Fail(Reason.EMPTY, "an empty object has no colour")
    return int_of(ordered(patch)[0][0])


def colorcount(element: Element, colour: int) -> int:
    """How many cells have the colour."""
    return colours(element).count(colour)


def colorfilter(objects: Container, colour: int) -> frozenset[Any]:
    """The objects whose first cell has the colour."""
    return frozenset(item for item in ordered(container_of(objects)) if color(item) == colour)


def uppermost(patch: Patch) -> int:
    """The first row."""
    return min(i for i, _ in places(patch))


def lowermost(patch: Patch) -> int:
    """The last row."""
    return max(i for i, _ in places(patch))


def leftmost(patch: Patch) -> int:
    """The first column."""
    return min(j for _, j in places(patch))


def rightmost(patch: Patch) -> int:
    """The last column."""
    return max(j for _, j in places(patch))


def box_of(patch: Patch) -> tuple[int, int, int, int]:
    """First and last row, first and last column of a patch that must not be empty."""
    rows, columns = zip(*places(patch), strict=True)
    return min(rows), max(rows), min(columns), max(columns)


def _corner(patch: Patch, row: int, column: int) -> IJ:
    """A corner of the box by its indexes in `box_of`; of nothing, the empty tuple."""
    if not container_of(patch):
        return ()  # type: ignore[return-value]
    box = box_of(patch)
    return box[row], box[column]


def ulcorner(patch: Patch) -> IJ:
    """The upper left corner of the box; () of nothing."""
    return _corner(patch, 0, 2)


def urcorner(patch: Patch) -> IJ:
    """The upper right corner of the box; () of nothing."""
    return _corner(patch, 0, 3)


def llcorner(patch: Patch) -> IJ:
    """The lower left corner of the box; () of nothing."""
    return _corner(patch, 1, 2)


def lrcorner(patch: Patch) -> IJ:
    """The lower right corner of the box; () of nothing."""
    return _corner(patch, 1, 3)


def height(piece: Piece) -> int:
    """Rows of a grid, or of a patch's box; 0 of nothing."""
    if not container_of(piece):
        return 0
    if isinstance(piece, tuple):
        return len(piece)
    top, bottom, _, _ = box_of(piece)
    return number(bottom - top + 1)


def width(piece: Piece) -> int:
    """Columns of a grid, or of a patch's box; 0 of nothing."""
    if not container_of(piece):
        return 0
    if isinstance(piece, tuple):
        return len(tuple_of(piece[0]))
    _, _, left, right = box_of(piece)
    return number(right - left + 1)


def shape(piece: Piece) -> IJ:
    """Height and width."""
    return height(piece), width(piece)


def portrait(piece: Piece) -> bool:
    """Whether it is taller than wide."""
    return height(piece) > width(piece)


def square(piece: Piece) -> bool:
    """Whether a grid is as tall as wide, or a patch a full square."""
    tall, wide = shape(piece)
    return tall == wide and (isinstance(piece, tuple) or tall * wide == len(piece))


def vline(patch: Patch) -> bool:
    """Whether the patch is one full vertical line."""
    cells = as_patch(patch)
    return width(cells) == 1 and height(cells) == len(cells)


def hline(patch: Patch) -> bool:
    """Whether the patch is one full horizontal line."""
    cells = as_patch(patch)
    return height(cells) == 1 and width(cells) == len(cells)


def center(patch: Patch) -> IJ:
    """The middle of the box, rounded towards its end."""
    top, bottom, left, right = box_of(patch)
    return top + (bottom - top + 1) // 2, left + (right - left + 1) // 2


def centerofmass(patch: Patch) -> IJ:
    """The mean place, rounded down; () of nothing."""
    if not container_of(patch):
        return ()  # type: ignore[return-value]
    spots, count = places(patch), len(as_patch(patch))
    return sum(i for i, _ in spots) // count, sum(j for _, j in spots) // count


def corners(patch: Patch) -> Indices:
    """The four corners of the box."""
    return frozenset({ulcorner(patch), urcorner(patch), llcorner(patch), lrcorner(patch)})


def hmatching(a: Patch, b: Patch) -> bool:
    """Whether two patches share a row."""
    ours, others = numbered(toindices(a)), numbered(toindices(b))
    return not {i for i, _ in ours}.isdisjoint({i for i, _ in others})


def vmatching(a: Patch, b: Patch) -> bool:
    """Whether two patches share a column."""
    ours, others = numbered(toindices(a)), numbered(toindices(b))
    return not {j for _, j in ours}.isdisjoint({j for _, j in others})


def manhattan(a: Patch, b: Patch) -> int:
    """The least distance, in rows plus columns, of a place of a from a place of b."""
    return number(_distance(a, b))


def _distance(a: Patch, b: Patch) -> int:
    ours, others = toindices(a), toindices(b)
    if not ours or not others:
        raise Fail(Reason.EMPTY, "an empty patch has no distance")
    return min(abs(ai - bi) + abs(aj - bj) for ai, aj in numbered(ours) for bi, bj in numbered(others))


def adjacent(a: Patch, b: Patch) -> bool:
    """Whether the least distance is 1."""
    return _distance(a, b) == 1


def bordering(patch: Patch, grid: Grid) -> bool:
    """Whether the patch reaches an edge of the grid."""
    top, bottom, left, right = box_of(patch)
    rows, columns = extent(grid)
    return top == 0 or left == 0 or bottom == rows - 1 or right == columns - 1


def position(a: Patch, b: Patch) -> IJ:
    """The direction from a to b by their centres."""
    (ai, aj), (bi, bj) = center(a), center(b)
    row, column = (bi > ai) - (bi < ai), (bj > aj) - (bj < aj)
    return (0, -1) if row == column == 0 else (row, column)


def gravitate(source: Patch, destination: Patch) -> IJ:
    """The way source moves, straight, until it is adjacent to destination, 42 steps at most."""
    (si, sj), (di, dj) = center(source), center(destination)
    if vmatching(source, destination):
        step = (1 if si < di else -1, 0)
    else:
        step = (0, 1 if sj < dj else -1)
    moving, goal = toindices(source), toindices(destination)
    count = 0
    while count < 42 and not adjacent(moving, goal):
        moving = frozenset((i + step[0], j + step[1]) for i, j in moving)
        count += 1
    return step[0] * count, step[1] * count


_op = partial(make_spec, "colour and shape")

OPS = (
    _op(mostcolor, "Element -> Int", Fact.TURN_INVARIANT, fails="empty"),
    _op(leastcolor, "Element -> Int", Fact.TURN_INVARIANT, fails="empty"),
    _op(palette, "Element -> {Int}", Fact.TURN_INVARIANT),
    _op(p_g, "Grid -> [Int]", Fact.TURN_INVARIANT),
    _op(numcolors, "Element -> Int", Fact.TURN_INVARIANT),
    _op(color, "Object -> Int", Fact.FIRST_CELL, fails="empty"),
    _op(colorcount, "Element, Int -> Int", Fact.TURN_INVARIANT, Fact.ANY_COLOUR, late=(1,)),
    _op(colorfilter, "~Object, Int -> {Object}", fails="empty", late=(1,)),
    _op(height, "Piece -> Int"),
    _op(width, "Piece -> Int"),
    _op(shape, "Piece -> IJ"),
    _op(portrait, "Piece -> Bool"),
    _op(square, "Piece -> Bool"),
    _op(vline, "Patch -> Bool"),
    _op(hline, "Patch -> Bool"),
    _op(toindices, "Patch -> Indices", Fact.IDEMPOTENT),
    _op(uppermost, "Patch -> Int", fails="empty"),
    _op(lowermost, "Patch -> Int", fails="empty"),
    _op(leftmost, "Patch -> Int", fails="empty"),
    _op(rightmost, "Patch -> Int", fails="empty"),
    _op(ulcorner, "Patch -> IJ"),
    _op(urcorner, "Patch -> IJ"),
    _op(llcorner, "Patch -> IJ"),
    _op(lrcorner, "Patch -> IJ"),
    _op(center, "Patch -> IJ", fails="empty"),
    _op(centerofmass, "Patch -> IJ"),
    _op(corners, "Patch -> Indices"),
    _op(hmatching, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE),
    _op(vmatching, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE),
    _op(manhattan, "Patch1, Patch2 -> Int", Fact.COMMUTATIVE, cost=Cost.PRODUCT, fails="empty limit"),
    _op(adjacent, "Patch1, Patch2 -> Bool", Fact.COMMUTATIVE, cost=Cost.PRODUCT, fails="empty limit"),
    _op(bordering, "Patch, Grid -> Bool", fails="empty", late=(1,)),
    _op(position, "Patch1, Patch2 -> IJ", fails="empty", late=(1,)),
    _op(gravitate, "Patch1, Patch2 -> IJ", cost=Cost.PRODUCT, fails="empty limit", late=(1,)),
)
