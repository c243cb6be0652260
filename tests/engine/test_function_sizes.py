"""Functions are not free: making one costs steps, and what a program returns counts all that functions are made of."""

from __future__ import annotations

import pytest

from arcbatt.compiler.abi import STATUSES
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.reference import ReferenceEngine
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression, parse_text
from compiler.support import random_sample
from emulated import _core_lanes
from engine.test_budgets import same

SAMPLE = Sample(((1, 2), (3, 4)))
MADE_IN_LOOPS = """
def solve_mapped(I):
    x1 = apply(lbind(lbind, shift), fgpartition(I))
    return rapply(x1, UNITY)

def solve_mapped_numbers(I):
    x1 = apply(lbind(lbind, add), interval(ZERO, height(I), ONE))
    return rapply(x1, width(I))

def solve_nested(I):
    x1 = fork(compose, lbind(lbind, add), lbind(lbind, multiply))
    x2 = apply(x1, interval(ZERO, width(I), ONE))
    return rapply(x2, ONE)

def solve_called(I):
    x1 = compose(lbind(rbind, astuple), height)
    x2 = fork(rapply, compose(initset, x1), width)
    return apply(x2, repeat(I, THREE))

def solve_chosen(I):
    x1 = fork(lbind, chain(first, rbind(sfilter, rbind(contained, initset(add))), initset), identity)
    x2 = apply(rbind(branch, ONE), initset(T))
    return apply(lbind(lbind, subtract), totuple(asindices(I)))

def solve_composed(I):
    x1 = chain(lbind(rbind, add), size, lbind(repeat, ONE))
    x2 = fork(compose, x1, x1)
    x3 = compose(rbind(rapply, TWO), compose(initset, x2))
    return apply(x3, interval(ZERO, height(I), ONE))

def solve_power(I):
    x1 = power(compose(increment, identity), THREE)
    return apply(fork(power, lbind(lbind, add), increment)(TWO), interval(ZERO, FIVE, ONE))

def solve_given(I):
    x1 = rapply(astuple(lbind(lbind, add), lbind(rbind, subtract)), height(I))
    return rapply(x1, width(I))

def solve_outside(I):
    x1 = lbind(compose(lbind(lbind, add), height)(I), TWO)
    x2 = compose(lbind(lbind, add), height)(I)
    return x2(TWO)
"""

MADE_OF_WHAT_FAILS = """
def solve_bound(I):
    x1 = compose(lbind(lbind, add), compose(first, rbind(lbind(interval, ZERO), ONE)))
    return apply(compose(rbind(rapply, ONE), compose(initset, x1)), interval(TWO, NEG_TWO, NEG_ONE))

def solve_matched(I):
    x1 = fork(sfilter, identity, compose(lbind(matcher, first), leastcolor))
    x2 = compose(x1, rbind(rbind(sfilter, compose(even, first)), I))
    return apply(fork(sfilter, identity, compose(lbind(matcher, first), compose(leastcolor, backdrop))), fgpartition(I))

def solve_inside(I):
    x1 = chain(rbind(compose, first), lbind(rbind, contained), backdrop)
    x2 = compose(x1, rbind(sfilter, compose(rbind(greater, TWO), last)))
    return apply(fork(sfilter, identity, x2), fgpartition(I))
"""


def backends(programs):
    yield CpuEngine.of(programs, threads=1)
    yield CpuEngine.of(programs, threads=1, arena_bytes=1 << 22, core=_core_lanes)
    yield CpuEngine.of(programs, arena_bytes=0, most_bytes=0)


@pytest.mark.parametrize(
    "limits", [{"max_steps": k} for k in range(1, 90, 7)] + [{"max_total": k} for k in (5, 40, 99)]
)
def test_made_in_loops_they_cost_the_same_on_every_tier(limits):
    programs = parse_text(MADE_IN_LOOPS).check()
    samples = [random_sample(seed) for seed in range(4)]
    want = ReferenceEngine.of(programs).run(samples, "hash", **limits)
    for engine in backends(programs):
        same(engine.run(samples, "hash", **limits), want)


@pytest.mark.parametrize("first", range(1, 240, 24))
def test_where_a_part_has_failed_nothing_is_made_and_charged(first):
    """Else the outcome would be `limit` in place of the failure, where the steps are just enough."""
    programs = parse_text(MADE_OF_WHAT_FAILS).check()
    samples = [random_sample(seed) for seed in range(6)]
    for max_steps in range(first, first + 24):
        want = ReferenceEngine.of(programs).run(samples, "hash", max_steps=max_steps)
        for engine in backends(programs):
            same(engine.run(samples, "hash", max_steps=max_steps), want)


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("lbind(add, ONE)", 4),
        ("compose(first, last)", 4),
        ("fork(add, first, last)", 5),
        (
            "size(apply(lbind(lbind, add), interval(0, 10, 1)))",
            (1 + 3 + 10) + 4 + (1 + 1 + 10 + 10 * 4 + 10) + (1 + 10 + 1),
        ),
    ],
)
def test_making_a_function_costs_steps(text, cost):
    machine = Machine()
    evaluate(parse_expression(text), SAMPLE, machine)
    assert machine.total_steps == cost


TUPLE = "interval(0, 65000, 1)"
RETURNED = {
    f"repeat(lbind(contained, {TUPLE}), 16)": True,
    f"repeat(lbind(contained, {TUPLE}), 17)": False,
    f"size(repeat(lbind(contained, {TUPLE}), 17))": True,
    f"first(repeat(lbind(contained, {TUPLE}), 17))": True,
    f"lbind(insert, repeat({TUPLE}, 16))": True,
    f"compose(lbind(insert, {TUPLE}), lbind(insert, repeat({TUPLE}, 16)))": False,
    f"initset(compose(lbind(insert, {TUPLE}), lbind(apply, repeat({TUPLE}, 16))))": False,
    f"apply(lbind(lbind, contained), repeat({TUPLE}, 16))": True,
    f"rapply(repeat(lbind(lbind, contained), 17), {TUPLE})": False,
    "repeat(power(lbind(add, ONE), 5), 65536)": True,
    "repeat(power(compose(lbind(add, ONE), chain(increment, double, halve)), 5), 65536)": True,
    "repeat(chain(increment, double, lbind(add, repeat(ONE, 10))), 65536)": True,
    "repeat(chain(increment, double, lbind(add, repeat(ONE, 12))), 65536)": False,
}


def test_what_is_returned_counts_what_functions_are_made_of():
    lines = [f"def solve_{k}(I):\n    return {text}\n" for k, text in enumerate(RETURNED)]
    programs = parse_text("\n".join(lines)).check()
    want = ReferenceEngine.of(programs).run([SAMPLE], "hash")
    assert [status == STATUSES["OK"] for status in want.statuses[0]] == [*RETURNED.values()]
    for program, fits in zip(programs, RETURNED.values(), strict=True):
        assert fits or evaluate(program, SAMPLE).reason is Reason.LIMIT
    for engine in backends(programs):
        same(engine.run([SAMPLE], "hash"), want)
        assert [isinstance(one, Failed) for one in engine.values(SAMPLE).values()] == [
            not one for one in RETURNED.values()
        ]


def test_a_function_counts_all_it_holds():
    program = parse_expression("lbind(compose(first, last), repeat(UNITY, 3))")
    assert evaluate(program, SAMPLE).size == 1 + (1 + 1 + 1) + 6
