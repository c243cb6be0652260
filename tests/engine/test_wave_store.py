"""The store of waves against the reference, on one lane and on emulated lanes."""

from __future__ import annotations

import importlib
import random

import numpy as np
import pytest

from arcbatt.calls.custom import op, remove_op
from arcbatt.compiler.abi import OK, OVERFLOW
from arcbatt.compiler.graph import Graph
from arcbatt.data.tasks import load_tasks
from arcbatt.engine.calls import RESULT
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.store import Store, waves_of
from arcbatt.errors import UsageError
from arcbatt.language.failures import Fail, Failed
from arcbatt.language.table import STANDARD
from arcbatt.language.types import BOOL, CELL, GRID, IJ, INDICES, INT, OBJECTS, Seq, Set, Tup
from engine import fake_cupy

GRIDS = [sample.I for task in list(load_tasks("arcagi"))[::60] for sample in task.samples][:9]
WIDTHS = pytest.mark.parametrize("width", kernels.WIDTHS, ids=["one lane", "emulated lanes"])


@pytest.fixture
def cupy(monkeypatch):
    return fake_cupy.for_waves(monkeypatch)


def reference(op, *args):
    try:
        return STANDARD.op(op).reference(*args)
    except Fail as failure:
        return Failed(failure.reason)


@WIDTHS
def test_chains_of_calls_are_the_reference_s(cupy, width, monkeypatch):
    monkeypatch.setattr(kernels, "width", lambda _: width)
    store = Store(cupy, heap_bytes=1 << 26)
    grids = store.put(GRID, GRIDS)
    mode = 5
    columns = {"grids": grids, "objects": store.apply("o_g", grids, mode)}
    columns["first"] = store.apply("first", columns["objects"])
    columns["corner"] = store.apply("ulcorner", columns["first"])
    columns["shifted"] = store.apply("shift", columns["first"], (3, -2))
    columns["painted"] = store.apply("paint", grids, columns["shifted"])
    columns["high"] = store.apply("height", columns["painted"])
    columns["half"] = store.apply("divide", columns["high"], 0)
    for row, grid in enumerate(GRIDS):
        objects = reference("o_g", grid, mode)
        first = reference("first", objects)
        painted = reference("paint", grid, reference("shift", first, (3, -2)))
        expected = {
            "grids": grid, "objects": objects, "first": first, "corner": reference("ulcorner", first),
            "shifted": reference("shift", first, (3, -2)), "painted": painted, "high": reference("height", painted),
            "half": reference("divide", 1, 0),
        }  # fmt: skip
        for name, value in expected.items():
            assert store.fetch(columns[name], [row]) == [value], name
    assert not store.full


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (INT, [0, -5, 2**31 - 1]),
        (BOOL, [True, False]),
        (IJ, [(0, 0), (-3, 70000)]),
        (CELL, [(9, (1, -1))]),
        (GRID, [(), ((1, 2, 3), (4, 5, 6)), ((-1,),)]),
        (INDICES, [frozenset(), frozenset({(1, 2), (-1, 5)})]),
        (OBJECTS, [frozenset({frozenset({(1, (0, 0)), (2, (0, 1))}), frozenset()})]),
        (Seq(Set(INT)), [(frozenset({3, -3}), frozenset())]),
        (Tup((GRID, INT, IJ)), [(((7,),), -1, (4, 5))]),
        (Set(Tup((INT, INDICES))), [frozenset({(1, frozenset({(0, 0)})), (2, frozenset())})]),
    ],
    ids=str,
)
def test_values_come_back_as_they_were_put(cupy, kind, values):
    store = Store(cupy, heap_bytes=1 << 22)
    column = store.put(kind, values)
    assert store.fetch(column) == values
    assert store.fetch(store.apply("identity", column)) == values
    statuses, hashes = store.looked(column)
    assert (statuses == OK).all()
    assert len(np.unique(hashes)) == len(values)


def test_some_of_a_column_by_number(cupy):
    store = Store(cupy, heap_bytes=1 << 24)
    numbers = store.put(INT, [5, 7, 5, -1, 7])
    kept = numbers.at(store.distinct(numbers))
    assert store.fetch(kept) == [5, 7, -1]
    doubled = store.apply("double", kept)
    assert store.fetch(doubled) == [10, 14, -2]
    back = doubled.at(cupy.asarray(np.array([2, 2, 0])))
    assert store.fetch(back) == [-2, -2, 10]
    assert store.fetch(store.apply("add", back, numbers.at(cupy.asarray(np.array([0, 1, 3]))))) == [3, 5, 9]
    assert store.fetch(store.apply("identity", back)) == [-2, -2, 10]


def test_an_operation_applied_again_leaves_what_it_gave_before(cupy):
    store = Store(cupy, heap_bytes=1 << 24)
    numbers, others = store.put(INT, [5, 7, -1]), store.put(INT, [1, 2, 3])
    first, second = store.apply("add", numbers, others), store.apply("add", numbers, numbers)
    some = store.apply("add", others.at(cupy.asarray(np.array([2, 0, 0]))), second)
    assert store.fetch(store.apply("add", first, some)) == [19, 24, 1]
    assert store.fetch(first) == [6, 9, 2]
    assert store.fetch(second) == [10, 14, -2]
    assert store.fetch(some) == [13, 15, -1]
    store.clear()
    again = store.put(INT, [1, 1, 1])
    assert store.fetch(store.apply("add", again, again)) == [2, 2, 2]


