"""Rules: colours renamed by a list, and images made by a table of what other images have at each place."""

from __future__ import annotations

from collections import Counter
from functools import partial

from arcbatt.language.failures import Fail, Reason
from arcbatt.language.primitives.images import cells_fit, image_of, images_of, numbers_of, redrawn, same_shape, sides
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.values import Grid


def colororder(grid: Grid) -> tuple[int, ...]:
    """The colours of the grid, those of most cells first, of as many the lesser first."""
    counts = Counter(cell for row in image_of(grid) for cell in row)
    return tuple(sorted(counts, key=lambda colour: (-counts[colour], colour)))


def encode(grid: Grid, colours: tuple[int, ...]) -> Grid:
    """Each colour of the grid as its place, from 0, in a list of colours."""
    known = numbers_of(colours)
    rows = image_of(grid)
    if not {cell for row in rows for cell in row} <= set(known):
        raise Fail(Reason.BOUNDS, "a colour that is not in the list")
    return redrawn(rows, lambda i, j: known.index(rows[i][j]))


def decode(grid: Grid, colours: tuple[int, ...]) -> Grid:
    """Each number of the grid as the colour at that place, from 0, in a list of colours."""
    known = numbers_of(colours)
    rows = image_of(grid)
    cells_fit(known)
    if not all(0 <= cell < len(known) for row in rows for cell in row):
        raise Fail(Reason.BOUNDS, "a number beyond the list of colours")
    return redrawn(rows, lambda i, j: known[rows[i][j]])


def decide(table: Grid, a: Grid, b: Grid, c: Grid) -> Grid:
    """The image by a rule: rows (values of a, b, c, colour) or without c or b; -1, -2, -3 copy a, b, c."""
    entries, *given = images_of(table, a, b, c)
    count = sides(entries)[1] - 1
    if not 1 <= count <= 3:
        raise Fail(Reason.BOUNDS, f"a rule over {count} images")
    images = given[:count]
    same_shape(images)
    if any(entry[-1] < -count for entry in entries):
        raise Fail(Reason.BOUNDS, "a rule that copies an image it does not look at")
    known = {entry[:-1]: entry[-1] for entry in reversed(entries)}

    def cell(i: int, j: int) -> int:
        seen = tuple(image[i][j] for image in images)
        if seen not in known:
            raise Fail(Reason.BOUNDS, f"no entry for {seen} in the rule")
        return known[seen] if known[seen] >= 0 else seen[-known[seen] - 1]

    return redrawn(images[0], cell)


_op = partial(make_spec, "rules", since=3)

OPS = (
    _op(colororder, "Grid -> [Int]", fails="limit empty"),
    _op(encode, "Grid, [Int] -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(decode, "Grid, [Int] -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
    _op(decide, "Grid, Grid, Grid, Grid -> Grid", Fact.KEEPS_GRID, fails="limit empty bounds"),
)
