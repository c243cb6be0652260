"""Powers by numbers of a run, of functions that hold values of a run: what fails first is the same everywhere."""

from __future__ import annotations

import itertools

import pytest

from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_expression
from engine.test_cpu import CORES, agree

SAMPLE = Sample(((1, 2), (3, 4)))
NOTHING = "subtract(height(I), height(I))"
BOUND = [
    "ONE",
    "height(I)",
    "first(repeat(ONE, ZERO))",
    f"first(repeat(ONE, {NOTHING}))",
    f"divide(ONE, {NOTHING})",
    "get_nth_t(repeat(ONE, height(I)), FIVE)",
    "multiply(multiply(height(I), 65536), 65536)",
]
COUNTS = [
    "TWO",
    "ZERO",
    "2000",
    "height(I)",
    NOTHING,
    "multiply(height(I), 1000)",
    "multiply(height(I), 100000)",
    f"divide(ONE, {NOTHING})",
    f"first(repeat(ONE, {NOTHING}))",
]
USES = [
    "power(rbind(add, {b}), {n})(UNITY)",
    "power(rbind(add, ONE), {n})({b})",
    "power(compose(increment, rbind(add, {b})), {n})(ONE)",
    "power(power(rbind(add, {b}), TWO), {n})(ONE)",
    "power(power(rbind(add, {b}), {n}), TWO)(ONE)",
    "apply(power(rbind(add, {b}), {n}), repeat(ONE, TWO))",
    "apply(power(rbind(add, {b}), {n}), repeat(ONE, ZERO))",
    "sfilter(asindices(I), compose(positive, compose(first, power(rbind(add, {b}), {n}))))",
    "apply(lbind(apply, power(rbind(add, {b}), {n})), repeat(asindices(I), TWO))",
    "rapply(initset(power(rbind(add, {b}), {n})), ONE)",
    "rapply(apply(compose(rbind(power, {n}), lbind(rbind, add)), repeat({b}, TWO)), ONE)",
    "branch(T, power(rbind(add, {b}), {n}), increment)(ONE)",
]


@CORES
@pytest.mark.parametrize("use", USES)
def test_what_is_bound_and_how_often(core, use):
    for number, (bound, count) in enumerate(itertools.product(BOUND, COUNTS)):
        program = parse_expression(use.format(b=bound, n=count))
        agree([program], SAMPLE, core, *([100] if number % 5 == 0 else []))


@CORES
def test_powers_run_on_the_engine(core):
    programs = [parse_expression(USES[0].format(b=bound, n=COUNTS[5])) for bound in BOUND]
    assert sum(agree([program], SAMPLE, core) for program in programs) == len(programs)
