"""How grids look: ARC's ten colours, and grids as digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arcbatt.language.values import Grid


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


def digits(grid: Grid) -> list[str]:
    """The rows of a grid, a digit a cell."""
    return ["".join(map(str, row)) for row in grid]


def size_text(grid: Grid) -> str:
    """The size of a grid in words: rows by columns."""
    return f"{len(grid)} x {len(grid[0])}"
