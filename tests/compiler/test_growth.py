"""Programs whose types, values and functions double with every line compile in time linear in what is written."""

from __future__ import annotations

import pytest

from arcbatt import _core
from arcbatt.compiler.program_set import compile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.program import Program
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_text
from emulated import _core_lanes

SAMPLE = Sample(((1, 2), (3, 4)))
GOOD = "def solve_good(I):\n    return vmirror(I)\n"
DOUBLED = {  # what is returned fails by the limit
    "astuple({x}, {x})": ("I", "ONE", "asindices(I)"),
    "repeat({x}, TWO)": ("I", "ONE", "asindices(I)"),
    "initset(astuple({x}, {x}))": ("I", "ONE"),
    "combine({x}, {x})": ("repeat(ONE, TWO)", "totuple(asindices(I))"),
    "merge(astuple({x}, {x}))": ("repeat(I, TWO)",),
    "product(repeat({x}, TWO), initset({x}))": ("I", "ONE"),
    "pair(repeat({x}, TWO), repeat({x}, TWO))": ("I",),
    "apply(lbind(astuple, {x}), repeat({x}, TWO))": ("I", "ONE"),
    "papply(astuple, repeat({x}, TWO), repeat({x}, TWO))": ("I",),
}
GROWN = {  # what is returned is a value
    "astuple({x}, ONE)": ("I", "asindices(I)"),
    "initset({x})": ("I", "ONE"),
    "insert(initset({x}), initset(initset(ONE)))": ("ONE",),
    "dedupe(repeat({x}, TWO))": ("I",),
}
FUNCTIONS = {
    "compose({x}, {x})": ("vmirror",),
    "chain({x}, {x}, {x})": ("hmirror",),
    "fork(hconcat, {x}, {x})": ("vmirror",),
    "power({x}, TWO)": ("vmirror",),
}
HELD = {  # functions in containers that are bound into functions
    "lbind(rapply, astuple({x}, {x}))": ("vmirror",),
    "lbind(rapply, repeat({x}, TWO))": ("vmirror",),
    "lbind(rapply, initset({x}))": ("vmirror",),
    "lbind(rapply, insert({x}, initset(hmirror)))": ("vmirror",),
    "lbind(rapply, combine(astuple({x}, {x}), repeat({x}, THREE)))": ("vmirror",),
    "rbind(contained, product(initset({x}), initset({x})))": ("vmirror",),
    "matcher(identity, astuple({x}, {x}))": ("vmirror",),
    "rbind(astuple, apply(lbind(lbind, astuple), astuple({x}, {x})))": ("vmirror",),
}


def programs(first: str, line: str, count: int, result: str = "{x}") -> list[Program]:
    lines = [f"x0 = {first}", *(f"x{k} = " + line.format(x=f"x{k - 1}") for k in range(1, count + 1))]
    lines.append("return " + result.format(x=f"x{count}"))
    text = "def solve_grown(I):\n" + "".join(f"    {line}\n" for line in lines)
    return parse_text(text + "\n" + GOOD).check()


def members(table: dict[str, tuple[str, ...]]):
    return pytest.mark.parametrize(("first", "line"), [(first, line) for line in table for first in table[line]])


def outcomes(made: list[Program], max_steps: int = MAX_STEPS) -> list[object]:
    """What the engines give, after a look at what the reference gives."""
    want = {program.name: evaluate(program, SAMPLE, Machine(max_steps)) for program in made}
    for core in (_core, _core_lanes):
        assert CpuEngine.of(made, threads=1, core=core).values(SAMPLE, max_steps) == want
    assert want["solve_good"] == ((2, 1), (4, 3))
    return [want["solve_grown"]]


@pytest.mark.parametrize("count", [60, 2_000])
@members(DOUBLED)
def test_values_that_double_fail_by_the_limit(first, line, count):
    assert outcomes(programs(first, line, count)) == [Failed(Reason.LIMIT)]


@members(GROWN)
def test_values_that_grow_are_values(first, line):
    (value,) = outcomes(programs(first, line, 100))
    assert not isinstance(value, Failed)


@pytest.mark.parametrize("count", [2_000])
@members(DOUBLED | GROWN)
def test_many_lines_compile(first, line, count):
    made = compile(programs(first, line, count))
    assert "solve_good" in made.code().outputs


@pytest.mark.parametrize("count", [8, 60, 2_000])
@pytest.mark.parametrize("result", ["{x}(I)", "apply({x}, repeat(I, TWO))"])
@members(FUNCTIONS)
def test_functions_that_double(first, line, result, count):
    outcomes(programs(first, line, count, result), max_steps=50_000)  # a power of a power ... calls 2 ** count times


@pytest.mark.parametrize("count", [3, 8, 9, 60])
@pytest.mark.parametrize("result", ["{x}(I)", "size(initset({x}))"])
@members(HELD)
def test_functions_that_functions_hold(first, line, result, count):
    outcomes(programs(first, line, count, result))


@members(HELD)
def test_functions_that_functions_hold_fail_by_the_limit(first, line):
    assert outcomes(programs(first, line, 2_000)) == [Failed(Reason.LIMIT)]


def test_compiling_evaluates_little():
    """Calls of constants that take many steps, or fail by a limit once their result is there, are soon left alone."""
    slow = [f"x{k} = canvas(ZERO, ({1_024 - k}, 1024))" for k in range(200)]
    slow += [f"y{k} = interval({k}, {5_000 + k}, ONE)" for k in range(200)]
    sums = [f"z{k} = add(z{k - 1}, add(height(x{k}), size(y{k})))" for k in range(1, 200)]
    lines = [*slow, "z0 = height(I)", *sums, "return z199"]
    text = "def solve_slow(I):\n" + "".join(f"    {line}\n" for line in lines)
    made = compile(parse_text(text + "\n" + GOOD).check())
    assert set(made.code().outputs) == {"solve_slow", "solve_good"}
