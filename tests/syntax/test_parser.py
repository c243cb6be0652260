from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from arcbatt.errors import UsageError
from arcbatt.language.program import Call, Const, Name, unparse
from arcbatt.syntax import parse_file, parse_paths, parse_program, parse_text
from strategies import programs


def one(body: str, params: str = "I"):
    return parse_program(f"def solve_x({params}):\n    {body}\n")


def errors(body: str, params: str = "I") -> list[str]:
    return [str(error) for error in parse_text(f"def solve_x({params}):\n    {body}\n", "s.py").errors]


def test_program_as_data():
    program = one("x = objects(grid=I, univalued=T, diagonal=False, without_bg=T)\n    return apply(size, x)")
    assert program.id == "x"
    assert program.params == ("I",)
    call = program.lines[0].value
    assert call == Call(Name("objects"), (Name("I"), Name("T"), Const(False), Name("T")))
    assert program.lines[0].line == 2
    assert unparse(program).startswith("def solve_x(I):\n    x = objects(I, T, False, T)\n")


def test_keywords_take_any_order():
    assert one("return fill(patch=I, grid=I, colour=3)") == one("return fill(I, 3, I)")


def test_functions_as_values():
    program = one("f = compose(size, palette)\n    g = branch(T, f, height)\n    return g(I)")
    assert str(program.result) == "g(I)"
    assert str(one("return compose(rot90, rot90)(I)").result) == "compose(rot90, rot90)(I)"


def test_both_signatures_and_differs():
    assert one("return first(S)", "S, I, C").params == ("S", "I", "C")
    assert parse_program("def differ_same(S, I, C):\n    return equality(I, C)").id == "same"


def test_annotations_docstring_comments_and_star_imports_are_read_over():
    text = '''"""Solvers.

def solve_not_a_program(I): in a docstring
"""
from dsl import *
# a comment

def solve_a(I: Grid) -> Grid:
    """What it does."""
    x1 = rot90(I)  # unused
    return hmirror(I)
'''
    parsed = parse_text(text)
    assert not parsed.errors
    assert [program.name for program in parsed.programs] == ["solve_a"]
    assert parsed.programs[0].line == 8


def test_literals():
    assert one("return add((1, -2), -3)").result == Call(Name("add"), (Const((1, -2)), Const(-3)))
    assert Const(True) != Const(1)


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("return objcts(I, T, T, T)", "unknown primitive or name 'objcts'", "did you mean 'objects'?"),
        ("return rot90(I, I)", "rot90 takes 1 argument, got 2", "rot90(grid)"),
        ("x = y\n    y = rot90(I)\n    return x", "'y' is used before it is assigned", ""),
        ("return add(1 / 2, 3)", "the operator Div is not legal", "write a primitive"),
        ("import os\n    return I", "an import is not legal", "leave it out"),
        ("return I.shape", "an attribute is not legal", "write a primitive"),
        ("return I[:: height(I)]", "a slice whose step is no positive constant", "[::-1]"),
        ("return I[0, 1]", "two subscripts in one", "x[i][j]"),
        ("return fill(I, 'a', I)", "the literal 'a' is not legal", "assignments of calls"),
        ("return fill(I, 1.5, I)", "the literal 1.5 is not legal", "assignments of calls"),
        ("return {1: 2}", "a dictionary is not legal here", "its pairs"),
        ("d = {}\n    return [d]", "a dictionary is not legal here", "its pairs"),
        ("d = {}\n    d[1] = {}\n    return 1", "a dictionary is not legal here", "its pairs"),
        ("d = {}\n    x = []\n    x.append(d)\n    return x", "a dictionary is not legal here", "its pairs"),
        ("d = {}\n    for r in I:\n        d = 1\n    return len(d)", "'d' is a dictionary on some ways", "assign"),
        ("d = {}\n    return d if I else 1", "a dictionary is not legal here", "its pairs"),
        ("x = [[]]\n    y = x[0]\n    y.append(1)\n    return x", "would be the same list", "list(...)"),
        ("return np.zeros(I)", "numpy is not legal", "lists"),
        ("return {x: 1 for x in I}", "a dictionary is not legal here", "its pairs"),
        ("for x in I:\n        pass\n    else:\n        pass\n    return I", "`else` of a loop", "use a name"),
        ("with I as x:\n        pass\n    return I", "`with` is not legal", "without it"),
        ("for x in I:\n        global y\n    return I", "`global` is not legal", "return"),
        ("if height(I) > 1:\n        import os\n    return I", "an import is not legal", "leave it out"),
        ("yield I", "an expression whose value is not used", "assign"),
        ("return (yield I)", "`yield` is not legal", "return"),
        ("async def f(x):\n        return x\n    return I", "an asynchronous function is not legal", "write `def`"),
        ("class A:\n        pass\n    return I", "a class definition is not legal", "a tuple"),
        ("print(I)\n    return I", "an expression whose value is not used", "assign"),
        ("if I:\n        return I\n    print(I)\n    return I", "an expression whose value is not used", "assign"),
        ("while height(I) > 1:\n        print(I)\n    return I", "an expression whose value is not used", "assign"),
        ("return [(x := r) for r in I]", "an assignment inside an expression is not legal", "a line of its own"),
        ("return I.shape()", "an attribute is not legal", "write a primitive"),
        ("x = []\n    y = x\n    y.append(1)\n    return x", "would be the same list", "list(...)"),
        ("for r in I:\n        r.append(1)\n    return I", "'r' is an item, and the loop changes it", "a new value"),
        ("x = []\n    for r in zip(x, I):\n        x.append(r)\n    return x", "the loop changes 'x'", "list(x)"),
        ("if height(I) > 1:\n        return I", "missing return", "return"),
        ("while T:\n        return\n    return I", "return without a value", "return <expression>"),
        ("try:\n        x = I\n    except E:\n        pass\n    return I", "`try` is not legal", "a failed value"),
        ("return add(9999999999, 1)", "does not fit 32 bits", "2147483647"),
        ("x = rot90(I)", "missing return", "return <name or call>"),
        ("return", "return without a value", "return <expression>"),
        ("a, *b = rot90(I)\n    return a", "assignment to something other than names", "one or more names"),
        ("return I\n    x = rot90(I)", "a line after return", "return ends a program"),
        ("return ONE(I)", "'ONE' is not a function", "a variable that holds a function"),
        ("return first(S)", "'S' is not a parameter", "(S, I, C)"),
        ("f = size\n    return f(container=I)", "keyword argument to a variable", "by name"),
        ("return rot90(gird=I)", "no free parameter 'gird'", "rot90(grid)"),
        ("return rot90(*I)", "a starred argument is not legal", "assignments of calls"),
        ("return rot90(I", "not Python syntax", "assignments of calls"),
    ],
)
def test_errors_say_what_is_wrong_and_what_is_allowed(body, message, hint):
    found = errors(body)
    assert len(found) == 1
    assert message in found[0]
    assert hint in found[0]
    assert found[0].startswith("s.py:")
    assert "^" in found[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def solve_x(I, J):\n    return I", "parameters (I, J)"),
        ("def solve_x(I=1):\n    return I", "parameters (I=1)"),
        ("def helper(I):\n    return I", "no program found"),
        ("def __helper__(I):\n    return I", "program name '__helper__'"),
        ("@cache\ndef solve_x(I):\n    return I", "not Python syntax"),
        ("class A:\n    pass", "a class definition is not legal here"),
        ("x = 1", "no program found"),
        ("print(1)", "is not legal here"),
        ("import os", "an import is not legal here"),
        ("", "no program found"),
        ("# nothing\n", "no program found"),
    ],
)
def test_errors_outside_programs(text, message):
    assert message in str(parse_text(text).errors[0])


