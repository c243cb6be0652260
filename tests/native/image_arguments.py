"""Arguments for the primitives on images such as they have a value for: shapes that fit, tables that say enough."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from arcbatt.language.reference import call
from arcbatt.language.table import STANDARD

FAMILIES: Final = ("completing", "rays", "lattices", "measures", "rules")
NAMES: Final = [spec.name for spec in STANDARD.ops.values() if spec.family in FAMILIES]
Rows = list[list[int]]
Grid = tuple[tuple[int, ...], ...]


class Draw(random.Random):
    """Draws grids of every make, and what goes with them."""

    def side(self) -> int:
        return self.randint(1, self.choice([2, 5, 9, 14, 34]))

    def cells(self, height: int, width: int) -> Rows:
        colours = self.choice(
            [[0, 0, 0, 1, 2], [0, 1], [1, 2, 3], [0, 0, 0, 0, 0, 0, 4], [0], list(range(10)), [-1, 0, 127]]
        )
        return [[self.choice(colours) for _ in range(width)] for _ in range(height)]

    def grid(self) -> Grid:
        make = self.choice([self.plain, self.plain, self.mirrored, self.repeated, self.lattice, self.blobs])
        return tuple(map(tuple, make()))

    def plain(self) -> Rows:
        return self.cells(self.side(), self.side())

    def hidden(self, rows: Rows) -> Rows:
        """With a box of zeros in it, and perhaps one cell that does not fit."""
        top, left = self.randrange(len(rows)), self.randrange(len(rows[0]))
        for i in range(top, min(top + self.randint(1, 4), len(rows))):
            for j in range(left, min(left + self.randint(1, 4), len(rows[0]))):
                rows[i][j] = 0
        if self.random() < 0.2:
            rows[self.randrange(len(rows))][self.randrange(len(rows[0]))] = 8
        return rows

    def mirrored(self) -> Rows:
        part = self.cells(self.randint(1, 8), self.randint(1, 8))
        middle = self.randint(0, 1)
        rows = [row + row[::-1][middle:] for row in part]
        rows += rows[::-1][self.randint(0, 1) :]
        if self.random() < 0.3:
            n = min(len(rows), len(rows[0]))
            rows = [[rows[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
        cut = self.randint(0, len(rows[0]) // 4)
        return self.hidden([row[cut:] for row in rows])

    def repeated(self) -> Rows:
        part = self.cells(self.randint(1, 4), self.randint(1, 4))
        slant = self.choice([0, 0, 1, -1])
        height, width = self.side(), self.side()
        return self.hidden(
            [[part[i % len(part)][(j + slant * i) % len(part[0])] for j in range(width)] for i in range(height)]
        )

    def lattice(self) -> Rows:
        rows = self.plain()
        for k in range(len(rows)):
            if self.random() < 0.2:
                rows[k] = [5] * len(rows[0])
        for k in range(len(rows[0])):
            if self.random() < 0.2:
                for row in rows:
                    row[k] = 5
        return rows

    def blobs(self) -> Rows:
        rows = [[0] * self.side()] * self.side()
        rows = [list(row) for row in rows]
        for _ in range(self.randint(1, 9)):
            top, left, colour = self.randrange(len(rows)), self.randrange(len(rows[0])), self.randint(1, 3)
            bottom, right, hollow = top + self.randint(0, 5), left + self.randint(0, 5), self.random() < 0.5
            for i in range(top, min(bottom + 1, len(rows))):
                for j in range(left, min(right + 1, len(rows[0]))):
                    if not (hollow and top < i < bottom and left < j < right):
                        rows[i][j] = colour
        return rows

    def alike(self, grid: Grid) -> Grid:
        return tuple(map(tuple, self.cells(len(grid), len(grid[0]))))

    def colour(self) -> int:
        return self.choice([0, 0, 0, 1, 2, 5, self.randint(-1, 9)])

    def direction(self) -> tuple[int, int]:
        if self.random() < 0.1:
            return self.randint(-3, 3), self.choice([2, -3, 1500, -(2**31)])
        return self.choice([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b])

    def dims(self) -> tuple[int, int]:
        return self.side(), self.side()

    def start(self) -> tuple[int, int]:
        return self.randint(-9, 9), self.randint(-9, 9)


def _panes(draw: Draw, change: Callable[[Grid], Any]) -> tuple[Any, ...]:
    grid = tuple(map(tuple, draw.lattice()))
    return grid, 5, tuple(change(pane) for pane in call("panes", grid, 5))


def _images(draw: Draw) -> tuple[Grid, ...]:
    first = draw.grid()
    return (first, *(draw.alike(first) for _ in range(draw.choice([0, 1, 3, 5]))))


def _decide(draw: Draw) -> tuple[Any, ...]:
    first = draw.grid()
    images = [first, *(draw.alike(first) for _ in range(draw.randint(0, 2)))]
    cells = [[cell for row in image for cell in row] for image in images]
    seen = {key: draw.randint(-len(images), 9) for key in zip(*cells, strict=True)}
    if draw.random() < 0.1:
        seen.pop(draw.choice(list(seen)))
    table = [(*key, colour) for key, colour in seen.items()] or [(0,) * len(images) + (1,)]
    draw.shuffle(table)
    return tuple(table), *images, *[first] * (3 - len(images))


ARGUMENTS: Final[dict[str, Callable[[Draw], tuple[Any, ...]]]] = {
    "mirrorfill": lambda d: (d.grid(), d.choice([0, d.colour()]), d.randint(0, 7)),
    "gridperiod": lambda d: (d.grid(), d.choice([0, d.colour()])),
    "periodfill": lambda d: (d.grid(), d.colour(), d.dims()),
    "drift": lambda d: (d.grid(), d.choice([0, d.colour()])),
    "driftfill": lambda d: (d.grid(), d.colour(), d.direction()),
    "beam": lambda d: (d.grid(), d.colour(), d.colour(), d.direction()),
    "regionfall": lambda d: (d.grid(), d.colour(), d.random() < 0.5, d.direction()),
    "panefill": lambda d: _panes(d, lambda pane: d.randint(-1, 99)),
    "panepaint": lambda d: _panes(d, d.alike),
    "torows": lambda d: (tuple(d.colour() for _ in range(d.choice([4, 6, 12, 36]))), d.choice([1, 2, 3, 4])),
    "hvconcat": lambda d: (_images(d), d.randint(1, 3)),
    "overlay": lambda d: (_images(d), d.colour()),
    "paste": lambda d: (d.grid(), d.grid(), d.start()),
    "window": lambda d: (d.grid(), d.start(), d.dims(), d.colour()),
    "tilegrid": lambda d: (d.grid(), d.dims()),
    "mirrortile": lambda d: (d.grid(), d.dims()),
    "rescale": lambda d: (d.grid(), d.dims()),
    "ramp": lambda d: (d.dims(), d.direction()),
    "cellmin": lambda d: (grid := d.grid(), d.alike(grid)),
    "cellmax": lambda d: (grid := d.grid(), d.alike(grid)),
    "enclosed": lambda d: (d.grid(), d.colour(), d.random() < 0.5),
    "regionsize": lambda d: (d.grid(), d.random() < 0.5),
    "inset": lambda d: (d.grid(), d.random() < 0.5, d.direction()),
    "rankof": lambda d: (d.colour(), d.choice([tuple, frozenset])(d.colour() for _ in range(d.randint(0, 40)))),
    "distance": lambda d: (d.grid(), d.colour(), d.random() < 0.5),
    "nearfill": lambda d: (d.grid(), d.colour(), d.choice([0, 1, 2, 100]), d.random() < 0.5),
    "neighborcount": lambda d: (d.grid(), d.colour(), d.random() < 0.5),
    "colororder": lambda d: (d.grid(),),
    "encode": lambda d: (grid := d.grid(), (*call("colororder", grid)[: d.choice([1, 99])], d.colour(), 500)),
    "decode": lambda d: (d.grid(), tuple(range(d.choice([128, 128, 5])))),
    "decide": _decide,
    "seam": lambda d: (d.grid(), d.colour()),
    "panes": lambda d: (tuple(map(tuple, d.lattice())), d.choice([5, d.colour()])),
    "panecount": lambda d: (tuple(map(tuple, d.lattice())), d.choice([5, d.colour()])),
    "colormask": lambda d: (d.grid(), d.colour()),
    "wrap": lambda d: (d.grid(), d.choice([1, 2, 3, -3, 100, 1000])),
    "ranks": lambda d: (d.grid(), d.colour()),
} | {
    name: lambda d: (d.grid(), d.colour(), d.direction())
    for name in ("look", "smear", "bridge", "cellfall", "linecount")
}


def arguments(name: str, seed: int) -> tuple[Any, ...]:
    """Arguments of a primitive on images."""
    return ARGUMENTS[name](Draw(f"{name} {seed}"))
