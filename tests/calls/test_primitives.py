from __future__ import annotations

import numpy as np
import pytest

from arcbatt import dsl
from arcbatt.calls.handles import Batch
from arcbatt.calls.primitives import (
    GPUDSLOperations,
    batch_mapply_gpu,
    batch_o_g_gpu,
    batch_process_samples_gpu,
    batch_process_samples_multi_gpu,
    multi_mapply_gpu,
)
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Reason

A = ((1, 0, 2), (0, 0, 2))
B = ((3, 4), (5, 3))
C = ((7,),)
GRIDS = [A, B, C, ((0, 0), (0, 0))]
OBJECTS = [dsl.o_g(grid, 4) for grid in GRIDS]
NOTHING = frozenset()
PATCHES = [frozenset({(0, 0)}), frozenset({(3, (1, 1))}), NOTHING, frozenset({(0, 1)})]
BAD = "no grid"

# name of the method, its lists, and the primitive with the arguments of each item
CASES = [
    ("batch_o_g", (GRIDS, [0, 3, 5, 7]), "o_g"),
    ("batch_colorfilter", (OBJECTS, [1, 3, 7, 0]), "colorfilter"),
    ("batch_rot90", (GRIDS,), "rot90"),
    ("batch_hmirror", (GRIDS,), "hmirror"),
    ("batch_vmirror", (GRIDS,), "vmirror"),
    ("batch_transpose", (GRIDS,), "dmirror"),
    ("batch_colorcount", (GRIDS, [0, 3, 7, 1]), "colorcount"),
    ("batch_difference_tuple", ([(1, 2), (3, 3, 4), (), (0,)], [(2,), (4, 5), (1,), (0,)]), "difference_tuple"),
    ("batch_fill", (GRIDS, [4, 5, 6, 7], PATCHES), "fill"),
    ("batch_fgpartition", (GRIDS,), "fgpartition"),
    ("batch_gravitate", (PATCHES, PATCHES[::-1]), "gravitate"),
]
names = pytest.mark.parametrize(("method", "columns", "name"), CASES, ids=[case[0] for case in CASES])


@pytest.fixture(params=[pytest.param("gpu", marks=pytest.mark.gpu), "cpu"])
def operations(request):
    made = GPUDSLOperations(use_gpu=request.param == "gpu")
    if request.param == "gpu" and not made.use_gpu:
        pytest.skip("no GPU")
    return made


@names
def test_each_item_is_what_the_primitive_gives(operations, method, columns, name):
    results = getattr(operations, method)(*columns)
    assert results == [getattr(dsl, name)(*args) for args in zip(*columns, strict=True)]
    assert not any(where.startswith("dynamic") for where in results.ran)


@names
def test_none_and_one(operations, method, columns, name):
    assert getattr(operations, method)(*([] for _ in columns)) == []
    one = [column[:1] for column in columns]
    assert getattr(operations, method)(*one) == [getattr(dsl, name)(*(column[0] for column in one))]


@names
def test_an_item_that_is_no_value_of_the_right_kind_fails_in_its_place(operations, method, columns, name):
    spoiled = [[BAD, *columns[0]], *([column[0], *column] for column in columns[1:])]
    results = getattr(operations, method)(*spoiled)
    assert results[0] == Failed(Reason.TYPE)
    assert results[1:] == getattr(operations, method)(*columns)


@names
def test_ten_thousand(operations, method, columns, name):
    many = [column * 2_500 for column in columns]
    results = getattr(operations, method)(*many)
    assert len(results) == 10_000
    assert results[:4] * 2_500 == results
    assert results[:4] == getattr(operations, method)(*columns)


def test_lists_of_different_lengths_are_an_error(operations):
    with pytest.raises(UsageError, match="different lengths"):
        operations.batch_fill(GRIDS, [1], PATCHES)
    with pytest.raises(UsageError, match="functions for"):
        operations.batch_compose([dsl.rot90], [])


def test_one_number_for_all(operations):
    assert operations.batch_o_g(GRIDS, 5) == [dsl.o_g(grid, 5) for grid in GRIDS]
    assert operations.batch_colorcount(tuple(GRIDS), 0) == [dsl.colorcount(grid, 0) for grid in GRIDS]


def test_arrays_and_lists_count_as_grids(operations):
    assert operations.batch_rot90([np.array(A), [list(row) for row in A]]) == [dsl.rot90(A)] * 2


