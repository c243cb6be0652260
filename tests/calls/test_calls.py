"""Calls of arguments, as one engine run: exactly what the reference gives for each."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from arcbatt import dsl
from arcbatt.calls.many import call_each, call_many, engine_for
from arcbatt.calls.values import type_of
from arcbatt.compiler.graph import CONST, INPUT, INVOKE, PRIMITIVE, merge
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.reference import MergedReference
from arcbatt.errors import UsageError
from arcbatt.language.encoding import same
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.functions import Function
from arcbatt.language.reference import primitive
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, parse_type
from arcbatt.solvers import library
from arcbatt.syntax import parse_program

GRID_A = ((1, 0, 2), (0, 0, 2))
GRID_B = ((3,),)
NO_GRIDS = [((1, 2), (3,)), "x", 5, (), frozenset(), None, ((300, 1), (2, 3)), [[1]], ((True, 1),), True]


def agree(name, rows, **options):
    """The results of a batch, checked against the reference, each to the last bit."""
    results = call_many(name, rows, **options)
    for args, value in zip(rows, results, strict=True):
        wanted = dsl.invoke(primitive(name), *args)
        if isinstance(wanted, Failed):
            assert value == wanted, (name, args)
        else:
            assert same(value, wanted), (name, args, value, wanted)
    assert sum(results.ran.values()) == len(rows)
    assert results.finished
    return results


def harvest(count=12):
    """Real calls: what the library's programs call primitives with on real tasks."""
    rows = defaultdict(list)
    graph = merge(library())
    draw = random.Random(5)
    for task in draw.sample(load_tasks("arcagi"), count):
        reference = MergedReference(graph, task.samples[0])
        for name in draw.sample(list(graph.outputs), 60):
            reference.of(name)
        for index, value in reference.known.items():
            op, args = graph.nodes[index]
            if op in (CONST, INPUT, INVOKE, PRIMITIVE) or any(arg not in reference.known for arg in args):
                continue
            if not isinstance(value, Function):
                rows[op].append(tuple(reference.known[arg] for arg in args))
    return rows


def test_real_calls_of_every_primitive_that_programs_use():
    on_engine = total = 0
    rows = harvest()
    for name, calls in rows.items():
        results = agree(name, calls[:60])
        on_engine += results.ran["cpu"]
        total += len(results)
    assert len(rows) > 100
    assert on_engine > 0.85 * total


def test_empty_one_and_mixed_shapes():
    assert agree("rot90", []) == []
    assert agree("rot90", [(GRID_A,)]) == [((0, 1), (0, 0), (2, 2))]
    results = agree("rot90", [(GRID_A,), (GRID_B,), ((),), (((),),)])
    assert results.ran == {"cpu": 4}


def test_what_is_no_grid_fails_in_its_place():
    rows = [(GRID_A,), *((value,) for value in NO_GRIDS), (GRID_B,)]
    results = agree("palette", rows)
    assert results.failed[2].reason is Reason.TYPE
    assert results[0] == {0, 1, 2}
    assert results[-1] == {3}


@pytest.mark.parametrize("name", ["height", "size", "first", "mostcommon", "totuple", "identity"])
def test_values_of_every_kind(name):
    values = (*NO_GRIDS, GRID_A, ((1, (2, 3)),), frozenset({(1, (2, 3))}), (7, 8, 9), (4, 4))
    agree(name, [(value,) for value in values])


def test_empty_containers_are_of_any_type():
    nothing = frozenset()
    agree("merge", [((nothing, nothing, nothing),), (frozenset({nothing}),)])
    assert agree("underfill", [(GRID_A, 3, nothing)]).ran == {"cpu": 1}
    assert agree("colorfilter", [(nothing, 3)]).ran == {"cpu": 1}


