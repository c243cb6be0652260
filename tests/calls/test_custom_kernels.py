"""Custom operations with kernels: the same on the reference, the CPU engine and emulated lanes."""

from __future__ import annotations

import ctypes
import os
import random

import pytest

from arcbatt import _core, dsl
from arcbatt.batt import make_card, write_batt
from arcbatt.batt.load import load_batt
from arcbatt.calls.arguments import random_rows
from arcbatt.calls.custom import op, remove_op
from arcbatt.calls.many import call_graph, call_many
from arcbatt.compiler.custom import device_text, kernel_of, source_kernel, source_kernels
from arcbatt.data.tasks import load_tasks, task_from_json
from arcbatt.devtools.verify.compare import compare
from arcbatt.devtools.verify.sides import ReferenceSide, side_named
from arcbatt.devtools.verify.workload import file_batches
from arcbatt.engine import custom_build
from arcbatt.engine.calls import CallEngine
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import UsageError
from arcbatt.language.failures import Fail, Failed, Reason
from arcbatt.language.reference import primitive
from arcbatt.language.table import current
from arcbatt.language.types import INT, Rule, parse_rules
from arcbatt.language.values import ordered
from arcbatt.runs.api import run
from arcbatt.syntax import parse_program, parse_text
from calls.expressions import random_expression
from emulated import _core_lanes
from engine.routes import to_dynamic

CORES = {"cpu": _core, "lanes": _core_lanes}
A = ((1, 0, 2), (0, 0, 2))
FILL = """
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK) return s;
    if (!colour_fits(by)) return ESCAPE;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    c.g.each(u32(grid.h * grid.w), [&](u32 k) { to[k] = from[k] == 0 ? i8(by) : from[k]; });
    return OK;
"""


