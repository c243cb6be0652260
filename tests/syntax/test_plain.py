"""Programs that are nothing but calls are read as any program is, only faster."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcbatt.solvers
from arcbatt.syntax import Parsed, parse_paths, parse_text
from arcbatt.syntax.reader import ProgramReader


@pytest.fixture
def used(monkeypatch):
    """Whether each program was read as a plain one."""
    found: list[bool] = []
    plain = ProgramReader.plain_program

    def counted(reader: ProgramReader, node: ast.FunctionDef):
        result = plain(reader, node)
        found.append(result is not None)
        return result

    monkeypatch.setattr(ProgramReader, "plain_program", counted)
    return found


def by_the_other_reader(read) -> Parsed:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProgramReader, "plain_program", lambda *_: None)
        return read()


def same(read) -> None:
    one, other = read(), by_the_other_reader(read)
    assert one.programs == other.programs
    assert one.errors == other.errors
    for left, right in zip(one.programs, other.programs, strict=True):
        assert repr(left.lines) == repr(right.lines)  # with the numbers of lines
        assert repr(left.result) == repr(right.result)


def test_the_library(used):
    folder = Path(arcbatt.solvers.__file__).parent
    same(lambda: parse_paths([folder]))
    assert sum(used) > 0.9 * len(used) > 0


HEADS = ["(I)", "(S, I, C)", "(S, I)", "(grid)", "(S, I, x=0)", "(I: Grid) -> Grid", "(*I)", "(I, J)"]
LINES = [
    "x1 = rot90(I)", "x2 = shape(x1)", "x3 = rbind(add, ONE)", "x4 = x3(x2)", "x5 = fill(I, 3, asindices(I))",
    "x6 = apply(first, S)", "x1 = vmirror(x1)", "x7 = I", "x8 = 3", "x9 = (1, 2)", "size = height(I)", "ONE = width(I)",
    "y = size(I)", "I = rot90(I)", "C = rot90(I)", "z = C(I)", "w = I(I)", "v = undefined(I)", "u = rot90(I, I)",
    "t = rot90(grid=I)", "s = fill(I, -1, x1)", "r = fill(I, True, x1)", "q = fill(I, 99999999999, x1)", "'a text'",
    "p = canvas(0, (3, 3))", "o = fold(I, 0, add)", "n = max(I)", "m = len(I)", "l = tuple(I)", "k: Grid = rot90(I)",
    "j = x1[0]", "__i = rot90(I)", "a, b = x2", "g = helper(I)", "h = NUMBER", "f = mir_rot_t(I, R2)", "e = later(I)",
    "later = rbind(add, ONE)", "d = c = rot90(I)", "pass", "x1.y = rot90(I)", "b = rot90(*I)", "if I:\n        x1 = I",
    "N = add(NUMBER, 1)", "solve_b = rot90(I)", "M = solve_b(I)", "L = lambda x: x", "K = apply(lambda x: x, I)",
    "J = branch(T, hmirror, vmirror)(x1)", "H = rbind(fill, -3)(I, (0, 1))", "G = crop(I, (0, -1), (True, 2))",
    "F1 = x1()", "F2 = rbind(add, ONE)()", "F3 = canvas(- 3, ())", "F4 = canvas(-99999999999, (1, (2, 3)))",
    "F5 = rot90(I)(I)", "F6 = later(I)(x2)", "F7 = helper(I)(I)", "F8 = identity(x=I)(I)", "F9 = rbind(add, 1)(x=I)",
    "F10 = canvas(-2147483648, (2147483648,))", "F11 = canvas(+3, (1,))", "F12 = canvas(-True, (0, (1, 2)))",
    "F13 = branch(T, helper, rot90)(I)", "F14 = dict(x1)(I)", "F15 = fork(add, size, first)((1, 2))(x2)",
    "F16 = (lambda x: x)(I)", "F17 = Counter(x1)(I)", "F18 = tuple(x1)(I)", "F19 = zip(x1)(*x1)", "F20 = C(I)(I)",
]  # fmt: skip
ENDS = [
    "return x1",
    "return rot90(I)",
    "return I",
    "return 3",
    "return size",
    "return",
    "x9 = rot90(I)",
    "return x1\n    y = I",
]
FILES = [
    "",
    "NUMBER = 4\n",
    "def helper(x):\n    return rot90(x)\n",
    "rot90 = vmirror\n",
    "def add(a, b):\n    return b\n",
]


@given(
    st.sampled_from(HEADS), st.lists(st.sampled_from(LINES), max_size=6), st.sampled_from(ENDS), st.sampled_from(FILES)
)
def test_anything_else_is_left_to_the_other_reader(head, lines, end, file):
    body = "".join(f"    {line}\n" for line in [*lines, end])
    same(lambda: parse_text(f"{file}\ndef solve_a{head}:\n{body}\n\ndef solve_b(I):\n    return I\n"))


@pytest.mark.parametrize("line", LINES)
def test_each_line_alone(line):
    same(lambda: parse_text(f"def solve_a(I):\n    x1 = hmirror(I)\n    {line}\n    return x1\n"))


def test_what_is_plain(used):
    lines = ['"""A text."""', "x1 = rbind(add, ONE)", "x2 = x1(size(I))", "return fill(I, x2, x1)"]
    parse_text("def solve_a(S, I):\n" + "".join(f"    {line}\n" for line in lines)).check()
    parse_text("def solve_a(grid):\n    return fill(grid, 3, asindices(grid))\n").check()
    parse_text("def solve_a(I):\n    a = I\n    return rot90(a)\n").check()
    parse_text("def solve_a(I):\n    return rbind(fill, -3)(I, (0, -1))\n").check()
    assert used == [True, True, False, True]
