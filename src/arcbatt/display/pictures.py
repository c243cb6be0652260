"""Grids as pictures that carry everything they need: SVG in the address of an `<img>`.

Notebooks strip `<svg>` and style sheets from outputs that nobody has run yet, and leave images with a `data:` address:
so a picture looks the same wherever it is shown, on light and on dark pages.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby
from typing import Final

from arcbatt.display.colours import Cells, Place, colour_of, digits, size_text

SIDE: Final = 132
"""Pixels a grid's longer side aims at."""
_LARGEST_CELL: Final = 20
_LINES: Final = "#666666"
_LINED_CELL: Final = 4
_NUMBERED_CELL: Final = 9
"""Pixels of a cell from which on there are lines between cells, and numbers in those that have no colour."""
_COLUMN: Final = 128
_GAP: Final = 10
_TEXT: Final = 16
"""Pixels of a column of grids, between two, and of a line of text."""


def grid_image(grid: Cells, name: str, marked: Sequence[Place] = (), side: int = SIDE) -> str:
    """A grid as an image, marked cells dotted; its size and rows are the text alternative."""
    if not grid or not grid[0]:
        return escape(f"{name}, empty")
    height, width = len(grid), len(grid[0])
    cell = max(2, min(_LARGEST_CELL, side // max(height, width)))
    text = f"{name}, {size_text(grid)}: {' '.join(digits(grid))}"
    return image(grid_svg(grid, marked, cell), width * cell, height * cell, text)


def grid_svg(grid: Cells, marked: Sequence[Place] = (), cell: int = _LARGEST_CELL) -> str:
    """A grid as SVG with its colours in it, cells of so many pixels with lines between them."""
    height, width = len(grid), len(grid[0])
    paths = [f'<path stroke="{colour_of(of).hex}" d="{run}"/>' for of, run in row_runs(grid).items()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * cell}" height="{height * cell}" '
        f'viewBox="0 -.5 {width} {height}"><rect y="-.5" width="{width}" height="{height}" '
        f'fill="{colour_of(background(grid)).hex}"/><g stroke-width="1.02">{"".join(paths)}</g>'
        f"{_lines(height, width, cell) if cell >= _LINED_CELL else ''}"
        f"{_numbers(grid) if cell >= _NUMBERED_CELL else ''}{_marks(marked)}</svg>"
    )


def columns_svg(columns: Sequence[Sequence[tuple[str, Cells]]]) -> str:
    """Columns of one or two grids with titles, side by side as one SVG picture; one without a title is left out."""
    heights = [[len(grid) * _cell(grid) for _, grid in column] for column in columns]
    tall = [max((of[row] for of in heights if of[row:]), default=0) for row in (0, 1)]
    parts, across, down = [], _GAP, sum(tall) + 2 * (_TEXT + _GAP) + _GAP
    for column in columns:
        for row, (title, grid) in enumerate(column):
            if title:
                top = _GAP + row * (tall[0] + _TEXT + _GAP)
                inner = grid_svg(grid, (), _cell(grid)).replace("<svg ", f'<svg x="{across}" y="{top + _TEXT}" ', 1)
                parts.append(f'<text x="{across}" y="{top + _TEXT - 5}">{escape(title)}</text>{inner}')
        across += _COLUMN + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{across}" height="{down}">'
        f'<rect width="{across}" height="{down}" fill="#fcfbf8"/>'
        f'<g font-family="sans-serif" font-size="12" fill="#333333">{"".join(parts)}</g></svg>\n'
    )


def _cell(grid: Cells) -> int:
    return max(2, _COLUMN // max(len(grid), len(grid[0])))


def image(svg: str, width: int, height: int, text: str) -> str:
    """A picture as an `<img>` that holds it."""
    data = base64.b64encode(svg.encode()).decode()
    size = f'width="{width}" height="{height}"'
    return f'<img {size} alt="{escape(text)}" src="data:image/svg+xml;base64,{data}">'


def background(grid: Cells) -> int:
    """The commonest colour of a grid."""
    return Counter(cell for row in grid for cell in row).most_common(1)[0][0]


def row_runs(grid: Cells) -> dict[int, str]:
    """Of every colour but the background, its cells as a path: a run of cells is a stroke along its row."""
    behind = background(grid)
    paths: dict[int, list[str]] = {}
    for i, row in enumerate(grid):
        j = 0
        for cell, run in groupby(row):
            length = len(list(run))
            if cell != behind:
                paths.setdefault(cell, []).append(f"M{j} {i}h{length}")
            j += length
    return {cell: "".join(paths[cell]) for cell in sorted(paths)}


def _lines(height: int, width: int, cell: int) -> str:
    across = "".join(f"M0 {i - 0.5}H{width}" for i in range(height + 1))
    down = "".join(f"M{j} -.5V{height - 0.5}" for j in range(width + 1))
    return f'<path stroke="{_LINES}" stroke-width="{1.2 / cell:.3f}" d="{across}{down}"/>'


def _numbers(grid: Cells) -> str:
    """The numbers that are no colours, written into their cells."""
    found = [
        f'<text x="{j + 0.5}" y="{i + 0.15}">{cell}</text>'
        for i, row in enumerate(grid)
        for j, cell in enumerate(row)
        if not 0 <= cell <= 9
    ]
    style = 'fill="#ffffff" font-family="sans-serif" font-size=".45" text-anchor="middle"'
    return f"<g {style}>{''.join(found)}</g>" if found else ""


def _marks(marked: Sequence[Place]) -> str:
    if not marked:
        return ""
    dots = "".join(f"M{j}.5 {i}h0" for i, j in marked)
    ring, dot = (f'<path stroke="{ink}" stroke-width="{width}" stroke-linecap="round" d="{dots}"/>'
                 for ink, width in (("#ffffff", ".5"), ("#000000", ".3")))  # fmt: skip
    return ring + dot
