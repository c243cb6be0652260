"""Files from strangers: a clear error each, nothing executed, no crash, no hang."""

from __future__ import annotations

import ast
import importlib
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.language import limits
from arcbatt.language.program import unparse
from arcbatt.syntax import parse_bytes, parse_file, parse_text
from arcbatt.syntax.problems import as_json

_watches: list[list[str]] = []


def _audit(event: str, args: tuple) -> None:
    if _watches and event in ("exec", "import", "os.system", "subprocess.Popen"):
        _watches[-1].append(f"{event} {args}")


sys.addaudithook(_audit)


@contextmanager
def watched():
    """What the interpreter ran or imported inside the block."""
    _watches.append([])
    try:
        yield _watches[-1]
    finally:
        _watches.pop()


def test_the_watch_sees():
    with watched() as events:
        exec("import os; os.system('true')")
    assert {event.split()[0] for event in events} == {"exec", "os.system"}


HEAD = b"def solve_a(I):\n    return "


@pytest.mark.parametrize(
    ("data", "message"),
    {
        "ten megabytes of nesting": (HEAD + b"rot90(" * 1_700_000 + b"I" + b")" * 1_700_000, "program too large"),
        "deep nesting": (HEAD + b"rot90(" * 150 + b"I" + b")" * 150, "nested 150 deep"),
        "deep calls of calls": (HEAD + b"compose" + b"(I)" * 300, "nested more than 100 deep"),
        "very deep calls of calls": (HEAD + b"compose" + b"(I)" * 300_000, "too complex to parse"),
        "long sum": (HEAD + b"1+" * 300_000 + b"1", "too complex to parse"),
        "long negation": (HEAD + b"-" * 300_000 + b"1", "too complex to parse"),
        "long attribute": (HEAD + b"I" + b".a" * 300_000, "too complex to parse"),
        "long lambda": (HEAD + b"lambda:" * 100_000 + b"1", "too complex to parse"),
        "huge integer": (HEAD + b"9" * 100_000, "not Python syntax"),
        "import call": (HEAD + b"__import__('os').system('true')", "an attribute is not legal"),
        "bare import call": (HEAD + b"__import__('os')", "unknown primitive or name '__import__'"),
        "eval": (HEAD + b"eval(I)", "unknown primitive or name 'eval'"),
        "dunder walk": (HEAD + b"I.__class__.__base__.__subclasses__()", "an attribute is not legal"),
        "dunder name": (b"def solve_a(I):\n    __builtins__ = rot90(I)\n    return I", "a name of Python's own"),
        "dunder program": (b"def __init__(I):\n    return I", "program name '__init__'"),
        "walrus": (HEAD + b"I and (x := I)", "an assignment inside an expression is not legal"),
        "default that calls": (b"def solve_a(I=print(1)):\n    return I", "parameters"),
        "annotation that calls": (b"def solve_a(I: print(1)):\n    return I", "annotation that is not a plain name"),
        "a class inside": (b"def solve_a(I):\n    class f: pass\n    return I", "a class definition"),
        "recursion": (b"def solve_a(I):\n    def f(x): return f(x)\n    return f(I)", "recursion: f calls itself"),
        "NUL byte": (HEAD + b"\0rot90(I)", "NUL byte"),
        "not text": (bytes(range(256)), "file not text"),
        "latin-1": (HEAD + "rot90(é)".encode("latin-1"), "file not text"),
    }.values(),
)  # fmt: skip
def test_refused_with_a_clear_error(data, message):
    parse_bytes(b"#")  # the codec is loaded on first use
    with watched() as events:
        parsed = parse_bytes(data, "evil.py")
    assert not events
    assert not parsed.programs
    assert message in str(parsed.errors[0])


def test_many_calls_are_refused():
    lines = "".join(f"    x{i} = rot90(I)\n" for i in range(limits.MAX_CALLS + 1))
    assert "calls, at most" in str(parse_text(f"def solve_a(I):\n{lines}    return I\n").errors[0])


def test_a_file_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("arcbatt.syntax.source.MAX_FILE_BYTES", 100)
    path = tmp_path / "big.py"
    path.write_text("# " + "x" * 200)
    assert "file too large: 202 bytes, at most 100" in str(parse_file(path).errors[0])


def test_twenty_thousand_bad_programs_beside_one_good():
    bad = "".join(f"def solve_{i}(I):\n    return I.a\n" for i in range(20_000))
    parsed = parse_text(bad + "def solve_good(I):\n    return I\n")
    assert len(parsed.errors) == 20_000
    assert [program.id for program in parsed.programs] == ["good"]


def test_odd_line_ends_do_not_move_lines():
    parsed = parse_text("def solve_a(I):\n    x = rot90(I)  # \u2028 odd\n    return foo(x)\n")
    assert parsed.errors[0].line == 3