@pytest.fixture(autouse=True)
def kept_here(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    before = set(current().ops)
    yield
    for name in set(current().ops) - before:
        remove_op(name)
    assert not any(spec.kernel for spec in current().ops.values())


def cells_op(text, signature="Grid, Int -> Grid", name="own", **options):
    def own(grid, by):
        """What an expression says."""

    def alone(grid):
        """What an expression says."""

    def with_truth(grid, by, t):
        """What an expression says."""

    function = [alone, own, with_truth][signature.split("->")[0].count(",")]
    return op(signature, cells=text, name=name, **options)(function)


def fill_op(name="own_fill", source=FILL, **options):
    def filled(grid, by):
        """Zeros become a colour."""
        return tuple(tuple(by if cell == 0 else cell for cell in row) for row in grid)

    return op("Grid, Int -> Grid", source=source, name=name, **options)(filled)


def on_core(name, rows, core):
    """Outcomes of calls on a core, the reference filling in; and how many it had to."""
    rule = current().ops[name].rules[0]
    engine = CallEngine(call_graph(primitive(name), (None,) * len(rule.params), rule.params), core=CORES[core])
    assert engine.problem is None
    called = engine.run(rows)
    for place in called.misfits:
        called.values[place] = call_many(name, [rows[place]], backend="python")[0]
    return called.values, sum(count for where, count in called.ran.items() if where != "cpu")


EXPRESSIONS = [
    "where(x == 0, by, x)",
    "max(at(-1, 0), at(1, 0), at(0, -1), at(0, 1), x)",
    "x * by - x // 2 + -by % 7",
    "where(x == 0, 0, by // x)",
    "by // x",
    "x % by",
    "i * w + j - h",
    "where(0 < x < by or not x == 2 and j >= i, abs(x - by), min(x, by, 3))",
    "at(i - j, by)",
    "x * by * by * by",
    "where(x * by * by * by > 0, 1, 2)",
]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions_are_the_same_everywhere(text, core):
    cells_op(text)
    rows = list(random_rows(current().ops["own"].rules[0].params, 60, text))
    assert on_core("own", rows, core)[0] == call_many("own", rows, backend="python")


@pytest.mark.parametrize("core", CORES)
def test_random_expressions_are_the_same_everywhere(core):
    draw = random.Random(7)
    for number in range(60):
        text = random_expression(draw, 3)
        cells_op(text, "Grid, Int, Bool -> Grid", name=f"own{number}")
        rows = list(random_rows(current().ops[f"own{number}"].rules[0].params, 12, number))
        want = call_many(f"own{number}", rows, backend="python")
        assert on_core(f"own{number}", rows, core)[0] == want, text


@pytest.mark.parametrize("core", CORES)
def test_what_has_no_form_is_left_to_the_reference_and_counted(core):
    cells_op("x * by")
    rows = [(A, 3), (A, 100), (((0,),), 1 << 30), (((5,),), 1 << 30)]
    values, elsewhere = on_core("own", rows, core)
    assert values[:3] == [((3, 0, 6), (0, 0, 6)), ((100, 0, 200), (0, 0, 200)), ((0,),)]
    assert values[3] == Failed(Reason.TYPE)
    assert elsewhere == 2


@pytest.mark.parametrize("core", CORES)
def test_a_function_of_the_kernel(core):
    fill_op()
    rows = list(random_rows(current().ops["own_fill"].rules[0].params, 100, "fill"))
    assert on_core("own_fill", rows, core)[0] == call_many("own_fill", rows, backend="python")


def sizes(grid):
    return len(grid), len(grid[0]) if grid else 0


def share(a, b):
    if not a:
        raise Fail(Reason.EMPTY)
    return len(b) // len(a)


def least(objects):
    if not objects:
        raise Fail(Reason.EMPTY)
    return next(iter(ordered(objects)))


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(
    ("signature", "source", "function"),
    [
        ("Int, Int -> Int", "out = a > b ? a : b; return OK;", max),
        ("IJ, Int -> IJ", "out = IJ{a.j, b}; return OK;", lambda a, b: (a[1], b)),
        ("Grid, Grid -> Bool", "out = a.h == b.h && a.w == b.w; return OK;", lambda a, b: sizes(a) == sizes(b)),
        ("Object, Int -> Int", "out = i32(a.n) + b; return in_range(i64(a.n) + b) ? OK : ESCAPE;",
         lambda a, b: len(a) + b),
        ("Indices, Indices -> Int", "if (!a.n) return EMPTY; out = i32(b.n / a.n); return OK;", share),
        ("{Object}, Int -> Object", "if (!a.n) return EMPTY; (void)b; out = member(c, a, 0); return OK;",
         lambda a, b: least(a)),
    ],
)  # fmt: skip
def test_every_form_of_values(signature, source, function, core):
    def own(a, b):
        """One of several."""
        return function(a, b)

    op(signature, source=source)(own)
    rows = list(random_rows(current().ops["own"].rules[0].params, 60, signature))
    assert on_core("own", rows, core)[0] == call_many("own", rows, backend="python")


PROGRAMS = """
def solve_a(I):
    x1 = own(I, 3)
    return rot90(x1)

def solve_b(I):
    x1 = hsplit(I, ONE)
    x2 = rbind(own_fill, FOUR)
    x3 = compose(rbind(own, TWO), x2)
    return apply(x3, x1)

def solve_c(I):
    x1 = own_fill(I, TWO)
    return own(x1, 200)
"""


@pytest.mark.parametrize("core", CORES)
def test_programs_run_on_the_engine(core, tmp_path):
    cells_op("where(x == 0, by, x)")
    fill_op()
    programs = parse_text(PROGRAMS).check()
    samples = [sample for task in load_tasks("arcagi")[:3] for sample in task.samples]
    engine = CpuEngine.of(programs, core=CORES[core])
    assert list(engine.code.outputs) == ["solve_a", "solve_b", "solve_c"]
    outputs = engine.run(samples, "grid")
    for row, sample in enumerate(samples):
        wanted = dsl.rot90(dsl.own(sample.I, 3))
        assert tuple(map(tuple, outputs.grid(row, 0).tolist())) == wanted
        assert engine.values(sample)["solve_b"] == (dsl.own(dsl.own_fill(sample.I, 4), 2),)
    assert set(to_dynamic(outputs)) <= {"escape"}
    write_batt(make_card(programs), tmp_path / "batt.py")
    again = CpuEngine.of(load_batt(tmp_path / "batt.py").graph, core=CORES[core])
    assert again.values(samples[0]) == engine.values(samples[0])


def test_verify_and_run_take_them():
    cells_op("where(x == 0, by, x)")
    fill_op()
    programs = parse_text(PROGRAMS).check()
    tasks = load_tasks("arcagi")[:3]
    sides = [ReferenceSide(), side_named("cpu"), side_named("lanes")]
    found = compare(file_batches(programs, tasks, ""), sides)
    assert found.differ == 0
    assert found.tallies["cpu"].answered > len(programs)
    turned = tuple(tuple(1 if cell == 0 else cell for cell in row) for row in A)
    task = task_from_json("a", {"train": [{"input": A, "output": turned}], "test": [{"input": A}]}, "a")
    program = parse_program("def solve_b(I):\n    return own(I, ONE)\n")
    for backend in ("cpu", "python"):
        assert run([program], [task], backend=backend).record.solved() == {"a": ["b"]}


def test_a_truth_and_none_and_rows_in_place_of_what_is_declared():
    cells_op("where(x == 0, by, x)")
    program = parse_program("def solve_a(I):\n    x1 = equality(I, I)\n    return own(I, x1)\n")
    sample = load_tasks("arcagi")[0].samples[0]
    engine = CpuEngine.of([program])
    assert list(engine.code.outputs) == ["solve_a"]
    want = tuple(tuple(1 if cell == 0 else cell for cell in row) for row in sample.I)
    assert engine.values(sample)["solve_a"] == want
    assert dsl.own(sample.I, True) == want
    assert dsl.own(sample.I, None) == Failed(Reason.TYPE)
    assert dsl.own(((True, False),), 3) == ((1, 3),)


def test_the_check_finds_a_kernel_that_is_not_the_function():
    def own(grid, by):
        """Greater by a number."""
        return tuple(tuple(cell + by for cell in row) for row in grid)

    with pytest.raises(UsageError) as caught:
        op("Grid, Int -> Grid", cells="where(x == 9, x, x + by)", check=True)(own)
    text = str(caught.value)
    assert "the kernel of own is not its function" in text
    assert "own" not in current().ops
    line = text.splitlines()[-1].split("to see it again: ")[1]
    with pytest.raises(UsageError, match="1 of 1 calls differ"):
        op("Grid, Int -> Grid", cells="where(x == 9, x, x + by)", **eval(f"dict({line})"))(own)


def test_the_check_of_a_source():
    with pytest.raises(UsageError, match="is not its function"):
        fill_op(source=FILL.replace("== 0", "== 1"), check=True)
    fill_op(check=True)


def test_a_source_that_does_not_compile_says_what_the_compiler_says():
    fill_op(source="return nothing;")
    with pytest.raises(UsageError, match=r"own_fill does not compile:\n(.|\n)*own_fill:1"):
        call_many("own_fill", [(A, 1)], backend="cpu")


def test_without_a_compiler_programs_run_on_the_reference_and_say_so(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    fill_op("own_alone")
    results = call_many("own_alone", [(A, 5)], backend="cpu")
    assert results == [((1, 5, 2), (5, 5, 2))]
    assert list(results.ran) == [
        "dynamic: not lowered: own_alone needs a C++ compiler, and there is none (c++, g++ or clang++, or CXX)"
    ]
    program = parse_program("def solve_a(I):\n    return own_alone(I, ONE)\n")
    sample = load_tasks("arcagi")[0].samples[0]
    outputs = CpuEngine.of([program]).run([sample])
    assert sum(to_dynamic(outputs).values()) == 1
    assert "needs a C++ compiler" in next(iter(to_dynamic(outputs)))


def test_a_library_is_kept_and_found_again(tmp_path, monkeypatch):
    kernel = source_kernel("own", parse_rules("Int -> Int")[0], ("a",), "out = a; return OK;")
    first = custom_build.built(kernel, ("AB_LANES=1",), custom_build.compiler(), tmp_path)
    monkeypatch.setattr(custom_build.subprocess, "run", None)
    assert custom_build.built(kernel, ("AB_LANES=1",), custom_build.compiler(), tmp_path) == first


QUICK = """#!/bin/sh
[ "$1" = --version ] && exit
for out; do :; done
echo 'extern "C" int arcbatt_custom() { return 7; }' | c++ -shared -fPIC -x c++ - -o "$out"
"""
"""A compiler that takes no time, since it does not read what it is given."""


def kept_library(folder, tmp_path):
    """Where a library is kept, and when it was built."""
    quick = tmp_path / "quick"
    quick.write_text(QUICK)
    quick.chmod(0o700)
    kernel = source_kernel("own", parse_rules("Int -> Int")[0], ("a",), "out = a; return OK;")
    path = custom_build.built(kernel, ("AB_LANES=1",), (str(quick),), folder)
    return path, path.stat().st_mtime_ns


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "garbled": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"),
    "empty": lambda path: path.write_bytes(b""),
    "another's digest": lambda path: path.with_name(f"{path.name}.sha256").write_text("x"),
    "no digest": lambda path: path.with_name(f"{path.name}.sha256").unlink(),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_library_that_is_not_as_it_was_written_is_built_anew(tmp_path, damage):
    folder = tmp_path / "custom"
    path, built = kept_library(folder, tmp_path)
    assert kept_library(folder, tmp_path) == (path, built)
    DAMAGE[damage](path)
    again, then = kept_library(folder, tmp_path)
    assert again == path
    assert then > built
    assert ctypes.CDLL(str(path)).arcbatt_custom() == 7
    assert {one.stat().st_mode & 0o777 for one in folder.iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(tmp_path, mode):
    folder = tmp_path / "custom"
    folder.mkdir()
    folder.chmod(mode)
    with pytest.raises(UsageError, match="others own it or can write to it"):
        kept_library(folder, tmp_path)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path):
    folder = tmp_path / "custom"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    with pytest.raises(UsageError, match="others own it or can write to it"):
        kept_library(folder, tmp_path)


def test_a_new_folder_is_this_users_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        path, _ = kept_library(tmp_path / "new" / "custom", tmp_path)
    finally:
        os.umask(before)
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_where_a_library_cannot_be_kept_the_reference_does_it(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "file"))
    fill_op(source=f"{FILL}    // no other test has loaded this one\n")
    graph = call_graph(primitive("own_fill"), (None, None), current().ops["own_fill"].rules[0].params)
    assert "cannot be built or loaded" in CallEngine(graph).problem


def test_the_gpu_kernel_has_the_function_in_its_source():
    fill_op()
    text = device_text(source_kernels(["own_fill", "rot90"]))
    source = kernel_source("waves/kernel.h", text)
    number = kernel_of("own_fill").number
    assert source.count(f"AB_CALL Status custom_{number}(") == 1
    assert source.count(f"case {number}u: return custom_{number}(c, args, result);") == 1
    assert source.index(f"custom_{number}(") > source.index("struct Variant")
    assert "custom_" not in kernel_source("waves/kernel.h")


@pytest.mark.parametrize(
    ("signature", "options", "problem"),
    [
        ("Grid -> Grid", {"cells": "y"}, "no such name: y"),
        ("Grid -> Grid", {"cells": "x", "source": "return OK;"}, "one kernel"),
        ("Grid -> Grid | Int -> Int", {"cells": "x"}, "has one type"),
        ("Int -> Grid", {"cells": "x"}, "takes a Grid, then Int or Bool"),
        ("Grid -> Int", {"cells": "x"}, "takes a Grid, then Int or Bool"),
        ("Grid -> Grid", {"cells": "+".join("x" * 140)}, "256 and 16 are the most"),
        ("Grid -> Grid", {"cells": "(x+" * 20 + "x" + ")" * 20}, "256 and 16 are the most"),
        ("Cell -> Int", {"source": "return OK;"}, "cannot be passed"),
        ("{{Int}} -> Int", {"source": "return OK;"}, "cannot be passed"),
        ("Int -> Int", {"source": "return OK;", "name": "double_x__y"}, "cannot be a name"),
        ("Int -> Int", {"source": "return OK;", "name": "out"}, "cannot be a name"),
    ],
)
def test_what_cannot_be_a_kernel(signature, options, problem):
    def own(grid):
        """Something."""

    with pytest.raises(UsageError, match=problem):
        op(signature, **options)(own)
    assert not any(spec.kernel for spec in current().ops.values())


def test_five_arguments_are_one_too_many():
    def own(a, b, c_, d, e):
        """Something."""

    with pytest.raises(UsageError, match="4 arguments at most"):
        op("Int, Int, Int, Int, Int -> Int", source="return OK;")(own)


def test_numbers_are_of_the_function_and_nothing_else():
    rule = Rule((INT,), INT)
    one, same = (source_kernel("own", rule, ("a",), "return OK;") for _ in range(2))
    other = source_kernel("own", rule, ("a",), "return TYPE;")
    assert one.number == same.number != other.number


@pytest.mark.parametrize("item", range(3))
def test_a_body_that_is_there_is_the_reference(item):
    bodies = {
        0: "def own(grid):\n    'Doc.'\n    return ((9,),)\n",
        1: "def own(grid):\n    'Doc.'\n    raise ValueError\n",
        2: "def own(grid):\n    'Doc.'\n    ...\n",
    }
    names = {}
    exec(bodies[item], names)
    made = op("Grid -> Grid", cells="x")(names["own"])
    assert made(A) == [((9,),), Failed(Reason.TYPE), A][item]
