"""Expressions over cells as code for the stack of native/ops/cells.h."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.syntax.cells import Cell, CellExpression

_LIST = Path(__file__).parents[2] / "native" / "cells.inc"
CELL_CODES: Final[dict[str, int]] = {
    name: int(number) for name, number in re.findall(r"AB_CELL\((\w+), (\d+),", _LIST.read_text(encoding="utf-8"))
}
"""Name to number."""
_MOST_WORDS, _MOST_VALUES = 256, 16
"""MAX_CELL_WORDS and MAX_CELL_STACK of native/ops/cells.h."""


def cell_words(expression: CellExpression) -> tuple[int, ...]:
    """What an instruction CELLS carries: the number outside, how many words of code, the code.

    Raises UsageError where the expression is too long, or needs too many values at once.
    """
    code, values = _code(expression.root)
    if len(code) > _MOST_WORDS or values > _MOST_VALUES:
        raise UsageError(
            f"an expression over cells of {len(code)} words that holds {values} values at once; "
            f"{_MOST_WORDS} and {_MOST_VALUES} are the most: make two operations of it"
        )
    return (expression.outside & 0xFFFFFFFF, len(code), *code)


def _code(cell: Cell) -> tuple[list[int], int]:
    """The words of a part, and how many values it holds at most while it runs."""
    if cell.code in ("NUMBER", "ARG"):
        return [CELL_CODES[cell.code], cell.number & 0xFFFFFFFF], 1
    words: list[int] = []
    most = 1
    for held, part in enumerate(cell.parts):
        inner, values = _code(part)
        words += inner
        most = max(most, held + values)
    return [*words, CELL_CODES[cell.code]], most
