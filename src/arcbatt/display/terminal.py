"""Grids in the terminal: coloured cells where there is colour, digits where there is none.

A panel is a grid with a caption. Panels of a pair stand side by side where they fit, cells two columns wide; where
they do not, cells take one column (half blocks, two rows per line; or digits without spaces), unless cells have to be
marked; and where that does not fit either they go below one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.console import Console, ConsoleOptions
from rich.style import Style
from rich.text import Text

from arcbatt.display.colours import Cells, Place, colour_of, digits, size_text

GAP: Final = 3
"""Columns between panels."""
_FEW_COLOURS: Final = ("standard", "windows")
"""Systems that cannot show all of ARC's colours apart."""

Look = Literal["wide", "half", "digits", "tight"]
"""Coloured cells two columns wide, or as half blocks; digits with a space after each, or without."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A grid with its name and the cells to mark; without a grid, the name alone."""

    name: str
    grid: Cells | None
    marked: tuple[Place, ...] = ()

    @property
    def caption(self) -> str:
        """The name, and the size: black cells on a black terminal do not show where the grid ends."""
        return f"{self.name} {size_text(self.grid)}" if self.grid else self.name

    def width(self, look: Look) -> int:
        """Columns the panel takes."""
        cells = len(self.grid[0]) if self.grid else 0
        return max(len(self.caption), cells if look in ("half", "tight") else 2 * cells)


def print_panels(console: Console, panels: Sequence[Panel]) -> None:
    """Print panels in the look that suits them and the console."""
    look = choose_look(panels, console.width, colour=has_colour(console))
    numbered = console.color_system in _FEW_COLOURS
    for row in flow(panels, look, console.width):
        for line in _side_by_side(row, look, numbered):
            console.print(line, no_wrap=True, crop=False, overflow="ignore", soft_wrap=True)
        console.print()


class Panels:
    """Panels as something that rich prints: what `rich.print` shows of a grid or a task."""

    def __init__(self, panels: Sequence[Panel]) -> None:
        self.panels = panels

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        look = choose_look(self.panels, options.max_width, colour=has_colour(console))
        for row in flow(self.panels, look, options.max_width):
            for line in _side_by_side(row, look, console.color_system in _FEW_COLOURS):
                line.no_wrap, line.overflow = True, "ignore"
                yield line


def has_colour(console: Console) -> bool:
    """Whether the console shows colours."""
    return console.color_system is not None and not console.no_color


def choose_look(panels: Sequence[Panel], columns: int, *, colour: bool) -> Look:
    """How to draw panels that belong together in so many columns."""
    broad: Look = "wide" if colour else "digits"
    narrow: Look = "half" if colour else "tight"
    if len(flow(panels, broad, columns)) == 1:
        return broad
    too_wide = any(panel.width(broad) > columns for panel in panels)
    marked = any(panel.marked for panel in panels)
    if too_wide or (not marked and len(flow(panels, narrow, columns)) == 1):
        return narrow
    return broad


def flow(panels: Sequence[Panel], look: Look, columns: int) -> list[list[Panel]]:
    """The panels in rows that fit the columns; a panel wider than all of them has a row of its own."""
    rows: list[list[Panel]] = []
    used = 0
    for panel in panels:
        width = panel.width(look)
        if rows and used + GAP + width <= columns:
            rows[-1].append(panel)
            used += GAP + width
        else:
            rows.append([panel])
            used = width
    return rows


def grid_lines(grid: Cells, marked: Sequence[Place], look: Look, *, numbered: bool = False) -> list[Text]:
    """A grid as lines of text. The narrow looks carry no marks; `numbered` writes the digit into coloured cells too."""
    if look == "half":
        return _half_blocks(grid)
    if look == "tight":
        return [Text(row) for row in digits(grid)]
    marks = frozenset(marked)
    if look == "digits":
        return [
            Text("".join(digit + ("*" if (i, j) in marks else " ") for j, digit in enumerate(row)))
            for i, row in enumerate(digits(grid))
        ]
    lines = []
    for i, row in enumerate(grid):
        line = Text()
        for j, cell in enumerate(row):
            colour = colour_of(cell)
            ink = "><" if (i, j) in marks else f"{cell} " if numbered else "  "
            line.append(ink, Style(color=colour.ink, bgcolor=colour.hex, bold=(i, j) in marks))
        lines.append(line)
    return lines


def _half_blocks(grid: Cells) -> list[Text]:
    lines = []
    for i in range(0, len(grid), 2):
        line = Text()
        below = grid[i + 1] if i + 1 < len(grid) else None
        for j, cell in enumerate(grid[i]):
            under = colour_of(below[j]).hex if below else None
            line.append("\N{UPPER HALF BLOCK}", Style(color=colour_of(cell).hex, bgcolor=under))
        lines.append(line)
    return lines


def _side_by_side(panels: Sequence[Panel], look: Look, numbered: bool) -> list[Text]:
    blocks = []
    for panel in panels:
        lines = [Text(panel.caption, "bold")]
        if panel.grid is not None:
            lines += grid_lines(panel.grid, panel.marked, look, numbered=numbered)
        blocks.append(lines)
    out = []
    for number in range(max(map(len, blocks))):
        line, column, end = Text(), 0, 0
        for panel, block in zip(panels, blocks, strict=True):
            if number < len(block):
                line.append(" " * (column - end))
                line.append_text(block[number])
                end = column + block[number].cell_len
            column += panel.width(look) + GAP
        if look == "digits":  # elsewhere a space at the end may be a cell
            line.rstrip()
        out.append(line)
    return out
