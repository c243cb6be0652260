"""Other families' names: found out from the text, written in our own language."""

from __future__ import annotations

import os

import pytest

from arcbatt.errors import UsageError
from arcbatt.language.failures import Reason
from arcbatt.language.program import unparse
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.table import STANDARD
from arcbatt.syntax import parse_file, parse_program, parse_text
from arcbatt.syntax.dialect import detect, dialects, named_dialect, read_dialect, vocabulary
from arcbatt.syntax.expressions import Expressions
from arcbatt.syntax.functions import Function
from arcbatt.syntax.report import Reporter
from arcbatt.syntax.source import Chunk

GRID = ((1, 2, 0), (0, 3, 3))
PAIRS = (
    (((1, 2), (3, 3)), ((2, 1), (3, 3))),
    (((0, 5), (1, 1)), ((5, 0), (1, 1))),
)


def value(text: str, grid=GRID, samples=PAIRS):
    program = parse_program(text)
    assert parse_program(unparse(program)) == program
    return evaluate(program, Sample(grid, samples, None))


def one(expression: str, **options):
    return value(f"def solve_a(S, I):\n    return {expression}\n", **options)


@pytest.mark.parametrize("name", dialects())
def test_every_entry_can_be_used(name):
    words = vocabulary(STANDARD, dialects()[name])
    for entry in dialects()[name].words:
        found = words.find(entry)
        assert found is not None
        if isinstance(found, Function):
            arguments = ", ".join("size" if param in ("f", "key", "pick") else "I" for param in found.params)
            text = f"def solve_a(S, I):\n    return {entry}({arguments})\n"
            parsed = parse_text(text, dialect=dialects()[name])
            assert len(parsed.programs) == 1, (entry, parsed.errors)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("mir_rot_t(I, R2)", ((0, 2, 1), (3, 3, 0))),
        ("mir_rot_t(I, height_t(canvas(ZERO, TWO_BY_TWO)))", ((0, 2, 1), (3, 3, 0))),
        ("mir_rot_t(I, a_mr(S))", ((0, 2, 1), (3, 3, 0))),
        ("a_mr(((I, rot90(I)), (I, I)))", 7),
        ("corner(f_ofcolor(I, GREEN), R1)", (1, 2)),
        ("apply(rbind(corner, R0), o_g_t(I, R4))", ((0, 2), (1, 0), (0, 0), (0, 1), (1, 1))),
        ("col_row(f_ofcolor(I, THREE), R2)", 1),
        ("get_rank(palette_t(I), F1)", 2),
        ("get_rank(palette_t(I), L1)", 0),
        ("get_color_rank_t(I, F1)", 3),
        ("get_color_rank_t(I, L1)", 2),
        ("apply(rbind(get_color_rank_t, F0), apply(first, S))", (3, 1)),
        ("get_arg_rank_f(palette_t(I), identity, F0)", 3),
        ("get_arg_rank_t((3, 5, 4), decrement, L1)", 3),
        ("fork(rbind(get_arg_rank, F1), palette_t, lbind(lbind, colorcount_t))(I)", 3),
        ("get_val_rank((3, 5, 4), double, F0)", 6),
        ("get_common_rank_t((3, 5, 3, 5, 3, 7), F0)", 7),
        ("get_common_rank_t((3, 5, 3, 5, 3, 7), L1)", 3),
        ("toij(ascell(UNITY, RED))", (1, 1)),
        ("paint(I, celltuple((ORIGIN, UNITY), (BLACK, CYAN)))", ((0, 2, 0), (0, 8, 3))),
        ("c_iz_n(S, identity(p_g), rbind(get_nth_t, F0))", Reason.EMPTY),
        ("c_zo_n(((I, canvas(NINE, UNITY)), (I, I)), p_g, rbind(get_nth_t, F0))", 9),
        ("size_f(merge_f(o_g(I, R7)))", 4),
        ("sizefilter_t(o_g_t(I, R5), TWO)", (frozenset({(3, (1, 1)), (3, (1, 2))}),)),
        ("batch_process_samples_gpu(S)[0]", (((1, 2), (3, 3)), ((0, 5), (1, 1)))),
        ("batch_process_samples_gpu(S)[3]", (1, 2, 3, 0, 1, 5)),
    ],
)
def test_tokpidjin(expression, expected):
    got = one(expression)
    assert getattr(got, "reason", got) == expected


def test_a_known_mode_leaves_no_trace():
    program = parse_program(
        "def solve_a(S, I):\n    f = rbind(mir_rot_t, R4)\n    m = A1\n    return mir_rot_t(f(I), m)\n"
    )
    assert str(program.result) == "dmirror(rot90(I))"


def test_long_names():
    body = "    x = transform(fix_last_argument(as_tuple, COLOR_TWO), palette(I))\n    return sort(x, get_first)\n"
    text = f"def solve_a(I):\n{body}"
    assert value(text) == ((0, 2), (1, 2), (2, 2), (3, 2))


def test_the_dialect_is_that_of_the_names_a_text_uses():
    def found(text: str) -> str:
        return detect(text, STANDARD).name

    assert found("x = rbind(corner, R0)") == "tokpidjin"
    assert found("x = vertical_mirror(get_first(I))") == "arc-dsl-llm"
    assert found("x = vmirror(first(I))") == "arc-dsl"
    assert found("def corner(x):\n    return x\ny = corner(I)") == "arc-dsl"
    assert found("x = union(a, b)\ny = foo(x)\nz = bar(y)") == "arc-dsl"
    assert found("# From corner (left) to corner, as union(a, b) has it.\nx = vmirror(I)") == "arc-dsl"
    assert found('def solve_a(I):\n    """The corner, mir_rot_t(I, R2)."""\n    return vmirror(I)') == "arc-dsl"
    assert found("# A corner.\nx = rbind(corner, R0)  # corner") == "tokpidjin"


