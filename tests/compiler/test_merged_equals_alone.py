"""For every program P and grid g, the merged programs give for P exactly what P alone gives on the reference."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcbatt.compiler.evaluate import ESCAPED, evaluate_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.language.reference import evaluate
from arcbatt.syntax import parse_text
from compiler.support import LIBRARY, compiled, differences, equal, random_programs, random_sample

from arcbatt.data.tasks import load_tasks  # isort: skip

seeds = st.integers(0, 2**32)


@settings(max_examples=120)
@given(seeds)
def test_random_programs_and_mutants(seed):
    wrong, compared = differences(random_programs(seed), random_sample(seed), Rewrites(), 1_000_000)
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)
    assert compared >= 1


@pytest.mark.parametrize("switch", Rewrites.names())
@settings(max_examples=25)
@given(seed=seeds)
def test_each_rewrite_off_equals_on(switch, seed):
    programs, sample = random_programs(seed, 2), random_sample(seed)
    for rewrites in (replace(Rewrites(), **{switch: False}), replace(Rewrites.none(), **{switch: True})):
        wrong, _ = differences(programs, sample, rewrites, 1_000_000)
        assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


@settings(max_examples=60)
@given(seeds, st.sampled_from([100, 500, 3_000]))
def test_steps_are_counted_as_written(seed, max_steps):
    """Moving and sharing work must not move the step limit. (Folding happens before any step of a run is counted.)"""
    rewrites = replace(Rewrites(), fold=False, algebra=False, unroll=False)
    wrong, _ = differences(random_programs(seed), random_sample(seed), rewrites, max_steps)
    assert not wrong, f"seed {seed}\n" + "\n".join(wrong)


def test_our_own_programs_merged():
    graph = compiled(LIBRARY, Rewrites()).graph
    assert not graph.unresolved
    tasks = {task.id: task for task in load_tasks("arcagi")}
    for program in LIBRARY[::3]:
        sample = tasks[program.id].samples[-1]
        assert equal(evaluate_graph(graph, sample, [program.name])[program.name], sample.C)


def test_all_of_our_programs_on_strange_grids():
    graph = compiled(LIBRARY, Rewrites()).graph
    sample = random_sample(7)
    found = evaluate_graph(graph, sample)
    escaped = [program for program in LIBRARY if found[program.name] is ESCAPED]
    assert len(escaped) <= 3  # valmax of nothing by a key that cannot be typed for 0
    for program in LIBRARY[::4]:
        assert program in escaped or equal(found[program.name], evaluate(program, sample)), program


def test_a_shared_line_binds_no_later_line_to_the_wrong_variable():
    text = """
def solve_a(I):
    x1 = vmirror(I)
    x2 = rot90(I)
    return hconcat(x1, x2)

def solve_b(I):
    x1 = rot90(I)
    x2 = hmirror(I)
    return x2

def solve_c(I):
    x2 = vmirror(I)
    x1 = hmirror(x2)
    return x1
"""
    programs = parse_text(text).check()
    sample = random_sample(3)
    found = evaluate_graph(compiled(programs, Rewrites()).graph, sample)
    for program in programs:
        assert equal(found[program.name], evaluate(program, sample))
