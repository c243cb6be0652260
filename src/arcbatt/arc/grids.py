"""Grids from the outside world: checked before anything runs on them."""

from __future__ import annotations

from typing import Any, Final

from arcbatt.errors import DataError
from arcbatt.reference.values import Grid

MAX_INPUT_SIDE: Final = 30
"""Rows or columns of a grid in ARC data."""


def to_grid(value: Any, where: str = "grid") -> Grid:
    """A grid from nested lists (or arrays); raises DataError that says what is wrong and where."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(rows, (list, tuple)) or not rows:
        raise DataError(f"{where}: a grid is a list of rows, got {_shown(rows)}")
    if len(rows) > MAX_INPUT_SIDE:
        raise DataError(f"{where}: {len(rows)} rows, at most {MAX_INPUT_SIDE}")
    for number, row in enumerate(rows):
        if not isinstance(row, (list, tuple)) or not row:
            raise DataError(f"{where}: row {number} is a list of colours, got {_shown(row)}")
        if len(row) > MAX_INPUT_SIDE:
            raise DataError(f"{where}: {len(row)} columns, at most {MAX_INPUT_SIDE}")
        if len(row) != len(rows[0]):
            raise DataError(f"{where}: ragged, row {number} has {len(row)} cells where row 0 has {len(rows[0])}")
        for column, cell in enumerate(row):
            if type(cell) is not int or not 0 <= cell <= 9:
                raise DataError(f"{where}: cell ({number}, {column}) is a colour from 0 to 9, got {_shown(cell)}")
    return tuple(tuple(row) for row in rows)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