def test_failures_are_left_out_of_what_is_distinct(cupy):
    store = Store(cupy, heap_bytes=1 << 24)
    found = store.apply("divide", store.put(INT, [8, 9, 8]), store.put(INT, [2, 0, 2]))
    assert store.distinct(found).tolist() == [0]


def test_a_full_store_says_so(cupy):
    store = Store(cupy, heap_bytes=1 << 17)
    many = GRIDS * 3
    grids = store.put(GRID, many)
    columns = [grids]
    while not store.full:
        columns.append(store.apply("hmirror", columns[-1]))
    assert not any((store.looked(column)[0] == OVERFLOW).any() for column in columns[:-1])
    for call in (lambda: store.apply("hmirror", grids), lambda: store.put(GRID, many)):
        with pytest.raises(MemoryError, match="the store is full"):
            call()
    assert store.fetch(columns[-2]) == (many if len(columns) % 2 == 0 else [one[::-1] for one in many])
    store.clear()
    assert store.fetch(store.apply("hmirror", store.put(GRID, GRIDS))) == [one[::-1] for one in GRIDS]


def test_what_cannot_be_applied_is_said(cupy):
    store = Store(cupy, heap_bytes=1 << 20)
    with pytest.raises(UsageError, match="equally many"):
        store.apply("add", store.put(INT, [1, 2]), store.put(INT, [1]))
    with pytest.raises(UsageError, match="value 1 has no form of Grid: 'x'"):
        store.put(GRID, [((1,),), "x"])


@WIDTHS
@pytest.mark.parametrize("mode", range(8))
def test_objects_by_the_size_of_grids(cupy, width, mode, monkeypatch):
    """Each pass takes its own sizes, and the last what has no room close by: large grids and colours beyond labels."""
    monkeypatch.setattr(kernels, "width", lambda _: width)
    draw = random.Random(mode)
    sizes = [(1, 1), (20, 20), (16, 26), (21, 20), (25, 25), (32, 20), (27, 25), (30, 30), (31, 30), (40, 50)]
    inputs = [tuple(tuple(draw.choices(range(4), k=w)) for _ in range(h)) for h, w in sizes]
    inputs += [(), ((40, 40, -3), (40, 1, 1))]
    store = Store(cupy, heap_bytes=1 << 24)
    grids = store.put(GRID, inputs)
    found = store.apply("o_g", grids, mode)
    assert store.fetch(found) == [reference("o_g", one, mode) for one in inputs]
    failed = store.apply("downscale", grids, 0)
    assert store.fetch(store.apply("o_g", failed, mode)) == [reference("downscale", one, 0) for one in inputs]


def test_columns_of_a_loop(cupy):
    graph = Graph()
    grids = graph.declare("A0", Seq(GRID))
    graph.outputs[RESULT] = graph.add("apply", (graph.add("primitive", ("hmirror",)), grids))
    store = Store(cupy, heap_bytes=1 << 24)
    column = store.put(Seq(GRID), [tuple(GRIDS[:3]), (), tuple(GRIDS[3:])])
    found = store.run(waves_of(graph), {"A0": column}, 3)
    assert store.fetch(found) == [tuple(one[::-1] for one in some) for some in (GRIDS[:3], (), GRIDS[3:])]


def test_kernels_of_the_store_compile():
    """One that finds objects, those that make words of values, and one with a custom operation."""

    @op("Grid, Int -> Grid", source="out = grid; return by < 100 ? OK : EMPTY;")
    def own(grid, by):
        """As it was."""
        return grid

    try:
        nvrtc = find_nvrtc()
        graph = Graph()
        grid = graph.declare("A0", GRID)
        graph.outputs["solve_objects"] = graph.add("o_g", (grid, graph.const(5)))
        graph.outputs["solve_own"] = graph.add("own", (grid, graph.const(5)))
        every = {wave.kernel.operation: wave.kernel for wave in waves_of(graph).waves}
        wanted = [kernels.options(every["o_g"], LANES)]
        wanted += [*kernels.VALUES.values(), *(kernels.options(every["custom"], width) for width in kernels.WIDTHS)]
        assert len(wanted) == 5
        for options in wanted:
            program = nvrtc.createProgram(options.source(), "wave.cu")
            try:
                nvrtc.compileProgram(program, [*options.flags(90), "--fdevice-syntax-only"])
            except nvrtc.NVRTCError:
                pytest.fail(f"{options.lanes} {options.defines}: {nvrtc.getProgramLog(program)[:600]}")
            finally:
                nvrtc.destroyProgram(program)
    finally:
        remove_op("own")


def test_importing_the_store_needs_no_gpu():
    assert importlib.import_module("arcbatt.engine.waves.store").Store is Store
