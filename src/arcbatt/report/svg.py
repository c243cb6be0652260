"""Grids as inline SVG, small: the commonest colour is the background, every other colour is one path of row runs.

A run of cells is a stroke one unit wide along its row (`M3 2h4`), so the view starts half a unit above row 0. Colours,
grid lines and marks are classes of the page's style sheet: `b0`..`b9` background, `c0`..`c9` stroke, `gl` lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from arcbatt.display.colours import digits, size_text
from arcbatt.display.pictures import background, row_runs
from arcbatt.language.values import IJ, Grid

SIDE: Final = 200
"""Pixels a grid's longer side aims at."""
LARGEST_CELL: Final = 20
THUMBNAIL_SIDE: Final = 36


def styled_grid_svg(grid: Grid, name: str, marked: Sequence[IJ] = ()) -> str:
    """A grid with lines between its cells, marked cells dotted, and its size and rows as the text alternative."""
    cell = max(1, min(LARGEST_CELL, SIDE // max(len(grid), len(grid[0]))))
    label = f"{name}, {size_text(grid)}: {' '.join(digits(grid))}"
    if marked:
        label += f"; {len(marked)} marked: " + " ".join(f"({i}, {j})" for i, j in marked)
    head = f'<svg class="g b{background(grid)}" role="img" aria-label="{escape(label)}" {_box(grid, cell)}>'
    return f'{head}{_paths(grid)}<rect class="gl" y="-.5" width="100%" height="100%"/>{_marks(marked)}</svg>'


def styled_thumbnail_svg(grid: Grid) -> str:
    """A grid as a small picture that says nothing its text does not; left out of the accessibility tree."""
    height, width = len(grid), len(grid[0])
    scale = THUMBNAIL_SIDE / max(height, width)
    size = f'width="{round(width * scale)}" height="{round(height * scale)}"'
    return (
        f'<svg class="b{background(grid)}" aria-hidden="true" {size} viewBox="0 -.5 {width} {height}" '
        f'preserveAspectRatio="none">{_paths(grid)}</svg>'
    )


def _box(grid: Grid, cell: int) -> str:
    height, width = len(grid), len(grid[0])
    return f'width="{width * cell}" height="{height * cell}" viewBox="0 -.5 {width} {height}"'


def _paths(grid: Grid) -> str:
    return "".join(f'<path class="c{cell}" d="{run}"/>' for cell, run in row_runs(grid).items())


def _marks(marked: Sequence[IJ]) -> str:
    if not marked:
        return ""
    dots = "".join(f"M{j}.5 {i}h0" for i, j in marked)
    return f'<path class="mo" d="{dots}"/><path class="mi" d="{dots}"/>'
