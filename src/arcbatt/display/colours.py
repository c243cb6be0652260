"""How grids look: ARC's ten colours, and grids as digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Cells = tuple[tuple[int, ...], ...]
"""A grid: rows of equally many numbers. ARC's colours are 0 to 9; the language has other numbers too."""
Place = tuple[int, int]
"""A row and a column."""


@dataclass(frozen=True, slots=True)
class Colour:
    """One of ARC's colours: its name, its red, green and blue as hexadecimal, and whether dark ink reads on it."""

    name: str
    hex: str
    light: bool

    @property
    def ink(self) -> str:
        """Black or white, whichever reads better on the colour."""
        return "#000000" if self.light else "#ffffff"


COLOURS: Final = (
    Colour("black", "#000000", False),
    Colour("blue", "#0074d9", False),
    Colour("red", "#ff4136", True),
    Colour("green", "#2ecc40", True),
    Colour("yellow", "#ffdc00", True),
    Colour("grey", "#aaaaaa", True),
    Colour("magenta", "#f012be", True),
    Colour("orange", "#ff851b", True),
    Colour("cyan", "#7fdbff", True),
    Colour("brown", "#870c25", False),
)
"""By number, as ARC's own pages show them."""

OTHER: Final = Colour("no colour", "#3b3b52", False)
"""Of a number that is none of ARC's colours."""


def colour_of(cell: int) -> Colour:
    """The colour of a cell."""
    return COLOURS[cell] if 0 <= cell < len(COLOURS) else OTHER


def digits(grid: Cells) -> list[str]:
    """The rows of a grid, a character a cell: its digit, or a question mark where it is no colour."""
    return ["".join([str(cell) if 0 <= cell <= 9 else "?" for cell in row]) for row in grid]


def size_text(grid: Cells) -> str:
    """The size of a grid in words: rows by columns."""
    return f"{len(grid)} x {len(grid[0])}"
