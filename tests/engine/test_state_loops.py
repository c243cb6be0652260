"""Loops that carry a state run typed, and give what the reference gives: values, failures and steps."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.program_set import compile
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.compiler.waves import schedule
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.tiers import CPU
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression, parse_text
from engine import fake_cupy
from engine.test_cpu import CORES, agree
from syntax.test_control import bodies

SAMPLE = Sample(((1, 0, 2), (0, 3, 0), (2, 2, 5)))
EXACT = Rewrites(fold=False, algebra=False, unroll=False)
NOTHING = "subtract(height(I), height(I))"
FAILS = [f"divide(ONE, {NOTHING})", f"first(repeat(ONE, {NOTHING}))"]
ITEMS = [
    "I", "p_g(I)", "asindices(I)", "asobject(I)", "o_g(I, R5)", "repeat(I, TWO)", "repeat(ONE, ZERO)", "UNITY",
    f"repeat(ONE, {NOTHING})", "pair(p_g(I), repeat(I, FIVE))", "height(I)", "apply(asindices, repeat(I, TWO))", *FAILS,
]  # fmt: skip
STEPS = [
    ("0", "compose(increment, first)"),
    ("height(I)", "compose(size, identity)"),
    ("T", "compose(height, compose(lbind(canvas, TWO), compose(lbind(astuple, TWO), first)))"),
    ("I", "compose(rot90, first)"),
    ("I", "compose(lbind(hconcat, I), first)"),
    ("I", "fork(fill, first, compose(lbind(repeat, UNITY), size))"),
    ("repeat(0, 0)", "fork(combine, first, compose(rbind(repeat, ONE), last))"),
    ("difference(initset(0), initset(0))", "fork(insert, last, first)"),
    ("initset(UNITY)", "compose(lbind(mapply, dneighbors), first)"),
    ("astuple(0, I)", "fork(astuple, compose(increment, compose(first, first)), chain(vmirror, last, first))"),
    ("astuple(I, repeat(0, 0))",
     "fork(astuple, compose(first, first), fork(combine, compose(last, first), compose(rbind(repeat, ONE), last)))"),
    ("astuple(ORIGIN, I)", "fork(astuple, compose(lbind(add, UNITY), compose(first, first)), compose(last, first))"),
    ("ONE", "compose(lbind(divide, TEN), compose(decrement, first))"),
    ("ONE", "fork(add, first, last)"),
    ("ZERO", "fork(divide, compose(increment, first), compose(size, last))"),
    ("ONE", "ONE"),
    ("ONE", f"rbind(add, {FAILS[0]})"),
    ("ONE", "compose(rbind(get_nth_t, FIVE), lbind(repeat, ONE))"),
    (FAILS[1], "compose(increment, first)"),
    ("increment", "first"),
]  # fmt: skip
FOLDS = [f"fold({items}, {start}, {step})" for items, (start, step) in itertools.product(ITEMS, STEPS)]
WHILES = [
    "iterate(increment, rbind(lbind(greater, {n}), T), ZERO)",
    "iterate(increment, lbind(greater, {n}), ZERO)",
    "iterate(lbind(add, UNITY), compose(lbind(greater, {n}), first), ORIGIN)",
    "iterate(lbind(hconcat, I), compose(lbind(greater, {n}), width), I)",
    "iterate(fork(astuple, compose(decrement, first), compose(rot90, last)), first, astuple({n}, I))",
    "iterate(fork(astuple, compose(decrement, first), compose(lbind(divide, SIX), first)), first, astuple({n}, ONE))",
    "iterate(lbind(mapply, dneighbors), compose(lbind(greater, {n}), size), initset(ORIGIN))",
    "iterate(identity, identity, {n})",
    "iterate(decrement, {n}, ONE)",
    "iterate({n}, positive, ONE)",
    "iterate({n}, positive, ZERO)",
    "iterate(increment, F, {n})",
    "apply(lbind(iterate, decrement)(positive), interval(0, {n}, 1))",
    "apply(lbind(lbind(iterate, rbind(subtract, {n})), positive), interval(0, 9, 1))",
    "iterate(compose(decrement, lbind(iterate, decrement)(lbind(greater, {n}))), positive, {n})",
    "mapply(lbind(fold, interval(0, {n}, 1))(initset(ORIGIN)), repeat(compose(lbind(mapply, neighbors), first), TWO))",
]  # fmt: skip
NUMBERS = ["FIVE", "height(I)", NOTHING, "multiply(height(I), 40000)", *FAILS]
BUDGETS = [20, 60, 300, 2_000, 1_000_000]
LOOPS = [*FOLDS, *(one.format(n=number) for one, number in itertools.product(WHILES, NUMBERS))]


@CORES
@pytest.mark.parametrize("max_steps", BUDGETS)
def test_written_ones(core, max_steps):
    rewrites = None if max_steps == 1_000_000 else EXACT
    some = LOOPS[BUDGETS.index(max_steps) :: 3 if core is CORES.args[1][0] else 20]
    ran = sum(agree([parse_expression(one)], SAMPLE, core, max_steps, rewrites) for one in some)
    assert ran > 0.7 * len(some)


@CORES
@settings(max_examples=40, deadline=None)
@given(body=bodies(), max_steps=st.sampled_from([300, 2_000, 30_000, MAX_STEPS]))
def test_random_loops_of_python(core, body, max_steps):
    body = re.sub(r"return \(.*", "return t", body)  # of one type
    text = "def solve_x(I):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    for program in parse_text(text).programs:
        agree([program], SAMPLE, core, max_steps, None if max_steps == MAX_STEPS else EXACT)


CARRIED = """
def solve_turned(I):
    return fold(I, I, compose(rot90, first))

