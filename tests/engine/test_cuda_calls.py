"""Calls of arguments on the GPU against the CPU engine: the host side and the kernel's code, on emulated lanes.

What needs a GPU is in tests/calls/test_gpu_api.py.
"""

from __future__ import annotations

import importlib
import random
import sys

import numpy as np
import pytest

from arcbatt.calls.arguments import random_rows
from arcbatt.calls.custom import op, remove_op
from arcbatt.calls.handles import Batch
from arcbatt.calls.many import call_graph, call_many, engine_for
from arcbatt.engine import calls, custom_build
from arcbatt.errors import UsageError
from arcbatt.language.failures import Fail, Failed, Reason
from arcbatt.language.reference import primitive
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, INT, parse_type, variables
from emulated import _core_lanes
from engine import fake_cupy

A = ((1, 0, 2), (0, 0, 2))
MODULES = ("arcbatt.engine.cuda.engine", "arcbatt.engine.cuda.calls")


@pytest.fixture
def cuda(monkeypatch):
    """The backend over a CuPy that is none."""
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module(free=1 << 26))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("arcbatt.engine.cuda.calls")
    monkeypatch.setattr(module, "cubin", lambda *_, **__: "none")
    engine_for.cache_clear()
    yield module
    engine_for.cache_clear()
    for name in MODULES:
        sys.modules.pop(name, None)


def graph_of(name, types):
    kinds = tuple(map(parse_type, types))
    return call_graph(primitive(name), (None,) * len(kinds), kinds)


PLAIN = [
    (name, rule)
    for name, spec in STANDARD.ops.items()
    if spec.kind is Kind.PLAIN and spec.arity < 5
    for rule in spec.rules[:3]
    if not any(True for kind in (*rule.params, rule.result) for _ in variables(kind))
]


@pytest.mark.parametrize(("name", "rule"), PLAIN[::6], ids=str)
def test_calls_are_those_of_the_cpu_engine(cuda, name, rule):
    rows = list(random_rows(rule.params, 24, name))
    graph = call_graph(primitive(name), (None,) * len(rule.params), rule.params)
    ours, theirs = cuda.CallEngine(graph), calls.CallEngine(graph)
    assert ours.problem == theirs.problem
    got, want = ours.run(rows), theirs.run(rows)
    assert (got.values, got.done, got.misfits) == (want.values, want.done, want.misfits)
    assert got.ran["cuda"] == want.ran["cpu"]


def test_a_chain_is_one_launch_and_only_its_end_comes_back(cuda, monkeypatch):
    launches = []
    launch = cuda.CallEngine._launch
    monkeypatch.setattr(cuda.CallEngine, "_launch", lambda self, *args: launches.append(1) or launch(self, *args))
    draw = random.Random(3)
    grids = [tuple(tuple(draw.choices(range(4), k=6)) for _ in range(5)) for _ in range(40)]
    sizes = Batch(grids, backend="cuda").rot90().o_g(5).size().values()
    assert len(launches) == 1
    assert (sizes.backend, sizes.ran) == ("cuda", {"cuda": 40})
    turned = call_many("rot90", [(grid,) for grid in grids], backend="cpu")
    found = call_many("o_g", [(grid, 5) for grid in turned], backend="cpu")
    assert sizes == [len(objects) for objects in found]


def test_failures_and_the_corner_of_nothing_and_misfits(cuda):
    got = call_many("ulcorner", [(frozenset(),), (frozenset({(3, 4)}),)], backend="cuda")
    assert got == [(), (3, 4)]
    got = call_many("crop", [(A, (0, 0), (1, 1)), (A, "x", (1, 1)), (A, (0, 0), (-1, 2))], backend="cuda")
    assert got == call_many("crop", [(A, (0, 0), (1, 1)), (A, "x", (1, 1)), (A, (0, 0), (-1, 2))], backend="python")
    assert isinstance(call_many("first", [((),)], backend="cuda")[0], Failed)


def test_values_that_need_more_room_than_there_was(cuda, monkeypatch):
    monkeypatch.setattr(cuda, "_POOL_WORDS", 16)
    graph = graph_of("upscale", ("Grid", "Int"))
    rows = [(A, factor) for factor in (1, 20, 2, 30)]
    assert cuda.CallEngine(graph).run(rows).values == calls.CallEngine(graph).run(rows).values


def test_what_does_not_fit_goes_to_bigger_arenas_then_to_the_cpu(cuda, monkeypatch):
    graph = graph_of("asobject", ("Grid",))
    rows = [(A,), ((tuple([1] * 200),) * 200,), (A,)]
    want = calls.CallEngine(graph).run(rows).values
    engine = cuda.CallEngine(graph, arena_bytes=1)
    called = engine.run(rows)
    assert (called.values, engine.tiers, called.ran) == (want, [1], {"cuda": 3})
    monkeypatch.setattr(cuda.cupy.cuda.runtime, "memGetInfo", lambda: (1 << 18, 1 << 18))
    called = engine.run(rows)
    assert (called.values, engine.tiers, called.ran) == (want, [], {"cuda": 2, "cpu": 1})