def test_caret_points_at_the_place():
    lines = errors("return fill(I, é_(I), I)")[0].splitlines()
    assert lines[1].index("é_") == lines[2].index("^")


def test_one_bad_program_does_not_hide_the_good_ones():
    good = "def solve_{}(I):\n    return rot90(I)\n"
    bad = "def solve_bad(I):\n    return (((\n"
    parsed = parse_text(
        good.format("a") + bad + good.format("b") + "def solve_a(I):\n    return I\n" + good.format("c")
    )
    assert [program.id for program in parsed.programs] == ["a", "b", "c"]
    assert len(parsed.errors) == 2
    assert "redefinition: solve_a is defined on line 1 too" in str(parsed.errors[1])


def test_every_error_of_a_program_is_collected():
    assert len(errors("x = foo(I)\n    y = rot90()\n    z = I.a\n    return hmirror(I)")) == 3


@given(programs)
def test_parse_unparse_round_trip(program):
    again = parse_program(unparse(program))
    assert again == program
    assert unparse(again) == unparse(program)


def test_files_and_folders(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.py").write_text("def solve_a(I):\n    return I\n")
    (tmp_path / "sub" / "b.py").write_bytes(b"\xef\xbb\xbfdef solve_b(I):\r\n    return I\r\n")
    (tmp_path / "notes.txt").write_text("not a solver")
    parsed = parse_paths([tmp_path])
    assert [program.id for program in parsed.programs] == ["a", "b"]
    assert parsed.programs[1].file.endswith("b.py")
    assert parse_paths([tmp_path / "a.py", tmp_path / "sub"]).programs == parsed.programs
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no program found in the folder" in str(parse_paths([empty]).errors[0])
    assert "cannot read" in str(parse_file(tmp_path / "none.py").errors[0])


def test_check_raises_with_everything():
    with pytest.raises(UsageError, match="unknown primitive"):
        parse_text("def solve_x(I):\n    return foo(I)").check()
    with pytest.raises(UsageError, match="expected one program, found 2"):
        parse_program("def solve_a(I):\n    return I\ndef solve_b(I):\n    return I\n")


def test_progress_counts_the_programs_of_a_file_and_the_files_of_many(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_text("".join(f"def solve_{name}{k}(I):\n    return I\n\n" for k in "12"))
    told: list[tuple[int, int]] = []
    parse_paths([tmp_path / "a.py"], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
    told.clear()
    parse_paths([tmp_path], progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 2), (2, 2)]
