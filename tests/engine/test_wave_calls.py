"""Calls of arguments by waves against the CPU engine: the host side and the kernels' code, on emulated lanes.

What needs a GPU is in tests/calls/test_gpu_api.py.
"""

from __future__ import annotations

import random
import sys

import pytest

from arcbatt import dsl
from arcbatt.calls.arguments import random_rows
from arcbatt.calls.custom import op, remove_op
from arcbatt.calls.handles import Batch
from arcbatt.calls.many import call_graph, call_many, engine_for
from arcbatt.engine import calls, custom_build
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import calls as waves_calls
from arcbatt.engine.waves import ends, kernels
from arcbatt.engine.waves.store import Store
from arcbatt.errors import UsageError
from arcbatt.language.failures import Fail, Failed, Reason
from arcbatt.language.reference import primitive
from arcbatt.language.spec import Kind
from arcbatt.language.table import STANDARD
from arcbatt.language.types import GRID, INT, parse_type, variables
from arcbatt.syntax import parse_program
from emulated import _waves_1, _waves_32
from engine import fake_cupy

A = ((1, 0, 2), (0, 0, 2))


@pytest.fixture
def cuda(monkeypatch):
    """The backend over a CuPy that is none."""
    fake = fake_cupy.for_waves(monkeypatch, free=1 << 26)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    engine_for.cache_clear()
    yield waves_calls
    engine_for.cache_clear()


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


def test_a_chain_is_one_graph_and_only_its_end_comes_back(cuda, monkeypatch):
    taken = []
    take = Store.taken
    monkeypatch.setattr(Store, "taken", lambda self, column: taken.append(column.type) or take(self, column))
    draw = random.Random(3)
    grids = [tuple(tuple(draw.choices(range(4), k=6)) for _ in range(5)) for _ in range(40)]
    sizes = Batch(grids, backend="cuda").rot90().o_g(5).size().values()
    assert taken == [INT]
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
    monkeypatch.setattr(ends, "_POOL_WORDS", 16)
    graph = graph_of("upscale", ("Grid", "Int"))
    rows = [(A, factor) for factor in (1, 20, 2, 30)]
    assert cuda.CallEngine(graph).run(rows).values == calls.CallEngine(graph).run(rows).values


def test_what_does_not_fit_goes_to_a_bigger_heap_then_to_the_cpu(cuda, monkeypatch):
    graph = graph_of("asobject", ("Grid",))
    rows = [(A,), ((tuple([1] * 200),) * 200,), (A,)]
    want = calls.CallEngine(graph).run(rows).values
    engine = cuda.CallEngine(graph, heap_bytes=1 << 15)
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cuda": 3})
    assert engine.heaps == sorted(engine.heaps)
    assert len(engine.heaps) > 2
    monkeypatch.setattr(sys.modules["cupy"].cuda.runtime, "memGetInfo", lambda: (1 << 18, 1 << 18))
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cuda": 2, "cpu": 1})
    assert len(engine.heaps) > 1


def test_short_memory_makes_launches_smaller_then_leaves_them_to_the_cpu(cuda, monkeypatch):
    graph = graph_of("rot90", ("Grid",))
    rows = [(A,)] * 40
    want = calls.CallEngine(graph).run(rows).values
    for name, value in (("_LAUNCH_CALLS", 16), ("_LEAST_CALLS", 4)):
        monkeypatch.setattr(cuda, name, value)
    engine = cuda.CallEngine(graph)
    on_device, asked = engine._on_device, []

    def short(cupy, rows, most=4):
        asked.append(len(rows))
        if len(rows) > most:
            raise MemoryError
        return on_device(cupy, rows)

    monkeypatch.setattr(engine, "_on_device", short)
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cuda": 40})
    assert asked == [16] + [4] * 10
    monkeypatch.setattr(engine, "_on_device", lambda *args: short(*args, most=0))
    called = engine.run(rows)
    assert (called.values, called.ran) == (want, {"cpu": 40, "cuda": 0})


def test_a_device_that_fails_leaves_the_rest_to_the_cpu_engine(cuda, monkeypatch):
    monkeypatch.setattr(cuda, "_LAUNCH_CALLS", 2)
    graph = graph_of("rot90", ("Grid",))
    engine = cuda.CallEngine(graph)
    sys.modules["cupy"].fail_at = len(sys.modules["cupy"].launches) + 3  # the second two calls
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
        for core in (_waves_1, _waves_32):
            assert custom_build.missing(graph, core) == {}  # on a GPU the kernel is compiled with it
        engine = cuda.CallEngine(graph)
        called = engine.run([(A, 4), (A, 100)])
        assert (called.values, called.ran) == ([10, Failed(Reason.EMPTY)], {"cuda": 2})
        (own,) = [wave.kernel for wave in engine.waves.waves if wave.kernel.custom]
        assert "grid.h * grid.w + by" in kernels.options(own, LANES).source()
        (other,) = [wave.kernel for wave in cuda.CallEngine(graph_of("rot90", ("Grid",))).waves.waves]
        assert "grid.h * grid.w + by" not in kernels.options(other, LANES).source()
    finally:
        remove_op("own")


def test_loops_and_functions_among_the_arguments(cuda):
    grids = [A, ((1, 2), (3, 4)), ((5,),)]
    rows = [(dsl.hmirror, grids), (dsl.size, grids)]
    found = call_many("apply", [(function, tuple(some)) for function, some in rows], backend="cuda")
    assert found == [tuple(grid[::-1] for grid in grids), tuple(len(grid) for grid in grids)]
    assert found.ran == {"cuda": 2}


def test_what_depends_on_no_argument(cuda):
    program = parse_program("def solve_x(I):\n    return canvas(THREE, TWO_BY_TWO)\n")
    found = call_many(program, [(A,), (A,)], backend="cuda")
    assert (found, found.ran) == ([((3, 3), (3, 3))] * 2, {"cuda": 2})
