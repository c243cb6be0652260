"""Functions as values, truths of anything and calls that fail by type: first-order form against the reference."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.closures import code_of
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.devtools.generate.failing import FailingCalls
from arcbatt.language.limits import MAX_STEPS
from arcbatt.language.sample import Sample
from arcbatt.language.values import ordered
from arcbatt.syntax import parse_program
from compiler.function_programs import (
    CONTAINERS,
    USES,
    function_programs,
    programs_of_bound,
    programs_of_made,
    programs_of_nothing,
    written_programs,
)
from compiler.support import compiled, differences, random_sample
from compiler.wild import wild_programs

SAMPLES = (Sample(((1, 0, 2), (0, 3, 0))), Sample(((3, 3), (3, 0), (1, 2))))
BUDGETS = (12, 20, 30, 100, 300, 1_000)
AS_WRITTEN = Rewrites(fold=False, algebra=False, unroll=False)
"""Steps of what is computed or made simpler when compiling are not counted outside of loops."""


@pytest.mark.parametrize(
    "programs",
    [function_programs(), written_programs(), programs_of_nothing(), programs_of_made(), programs_of_bound()],
    ids=["combined", "written", "of nothing", "made", "bound"],
)
@pytest.mark.parametrize("sample", SAMPLES, ids=["wide", "tall"])
def test_functions_as_values(programs, sample):
    wrong, compared = differences(programs, sample, Rewrites(), MAX_STEPS)
    assert not wrong, "\n".join(wrong)
    assert compared > 0.85 * len(programs)
    for budget in BUDGETS:
        wrong, _ = differences(programs, sample, AS_WRITTEN, budget)
        assert not wrong, f"{budget} steps\n" + "\n".join(wrong)


def test_nearly_all_are_resolved():
    graph = compiled([*function_programs(), *written_programs()], Rewrites()).graph
    ways = {name: why for name, why in graph.unresolved.items() if "returns a function" not in why}
    assert len(ways) < 0.08 * len(CONTAINERS) * len(USES), ways


@settings(max_examples=150)
@given(st.integers(0, 2**32), st.sampled_from([100, 500, 3_000, 200_000]))
def test_programs_without_regard_to_types(seed, budget):
    rewrites = Rewrites() if budget == 200_000 else AS_WRITTEN
    wrong, _ = differences(wild_programs(seed), random_sample(seed), rewrites, budget)
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


@pytest.mark.parametrize("sample", [Sample(((1, 0, 2),)), *SAMPLES], ids=["row", "wide", "tall"])
def test_calls_fail_for_the_reason_that_comes_first(sample):
    draw = FailingCalls(0)
    programs = [draw.program(f"solve_{k}") for k in range(1_000)]
    for rewrites, budget in ((Rewrites(), MAX_STEPS), (AS_WRITTEN, MAX_STEPS), (AS_WRITTEN, 100), (AS_WRITTEN, 30)):
        wrong, compared = differences(programs, sample, rewrites, budget)
        assert not wrong, f"{budget} steps\n" + "\n".join(wrong[:5])
        assert compared > 0.4 * len(programs)


def test_merged_sets_of_functions_keep_their_order():
    names = ("rot90", "identity", "vmirror", "trim")
    sets = [
        f"apply(fork(compose, first, last), product(astuple({one}, {two}), astuple({two}, {one})))"
        for one in names
        for two in names
    ]
    programs = [
        parse_program(f"def solve_{k}(I):\n    return rapply(totuple({functions}), I)\n")
        for k, functions in enumerate(sets)
    ]
    for sample in SAMPLES:
        wrong, compared = differences(programs, sample, Rewrites(), MAX_STEPS)
        assert not wrong, "\n".join(wrong)
        assert compared == len(programs)


def test_numbers_of_functions_are_in_their_order():
    codes = [code_of(number) for number in (3, 12, 101, 1000)]
    assert ordered(frozenset(codes)) == tuple(codes)


@pytest.mark.parametrize("used", ["x12(I)", "apply(x12, I)", "size(astuple(x12, I))"])
def test_inlining_is_bounded(used):
    doubled = [f"x{k + 1} = fork(combine, x{k}, compose(x{k}, identity))" for k in range(12)]
    lines = ["x0 = fork(combine, identity, identity)", *doubled]
    lines += [f"y{k} = {used}" for k in range(3)] + [f"return {used}"]
    program = parse_program("def solve_0(I):\n    " + "\n    ".join(lines) + "\n")
    wrong, _ = differences([program], SAMPLES[0], Rewrites(), 10_000)
    assert not wrong


def test_many_large_calls_are_too_much():
    lines = ["f = power(compose(rot90, power(compose(trim, rot180), 30)), 30)", "x0 = f(I)"]
    lines += [f"x{k + 1} = f(x{k})" for k in range(80)]
    program = parse_program("def solve_0(I):\n    " + "\n    ".join(lines) + "\n    return x80\n")
    assert len(compiled([program], Rewrites()).graph.nodes) < 100_000