def test_short_memory_makes_launches_smaller_then_leaves_them_to_the_cpu(cuda, monkeypatch):
    graph = graph_of("rot90", ("Grid",))
    rows = [(A,)] * 40
    want = calls.CallEngine(graph).run(rows).values
    for name, value in (("_LAUNCH_CALLS", 16), ("_LEAST_CALLS", 4)):
        monkeypatch.setattr(cuda, name, value)
    engine = cuda.CallEngine(graph)
    launch_part, asked = engine._launch_part, []

    def short(rows, starts, chosen, most=4):
        asked.append(len(chosen))
        if len(chosen) > most:
            raise MemoryError
        return launch_part(rows, starts, chosen)

    monkeypatch.setattr(engine, "_launch_part", short)
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cuda": 40})
    assert asked == [16] + [4] * 10
    monkeypatch.setattr(engine, "_launch_part", lambda *args: short(*args, most=0))
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cpu": 40, "cuda": 0})


def test_a_device_that_fails_leaves_the_rest_to_the_cpu_engine(cuda, monkeypatch):
    monkeypatch.setattr(cuda, "_LAUNCH_CALLS", 2)
    graph = graph_of("rot90", ("Grid",))
    engine = cuda.CallEngine(graph)
    cuda.cupy.fail_at = len(cuda.cupy.launches) + 2
    called = engine.run([(A,)] * 6)
    assert called.values == calls.CallEngine(graph).run([(A,)] * 6).values
    why = "GPU 0 failed: _CudaError: cudaErrorIllegalAddress: an illegal memory access was encountered"
    assert called.ran == {"cuda": 2, f"cpu: {why}": 4}
    assert engine.run([(A,)]).ran == {"cuda": 0, f"cpu: {why}": 1}


def test_a_stop_between_launches(cuda, monkeypatch):
    monkeypatch.setattr(cuda, "_LAUNCH_CALLS", 2)
    asked = iter([False, True])
    called = cuda.CallEngine(graph_of("rot90", ("Grid",))).run([(A,)] * 6, stop=lambda: next(asked, True))
    assert called.done == [True, True, False, False, False, False]


def test_a_device_that_is_not_there(cuda):
    with pytest.raises(UsageError, match="no GPU number 3: 1 are visible"):
        cuda.CallEngine(graph_of("rot90", ("Grid",)), device=3)


def test_a_graph_the_engine_cannot_run_says_so(cuda):
    graph = graph_of("colorfilter", ("Grid", "Int"))
    assert cuda.CallEngine(graph).problem == calls.CallEngine(graph).problem is not None


def test_operations_of_ones_own(cuda):
    @op("Grid, Int -> Grid", cells="where(x == 0, by, x // by)")
    def own(grid, by):
        """Zeros become a number, others are divided by it."""

    try:
        rows = list(random_rows((GRID, INT), 50, "own"))
        got, want = call_many("own", rows, backend="cuda"), call_many("own", rows, backend="python")
        assert got == want
        assert got.ran["cuda"] > 20
        assert call_many("own", [(A, 0)], backend="cuda") == [Failed(Reason.ZERO_DIVISION)]
    finally:
        remove_op("own")


def test_a_function_of_ones_own_is_called_by_the_kernel(cuda, monkeypatch, tmp_path):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))

    @op("Grid, Int -> Int", source="out = grid.h * grid.w + by; return by < 100 ? OK : EMPTY;")
    def own(grid, by):
        """Cells and a number."""
        if by >= 100:
            raise Fail(Reason.EMPTY)
        return len(grid) * len(grid[0]) + by

    try:
        graph = graph_of("own", ("Grid", "Int"))
        assert custom_build.missing(graph, _core_lanes) == {}  # on a GPU the kernel is compiled with it
        engine = cuda.CallEngine(graph)
        called = engine.run([(A, 4), (A, 100)])
        assert (called.values, called.ran) == ([10, Failed(Reason.EMPTY)], {"cuda": 2})
        assert "grid.h * grid.w + by" in engine.kernel.source()
        assert "grid.h * grid.w + by" not in cuda.CallEngine(graph_of("rot90", ("Grid",))).kernel.source()
    finally:
        remove_op("own")


def test_the_blob_lies_as_the_kernel_reads_it(cuda):
    engine = cuda.CallEngine(graph_of("fill", ("Grid", "Int", "Indices")))
    table = np.asarray(engine._table)
    assert len(table) == 10
    assert all(place % 4 == 0 for place in table[[0, 1, 2, 3, 5, 8]])
    assert table[6] == 3
