"""What a program gave on a pair beside what was expected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from arcbatt.data.grids import to_grid
from arcbatt.display.colours import size_text
from arcbatt.errors import DataError
from arcbatt.language.failures import Failed
from arcbatt.language.values import IJ, Grid

_PLACES: Final = 4
"""Differing cells that a text names before it stops."""


class Verdict(StrEnum):
    """How what a program gave stands to what was expected."""

    MATCH = "match"
    DIFFERS = "differs"
    SHAPE = "other size"
    FAILED = "failed"
    NO_GRID = "no grid"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Got:
    """What a program gave: the verdict in a word and in a sentence, the grid if it is one, the cells that differ."""

    verdict: Verdict
    text: str
    grid: Grid | None = None
    differing: tuple[IJ, ...] = ()

    @property
    def agreement(self) -> float:
        """The share of cells that are right; 0 for other sizes and failures."""
        if self.grid is None or self.verdict not in (Verdict.MATCH, Verdict.DIFFERS):
            return 0.0
        return 1 - len(self.differing) / (len(self.grid) * len(self.grid[0]))


def compare(outcome: Any, expected: Grid | None) -> Got:
    """Judge an outcome (a value or Failed) against the expected output, None where that is hidden."""
    if isinstance(outcome, Failed):
        return Got(Verdict.FAILED, str(outcome))
    if expected is not None and outcome == expected:
        return Got(Verdict.MATCH, "match", expected)
    try:
        grid = to_grid(outcome, "gave no grid of ARC")
    except DataError as error:
        return Got(Verdict.NO_GRID, str(error))
    if expected is None:
        return Got(Verdict.HIDDEN, "the expected output is hidden", grid)
    if (len(grid), len(grid[0])) != (len(expected), len(expected[0])):
        return Got(Verdict.SHAPE, f"{size_text(grid)} where {size_text(expected)} is expected", grid)
    differing = tuple(
        (i, j)
        for i, (row, wanted) in enumerate(zip(grid, expected, strict=True))
        for j, (cell, right) in enumerate(zip(row, wanted, strict=True))
        if cell != right
    )
    verb = "differs" if len(differing) == 1 else "differ"
    text = f"{len(differing)} of {len(grid) * len(grid[0])} cells {verb}"
    return Got(Verdict.DIFFERS, text, grid, differing)


def places(got: Got) -> str:
    """Where the first differing cells are, in words, or nothing."""
    if not got.differing:
        return ""
    named = ", ".join(f"({i}, {j})" for i, j in got.differing[:_PLACES])
    more = ", ..." if len(got.differing) > _PLACES else ""
    return f", at (row, column) {named}{more}"