def test_ten_thousand():
    rows = [(((k % 10, 1), (k // 10 % 10, 2)), k % 8) for k in range(10_000)]
    results = call_many("o_g", rows)
    assert results.ran == {"cpu": 10_000}
    for place in range(0, 10_000, 997):
        assert results[place] == dsl.o_g(*rows[place])


def test_a_failed_argument_fails_its_call():
    results = agree("fill", [(GRID_A, 3, Failed(Reason.EMPTY)), (GRID_A, 3, frozenset({(0, 0)}))])
    assert results == [Failed(Reason.EMPTY), ((3, 0, 2), (0, 0, 2))]


def test_booleans_stay_booleans():
    agree("astuple", [(True, 1), (1, True), (1, 1), ((True, 2), 3), (frozenset({True}), (1, (0, True)))])
    agree("initset", [(True,), (0,), ((True, False),)])


def test_functions_among_the_arguments():
    objects = [dsl.o_g(GRID_A, mode) for mode in range(8)]
    functions = [dsl.toindices, dsl.box, dsl.compose(dsl.box, dsl.toindices), dsl.lbind(dsl.recolor, 3)]
    results = agree("mapply", [(function, one) for function in functions for one in objects])
    assert results.ran == {"cpu": 32}


def test_true_and_one_bound_into_a_function_are_two_functions():
    rows = [(dsl.lbind(dsl.astuple, one), (5, 6)) for one in (True, 1)]
    first, second = agree("apply", rows)
    assert type(first[0][0]) is bool
    assert type(second[0][0]) is int


def test_a_set_bound_into_a_function_becomes_an_argument():
    function = dsl.rbind(dsl.difference, frozenset({(0, 0)}))
    assert agree("apply", [(function, (frozenset({(0, 0), (1, 1)}),))]).ran == {"cpu": 1}


def test_functions_that_differ_in_what_is_bound_run_together():
    objects = dsl.o_g(GRID_A, 4)
    rows = [(objects, dsl.matcher(dsl.color, k)) for k in range(10)]
    engine_for.cache_clear()
    agree("sfilter", rows)
    assert engine_for.cache_info().misses == 1
    powers = [(dsl.power(dsl.lbind(dsl.add, k), n), (k, k + 1)) for k in range(3) for n in (1, 3)]
    agree("apply", powers)


def test_calls_that_name_their_functions():
    calls = [
        ("rot90", (GRID_A,)),
        (dsl.fill, (GRID_A, 3, frozenset())),
        (dsl.rbind(dsl.upscale, 2), (GRID_B,)),
        (dsl.rbind(dsl.upscale, 3), (GRID_B,)),
        ("mapply", (dsl.lbind(dsl.recolor, 4), frozenset({frozenset({(1, 1)})}))),
    ]
    wanted = [dsl.invoke(primitive(one) if isinstance(one, str) else one, *args) for one, args in calls]
    assert call_each(calls) == wanted
    with pytest.raises(UsageError, match="no primitive, function"):
        call_each([(5, ())])


def test_a_program_is_a_function_too():
    program = parse_program("def solve_a(I):\n    x1 = objects(I, T, F, T)\n    return size(x1)\n")
    assert call_many(program, [(GRID_A,), (GRID_B,)]) == [2, 0]


def test_wrong_calls_are_errors():
    with pytest.raises(UsageError, match="takes 1 argument"):
        call_many("rot90", [(GRID_A, 1)])
    with pytest.raises(UsageError, match="no primitive 'rot91'"):
        call_many("rot91", [])
    with pytest.raises(UsageError, match="no primitive, function"):
        call_many(len, [])


def test_a_stop_leaves_the_rest_undone():
    rows = [(GRID_A,)] * 5_000 + [("x",)] * 5
    results = call_many("o_g", [(row[0], 0) for row in rows], stop=lambda: True)
    assert not results.finished
    assert all(value is None for value, done in zip(results, results.done, strict=True) if not done)


def test_an_interrupt_leaves_the_batch():
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        call_many("rot90", [(GRID_A,)] * 10, progress=interrupt)


def test_the_reference_can_be_asked_for():
    results = call_many("rot90", [(GRID_A,)], backend="python")
    assert results.ran == {"python": 1}


def test_one_call_says_where_it_cannot():
    call = engine_for(primitive("fill"), (None,) * 3, (GRID, parse_type("Int"), parse_type("Indices"))).call
    assert call((GRID_A, 9, frozenset({(1, 1)}))) == ((1, 0, 2), (0, 9, 2))
    assert call((GRID_A, "9", frozenset())) is NotImplemented
    assert call((GRID_A, 9)) is NotImplemented
    assert engine_for(primitive("first"), (None,), (parse_type("Indices"),)).call((frozenset(),)) is NotImplemented


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, "Int"),
        (True, "Bool"),
        ((1, 2), "IJ"),
        ((1, (2, 3)), "Cell"),
        (((1, 2), (3, 4)), "Grid"),
        ((1, 2, 3), "[Int]"),
        (frozenset({(1, (2, 3))}), "Object"),
        (frozenset({frozenset({(2, 3)})}), "{Indices}"),
        ((GRID_A, GRID_B), "(Grid, Grid)"),
        ((GRID_A, GRID_B, GRID_B), "[Grid]"),
    ],
)
def test_types_of_values(value, kind):
    assert type_of(value) == parse_type(kind)


def test_every_primitive_has_a_form_or_a_reason():
    assert all(function_has_engine_or_reason(name) for name, spec in STANDARD.ops.items() if spec.arity == 1)


def function_has_engine_or_reason(name):
    engine = engine_for(primitive(name), (None,), (GRID,))
    return engine.problem is None or "not lowered" in engine.problem
