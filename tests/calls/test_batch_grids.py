from __future__ import annotations

import numpy as np
import pytest

from arcbatt import dsl
from arcbatt.calls.grids import (
    GridOptimizer,
    batch_grid_op_multi_gpu,
    batch_grid_op_optimized,
    batch_grid_operations,
    gpu_grid_transform,
)
from arcbatt.engine import choose
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.functions import Function
from arcbatt.syntax import parse_program

A = ((1, 0, 2), (0, 0, 2))
B = ((3, 4), (5, 6))
C = ((7,),)
MIXED = [A, B, C, A, B, ((9, 9, 9), (8, 8, 8))]
PROGRAM = parse_program("def solve_a(I):\n    x1 = rot90(I)\n    return hconcat(x1, x1)\n")


def plus_one(grid):
    return grid + 1


def plain(grid, function):
    return tuple(map(tuple, function(np.array(grid)).tolist()))


@pytest.mark.parametrize("operation", [plus_one, "rot90", dsl.rot90, PROGRAM])
def test_nothing_gives_nothing(operation):
    assert batch_grid_operations([], operation) == []


def test_arrays_functions_on_mixed_shapes_in_order():
    results = batch_grid_operations(MIXED, plus_one)
    assert results == [plain(grid, plus_one) for grid in MIXED]
    assert results.ran == {"python: stacked": 5, "python: one by one": 1}


@pytest.mark.parametrize("operation", ["rot90", dsl.rot90, dsl.compose(dsl.rot90, dsl.rot90), PROGRAM])
def test_functions_of_the_language_on_mixed_shapes(operation):
    results = batch_grid_operations(MIXED, operation)
    one = [dsl.rot90(grid) for grid in MIXED]
    if operation is PROGRAM:
        one = [dsl.hconcat(grid, grid) for grid in one]
    elif isinstance(operation, Function) and operation.parts:
        one = [dsl.rot180(grid) for grid in MIXED]
    assert results == one
    assert results.ran == {"cpu": len(MIXED)}


def test_a_primitive_may_give_something_else_than_a_grid():
    assert batch_grid_operations([A, B], "palette") == [frozenset({0, 1, 2}), frozenset({3, 4, 5, 6})]


def test_arrays_come_back_as_arrays_and_lists_as_tuples():
    array = np.array(A, np.uint8)
    for operation in (plus_one, "hmirror"):
        back, rows = batch_grid_operations([array, [list(row) for row in A]], operation)
        assert isinstance(back, np.ndarray)
        assert back.dtype == np.uint8
        assert tuple(map(tuple, back.tolist())) == rows == gpu_grid_transform(A, operation)


@pytest.mark.parametrize(
    "operation",
    [
        lambda grid: grid + grid.max(),
        np.rot90,
        lambda grid: grid.T,
        lambda grid: grid[::-1],
        lambda grid: np.unique(grid)[None, :],
        lambda grid: np.sort(grid, axis=0),
        lambda grid: np.where(grid == grid[0, 0], 0, grid),
    ],
)
def test_functions_that_do_not_take_stacks_are_called_one_by_one(operation):
    grids = [tuple(tuple((a * k + b) % 7 for b in range(3)) for a in range(3)) for k in range(9)]
    results = batch_grid_operations(grids, operation)
    assert results == [plain(grid, operation) for grid in grids]
    assert results.ran == {"python: one by one": 9}
    with pytest.raises(UsageError, match="does not take stacks"):
        batch_grid_op_optimized(grids, operation, vectorized=True)


def test_not_vectorized_never_sees_a_stack():
    seen = []
    batch_grid_op_optimized([A, A, A], lambda grid: seen.append(grid.ndim) or grid, vectorized=False)
    assert seen == [2, 2, 2]


@pytest.mark.parametrize("bad", [((1, 2), (3,)), 5, None, "ab", [], np.zeros((2, 2, 2), int), np.zeros((0, 3), int)])
@pytest.mark.parametrize("operation", [plus_one, "rot90"])
def test_what_is_no_grid_fails_in_its_place(bad, operation):
    results = batch_grid_operations([A, bad, A], operation)
    assert results[0] == results[2] == gpu_grid_transform(A, operation)
    assert results.failed.keys() == {1}
    assert results[1].reason is Reason.TYPE
    assert results.ran["not run: no grid"] == 1


def test_an_operation_that_raises_fails_where_it_does():
    def picky(grid):
        if grid[0, 0] == 3:
            raise ValueError("no threes")
        return grid

    results = batch_grid_operations([A, B, C], picky)
    assert results == [A, Failed(Reason.TYPE), C]
    assert "ValueError: no threes" in str(results[1])
    assert gpu_grid_transform(A, lambda grid: grid[9]).reason is Reason.BOUNDS
    assert gpu_grid_transform(A, lambda grid: grid / 2).reason is Reason.TYPE


@pytest.mark.parametrize("operation", [lambda grid: grid[0], lambda grid: grid.sum(), lambda grid: grid[:, :0]])
def test_a_result_of_the_wrong_shape_fails(operation):
    results = batch_grid_operations([A, A, B], operation)
    assert [outcome.reason for outcome in results] == [Reason.TYPE] * 3
    assert "shape" in results[0].detail


def test_an_interrupt_is_not_a_failure():
    def interrupted(grid):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch_grid_operations([A, B], interrupted)


def test_a_stop_in_the_middle():
    calls = []
    results = batch_grid_operations([A, B, C], lambda grid: calls.append(1) or grid, stop=lambda: len(calls) >= 1)
    assert results.done == [True, False, False]
    assert results == [A, None, None]


def test_ten_thousand_grids():
    grids = [((k % 10, 1), (2, k // 10 % 10)) if k % 3 else ((k % 10,),) for k in range(10_000)]
    for operation in (plus_one, "rot90"):
        results = batch_grid_operations(grids, operation)
        assert len(results) == 10_000
        for place in (0, 1, 4_999, 9_999):
            assert results[place] == gpu_grid_transform(grids[place], operation)


def test_without_a_gpu_the_results_say_so():
    results = batch_grid_op_multi_gpu([A], "rot90", num_gpus=4)
    if choose.why_no_gpu():
        assert results.backend == "cpu"
        assert results.note == choose.why_no_gpu()
    assert results == [dsl.rot90(A)]
    with pytest.raises(UsageError, match="num_gpus"):
        batch_grid_op_multi_gpu([A], "rot90", num_gpus=0)


def test_an_optimizer_has_both_as_methods():
    assert GridOptimizer().batch_grid_op_optimized(MIXED, plus_one, vectorized=False) == batch_grid_operations(
        MIXED, plus_one
    )
    assert GridOptimizer().batch_grid_op_multi_gpu(MIXED, "rot90", num_gpus=2) == batch_grid_operations(MIXED, "rot90")


@pytest.mark.parametrize("operation", [dsl.rot90, PROGRAM, dsl.palette, dsl.compose(dsl.rot90, dsl.rot90), dsl.trim])
def test_the_engine_gives_what_the_reference_gives(operation):
    results = batch_grid_operations(MIXED, operation, backend="cpu")
    assert results == batch_grid_operations(MIXED, operation, backend="python")
    assert sum(results.ran.values()) == len(MIXED)


def test_an_operation_is_a_function():
    with pytest.raises(UsageError, match="an operation is"):
        batch_grid_operations([A], 5)
