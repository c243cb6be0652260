"""Grids from the outside world: checked before anything runs on them."""

from __future__ import annotations

from typing import Any, Final, TypeGuard

from arcbatt.errors import DataError
from arcbatt.language.values import Grid
from arcbatt.support.text import counted

MAX_INPUT_SIDE: Final = 30
"""Rows or columns of a grid in ARC data."""

COLOURS: Final = 10
"""Colours of ARC data: 0 to 9."""

_COLOUR_BYTES: Final = bytes(range(COLOURS))
_ONLY_INT: Final = {int}


def to_grid(value: Any, where: str = "grid") -> Grid:
    """A grid from nested lists (or arrays); raises DataError that says what is wrong and where."""
    rows = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(rows, (list, tuple)) or not rows:
        raise DataError(f"{where}: a grid is a list of rows, got {shown(rows)}")
    if len(rows) > MAX_INPUT_SIDE:
        raise DataError(f"{where}: {len(rows)} rows, at most {MAX_INPUT_SIDE}")
    for number, row in enumerate(rows):
        if not isinstance(row, (list, tuple)) or not row:
            raise DataError(f"{where}: row {number} is a list of colours, got {shown(row)}")
        if len(row) > MAX_INPUT_SIDE:
            raise DataError(f"{where}: {len(row)} columns, at most {MAX_INPUT_SIDE}")
        if len(row) != len(rows[0]):
            raise DataError(
                f"{where}: ragged, row {number} has {counted(len(row), 'cell')} where row 0 has {len(rows[0])}"
            )
        if not _all_colours(row):
            column = next(column for column, cell in enumerate(row) if not _all_colours((cell,)))
            place = f"cell ({number}, {column})"
            raise DataError(f"{where}: {place} is a colour from 0 to {COLOURS - 1}, got {shown(row[column])}")
    return tuple(map(tuple, rows))


def is_arc_grid(value: Any) -> TypeGuard[Grid]:
    """Whether a value of the language could be a grid of ARC data: sides up to 30, colours 0 to 9."""
    if not isinstance(value, tuple) or not 1 <= len(value) <= MAX_INPUT_SIDE:
        return False
    if type(value[0]) is not tuple or not 1 <= len(value[0]) <= MAX_INPUT_SIDE:
        return False
    return all(type(row) is tuple and len(row) == len(value[0]) and _all_colours(row) for row in value)


def shown(value: Any) -> str:
    """A value in a message, cut short."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _all_colours(row: list[Any] | tuple[Any, ...]) -> bool:
    if set(map(type, row)) != _ONLY_INT:
        return False
    try:
        return not bytes(row).translate(None, _COLOUR_BYTES)
    except ValueError:  # beyond a byte
        return False
