"""Sizes count every item for 1 at least: containers of nothing, at any depth, cost the same on every engine."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt import _core
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.engine.cpu import CpuEngine
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.limits import MAX_ITEMS, MAX_SIZE
from arcbatt.language.reference import Machine, evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.values import size_of
from arcbatt.syntax import parse_expression, parse_program
from emulated import _core_lanes
from engine.test_cpu import CORES, agree

AS_WRITTEN = Rewrites(fold=False, algebra=False, unroll=False)
SAMPLE = Sample(((1, 2, 0), (0, 3, 3)), (), ((1,),))
LITTLE = [
    "mostcolor(I)",
    "I",
    "UNITY",
    "shape(I)",
    "repeat(mostcolor(I), ZERO)",
    "difference(asindices(I), asindices(I))",
    "difference(asobject(I), asobject(I))",
    "crop(I, ORIGIN, ORIGIN)",
    "crop(I, ORIGIN, astuple(TWO, ZERO))",
    "crop(I, ORIGIN, astuple(mostcolor(I), ZERO))",
    "repeat(I, ZERO)",
    "difference(objects(I, T, F, F), objects(I, T, F, F))",
]
WRAPPED = [
    "repeat({x}, {n})",
    "initset({x})",
    "astuple({x}, {y})",
    "astuple({x}, {x})",
    "insert({x}, initset({x}))",
    "combine(repeat({x}, {n}), repeat({x}, TWO))",
    "totuple(initset({x}))",
    "pair(repeat({x}, {n}), repeat({y}, THREE))",
    "product(repeat({x}, {n}), initset({y}))",
    "apply(rbind(astuple, {x}), repeat({y}, {n}))",
    "apply(lbind(repeat, {x}), repeat({n}, FIVE))",
    "papply(astuple, repeat({x}, FIVE), repeat({y}, FIVE))",
]
USED = [
    "{x}",
    "dedupe(repeat({x}, {n}))",
    "merge(repeat(repeat({x}, {n}), SIX))",
    "mostcommon(repeat({x}, {n}))",
    "contained({x}, repeat({x}, {n}))",
    "equality({x}, {x})",
    "sfilter(repeat({x}, SIX), rbind(equality, {x}))",
    "sfilter(repeat(astuple({x}, ONE), SIX), compose(even, last))",
    "apply(last, repeat(astuple({x}, ONE), SIX))",
    "apply(fork(astuple, last, last), repeat(astuple({x}, TWO), SIX))",
    "order(repeat(astuple({x}, ONE), SIX), last)",
    "argmax(repeat(astuple({x}, ONE), SIX), last)",
    "mapply(lbind(repeat, {x}), repeat({n}, FIVE))",
    "rapply(initset(lbind(repeat, {x})), {n})",
    "power(lbind(combine, repeat({x}, {n})), TWO)(repeat({x}, {n}))",
]


class _Most(Machine):
    """Keeps the most steps that any outermost call took."""

    most = 0

    def charge(self, steps: int) -> None:
        super().charge(steps)
        self.most = max(self.most, self.steps)


def drawn(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(LITTLE)
    return draw.choice(WRAPPED).format(
        x=drawn(draw, depth - 1), y=drawn(draw, draw.randrange(depth)), n=draw.choice(("ZERO", "ONE", "TWO", "FIVE"))
    )


def drawn_program(seed: int):
    draw = random.Random(seed)
    text = draw.choice(USED).format(x=drawn(draw, draw.randrange(4)), n=draw.choice(("ZERO", "ONE", "FIVE", "SEVEN")))
    return parse_expression(text)


@CORES
@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_containers_of_nothing_cost_alike_everywhere(core, seed):
    program = drawn_program(seed)
    machine = _Most()
    evaluate(program, SAMPLE, machine)
    for max_steps in {machine.most, max(0, machine.most - 1), machine.most // 2}:
        agree([program], SAMPLE, core, max_steps, AS_WRITTEN)


def test_most_of_what_is_drawn_runs_on_the_engine():
    programs = [drawn_program(seed) for seed in range(300)]
    compared = sum(agree([program], SAMPLE, _core, rewrites=AS_WRITTEN) for program in programs)
    assert compared > 200


def plain_size(value) -> int:
    """The definition, word for word."""
    if not isinstance(value, (tuple, frozenset)):
        return 1
    return sum(max(1, plain_size(item)) for item in value)


values = st.recursive(
    st.sampled_from([0, True, None, (), frozenset()]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(tuple),
        st.frozensets(inner, max_size=4),
        st.tuples(inner, st.integers(0, 5)).map(lambda pair: (pair[0],) * pair[1]),
    ),
    max_leaves=30,
)


@given(values)
def test_a_size_is_what_the_definition_says(value):
    assert size_of(value) == plain_size(value)


def test_a_size_is_measured_once_for_each_object():
    value, shared = (), frozenset()
    for _ in range(3_000):
        value, shared = (value, value), frozenset([shared, (shared, 1)])
    assert size_of(value) == 2**3_000
    assert size_of(shared) > 2**2_000


BOMBS = [
    "e = repeat(mostcolor(I), ZERO)\n    x = repeat(e, 65536)\n    y = repeat(x, 65536)\n    z = repeat(y, 65536)"
    "\n    return size(z)",
    "x = repeat(repeat(ZERO, ZERO), 65536)\n    y = repeat(x, 65536)\n    return size(y)",
    "x = repeat(repeat(repeat(I, ZERO), 65536), 65536)\n    return equality(x, x)",
    "e = difference(asindices(I), asindices(I))\n    x = repeat(repeat(e, 65536), 65536)\n    return contained(e, x)",
    "e = crop(I, ORIGIN, ORIGIN)\n    x = repeat(repeat(e, 65536), 65536)\n    return mostcommon(x)",
    "e = crop(I, ORIGIN, astuple(ONE, ZERO))\n    x = repeat(repeat(e, 65536), 17)\n    return dedupe(x)",
    "e = astuple(repeat(I, ZERO), repeat(I, ZERO))\n    x = repeat(repeat(e, 65536), 9)\n    return x",
    "x = repeat(astuple(I, I), 65536)\n    return astuple(x, x)",
]


@pytest.mark.parametrize("core", [None, _core, _core_lanes], ids=["reference", "one lane", "emulated lanes"])
@pytest.mark.parametrize("body", BOMBS)
def test_bombs_of_nothing_fail_by_the_limit(core, body):
    program = parse_program(f"def solve_bomb(I):\n    {body}\n")
    if core is None:
        found = evaluate(program, SAMPLE)
    else:
        found = CpuEngine.of([program], threads=1, core=core).values(SAMPLE)[program.name]
    assert found == Failed(Reason.LIMIT)


def test_a_tuple_of_two_can_be_beyond_the_limit():
    half = f"repeat(repeat(ZERO, {MAX_ITEMS}), {MAX_SIZE // MAX_ITEMS // 2})"
    whole = f"astuple({half}, {half})"
    for expression, good in ((f"first({whole})", True), (f"astuple(ONE, {whole})", False)):
        program = parse_expression(expression)
        for core in (_core, _core_lanes):
            value = CpuEngine.of([program], threads=1, core=core).values(SAMPLE)[program.name]
            assert (value != Failed(Reason.LIMIT)) == good
        assert (evaluate(program, SAMPLE) != Failed(Reason.LIMIT)) == good
