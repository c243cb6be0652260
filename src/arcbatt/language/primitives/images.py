"""Images: grids as primitives for search take them, and the checks these primitives share.

An image is a full grid: rows of one length, every cell a number from -128 to 127. Whatever takes images first sees that
all of its arguments are of their kinds (else *type*), then that numbers fit (else *limit*), then everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.limits import MAX_CELLS, MAX_SIDE
from arcbatt.language.values import IJ, Grid, Value, int_of, tuple_of

LEAST: Final = -128
GREATEST: Final = 127
"""What a cell of an image can be; measures that go beyond it stay at the greatest."""


def _rows(grid: Value) -> Grid:
    """The value, if it is a tuple of equally long rows of numbers."""
    rows = tuple(tuple([int(int_of(cell)) for cell in tuple_of(row)]) for row in tuple_of(grid))
    if len(set(map(len, rows))) > 1:
        raise Fail(Reason.TYPE, "rows of different lengths")
    return rows


def numbers_of(values: Value) -> tuple[int, ...]:
    """The value, if it is a tuple of numbers."""
    return tuple([int_of(value) for value in tuple_of(values)])


def cells_fit(numbers: Iterable[int]) -> None:
    """Fail unless all numbers can be cells of an image."""
    for number in numbers:
        if not LEAST <= number <= GREATEST:
            raise Fail(Reason.LIMIT, f"{number} as a cell, which is from {LEAST} to {GREATEST}")


def sides_fit(height: int, width: int) -> None:
    """Fail unless a grid of such sides is within the limits."""
    if height > MAX_SIDE or width > MAX_SIDE or height * width > MAX_CELLS:
        raise Fail(Reason.LIMIT, f"a grid of {height} x {width}")


def grids_of(*grids: Value) -> tuple[Grid, ...]:
    """The values, if all are images, which may have no cells."""
    found = tuple(map(_rows, grids))
    for rows in found:
        sides_fit(len(rows), len(rows[0]) if rows else 0)
        cells_fit(cell for row in rows for cell in row)
    return found


def images_of(*grids: Value) -> tuple[Grid, ...]:
    """The values, if all are images that have cells."""
    found = grids_of(*grids)
    if not all(rows and rows[0] for rows in found):
        raise Fail(Reason.EMPTY, "a grid without cells")
    return found


def image_of(grid: Value) -> Grid:
    """The value, if it is an image that has cells."""
    return images_of(grid)[0]


def sides(rows: Grid) -> IJ:
    """Height and width of an image."""
    return len(rows), len(rows[0])


def places(rows: Grid) -> list[IJ]:
    """The places of an image, by rows."""
    return [(i, j) for i in range(len(rows)) for j in range(len(rows[0]))]


def inside(rows: Grid, place: IJ) -> bool:
    """Whether a place lies on the image."""
    return 0 <= place[0] < len(rows) and 0 <= place[1] < len(rows[0])


def drawn(height: int, width: int, cell: Callable[[int, int], int]) -> Grid:
    """The image whose cell at (i, j) is what `cell` gives."""
    sides_fit(height, width)
    rows = tuple(tuple([int(cell(i, j)) for j in range(width)]) for i in range(height))
    cells_fit(number for row in rows for number in row)
    return rows


def redrawn(rows: Grid, cell: Callable[[int, int], int]) -> Grid:
    """An image of the same shape whose cell at (i, j) is what `cell` gives."""
    return drawn(*sides(rows), cell)


def same_shape(images: Iterable[Grid]) -> None:
    """Fail unless images that have cells are all of one shape."""
    if len(set(map(sides, images))) > 1:
        raise Fail(Reason.BOUNDS, "grids of different shapes")


def no_step(direction: IJ) -> None:
    """Fail of a direction that leads nowhere."""
    if direction == (0, 0):
        raise Fail(Reason.BOUNDS, "a direction that leads nowhere")


def lines(rows: Grid, direction: IJ) -> Iterator[list[IJ]]:
    """The places of an image as the lines in a direction, each from edge to edge."""
    down, across = direction
    for start in places(rows):
        if not inside(rows, (start[0] - down, start[1] - across)):
            line, place = [], start
            while inside(rows, place):
                line.append(place)
                place = place[0] + down, place[1] + across
            yield line


def neighbour_steps(diagonal: bool) -> list[IJ]:
    """The steps to what touches a place, by sides or also by corners."""
    return [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a or b) and (diagonal or not (a and b))]


def regions(rows: Grid, diagonal: bool) -> list[list[IJ]]:
    """The regions of one colour, connected by sides or also by corners; each by rows, all by their first places."""
    steps = neighbour_steps(diagonal)
    found, seen = [], set()
    for start in places(rows):
        if start in seen:
            continue
        region = [start]
        seen.add(start)
        for i, j in region:
            near = [(i + a, j + b) for a, b in steps]
            fresh = [p for p in near if inside(rows, p) and p not in seen and rows[p[0]][p[1]] == rows[i][j]]
            region += fresh
            seen.update(fresh)
        found.append(sorted(region))
    return found