GOOD = "def solve_good(I):\n    return I\n"
UNITS = ("x", "_", "é", "1", " ", "\n", " \n", "(", "(S, I, ", "[", '"', "#", "=", "x = ", "def ", "\ndef ", ",", "\\")


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_a_text_of_one_thing_again_and_again_takes_no_time(unit):
    """A megabyte of it, wherever it stands: what looks for names and programs passes it once."""
    text = unit * (1_000_000 // len(unit.encode()))
    flat = text.replace("\n", " ")
    doc = f"def solve_a(I):\n    '''{text[:500_000]}'''\n    return I\n"
    for whole in (doc, f"# {flat}\n{GOOD}", f"{text}\n{GOOD}", f"def solve_a(I):\n    return {flat[:500_000]}\n{GOOD}"):
        parsed = parse_text(whole)
        assert parsed.programs or parsed.errors


@pytest.mark.parametrize("unit", ["I", "é", "I.a", "zzz(I)"])
def test_many_errors_of_one_line_are_not_all_told(unit):
    for separator in (";", "\n    "):
        text = "def solve_a(I):\n    " + separator.join([unit] * 5_000) + "\n    return I\n"
        parsed = parse_text(text + GOOD)
        assert [program.id for program in parsed.programs] == ["good"]
        assert len(parsed.errors) == 100
        assert "the others are not told" in parsed.errors[-1].message
        found = [as_json(error) for error in parsed.errors]
        assert all(len(str(one["text"])) <= 2_000 for one in found)
        assert len({(one["line"], one["column"]) for one in found}) == 100


LINES = st.lists(
    st.sampled_from(["text", "def solve_x(I):", "    return I", "'", '"', "# it's", "\\'", "''", ")", "", "x = 1"])
)


@pytest.mark.parametrize("quotes", ['"""', "'''"])
@given(lines=LINES)
def test_a_docstring_may_have_anything_in_any_column(quotes, lines):
    other = "def solve_other(I):\n    '''x'''\n    return rot90(I)\n"
    doc = "\n".join(["It says:", *lines, "end"])
    text = f"{quotes}{doc}\n{quotes}\n{GOOD}def solve_a(I):\n    {quotes}{doc}\n{quotes}\n    return rot90(I)\n{other}"
    parsed = parse_text(text)
    assert not parsed.errors
    assert [program.id for program in parsed.programs] == ["good", "a", "other"]
    assert parsed.programs[1].line == text.split("\n").index("def solve_a(I):") + 1


@pytest.mark.parametrize("quotes", ['"""', "'''"])
@pytest.mark.parametrize("where", range(4))
def test_a_string_that_is_left_open_spoils_its_own_program_alone(quotes, where):
    programs = [
        f"def solve_{n}(I):\n    {quotes}Of {n}.\n\n    More.\n    {quotes}\n    return rot90(I)\n" for n in range(4)
    ]
    programs[where] = f"def solve_{where}(I):\n    {quotes}Of {where}.\n    return I\n"
    parsed = parse_text("".join(programs))
    assert [program.id for program in parsed.programs] == [str(n) for n in range(4) if n != where]
    assert len(parsed.errors) == 1


@pytest.mark.parametrize("place", [
    "def solve_a(I=@): return I",
    "def solve_a(I):\n    return @",
    "def solve_a(I):\n    f = lambda *x, y=@: x\n    return f(I)",
    "K = @\ndef solve_a(I):\n    return K",
    "def solve_a(I, x=0):\n    if x == @:\n        return I\n    return I",
])  # fmt: skip
@pytest.mark.parametrize("length", [50, 300, 900, 3000])
def test_depth_of_every_kind_is_refused_or_read(place, length):
    deep = ["-" * length + "1", "1" + "+1" * length, "not " * length + "1", "lambda: " * length + "1"]
    deep += ["I" + text * length for text in (".a", "[0]", "(I)")] + ["1 if T else " * length + "1"]
    for text in deep:
        parsed = parse_text(place.replace("@", text))
        assert parsed.errors or len(parsed.programs) == 1


@pytest.mark.parametrize("module", ["argparse", "ast", "bisect", "colorsys", "copy", "heapq", "statistics", "textwrap"])
def test_python_of_all_kinds_is_read_or_refused(module):
    """Every function of some modules as a program, with whatever stands in it."""
    tree = ast.parse(Path(importlib.import_module(module).__file__).read_text())
    seen = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.name, node.decorator_list = f"solve_{seen}", []
            parsed = parse_text(ast.unparse(node))
            assert len(parsed.programs) == 1 or parsed.errors
            for program in parsed.programs:
                assert parse_text(unparse(program)).programs == [program]
            seen += 1
    assert seen > 3
