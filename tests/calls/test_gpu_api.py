"""Calls of arguments and custom operations on a GPU, against the CPU engine and the reference: `make test-gpu`.

Needs no data but what is here.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import arcbatt
from arcbatt import documents, dsl
from arcbatt.calls.arguments import random_grid, random_rows
from arcbatt.calls.custom import op, remove_op
from arcbatt.calls.many import call_graph
from arcbatt.engine import calls, cpu
from arcbatt.engine.cuda.device import device_count
from arcbatt.engine.waves import ends, kernels
from arcbatt.engine.waves.runner import load
from arcbatt.engine.waves.store import waves_of
from arcbatt.language.reference import primitive
from arcbatt.language.sample import Sample
from arcbatt.language.spec import Kind
from arcbatt.language.table import current
from arcbatt.language.types import GRID, INT, variables
from arcbatt.syntax import parse_text
from calls.expressions import random_expression

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'arcbatt[cuda]'")
waves = pytest.importorskip("arcbatt.engine.waves.engine")
waves_calls = pytest.importorskip("arcbatt.engine.waves.calls")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_count() == 0, reason="there is no NVIDIA GPU"),
]
A = ((1, 0, 2), (0, 0, 2))
RULES = [
    (name, rule)
    for name, spec in current().ops.items()
    if spec.kind is Kind.PLAIN
    for rule in spec.rules
    if not any(True for kind in (*rule.params, rule.result) for _ in variables(kind))
]
FILL = """
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK) return s;
    if (!colour_fits(by)) return ESCAPE;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    c.g.each(u32(grid.h * grid.w), [&] (u32 k) { to[k] = from[k] == 0 ? i8(by) : from[k]; });
    return OK;
"""
PROGRAMS = """
def solve_a(I):
    x1 = own(I, 3)
    return rot90(x1)

def solve_b(I):
    x1 = hsplit(I, ONE)
    x2 = compose(rbind(own, TWO), rbind(own_fill, FOUR))
    return apply(x2, x1)

def solve_c(I):
    x1 = own_fill(I, TWO)
    return own(x1, 200)
"""


def filled(grid, by):
    """Zeros become a colour."""
    return tuple(tuple(by if cell == 0 else cell for cell in row) for row in grid)


@pytest.fixture
def operations():
    """One by an expression, one by a source."""

    def own(grid, by):
        """Zeros become a number, others are divided by it."""

    op("Grid, Int -> Grid", cells="where(x == 0, by, max(x, at(0, 1)) // by)")(own)
    op("Grid, Int -> Grid", source=FILL, name="own_fill")(filled)
    yield
    for name in ("own", "own_fill"):
        remove_op(name)


def same(got, want):
    assert got.values == want.values
    assert (got.done, got.misfits) == (want.done, want.misfits)


def prepared(graphs):
    """Compile the kernels of graphs, many at a time; calls would one after the other."""
    found = [wave.kernel for graph in graphs for wave in waves_of(graph).waves]
    load(cupy, {kernel: kernels.width(kernel) for kernel in found})


@pytest.fixture(scope="module")
def graphs():
    """Of every rule the graph of a call."""
    made = [call_graph(primitive(name), (None,) * len(rule.params), rule.params) for name, rule in RULES]
    prepared(made)
    return made


@pytest.mark.parametrize("first", range(0, len(RULES), 40))
def test_every_primitive_is_the_cpu_engines(graphs, first):
    for (name, rule), graph in list(zip(RULES, graphs, strict=True))[first : first + 40]:
        rows = list(random_rows(rule.params, 100, name))
        same(waves_calls.CallEngine(graph).run(rows), calls.CallEngine(graph).run(rows))


def test_a_chain_stays_on_the_device():
    draw = random.Random(2)
    grids = [random_grid(draw) for _ in range(2_000)]
    chain = arcbatt.Batch(grids, backend="cuda").rot90().o_g(5).size()
    assert chain.values() == arcbatt.Batch(grids, backend="cpu").rot90().o_g(5).size().values()
    assert chain.values().ran == {"cuda": 2_000}


def test_a_small_heap_and_a_small_pool_only_cost_time(monkeypatch):
    monkeypatch.setattr(ends, "_POOL_WORDS", 16)
    graph = call_graph(primitive("upscale"), (None, None), (GRID, INT))
    rows = [(A, factor % 90 + 1) for factor in range(300)]
    engine = waves_calls.CallEngine(graph, heap_bytes=1 << 16)
    same(engine.run(rows), calls.CallEngine(graph).run(rows))
    assert len(engine.heaps) > 1


def test_expressions(operations):
    rows = list(random_rows((GRID, INT), 2_000, "own"))
    got = arcbatt.call_many("own", rows, backend="cuda")
    assert got == arcbatt.call_many("own", rows, backend="python")
    assert got.ran["cuda"] > 1_000


def test_random_expressions():
    draw = random.Random(11)
    texts = {f"own_{number}": random_expression(draw, 3) for number in range(100)}
    try:
        for name, text in texts.items():

            def own(grid, by, t):
                """What an expression says."""

            op("Grid, Int, Bool -> Grid", cells=text, name=name)(own)
        types = current().ops["own_0"].rules[0].params
        prepared([call_graph(primitive(name), (None,) * 3, types) for name in texts])
        for name, text in texts.items():
            rows = list(random_rows(types, 40, text))
            got = arcbatt.call_many(name, rows, backend="cuda")
            assert got == arcbatt.call_many(name, rows, backend="python"), text
    finally:
        for name in texts:
            remove_op(name)


def test_a_function_of_the_kernel(operations):
    rows = list(random_rows((GRID, INT), 2_000, "fill"))
    got = arcbatt.call_many("own_fill", rows, backend="cuda")
    assert got == arcbatt.call_many("own_fill", rows, backend="python")
    assert got.ran["cuda"] > 1_000


def test_programs_with_both(operations):
    programs = parse_text(PROGRAMS).check()
    draw = random.Random(3)
    samples = [Sample(random_grid(draw)) for _ in range(200)]
    got, want = waves.WaveEngine.of(programs).run(samples, "grid"), cpu.CpuEngine.of(programs).run(samples, "grid")
    np.testing.assert_array_equal(got.statuses, want.statuses)
    assert got.rerouted() == want.rerouted()
    for row in range(len(samples)):
        for column in range(len(programs)):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)
    assert tuple(map(tuple, got.grid(0, 0).tolist())) == dsl.rot90(dsl.own(samples[0].I, 3))


def test_memory_is_given_back_after_each_batch():
    programs = parse_text("def solve_a(I):\n    return rot90(I)\n").check()
    task = ("a", {"train": [{"input": A, "output": dsl.rot90(A)}], "test": [{"input": A}]})
    results = documents.GPUBatchProcessor(batch_size=8, programs=programs).process_tasks_batch([task] * 40)
    assert results.backend == "cuda"
    assert [one.solved_by for one in results] == [("a",)] * 40
    assert results.cleanups > 1
    assert results.freed_bytes > 0
    assert cupy.get_default_memory_pool().used_bytes() >= 0