def solve_narrow(I):
    return iterate(lbind(hconcat, I), compose(lbind(greater, NINE), width), I)

def solve_inside(I):
    return mapply(lbind(lbind(fold, UNITY), ORIGIN), repeat(fork(add, first, last), TWO))

def solve_parts(I):
    n, seen, out = 0, set(), I
    for i in range(9):
        for j in range(5):
            n += i * j % 7
            seen.add((n % 30, j))
            out = fill(hmirror(out), n % 10, seen)
    return out if len(seen) > 5 else I

def solve_mirrored(I):
    return vmirror(I)
"""


@CORES
def test_they_are_typed(core):
    programs = parse_text(CARRIED).programs
    assert CpuEngine.of(programs, threads=1, core=core).refused() == {}
    assert agree(programs, SAMPLE, core) == len(programs)


def test_the_type_of_a_state_settles_or_the_program_is_left_to_the_dynamic_tier():
    def typed(text):
        return not compile([parse_expression(text)]).typed.unresolved

    assert typed("fold(I, F, compose(size, first(initset(last))))")
    assert typed("fold(p_g(I), repeat(0, 0), fork(combine, first, compose(rbind(repeat, ONE), last)))")
    assert not typed("fold(I, ZERO, identity)")  # pairs of pairs
    assert not typed("fold(I, ZERO, compose(initset, first))")
    assert not typed("iterate(initset, T, ONE)")
    assert not typed("fold(I, increment, first)(ONE)")


def test_what_typed_code_is_slower_at_is_left_to_the_dynamic_tier():
    rows = "fold(I, repeat(0, 0), fork(combine, first, compose(rbind(repeat, ONE), last)))"
    choice = "def solve_x(I):\n    n = 0\n    for i in range(9):\n        if i > n:\n            n += 2\n    return n\n"
    for program, why in (
        (parse_expression(rows), "fold with a state of containers in containers"),
        (parse_text(choice).programs[0], "fold of a function that chooses"),
    ):
        assert list(compile([program]).typed.unresolved.values()) == [why]


def test_waves_leave_them_to_the_cpu_and_say_so(monkeypatch):
    waves = fake_cupy.install(monkeypatch, free=1 << 26)
    compiled = compile(parse_text(CARRIED).programs)
    left_out = schedule(compiled.typed).left_out
    assert left_out == dict.fromkeys(compiled.names[:-1], "a loop that carries a state")
    found = waves.WaveEngine(compiled, threads=1).run([SAMPLE], "hash")
    assert np.array_equal(found.hashes, CpuEngine(compiled, threads=1).run([SAMPLE], "hash").hashes)
    routes = [found.routes[number - 1] if number else None for number in found.route[0]]
    assert [route and route.tier for route in routes] == [CPU] * (len(routes) - 1) + [None]
    assert all("a loop that carries a state" in str(route) for route in routes if route)
