"""Lattices: grids that full lines of one colour part into panes, and images laid beside and over one another."""

from __future__ import annotations

from collections import Counter
from functools import partial

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.primitives.images import (
    cells_fit,
    drawn,
    image_of,
    images_of,
    inside,
    numbers_of,
    redrawn,
    same_shape,
    sides,
    sides_fit,
)
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import IJ, Grid, ij_of, int_of, tuple_of

_Span = tuple[int, int]
"""From where to before where."""


def _full_lines(rows: Grid) -> list[int]:
    """The colour of every row and column that has only one."""
    return [line[0] for line in (*rows, *zip(*rows, strict=True)) if len(set(line)) == 1]


def seam(grid: Grid, ground: int) -> int:
    """The colour but the ground of most rows and columns that have only one, the least of several."""
    ground = int_of(ground)
    counts = Counter(colour for colour in _full_lines(image_of(grid)) if colour != ground)
    if not counts:
        raise Fail(Reason.EMPTY, "no full row or column")
    return min(counts, key=lambda colour: (-counts[colour], colour))


def _spans(lines: Grid, colour: int) -> list[_Span]:
    """The runs of lines that are not full of the colour."""
    kept = [k for k, line in enumerate(lines) if set(line) != {colour}]
    starts = [k for k in kept if k - 1 not in kept]
    ends = [k + 1 for k in kept if k + 1 not in kept]
    return list(zip(starts, ends, strict=True))


def _panes(rows: Grid, colour: int) -> list[tuple[_Span, _Span]]:
    """The rows and columns of every pane, by rows of panes."""
    return [
        (down, across) for down in _spans(rows, colour) for across in _spans(tuple(zip(*rows, strict=True)), colour)
    ]


def panes(grid: Grid, colour: int) -> tuple[Grid, ...]:
    """The parts that full rows and columns of the colour leave of the grid, row by row."""
    colour = int_of(colour)
    rows = image_of(grid)
    return tuple(
        tuple(row[left:right] for row in rows[top:bottom]) for (top, bottom), (left, right) in _panes(rows, colour)
    )


def panecount(grid: Grid, colour: int) -> IJ:
    """How many panes full rows and columns of the colour leave, down and across."""
    colour = int_of(colour)
    rows = image_of(grid)
    return len(_spans(rows, colour)), len(_spans(tuple(zip(*rows, strict=True)), colour))


def panefill(grid: Grid, colour: int, values: tuple[int, ...]) -> Grid:
    """The grid with each pane, between full lines of the colour, filled with its value."""
    colour, numbers = int_of(colour), numbers_of(values)
    rows = image_of(grid)
    cells_fit(numbers)
    found = _panes(rows, colour)
    if len(found) != len(numbers):
        raise Fail(Reason.BOUNDS, f"{len(numbers)} values for {len(found)} panes")
    filled = {
        (i, j): number
        for ((top, bottom), (left, right)), number in zip(found, numbers, strict=True)
        for i in range(top, bottom)
        for j in range(left, right)
    }
    return redrawn(rows, lambda i, j: filled.get((i, j), rows[i][j]))


def panepaint(grid: Grid, colour: int, images: tuple[Grid, ...]) -> Grid:
    """The grid with each pane, between full lines of the colour, replaced by the image for it."""
    colour = int_of(colour)
    rows, *parts = images_of(grid, *tuple_of(images))
    found = _panes(rows, colour)
    shapes = [(bottom - top, right - left) for (top, bottom), (left, right) in found]
    if shapes != list(map(sides, parts)):
        raise Fail(Reason.BOUNDS, "images of other shapes than the panes")
    painted = {
        (top + i, left + j): cell
        for ((top, _), (left, _)), part in zip(found, parts, strict=True)
        for i, row in enumerate(part)
        for j, cell in enumerate(row)
    }
    return redrawn(rows, lambda i, j: painted.get((i, j), rows[i][j]))


def _rows_of(count: int, n: int) -> int:
    """How many rows of n so many things make."""
    if not count:
        raise Fail(Reason.EMPTY, "rows of nothing")
    if n <= 0 or count % n:
        raise Fail(Reason.BOUNDS, f"rows of {n} out of {count}")
    return count // n


