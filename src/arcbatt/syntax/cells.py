"""Expressions over the cells of a grid: `where(x == 0, b, x)`, read from text, checked, and run in Python.

`x` is the cell, `i` and `j` its row and column, `h` and `w` the grid's height and width, `at(di, dj)` the cell so many
rows down and columns right (outside the grid: a number that is declared beside the expression). Numbers and truths are
told apart: arithmetic and `min`, `max`, `abs` are of numbers, `and`, `or`, `not` and conditions of truths. Only the
chosen side of a choice counts, so `where(b == 0, x, x // b)` does not fail.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from arcbatt.errors import UsageError
from arcbatt.language.limits import INT_MAX, INT_MIN
from arcbatt.language.types import BOOL, INT, Type

PLACES: Final = ("x", "i", "j", "h", "w")
"""Names every expression can use."""
FUNCTIONS: Final = ("at", "where", "min", "max", "abs")
_MOST_TEXT: Final = 2000
_BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "ADD", ast.Sub: "SUBTRACT", ast.Mult: "MULTIPLY", ast.FloorDiv: "DIVIDE", ast.Mod: "MODULO",
}  # fmt: skip
_COMPARED: Final[dict[type[ast.cmpop], tuple[str, bool]]] = {
    ast.Eq: ("EQUAL", False), ast.NotEq: ("UNEQUAL", False), ast.Lt: ("LESS", False), ast.LtE: ("NO_MORE", False),
    ast.Gt: ("LESS", True), ast.GtE: ("NO_MORE", True),
}  # fmt: skip
"""The code of a comparison, and whether its sides change places."""


@dataclass(frozen=True)
class CellError(UsageError):
    """Something in an expression over cells that cannot stand there."""

    text: str
    column: int
    message: str

    def __str__(self) -> str:
        return f"expression over cells: {self.message}\n    {self.text}\n    {' ' * self.column}^"


@dataclass(frozen=True)
class Cell:
    """A checked part of an expression: the name of a code of compiler/abi.py, what it takes, and its type."""

    code: str
    parts: tuple[Cell, ...] = ()
    number: int = 0
    """Of NUMBER its value, of ARG which argument it is."""
    type: Type = INT


@dataclass(frozen=True)
class CellExpression:
    """An expression, what stands outside the grid, and how it runs in Python."""

    text: str
    root: Cell
    outside: int
    function: Callable[..., Any]

    def grid(self, grid: tuple[tuple[int, ...], ...], *args: int) -> tuple[tuple[int, ...], ...]:
        """The grid of what the expression gives for every cell: its meaning."""
        h, w = len(grid), len(grid[0]) if grid else 0

        def made(i: int, j: int) -> int:
            def at(down: int, right: int) -> int:
                row, column = i + down, j + right
                return grid[row][column] if 0 <= row < h and 0 <= column < w else self.outside

            value: int = self.function(grid[i][j], i, j, h, w, at, *args)
            return value

        return tuple([tuple([made(i, j) for j in range(w)]) for i in range(h)])


def parse_cells(text: str, params: Mapping[str, Type], outside: int = -1) -> CellExpression:
    """An expression of the cells and of further arguments, by name and type (Int or Bool).

    Raises CellError, with a caret, for whatever is not of this small language.
    """
    text = " ".join(text.split())
    if len(text) > _MOST_TEXT:
        raise UsageError(f"an expression over cells has {_MOST_TEXT} characters at most, got {len(text)}")
    if type(outside) is not int or not INT_MIN <= outside <= INT_MAX:
        raise UsageError(f"outside is an integer of 32 bits, got {outside!r}")
    taken = [name for name in params if name in (*PLACES, *FUNCTIONS)]
    if taken:
        raise UsageError(f"an argument cannot be named {taken[0]!r}: expressions over cells use that name")
    try:
        root = _Checker(text, params).of(ast.parse(text, mode="eval").body)
        names = ", ".join([*PLACES, "at", *params])
        # What is evaluated here is made from checked parts alone.
        made = f"lambda {names}: {_python(root, tuple(params))}"
        function = _evaluated(made)
    except (SyntaxError, ValueError) as error:
        column = (getattr(error, "offset", None) or 1) - 1
        raise CellError(text, min(column, len(text)), f"not an expression: {getattr(error, 'msg', error)}") from error
    except (MemoryError, RecursionError) as error:
        raise CellError(text, 0, "nested too deep") from error
    if root.type != INT:
        raise CellError(text, 0, "a cell is a number, this is true or false: where(..., 1, 0) makes it one")
    return CellExpression(text, root, outside, function)


def _evaluated(made: str) -> Any:
    """The function of a text that was made here, so that nothing but its depth can be wrong with it."""
    try:
        return eval(made, {"__builtins__": {}, "min": min, "max": max, "abs": abs})
    except SyntaxError as error:
        raise RecursionError from error


class _Checker:
    def __init__(self, text: str, params: Mapping[str, Type]) -> None:
        self.text = text
        self.params = dict(params)
        self.places = {name: place for place, name in enumerate(self.params)}

    def wrong(self, node: ast.AST, message: str) -> CellError:
        column = len(self.text.encode()[: getattr(node, "col_offset", 0)].decode())
        return CellError(self.text, column, message)

    def typed(self, node: ast.expr, wanted: Type) -> Cell:
        cell = self.of(node)
        if cell.type != wanted:
            kinds: dict[Type, str] = {INT: "a number", BOOL: "true or false"}
            raise self.wrong(node, f"{kinds[wanted]} is wanted here, this is {kinds[cell.type]}")
        return cell

    def of(self, node: ast.expr) -> Cell:
        match node:
            case ast.Constant(value=bool(value)):
                return Cell("NUMBER", number=int(value), type=BOOL)
            case ast.Constant(value=int(value)):
                if not INT_MIN <= value <= INT_MAX:
                    raise self.wrong(node, f"{value} does not fit 32 bits")
                return Cell("NUMBER", number=value)
            case ast.Name(id=name):
                return self.name(node, name)
            case ast.UnaryOp(op=ast.UAdd(), operand=inner):
                return self.typed(inner, INT)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))) if not isinstance(value, bool):
                return self.of(ast.copy_location(ast.Constant(-value), node))
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return Cell("NEGATE", (self.typed(inner, INT),))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return Cell("NOT", (self.typed(inner, BOOL),), type=BOOL)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return Cell(_BINARY[type(op)], (self.typed(left, INT), self.typed(right, INT)))
            case ast.BoolOp(op=op, values=values):
                code = "AND" if isinstance(op, ast.And) else "OR"
                return self.folded(code, [self.typed(value, BOOL) for value in values], BOOL)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.compared(node, [left, *others], ops)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.chosen(node, [test, body, orelse])
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                return self.call(node, name, args)
        raise self.wrong(node, "not part of this language: numbers, names, + - * // %, comparisons, and, or, not, "
                               f"{', '.join(FUNCTIONS)}")  # fmt: skip

    def name(self, node: ast.expr, name: str) -> Cell:
        if name in PLACES:
            return Cell(name.upper())
        if name in self.params:
            return Cell("ARG", number=self.places[name], type=self.params[name])
        known = ", ".join([*PLACES, *self.params])
        raise self.wrong(node, f"no such name: {name}; there are {known}, and the functions {', '.join(FUNCTIONS)}")

    def call(self, node: ast.expr, name: str, args: list[ast.expr]) -> Cell:
        if name not in FUNCTIONS:
            raise self.wrong(node, f"no such function: {name}; there are {', '.join(FUNCTIONS)}")
        least, most = {"at": (2, 2), "where": (3, 3), "abs": (1, 1)}.get(name, (2, len(args)))
        if not least <= len(args) <= most:
            raise self.wrong(
                node, f"{name} takes {least} values{'' if most == least else ' at least'}, got {len(args)}"
            )
        if name == "where":
            return self.chosen(node, args)
        values = [self.typed(arg, INT) for arg in args]
        if name == "at":
            return Cell("AT", tuple(values))
        if name == "abs":
            return Cell("MAGNITUDE", tuple(values))
        return self.folded("LEAST" if name == "min" else "MOST", values, INT)

    def chosen(self, node: ast.expr, args: list[ast.expr]) -> Cell:
        parts = (self.typed(args[0], BOOL), self.of(args[1]), self.of(args[2]))
        if parts[1].type != parts[2].type:
            raise self.wrong(args[2], "both sides of a choice are numbers, or both are truths")
        return Cell("WHERE", parts, type=parts[1].type)

    def compared(self, node: ast.expr, sides: list[ast.expr], ops: list[ast.cmpop]) -> Cell:
        found = []
        for left, op, right in zip(sides, ops, sides[1:], strict=False):
            if type(op) not in _COMPARED:
                raise self.wrong(node, "comparisons are == != < <= > >=")
            code, turned = _COMPARED[type(op)]
            wanted = self.of(left).type if isinstance(op, ast.Eq | ast.NotEq) else INT
            pair = self.typed(left, wanted), self.typed(right, wanted)
            found.append(Cell(code, pair[::-1] if turned else pair, type=BOOL))
        return self.folded("AND", found, BOOL)

    @staticmethod
    def folded(code: str, values: list[Cell], kind: Type) -> Cell:
        made = values[0]
        for value in values[1:]:
            made = Cell(code, (made, value), type=kind)
        return made


_PYTHON: Final[dict[str, str]] = {
    "AT": "at({}, {})", "ADD": "({} + {})", "SUBTRACT": "({} - {})", "MULTIPLY": "({} * {})", "DIVIDE": "({} // {})",
    "MODULO": "({} % {})", "LEAST": "min({}, {})", "MOST": "max({}, {})", "EQUAL": "({} == {})",
    "UNEQUAL": "({} != {})", "LESS": "({} < {})", "NO_MORE": "({} <= {})", "AND": "({} and {})", "OR": "({} or {})",
    "NEGATE": "(-{})", "MAGNITUDE": "abs({})", "NOT": "(not {})", "WHERE": "({1} if {0} else {2})",
}  # fmt: skip


def _python(cell: Cell, params: tuple[str, ...]) -> str:
    """The text of a checked expression in Python."""
    if cell.code == "NUMBER":
        return f"({bool(cell.number) if cell.type == BOOL else cell.number})"
    if cell.code == "ARG":
        return params[cell.number]
    if not cell.parts:
        return cell.code.lower()
    return _PYTHON[cell.code].format(*(_python(part, params) for part in cell.parts))