def test_signatures_and_names(tmp_path):
    text = "def {}(S, I, x=0):\n    x1 = rot90(I)\n    if x == 1:\n        return x1\n    return mir_rot_t(x1, R4)\n"
    program = parse_program(text.format("solve_a"))
    assert program.params == ("S", "I", "C")
    assert unparse(program) == "def solve_a(S, I, C):\n    x1 = rot90(I)\n    return rot90(x1)\n"
    assert parse_program(text.format("solve_a_one")).id == "a_one"
    assert parse_program("def verify_a(I: Grid) -> Grid:\n    return I\n").name == "solve_a"
    assert unparse(parse_program("def solve_a(grid):\n    return rot90(grid)\n")).endswith("return rot90(I)\n")
    file = tmp_path / "00576224.py"
    file.write_text("def solve(I):\n    return rot90(I)\n")
    assert [program.name for program in parse_file(file).programs] == ["solve_00576224"]
    file = tmp_path / "solve_007bbfb7.def"
    file.write_text("def solve(S, I):\n    return rot90(I)\n")
    assert [program.name for program in parse_file(file).programs] == ["solve_007bbfb7"]


def test_a_dialect_of_ones_own(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'about = "mine"\nprograms = ["task_(\\\\w+)"]\n[names]\nturn = "rot90"\n[constants]\nTHREES = [3, 3]\n'
        '[functions]\npaint_all = "lambda c, g: fill(g, c, asindices(g))"\nvmirror = "hmirror"\n'
    )
    dialect = named_dialect(str(path))
    text = "def task_7(I):\n    return paint_all(4, crop(vmirror(turn(I)), ORIGIN, THREES))\n"
    parsed = parse_text(text, dialect=dialect)
    assert [str(program.result) for program in parsed.programs] == ["fill(g, 4, asindices(g))"]
    assert "hmirror(rot90(I))" in unparse(parsed.programs[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[names", "not a dialect"),
        ("[name]\na = 'b'", "a dialect has about, programs, and the tables"),
        ("[names]\na = 1.5", "a is a name, a lambda, an integer"),
        ("[names]\na = 'f(x)'", "is a name or a lambda"),
        ("[functions]\na = 'lambda'", "not an expression"),
        ("programs = ['(']", "regular expressions"),
        ("[cells]\nsince = 'C'", "cells has since"),
        ("[cells]\nsince = '('\nitems = ['first']\nplace = 'last'", "since is a regular expression"),
        ("[cells]\nsince = 'C'\nitems = ['first(']\nplace = 'last'", "not an expression"),
        ("[constants]\na = 99999999999", "a is a name, a lambda, an integer"),
        (f"[constants]\na = [{'1, ' * 70_000}]", "a is a name, a lambda, an integer"),
        ("[names]\na = 'rot90'\n[constants]\na = 1", "a stands in two tables"),
        ("[functions]\na = 'lambda *x: x'", "a lambda has plain parameters"),
        ("[functions]\na = 'lambda x=f(1): x'", "a lambda has plain parameters"),
        (f"[functions]\na = '{'lambda x: ' * 3000}x'", "not an expression"),
        ("programs = 'solve'", "programs is a list"),
        ("programs = {a = 1}", "programs is a list"),
        (f"programs = ['{'(' * 5000}{')' * 5000}']", "programs is a list"),
        ("about = ['x']", "about is a text"),
        ("differs = 'size'", "differs is a list"),
        (f"a = {'[' * 100_000}", "not a dialect"),
        (f"a{'.a' * 100_000} = 1", "a key of many parts"),
        ("[" * 1_000_000, "not a dialect"),
        ("x " * 500_000, "not a dialect"),
        (f"[names]\n{'# x' * 400_000}", "1,200,008 bytes, at most"),
        ("\ufeff[names]\na = 'rot90'", "not a dialect"),
    ],
    ids=lambda value: value[:30],
)
def test_a_bad_dialect_is_one_message(tmp_path, text, message):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match="bad"):
        read_dialect(path)
    with pytest.raises(UsageError, match=message.replace("(", "\\(")):
        read_dialect(path)
    with pytest.raises(UsageError, match="no dialect 'nope'; there are: "):
        named_dialect("nope")


def test_what_is_no_file_is_no_dialect(tmp_path):
    pipe, zero, loop = (tmp_path / f"{name}.toml" for name in ("pipe", "zero", "loop"))
    os.mkfifo(pipe)
    zero.symlink_to("/dev/zero")
    loop.symlink_to(loop)
    for path in (pipe, zero, loop, tmp_path / "missing.toml"):
        with pytest.raises(UsageError, match="not a dialect"):
            read_dialect(path)


def test_an_entry_that_names_nothing(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("[names]\na = 'no_such_thing'\n")
    with pytest.raises(UsageError, match="a names nothing"):
        parse_text("def solve_a(I):\n    return a(I)\n", dialect=read_dialect(path))


def test_names_of_lines_never_hide_the_language():
    reader = Expressions(Reporter(Chunk(1, ""), ""), vocabulary(STANDARD, dialects()["arc-dsl"]))
    assert [reader.free(name) for name in ("x", "x", "size", "ONE", "x_2")] == ["x", "x_2", "size_2", "ONE_2", "x_2_2"]