FUNCTIONS = [dsl.toindices, dsl.compose(dsl.box, dsl.toindices), dsl.lbind(dsl.recolor, 5)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
def test_mapply_merges_and_apply_does_not(operations, function):
    containers = [*OBJECTS, NOTHING, tuple(OBJECTS[0])]
    assert operations.batch_mapply(function, containers) == [dsl.mapply(function, one) for one in containers]
    assert operations.batch_apply(function, containers) == [dsl.apply(function, one) for one in containers]


def test_python_functions_map_too(operations):
    results = operations.batch_mapply(lambda obj: frozenset(cell[1] for cell in obj), [OBJECTS[0], OBJECTS[1]])
    assert results == [dsl.mapply(dsl.toindices, one) for one in OBJECTS[:2]]
    assert results.ran == {"python": 2}
    results = operations.batch_apply(lambda x: 1 // x, [(1, 2), (0,)])
    assert results == [(1, 0), Failed(Reason.ZERO_DIVISION)]


def test_a_program_is_no_function_value(operations):
    with pytest.raises(UsageError, match="mapply takes"):
        operations.batch_mapply(5, [OBJECTS[0]])


def test_compose_calls_each_function_with_its_arguments(operations):
    functions = ["rot90", dsl.fill, (dsl.size, dsl.palette), (lambda x: x + 1, dsl.height), lambda g: g[9]]
    args = [(A,), (A, 3, frozenset({(0, 0)})), (A,), (A,), (A,)]
    results = operations.batch_compose(functions, args)
    assert results == [dsl.rot90(A), dsl.fill(A, 3, frozenset({(0, 0)})), 3, 3, Failed(Reason.BOUNDS)]
    assert operations.batch_compose([], []) == []


def test_the_helpers_of_generated_files():
    assert batch_o_g_gpu([A] * 4, [3, 1, 5, 7]) == [dsl.o_g(A, mode) for mode in (3, 1, 5, 7)]
    assert batch_mapply_gpu(dsl.toindices, OBJECTS) == [dsl.mapply(dsl.toindices, one) for one in OBJECTS]
    calls = [(dsl.corners, OBJECTS[0]), (dsl.backdrop, OBJECTS[1]), (dsl.corners, OBJECTS[1]), (dsl.box, NOTHING)]
    assert multi_mapply_gpu(calls) == [dsl.mapply(*call) for call in calls]
    own = multi_mapply_gpu([(lambda one: one, OBJECTS[0]), calls[0]])
    assert own == [dsl.merge(OBJECTS[0]), dsl.mapply(*calls[0])]
    assert own.ran == {"cpu": 1, "python": 1}


@pytest.mark.parametrize("run", [batch_process_samples_gpu, batch_process_samples_multi_gpu])
def test_the_pattern_over_samples(run):
    for task in load_tasks("arcagi")[:3]:
        samples = task.samples[0].S
        firsts, seconds = dsl.apply(dsl.first, samples), dsl.apply(dsl.second, samples)
        wanted = (firsts, seconds, dsl.mapply(dsl.p_g, firsts), dsl.mapply(dsl.p_g, seconds))
        assert run(samples) == wanted
        assert run([list(map(np.array, pair)) for pair in samples]) == wanted
        assert run(samples, [dsl.first, dsl.second]) == (firsts, seconds, firsts, seconds)
        sizes = run(samples, [dsl.first, dsl.second, dsl.palette, dsl.shape])
        assert sizes[2:] == (dsl.mapply(dsl.palette, firsts), dsl.mapply(dsl.shape, seconds))
    assert run(()) == ((), (), (), ())
    with pytest.raises(UsageError, match="two or four"):
        run((), [dsl.first])


def test_a_chain_runs_at_once(operations):
    grids = operations.handle(GRIDS)
    turned = grids.rot90()
    sizes = turned.o_g(5).size()
    assert sizes.values() == [dsl.size(dsl.o_g(dsl.rot90(grid), 5)) for grid in GRIDS]
    assert sizes.values().ran == {sizes.values().backend: 4}
    assert turned._results is None
    filled = turned.fill(3, operations.handle(PATCHES).toindices())
    assert list(filled) == [
        dsl.fill(dsl.rot90(grid), 3, dsl.toindices(patch)) for grid, patch in zip(GRIDS, PATCHES, strict=True)
    ]


def test_a_chain_fails_item_by_item():
    batch = Batch([A, BAD, B])
    assert list(batch.palette().size()) == [3, Failed(Reason.TYPE), 3]
    assert batch.palette().size()[0] == 3


def test_chains_take_functions_sets_and_each_other():
    objects = Batch(GRIDS).o_g(4)
    assert list(objects.mapply(dsl.toindices)) == [dsl.mapply(dsl.toindices, one) for one in OBJECTS]
    assert list(objects.sfilter(dsl.matcher(dsl.size, 1))) == [
        dsl.sfilter(one, dsl.matcher(dsl.size, 1)) for one in OBJECTS
    ]
    assert list(objects.difference(OBJECTS[0])) == [dsl.difference(one, OBJECTS[0]) for one in OBJECTS]
    assert list(objects.size().add(objects.size())) == [2 * len(one) for one in OBJECTS]
    assert len(Batch([]).rot90().values()) == 0


def test_wrong_chains_are_errors():
    with pytest.raises(UsageError, match="beside one of"):
        Batch([A]).fill(3, Batch([NOTHING, NOTHING]))
    with pytest.raises(UsageError, match="takes 2 arguments"):
        Batch([A]).o_g()
    with pytest.raises(AttributeError, match="no primitive 'rot91'"):
        Batch([A]).rot91()


def test_a_chain_that_is_stopped_can_be_asked_again():
    batch = Batch([A] * 3_000).o_g(0).size()
    assert not batch.values(stop=lambda: True).finished
    assert batch.values() == [dsl.size(dsl.o_g(A, 0))] * 3_000
