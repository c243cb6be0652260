"""`arcbatt.dsl` as people import it, and what mypy and editors are told of it."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import io
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt import dsl, op, remove_op
from arcbatt.language.calling import Primitive
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.failures import Failed
from arcbatt.language.table import STANDARD

STUB = ast.parse(Path(dsl.__file__).with_suffix(".pyi").read_text())


def test_star_imports_the_primitives():
    scope: dict = {}
    exec("from arcbatt.dsl import *", scope)
    del scope["__builtins__"]
    assert scope.keys() == {*STANDARD.ops, *CONSTANTS, "Failed", "invoke"}
    assert not scope.keys() & vars(builtins).keys()
    exec("found = paint(canvas(ZERO, TWO_BY_TWO), recolor(ONE, initset(ORIGIN)))", scope)
    assert scope["found"] == ((1, 0), (0, 0))


def test_star_imports_custom_operations_too():
    @op("Grid -> Grid")
    def same_grid(grid):
        """The grid."""
        return grid

    try:
        scope: dict = {}
        exec("from arcbatt.dsl import *", scope)
        assert scope["same_grid"] is same_grid is dsl.same_grid
    finally:
        remove_op("same_grid")


def test_arc_dsls_own_idiom():
    scope: dict = {}
    text = """
from arcbatt.dsl import *

def solve_mirrored(I):
    x1 = compose(vmirror, rot180)
    x2 = fork(vconcat, identity, x1)
    O = x2(I)
    return O
"""
    exec(text, scope)
    assert scope["solve_mirrored"]([[1, 2]]) == ((1, 2), (1, 2))


@pytest.mark.parametrize("name", STANDARD.ops)
def test_a_primitive_has_its_signature_and_its_help(name):
    spec, primitive = STANDARD.op(name), getattr(dsl, name)
    assert isinstance(primitive, Primitive)
    assert tuple(inspect.signature(primitive).parameters) == spec.params
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        help(primitive)
    lines = text.getvalue().splitlines()
    assert f"{name}({', '.join(spec.params)})" in lines
    assert f"    {spec.doc.splitlines()[0]}".rstrip() in lines
    assert len(lines) < 20


def test_keywords_as_the_language_has_them():
    grid = ((1, 0), (0, 0))
    wanted = dsl.objects(grid, True, False, True)
    assert dsl.objects(grid=grid, univalued=True, diagonal=False, without_bg=True) == wanted
    assert dsl.objects(grid, True, without_bg=True, diagonal=False) == wanted
    with pytest.raises(TypeError, match="missing a required argument"):
        dsl.objects(grid=grid)


def test_what_a_combinator_makes_is_called():
    turn = dsl.compose(dsl.rot90, dsl.rot90)
    assert turn([[1, 2]]) == ((2, 1),)
    assert repr(turn) == "<function compose(rot90, rot90)>"
    assert isinstance(turn([[1]], [[2]]), Failed)


def test_the_stub_has_what_there_is():
    functions = {one.name: one for one in STUB.body if isinstance(one, ast.FunctionDef)}
    assert functions.keys() == {*STANDARD.ops, "invoke"}
    for name, spec in STANDARD.ops.items():
        assert tuple(arg.arg for arg in functions[name].args.args) == spec.params
        assert ast.get_docstring(functions[name]) == spec.doc
    constants = {
        one.target.id: ast.literal_eval(one.value)
        for one in STUB.body
        if isinstance(one, ast.AnnAssign) and one.target.id[0] != "_"
    }
    assert constants == dict(CONSTANTS)


def test_mypy_believes_the_stub(tmp_path):
    (tmp_path / "good.py").write_text(
        "import numpy as np\n"
        "import arcbatt as ab\n"
        "from arcbatt.dsl import *\n"
        "I = [[1, 0], [0, 2]]\n"
        "a = rot90(np.array(I))\n"
        "b = fill(a, index(a, ORIGIN), box(ofcolor(a, TWO)))\n"
        "f = compose(rot90, rbind(shift, UNITY))\n"
        "c = apply(f, objects(grid=I, univalued=T, diagonal=F, without_bg=T))\n"
        "d = crop(paint(canvas(ZERO, shape(I)), argmax(partition(I), size)), add(ORIGIN, 1), (2, 2))\n"
        "if not isinstance(d, Failed):\n"
        "    print(d[0][0] + 1, f(b))\n"
        'run = ab.run(ab.parse("file.py"), ab.load_tasks("arcagi"))\n'
        'print(run.solved["007bbfb7"][0].upper(), run.tasks["007bbfb7"].train[0].input[0][0] + 1)\n'
    )
    (tmp_path / "bad.py").write_text(
        "from arcbatt.dsl import nosuch\n"
        "from arcbatt.dsl import canvas, rot90\n"
        'rot90("text")\n'
        "rot90(((1,),), 2)\n"
        "canvas(1, (2, 2))[0]\n"
        "import arcbatt as ab\n"
        "ab.nosuch\n"
    )
    options = ["--strict", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", *options, "good.py", "bad.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line.split(": error: ")[0] for line in done.stdout.splitlines() if ": error: " in line] == [
        "bad.py:1",
        "bad.py:3",
        "bad.py:4",
        "bad.py:5",
        "bad.py:7",
    ], done.stdout
    assert 'Module "arcbatt.dsl" has no attribute "nosuch"' in done.stdout
