"""Expressions over cells: what they mean in Python, and what is refused with its place."""

from __future__ import annotations

import pytest

from arcbatt.errors import UsageError
from arcbatt.language.types import BOOL, INT
from arcbatt.syntax.cells import CellError, parse_cells

A = ((1, 0, 2), (0, 3, 2))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("x", A),
        ("x + 1", ((2, 1, 3), (1, 4, 3))),
        ("where(x == 0, b, x)", ((1, 7, 2), (7, 3, 2))),
        ("b if x == 0 else x", ((1, 7, 2), (7, 3, 2))),
        ("max(at(-1, 0), at(1, 0), x)", ((1, 3, 2), (1, 3, 2))),
        ("at(0, 1)", ((0, 2, -1), (3, 2, -1))),
        ("i * w + j", ((0, 1, 2), (3, 4, 5))),
        ("h * 10 + w", ((23, 23, 23), (23, 23, 23))),
        ("-7 // 2 + x - x", ((-4, -4, -4), (-4, -4, -4))),
        ("-7 % 3", ((2, 2, 2), (2, 2, 2))),
        ("where(0 < x < 3 and not t, 1, 0)", ((0, 0, 0), (0, 0, 0))),
        ("where(x == 0 or x >= 3 and t, 1, 0)", ((0, 1, 0), (1, 1, 0))),
        ("where(x == 0, 0, 6 // x)", ((6, 0, 3), (0, 2, 3))),
        ("abs(x - 2)", ((1, 2, 0), (2, 1, 0))),
        ("where((x == 0) == True, 1, 2)", ((2, 1, 2), (1, 2, 2))),
        ("min(x, 1,\n   b)", ((1, 0, 1), (0, 1, 1))),
        ("at(0, -b)", ((-1, -1, -1), (-1, -1, -1))),
    ],
)
def test_what_they_mean(text, made):
    assert parse_cells(text, {"b": INT, "t": BOOL}).grid(A, 7, True) == made


def test_outside_is_what_was_declared():
    assert parse_cells("at(0, 1)", {}, 5).grid(A) == ((0, 2, 5), (3, 2, 5))


def test_a_side_that_is_not_chosen_does_not_fail():
    with pytest.raises(ZeroDivisionError):
        parse_cells("6 // x", {}).grid(A)


@pytest.mark.parametrize("grid", [(), ((),), ((), ())])
def test_grids_without_cells_stay(grid):
    assert parse_cells("x + 1", {}).grid(grid) == grid


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("x +", "not an expression", None),
        ("x + y", "no such name: y; there are x, i, j, h, w, b", 4),
        ("x + exp(x)", "no such function: exp", 4),
        ("__import__('os')", "no such function: __import__", 0),
        ("x.real", "not part of this language", 0),
        ("(lambda: 1)()", "not part of this language", 0),
        ("[x for x in x]", "not part of this language", 0),
        ("x / 2", "not part of this language", 0),
        ("x ** 2", "not part of this language", 0),
        ("1.5", "not part of this language", 0),
        ("'x'", "not part of this language", 0),
        ("x == 1", "a cell is a number", 0),
        ("x + (x == 1)", "a number is wanted here, this is true or false", 5),
        ("where(x, 1, 2)", "true or false is wanted here, this is a number", 6),
        ("x and x", "true or false is wanted here", 0),
        ("where(x == 0, 1, x == 1)", "both sides of a choice", 17),
        ("at(1)", "at takes 2 values, got 1", 0),
        ("min(x)", "min takes 2 values at least, got 1", 0),
        ("where(x is 0, 1, 2)", "comparisons are", 6),
        ("max(x, y=1)", "not part of this language", 0),
        ("x + 4294967296", "does not fit 32 bits", 4),
        ("-" * 900 + "x", "nested too deep", 0),
        ("(" * 300 + "x" + ")" * 300, "not an expression", None),
    ],
)
def test_what_cannot_stand_there(text, message, column):
    with pytest.raises(CellError) as caught:
        parse_cells(text, {"b": INT})
    assert message in str(caught.value)
    if column is not None:
        assert caught.value.column == column
        assert str(caught.value).splitlines()[-1] == " " * (4 + column) + "^"


@pytest.mark.parametrize(
    ("text", "params", "outside", "message"),
    [
        ("x", {"x": INT}, -1, "cannot be named 'x'"),
        ("x", {"where": INT}, -1, "cannot be named 'where'"),
        ("x", {}, 1 << 31, "outside"),
        ("x", {}, True, "outside"),
        ("x" + " + x" * 1000, {}, -1, "2000 characters"),
    ],
)
def test_what_cannot_be_asked_for(text, params, outside, message):
    with pytest.raises(UsageError, match=message):
        parse_cells(text, params, outside)
