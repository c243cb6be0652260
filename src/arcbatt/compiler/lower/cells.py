"""Expressions over cells as code for the stack of native/ops/cells.h."""

from __future__ import annotations

from typing import Final

from arcbatt.compiler.abi import CELL_CODES, constant
from arcbatt.errors import UsageError
from arcbatt.syntax.cells import Cell, CellExpression

_MOST_WORDS: Final = constant("MAX_CELL_WORDS")
_MOST_VALUES: Final = constant("MAX_CELL_STACK")


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
