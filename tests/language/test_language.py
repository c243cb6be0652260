"""The language as an object: custom operations make another one, and nobody who asked before is touched."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arcbatt import dsl
from arcbatt.calls.custom import op, remove_op
from arcbatt.errors import UsageError
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.language import Language
from arcbatt.language.spec import Fact, make_spec
from arcbatt.language.table import STANDARD, current
from arcbatt.language.table import remove_op as remove_from_language


def nothing(grid):
    """The grid itself."""
    return grid


SPEC = make_spec("custom", nothing, "Grid -> Grid", Fact.TURN)


def test_one_more_operation_is_another_language():
    turns = STANDARD.names_with(Fact.TURN)
    more = STANDARD.extended(SPEC)
    assert more.op("nothing") is SPEC
    assert more.names_with(Fact.TURN) == turns | {"nothing"}
    assert STANDARD.names_with(Fact.TURN) is turns
    assert "nothing" not in STANDARD.ops
    assert more.without("nothing").ops == STANDARD.ops
    with pytest.raises(UsageError, match="'nothing' is a primitive already"):
        more.extended(SPEC)
    with pytest.raises(UsageError, match="names both primitive and constant: nothing"):
        Language([SPEC], CONSTANTS | {"nothing": 0})
    with pytest.raises(TypeError):
        STANDARD.ops["nothing"] = SPEC


def test_the_language_in_use():
    before = current()
    assert op("Grid -> Grid")(nothing) is dsl.nothing
    try:
        assert current() is not before
        assert before.ops.keys() | {"nothing"} == current().ops.keys()
        assert "nothing" in dir(dsl)
    finally:
        remove_op("nothing")
    assert current().ops == before.ops
    assert not hasattr(dsl, "nothing")
    for name in ("nothing", "rot90"):
        with pytest.raises(UsageError, match="is no custom operation"):
            remove_from_language(name)


FIRST_OF_ALL = '''
import arcbatt

@arcbatt.op("Grid -> Grid")
def nothing(grid):
    """The grid itself."""
    return grid

from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.devtools.generate import Generator
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program

assert "nothing" not in {variant.name for variant in VARIANTS}
assert "nothing" not in "".join(str(Generator(seed).program()) for seed in range(50))
program = parse_program("def solve_a(I):\\n    return rot90(nothing(I))\\n")
assert CpuEngine.of([program]).values(Sample(((1, 2),))) == {"solve_a": ((1,), (2,))}
'''


def test_no_module_has_to_be_imported_before_an_operation_is_added():
    subprocess.run([sys.executable, "-c", FIRST_OF_ALL], check=True)
