"""One operation on many grids: grouped by shape, run together, put back in order.

An operation is a function of the language (a primitive, a function value, a program; it runs on the engine), or a
Python function of an array (`lambda grid: grid + 1`). Tuples in, tuples out; arrays in, arrays out; a list of rows
counts as a tuple of rows. What is no grid, and what an operation raises or makes that is no grid, is a `Failed` in its
place.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from arcbatt.calls.many import Results, call_many, function_of, new_results
from arcbatt.calls.operations import OPERATION_ERRORS, raised
from arcbatt.engine.api import Stop
from arcbatt.engine.choose import gpu_count
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed, Outcome, Reason
from arcbatt.language.functions import Function
from arcbatt.language.program import Program
from arcbatt.language.shown import is_grid, plain

Array = NDArray[Any]
Operation = Any
"""A function of the language, or a Python function of an array."""

_CHECKED: Final = 8
"""Grids of a group on which an array function alone is compared with what it gave on the stack."""


def batch_grid_operations(
    grids: Iterable[Any],
    operation: Operation,
    *,
    backend: str = "gpu",
    vectorized: bool | None = None,
    stop: Stop | None = None,
) -> Results:
    """The operation on each of the grids, in order.

    An array function is called on stacks of grids of one shape where that gives the same: each grid's result must not
    depend on what else is in the stack, and must be, on some of them, what the function gives alone. Else, or where
    `vectorized` is False, it is called grid by grid. With `vectorized` True it is an error where stacks do not work.
    """
    given = list(grids)
    known = function_of(operation)
    if known is not None:
        return _on_engine(given, known, backend, stop)
    if not callable(operation):
        raise UsageError(f"an operation is a primitive, a program or a function of an array, got {operation!r:.60}")
    return _Arrays(given, operation, backend, vectorized, stop).run()


def gpu_grid_transform(grid: Any, operation: Operation, *, backend: str = "gpu") -> Outcome:
    """The operation on one grid: its result, or Failed."""
    return batch_grid_operations([grid], operation, backend=backend)[0]


def batch_grid_op_optimized(
    grids: Iterable[Any], op: Operation, vectorized: bool | None = None, *, backend: str = "gpu"
) -> Results:
    """As `batch_grid_operations`; `vectorized` says whether an array function takes stacks, None finds out."""
    return batch_grid_operations(grids, op, backend=backend, vectorized=vectorized)


def batch_grid_op_multi_gpu(
    grids: Iterable[Any], op: Operation, num_gpus: int | None = None, *, vectorized: bool | None = None
) -> Results:
    """As `batch_grid_operations` over so many GPUs (all, if None), each taking a share; without GPUs on the CPU.

    Results do not depend on how many there are. `Results.note` says where there are fewer than were asked for.
    """
    if num_gpus is not None and num_gpus < 1:
        raise UsageError(f"num_gpus is a number above 0, got {num_gpus}")
    given = list(grids)
    there = gpu_count()
    count = min(num_gpus or there, there)
    note = f"{num_gpus} GPUs were asked for, {there} are there" if there and num_gpus and num_gpus > there else ""
    if count < 2:
        results = batch_grid_operations(given, op, vectorized=vectorized)
        results.note = results.note or note
        return results
    share = max(1, -(-len(given) // count))
    parts = [given[first : first + share] for first in range(0, len(given), share)]
    with ThreadPoolExecutor(count) as pool:
        done = list(pool.map(lambda part: _on_device(part[1], op, vectorized, part[0]), enumerate(parts)))
    results = new_results(0)
    for one in done:
        results += one
        results.done += one.done
        results.ran.update(one.ran)
    results.note = note
    return results


def _on_device(given: list[Any], op: Operation, vectorized: bool | None, device: int) -> Results:
    """The operation on some grids, on one GPU."""
    known = function_of(op)
    if known is not None:
        return _on_engine(given, known, "cuda", None, device)
    if not callable(op):
        raise UsageError(f"an operation is a primitive, a program or a function of an array, got {op!r:.60}")
    with importlib.import_module("cupy").cuda.Device(device):
        return _Arrays(given, op, "cuda", vectorized, None).run()


class GridOptimizer:
    """Batch operations on grids as methods, for whatever picks a device: `backend` says where they run."""

    backend = "gpu"

    def batch_grid_op_optimized(self, grids: Iterable[Any], op: Operation, vectorized: bool | None = None) -> Results:
        """The operation on each grid."""
        return batch_grid_op_optimized(grids, op, vectorized, backend=self.backend)

    def batch_grid_op_multi_gpu(self, grids: Iterable[Any], op: Operation, num_gpus: int | None = None) -> Results:
        """The operation on each grid, shared among GPUs."""
        return batch_grid_op_multi_gpu(grids, op, num_gpus)


# --- functions of the language ---


def _on_engine(
    given: list[Any], function: Function | Program, backend: str, stop: Stop | None, device: int = 0
) -> Results:
    grids = [plain(grid) for grid in given]
    good = [place for place, grid in enumerate(grids) if is_grid(grid)]
    results = new_results(len(given), backend)
    ran = call_many(function, [(grids[place],) for place in good], backend=results.backend, stop=stop, device=device)
    for place in set(range(len(given))) - set(good):
        results[place], results.done[place] = not_a_grid(given[place]), True
        results.ran["not run: no grid"] += 1
    results.ran.update(ran.ran)
    for place, value, done in zip(good, ran, ran.done, strict=True):
        results[place], results.done[place] = value, done
        if isinstance(given[place], np.ndarray) and is_grid(value):
            results[place] = np.array(value, given[place].dtype)
    return results


def not_a_grid(value: Any) -> Failed:
    """The outcome of what should have been a grid."""
    what = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else f"{value!r:.40}"
    return Failed(Reason.TYPE, "", 0, f"expected a grid, got {what}")


# --- functions of arrays ---


class _Arrays:
    """An array function on grids, in stacks of one shape and type where it takes them."""

    def __init__(
        self,
        given: list[Any],
        operation: Callable[[Any], Any],
        backend: str,
        vectorized: bool | None,
        stop: Stop | None,
    ) -> None:
        self.given = given
        self.operation = operation
        self.vectorized = vectorized
        self.stop = stop or (lambda: False)
        self.results = new_results(len(given), backend)
        self.module: Any = np
        if self.results.backend == "cuda":
            self.module = importlib.import_module("cupy")
        self.where = "cuda" if self.module is not np else "python"

    def run(self) -> Results:
        groups: dict[tuple[Any, ...], list[int]] = {}
        arrays: dict[int, Array] = {}
        for place, grid in enumerate(self.given):
            array = _array_of(grid)
            if array is None:
                self.put(place, not_a_grid(grid), "not run: no grid")
                continue
            arrays[place] = array
            groups.setdefault((array.shape, array.dtype.str), []).append(place)
        for places in groups.values():
            if self.stop():
                break
            stack = np.stack([arrays[place] for place in places])
            made = None if self.vectorized is False else self.stacked(stack)
            if made is None and self.vectorized:
                raise UsageError("the operation does not take stacks of grids; leave vectorized out, or make it False")
            for at, place in enumerate(places):
                if made is None and self.stop():
                    break
                outcome = self.alone(stack[at]) if made is None else made[at]
                self.put(place, outcome, f"{self.where}: {'one by one' if made is None else 'stacked'}")
        return self.results

    def put(self, place: int, outcome: Outcome, where: str) -> None:
        if isinstance(outcome, np.ndarray) and not isinstance(self.given[place], np.ndarray):
            outcome = tuple(map(tuple, outcome.tolist()))
        self.results[place], self.results.done[place] = outcome, True
        self.results.ran[where] += 1

    def alone(self, grid: Array) -> Outcome:
        """The outcome for one grid: an array of two dimensions, or Failed."""
        try:
            made = self.back(self.operation(self.module.asarray(grid)))
        except OPERATION_ERRORS as error:
            return raised(self.operation, error)
        if made.ndim != 2 or 0 in made.shape:
            return Failed(Reason.TYPE, _name(self.operation), 0, f"gave an array of shape {made.shape}, not a grid")
        return made

    def stacked(self, stack: Array) -> list[Array] | None:
        """The results of a stack, or None where the function does not work on stacks."""
        count = len(stack)
        if count < 2 and not self.vectorized:
            return None
        low, high = np.zeros_like(stack[:1]), np.full_like(stack[:1], np.iinfo(stack.dtype).max // 4)
        try:
            made = self.back(self.operation(self.module.asarray(stack)))
            among = self.back(self.operation(self.module.asarray(np.concatenate([low, stack[::-1], high]))))
        except OPERATION_ERRORS:
            return None
        if made.ndim != 3 or len(made) != count or among.shape != (count + 2, *made.shape[1:]):
            return None
        if not np.array_equal(among[1:-1][::-1], made):
            return None  # what a grid gives depends on the others
        for at in sorted({round(k * (count - 1) / (_CHECKED - 1)) for k in range(_CHECKED)}):
            alone = self.alone(stack[at])
            if isinstance(alone, Failed) or alone.dtype != made.dtype or not np.array_equal(alone, made[at]):
                return None
        return list(made)

    def back(self, value: Any) -> Array:
        """An array on the host."""
        array: Array = np.asarray(value.get() if hasattr(value, "get") else value)
        if array.dtype.kind not in "iub":
            raise TypeError(f"gave numbers of type {array.dtype}, cells are integers")
        return array


def _array_of(grid: Any) -> Array | None:
    """A grid as an array of integers; None where it is no grid."""
    if isinstance(grid, np.ndarray):
        return grid if grid.ndim == 2 and grid.size and grid.dtype.kind in "iu" else None
    cells = plain(grid)
    if not is_grid(cells):
        return None
    try:
        return np.array(cells, np.int64)
    except OverflowError:
        return None


def _name(operation: Any) -> str:
    return str(getattr(operation, "__name__", operation))