def torows(numbers: tuple[int, ...], n: int) -> Grid:
    """The numbers as a grid with rows of n."""
    cells, n = numbers_of(numbers), int_of(n)
    cells_fit(cells)
    return drawn(_rows_of(len(cells), n), n, lambda i, j: cells[i * n + j])


def hvconcat(images: tuple[Grid, ...], n: int) -> Grid:
    """Images of one shape laid side by side, in rows of n."""
    parts, n = tuple_of(images), int_of(n)
    parts = images_of(*parts)
    down = _rows_of(len(parts), n)
    same_shape(parts)
    tall, wide = sides(parts[0])
    return drawn(down * tall, n * wide, lambda i, j: parts[i // tall * n + j // wide][i % tall][j % wide])


def overlay(images: tuple[Grid, ...], ground: int) -> Grid:
    """Images of one shape over one another, later ones on top; cells of the ground let through what lies below."""
    parts, ground = tuple_of(images), int_of(ground)
    parts = images_of(*parts)
    if not parts:
        raise Fail(Reason.EMPTY, "no images")
    same_shape(parts)

    def cell(i: int, j: int) -> int:
        return next((part[i][j] for part in reversed(parts) if part[i][j] != ground), parts[0][i][j])

    return redrawn(parts[0], cell)


def paste(grid: Grid, image: Grid, start: IJ) -> Grid:
    """The grid with an image on it, its upper left corner at start; what lies off the grid is cut off."""
    top, left = ij_of(start)
    rows, part = images_of(grid, image)
    return redrawn(rows, lambda i, j: part[i - top][j - left] if inside(part, (i - top, j - left)) else rows[i][j])


def _need_dims(dims: IJ) -> None:
    if min(dims) <= 0:
        raise Fail(Reason.EMPTY, "a grid without cells")
    sides_fit(*dims)


def window(grid: Grid, start: IJ, dims: IJ, colour: int) -> Grid:
    """The part of the grid from start on, dims large; the colour where that is off the grid."""
    (top, left), dims, colour = ij_of(start), ij_of(dims), int_of(colour)
    rows = image_of(grid)
    cells_fit([colour])
    _need_dims(dims)
    return drawn(*dims, lambda i, j: rows[top + i][left + j] if inside(rows, (top + i, left + j)) else colour)


def tilegrid(grid: Grid, dims: IJ) -> Grid:
    """A grid of the size dims, filled with copies of the given one from the upper left."""
    dims = ij_of(dims)
    rows = image_of(grid)
    _need_dims(dims)
    tall, wide = sides(rows)
    return drawn(*dims, lambda i, j: rows[i % tall][j % wide])


def mirrortile(grid: Grid, dims: IJ) -> Grid:
    """A grid of the size dims, filled with copies of the given one, every other one mirrored."""
    dims = ij_of(dims)
    rows = image_of(grid)
    _need_dims(dims)

    def folded(k: int, n: int) -> int:
        return k % n if k // n % 2 == 0 else n - 1 - k % n

    return drawn(*dims, lambda i, j: rows[folded(i, len(rows))][folded(j, len(rows[0]))])


def rescale(grid: Grid, dims: IJ) -> Grid:
    """The grid stretched or shrunk to the size dims."""
    dims = ij_of(dims)
    rows = image_of(grid)
    _need_dims(dims)
    tall, wide = sides(rows)
    return drawn(*dims, lambda i, j: rows[i * tall // dims[0]][j * wide // dims[1]])


_op = partial(make_spec, "lattices", since=3)

OPS = (
    _op(seam, "Grid, Int -> Int", fails="limit empty"),
    _op(panes, "Grid, Int -> [Grid]", fails="limit empty"),
    _op(panecount, "Grid, Int -> IJ", fails="limit empty"),
    _op(panefill, "Grid, Int, [Int] -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(panepaint, "Grid, Int, [Grid] -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(torows, "[Int], Int -> Grid", fails="limit empty bounds"),
    _op(hvconcat, "[Grid], Int -> Grid", fails="limit empty bounds"),
    _op(overlay, "[Grid], Int -> Grid", fails="limit empty bounds"),
    _op(paste, "Grid, Grid, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(window, "Grid, IJ, IJ, Int -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(tilegrid, "Grid, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(mirrortile, "Grid, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
    _op(rescale, "Grid, IJ -> Grid", Fact.KEEPS_GRID, fails="limit empty"),
)
