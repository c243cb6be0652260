from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.compiler.graph import merge
from arcbatt.compiler.lower.generic import LOWER
from arcbatt.compiler.lower.layout import LowerError, Pool, TypeTable
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.lower.variants import NATIVE, VARIANTS
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.language.spec import Does, Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, IJ, INT, parse_type
from arcbatt.syntax import parse_program

ROOT = Path(__file__).parents[2]


def code_of(body: str):
    program = parse_program(f"def solve_a(I):\n    {body}\n")
    return lower(compile_graph(merge([program])).graph)


def test_the_native_list_is_fresh():
    subprocess.run([sys.executable, "tools/generate_native.py", "--check"], cwd=ROOT, check=True)


def test_every_primitive_has_a_native_form():
    plain = [spec for spec in STANDARD.ops.values() if spec.kind is Kind.PLAIN]
    assert {variant.name for variant in VARIANTS} == {spec.name for spec in plain if not spec.generic}
    assert set(LOWER) == set(Does)
    for variant in VARIANTS:
        assert {*variant.rule.params, variant.rule.result} <= NATIVE.keys()


def test_slots_are_used_again():
    chain = "".join(f"x{k} = hconcat(x{k - 1}, rot90(x{k - 1}))\n    " for k in range(1, 30))
    short = code_of("x0 = rot90(I)\n    return hconcat(x0, x0)")
    long = code_of(f"x0 = rot90(I)\n    {chain}return x29")
    assert len(long.image) < len(short.image) + 12


def test_layout():
    types = TypeTable()
    assert types.slot_words(INT) == 1
    assert types.slot_words(IJ) == 2
    assert types.slot_words(GRID) == 2
    assert types.slot_words(parse_type("(Grid, (Int, Object))")) == 5
    assert types.number(parse_type("{(Int, Bool)}")) == types.number(parse_type("Indices"))
    with pytest.raises(LowerError, match="nested too deep"):
        types.number(parse_type("{{{{{Int}}}}}"))
    grids = "(Grid, (Grid, (Grid, (Grid, Grid))))"
    assert types.slot_words(parse_type(grids)) == 10
    for text in (f"{{{grids}}}", f"({grids}, ({grids}, ({grids}, {grids})))"):
        with pytest.raises(LowerError, match="too many parts"):
            types.number(parse_type(text))


def test_constants_without_a_form_are_refused():
    with pytest.raises(LowerError, match="beyond 16 bits"):
        Pool().slot(parse_type("Indices"), frozenset({(40_000, 0)}))
    with pytest.raises(LowerError, match="not of its type"):
        Pool().slot(parse_type("Indices"), frozenset({()}))


def test_what_cannot_be_lowered_is_left_out_with_a_reason():
    code = code_of("return sizefilter(hsplit(I, TWO), TWO)")
    assert list(code.rejected) == ["solve_a"]
    assert "sizefilter" in code.rejected["solve_a"]
    assert not code.outputs
