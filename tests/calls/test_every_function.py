"""Every function of the batch API under every condition, on the CPU, on a GPU, and on a GPU that lanes stand for.

A case turns a list of grids into a list of outcomes, and says what the reference gives for one grid. Needs nothing but
pytest and NumPy (and CuPy for the GPU), since `make test-gpu` runs it where nothing else is installed.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import arcbatt
from arcbatt import documents, dsl
from arcbatt.calls import accelerate as accelerating
from arcbatt.calls.custom import op, remove_op
from arcbatt.calls.many import engine_for
from arcbatt.calls.measured import Measured
from arcbatt.engine.choose import why_no_gpu
from arcbatt.errors import ArcbattError
from arcbatt.language.failures import Failed, Reason
from arcbatt.language.table import current
from arcbatt.syntax import parse_program

A = ((1, 0, 2), (0, 0, 2))
MIXED = [A, ((3, 4), (5, 3)), ((7,),), ((0, 0), (0, 0)), ((1, 2, 3, 4),), A, ((1,), (2,), (9,))]
NO_GRIDS = ["no grid", 5, ((1, 2), (3,)), np.zeros((2, 2, 2), np.int64)]
TURN = parse_program("def solve_turn(I):\n    return rot90(I)\n")
FAILED = Failed(Reason.TYPE)
FILL = """
    Status s = make_grid(c, grid.h, grid.w, out);
    if (s != OK) return s;
    const i8* from = cells(c, grid);
    i8* to = cells(c, out);
    c.g.each(u32(grid.h * grid.w), [&] (u32 k) { to[k] = from[k] == 0 ? 8 : from[k]; });
    return OK;
"""


class Case(NamedTuple):
    """A function: what it gives on grids, and the reference on one."""

    run: Callable[[list[Any], str], list[Any]]
    want: Callable[[Any], Any]
    misfit: Any = FAILED
    """What comes of something that is no grid: an outcome in its place, an error for all, or what a function says."""
    most: int = 10_000


def operations(backend):
    return documents.GPUDSLOperations(use_gpu=backend != "cpu")


def on_samples(grids):
    """The four parts of the pattern for each grid, as a pair of itself and itself."""
    return [documents.batch_process_samples_gpu(((grid, grid),)) for grid in grids]


def pattern(grid):
    return ((grid,), (grid,), p_g(grid), p_g(grid))


def p_g(grid):
    return dsl.mapply(dsl.p_g, (grid,))


def processed(grids, backend):
    processor = documents.GPUBatchProcessor(batch_size=64, use_gpu=backend != "cpu", programs=[TURN])
    pairs = [{"input": grid, "output": dsl.rot90(grid) if is_grid(grid) else grid} for grid in map(rows_of, grids)]
    tasks = [(str(k), {"train": [pair], "test": [pair]}) for k, pair in enumerate(pairs)]
    results = processor.process_tasks_batch(tasks)
    return [FAILED if result.problem else result.outputs[0] for result in results]


def rows_of(grid):
    return grid.tolist() if isinstance(grid, np.ndarray) else grid


def is_grid(grid):
    return isinstance(grid, tuple) and len({len(row) for row in grid}) == 1


def streamed(grids, backend):
    engine = arcbatt.AsyncEngine(backend=backend, batch_size=500, outputs="grid")

    async def all_of_them():
        samples = [((), grid, None) for grid in grids]
        return [as_tuple(result.grid("solve_turn")) async for result in engine.stream([TURN], samples)]

    return asyncio.run(all_of_them())


def as_tuple(array):
    return None if array is None else tuple(map(tuple, array.tolist()))


def profiled(grids, backend):
    profile = documents.profile_batt_operations([TURN], [((), grid, None) for grid in grids])
    return ["counted"] * profile.lines[0].calls


def accelerated(grids, backend):
    made = ModuleType("accelerated_here")
    exec("def rot90(grid):\n    return tuple(tuple(row) for row in zip(*grid[::-1]))", vars(made))
    rules = tuple(rule for rule in current().ops["rot90"].rules if str(rule) == "Grid -> Grid")
    assert isinstance(made.rot90, FunctionType)
    accelerating._MEASURED[made.rot90] = Measured("rot90", 2.0, 1.0, rules)
    before = made.rot90

    def call(grid):
        try:
            return made.rot90(grid)
        except (TypeError, ArcbattError):
            return FAILED

    with arcbatt.accelerate(made) as state:
        found = [call(grid) for grid in grids]
    assert made.rot90 is before
    assert sum(state.served.values()) + sum(state.passed_on.values()) == len(grids)
    return found


def as_it_was(grid):
    """What the function that is replaced gives by itself: what the engine has no value for is left to it."""
    try:
        return tuple(tuple(row) for row in zip(*grid[::-1], strict=False))
    except TypeError:
        return FAILED


def collected(grids, backend):
    with arcbatt.batching() as b:
        found = [b.rot90(grid) for grid in grids]
    return [one.value for one in found]


def with_own(**options):
    """A function on batches through an operation that is registered for as long as it takes."""

    def run(grids, backend):
        def own(grid):
            """Zeros become eights."""
            return eights(grid)

        if "own" in current().ops:
            remove_op("own")  # an interrupt may have come before it was
        op("Grid -> Grid", **options)(own)
        try:
            return list(documents.batch_grid_operations(grids, "own", backend=backend))
        finally:
            remove_op("own")

    return run


def eights(grid):
    return tuple(tuple(8 if cell == 0 else cell for cell in row) for row in grid)


def objects(grid):
    return dsl.o_g(grid, 5)


def stacked(grid):
    return grid[..., ::-1] + 1


def plus(grid):
    return tuple(tuple(cell + 1 for cell in row[::-1]) for row in grid)


CASES = {
    "batch_grid_operations of a primitive": Case(
        lambda grids, backend: documents.batch_grid_operations(grids, "rot90", backend=backend), dsl.rot90
    ),
    "batch_grid_operations of a program": Case(
        lambda grids, backend: documents.batch_grid_operations(grids, TURN, backend=backend), dsl.rot90
    ),
    "batch_grid_operations of an array function": Case(
        lambda grids, backend: documents.batch_grid_operations(grids, stacked, backend=backend), plus
    ),
    "batch_grid_operations of a custom operation": Case(with_own(), eights),
    "batch_grid_operations of an expression": Case(with_own(cells="where(x == 0, 8, x)"), eights),
    "batch_grid_operations of a source": Case(with_own(source=FILL), eights),
    "gpu_grid_transform": Case(
        lambda grids, backend: [documents.gpu_grid_transform(grid, "rot90", backend=backend) for grid in grids],
        dsl.rot90,
    ),
    "batch_grid_op_optimized": Case(
        lambda grids, backend: documents.batch_grid_op_optimized(grids, stacked, backend=backend), plus
    ),
    "batch_grid_op_multi_gpu": Case(
        lambda grids, backend: documents.batch_grid_op_multi_gpu(grids, "rot90", num_gpus=2), dsl.rot90
    ),
    "batch_grid_op_multi_gpu of an array function": Case(
        lambda grids, backend: documents.batch_grid_op_multi_gpu(grids, stacked, num_gpus=2), plus
    ),
    "MultiGPUOptimizer": Case(
        lambda grids, backend: documents.MultiGPUOptimizer(num_gpus=2).batch_grid_op_multi_gpu(grids, "rot90"),
        dsl.rot90,
    ),
    "call_many": Case(
        lambda grids, backend: arcbatt.call_many("rot90", [(grid,) for grid in grids], backend=backend), dsl.rot90
    ),
    "call_each": Case(
        lambda grids, backend: arcbatt.call_each([(dsl.rot90, (grid,)) for grid in grids], backend=backend), dsl.rot90
    ),
    "Batch": Case(lambda grids, backend: arcbatt.Batch(grids, backend=backend).rot90().hmirror().values(),
                  lambda grid: dsl.hmirror(dsl.rot90(grid))),
    "batch_o_g": Case(lambda grids, backend: operations(backend).batch_o_g(grids, 5), objects),
    "batch_o_g_gpu": Case(lambda grids, backend: documents.batch_o_g_gpu(grids, [5] * len(grids)), objects),
    "batch_mapply": Case(
        lambda grids, backend: operations(backend).batch_mapply(dsl.toindices, [objects(grid) for grid in grids]),
        lambda grid: dsl.mapply(dsl.toindices, objects(grid)),
    ),
    "batch_mapply_gpu": Case(
        lambda grids, backend: documents.batch_mapply_gpu("toindices", [objects(grid) for grid in grids]),
        lambda grid: dsl.mapply(dsl.toindices, objects(grid)),
    ),
    "multi_mapply_gpu": Case(
        lambda grids, backend: documents.multi_mapply_gpu([(dsl.toindices, objects(grid)) for grid in grids]),
        lambda grid: dsl.mapply(dsl.toindices, objects(grid)),
    ),
    "batch_apply": Case(
        lambda grids, backend: operations(backend).batch_apply(dsl.size, [objects(grid) for grid in grids]),
        lambda grid: dsl.apply(dsl.size, objects(grid)),
    ),
    "batch_compose": Case(
        lambda grids, backend: operations(backend).batch_compose(
            [(dsl.size, dsl.palette)] * len(grids), [(grid,) for grid in grids]
        ),
        lambda grid: dsl.size(dsl.palette(grid)),
    ),
    "batch_colorfilter": Case(
        lambda grids, backend: operations(backend).batch_colorfilter([objects(grid) for grid in grids], 2),
        lambda grid: dsl.colorfilter(objects(grid), 2),
    ),
    "batch_rot90": Case(lambda grids, backend: operations(backend).batch_rot90(grids), dsl.rot90),
    "batch_hmirror": Case(lambda grids, backend: operations(backend).batch_hmirror(grids), dsl.hmirror),
    "batch_vmirror": Case(lambda grids, backend: operations(backend).batch_vmirror(grids), dsl.vmirror),
    "batch_transpose": Case(lambda grids, backend: operations(backend).batch_transpose(grids), dsl.dmirror),
    "batch_colorcount": Case(
        lambda grids, backend: operations(backend).batch_colorcount(grids, 0), lambda grid: dsl.colorcount(grid, 0)
    ),
    "batch_difference_tuple": Case(
        lambda grids, backend: operations(backend).batch_difference_tuple(grids, [((0, 0),)] * len(grids)),
        lambda grid: dsl.difference_tuple(grid, ((0, 0),)),
    ),
    "batch_fill": Case(
        lambda grids, backend: operations(backend).batch_fill(grids, 4, [frozenset({(0, 0)})] * len(grids)),
        lambda grid: dsl.fill(grid, 4, frozenset({(0, 0)})),
    ),
    "batch_fgpartition": Case(lambda grids, backend: operations(backend).batch_fgpartition(grids), dsl.fgpartition),
    "batch_gravitate": Case(
        lambda grids, backend: operations(backend).batch_gravitate(
            [dsl.ofcolor(grid, 2) for grid in grids], [dsl.asindices(grid) for grid in grids]
        ),
        lambda grid: dsl.gravitate(dsl.ofcolor(grid, 2), dsl.asindices(grid)),
    ),
    "batch": Case(lambda grids, backend: operations(backend).batch("palette", grids), dsl.palette),
    "batch_process_samples_gpu": Case(
        lambda grids, backend: on_samples(grids), pattern, most=50  # of 10,000 samples there is a test of its own
    ),
    "process_tasks_batch": Case(processed, dsl.rot90),
    "stream": Case(streamed, dsl.rot90, misfit=ArcbattError),
    "profile_batt_operations": Case(profiled, lambda grid: "counted", misfit=ArcbattError),
    "accelerate": Case(accelerated, dsl.rot90, misfit=as_it_was),
    "batching": Case(collected, dsl.rot90),
}  # fmt: skip
cases = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu), "lanes"])
def backend(request, monkeypatch, tmp_path_factory):
    """Where it runs; `lanes` is the GPU's whole path over a CuPy made of NumPy."""
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))
    if request.param == "cuda":
        if why_no_gpu() is not None:
            pytest.skip(why_no_gpu())
        monkeypatch.delenv("ARCBATT_CACHE")  # kernels take long to compile
    elif request.param == "lanes":
        pytest.importorskip("arcbatt._core_lanes")
        from engine import fake_cupy

        fake_cupy.install(monkeypatch, free=1 << 28)
    engine_for.cache_clear()
    yield "cpu" if request.param == "cpu" else "cuda"
    engine_for.cache_clear()


@cases
def test_nothing(case, backend):
    assert list(case.run([], backend)) == []


@cases
def test_one(case, backend):
    assert list(case.run([A], backend)) == [case.want(A)]


@cases
def test_mixed_shapes(case, backend):
    assert list(case.run(MIXED, backend)) == [case.want(grid) for grid in MIXED]


@cases
def test_ten_thousand(case, backend, request):
    if "lanes" in request.node.callspec.id:
        pytest.skip("emulated lanes are for a few items")
    times = case.most // 5
    assert list(case.run(MIXED[:5] * times, backend)) == [case.want(grid) for grid in MIXED[:5]] * times


def test_ten_thousand_samples_of_one_task(backend, request):
    times = 4 if "lanes" in request.node.callspec.id else 2_000
    pairs = tuple((grid, dsl.hmirror(grid)) for grid in MIXED[:5] * times)
    inputs, outputs, colours, others = documents.batch_process_samples_gpu(pairs)
    assert (inputs, outputs) == (tuple(MIXED[:5] * times), tuple(dsl.hmirror(grid) for grid in MIXED[:5] * times))
    assert colours == others == dsl.mapply(dsl.p_g, tuple(MIXED[:5] * times))


@cases
@pytest.mark.parametrize("bad", NO_GRIDS, ids=["text", "number", "ragged", "cube"])
def test_a_grid_that_is_no_grid(case, backend, bad):
    given = [MIXED[1], bad, A]
    if case.misfit is ArcbattError:
        with pytest.raises(ArcbattError):
            case.run(given, backend)
        return
    found = list(case.run(given, backend))
    assert (found[0], found[2]) == (case.want(MIXED[1]), case.want(A))
    if case.misfit is as_it_was:
        assert repr(found[1]) == repr(as_it_was(bad))
    elif isinstance(bad, tuple) and not isinstance(case.want(bad), Failed):
        assert found[1] in (case.want(bad), FAILED)  # some primitives have a value for it
    else:
        assert has_failed(found[1])


def has_failed(outcome):
    return isinstance(outcome, Failed) or (
        isinstance(outcome, tuple) and any(isinstance(one, Failed) for one in outcome)
    )


def until_interrupted(run):
    signal.setitimer(signal.ITIMER_REAL, 0.03, 1.0)
    while True:
        run()


@cases
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_in_the_middle(case, backend, request):
    many = MIXED * (10 if "lanes" in request.node.callspec.id else 300)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            until_interrupted(lambda: case.run(many, backend))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(case.run(MIXED, backend)) == [case.want(grid) for grid in MIXED]


# --- functions that take an operation: one that raises, and one that gives something of another shape ---


def raising(grid):
    if bool((grid == 9).any()) if hasattr(grid, "any") else any(9 in row for row in grid):
        raise ValueError("a nine")
    return grid


def flat(grid):
    return grid[0]


def own_operation(function):
    def run(grids, backend):
        def own(grid):
            """As it is given."""
            return function(grid)

        op("Grid -> Grid")(own)
        try:
            return documents.batch_grid_operations(grids, "own", backend=backend)
        finally:
            remove_op("own")

    return run


OPERATIONS: dict[str, Callable[[Any], Callable[[list[Any], str], list[Any]]]] = {
    "batch_grid_operations": lambda function: (
        lambda grids, backend: documents.batch_grid_operations(grids, function, backend=backend)
    ),
    "gpu_grid_transform": lambda function: (
        lambda grids, backend: [documents.gpu_grid_transform(grid, function, backend=backend) for grid in grids]
    ),
    "batch_grid_op_optimized": lambda function: (
        lambda grids, backend: documents.batch_grid_op_optimized(grids, function, backend=backend)
    ),
    "batch_grid_op_multi_gpu": lambda function: (
        lambda grids, backend: documents.batch_grid_op_multi_gpu(grids, function, num_gpus=2)
    ),
    "arcbatt.op": own_operation,
    "batch_compose": lambda function: (
        lambda grids, backend: operations(backend).batch_compose(
            [(function,)] * len(grids), [(grid,) for grid in grids]
        )
    ),
    "batch_apply": lambda function: (
        lambda grids, backend: [
            one if isinstance(one, Failed) else one[0]
            for one in operations(backend).batch_apply(function, [(grid,) for grid in grids])
        ]
    ),
    "batch_mapply": lambda function: (
        lambda grids, backend: operations(backend).batch_mapply(function, [(grid,) for grid in grids])
    ),
    "batch_mapply_gpu": lambda function: (
        lambda grids, backend: documents.batch_mapply_gpu(function, [(grid,) for grid in grids])
    ),
    "multi_mapply_gpu": lambda function: (
        lambda grids, backend: documents.multi_mapply_gpu([(function, (grid,)) for grid in grids])
    ),
    "batch_process_samples_gpu": lambda function: (
        lambda grids, backend: [
            documents.batch_process_samples_gpu(((grid, grid),), [dsl.first, dsl.second, function, function])[2]
            for grid in grids
        ]
    ),
}
taking = pytest.mark.parametrize("name", OPERATIONS)
GIVES_ANYTHING = ("batch_compose", "batch_apply")
"""Functions to which any value is as good as another."""


@taking
def test_an_operation_that_raises(name, backend):
    found = list(OPERATIONS[name](raising)(MIXED, backend))
    assert [isinstance(one, Failed) for one in found] == [False] * 6 + [True]
    assert found[6] == FAILED
    assert "a nine" in found[6].detail or name == "arcbatt.op"
    assert found[:6] == MIXED[:6]


@taking
def test_an_operation_that_gives_another_shape(name, backend):
    wrong = (lambda grid: 5) if "mapply" in name or "process" in name else flat
    found = list(OPERATIONS[name](wrong)(MIXED, backend))
    if name in GIVES_ANYTHING:
        assert found == [grid[0] for grid in MIXED]
    else:
        assert found == [FAILED] * len(MIXED)


@taking
def test_an_operation_that_is_interrupted(name, backend):
    calls = []

    def interrupted(grid):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return grid

    with pytest.raises(KeyboardInterrupt):
        OPERATIONS[name](interrupted)(MIXED, backend)


# --- programs that fail, and that give no grid ---

BAD_PROGRAMS = {
    "raises": parse_program("def solve_turn(I):\n    return hsplit(I, ZERO)\n"),
    "another shape": parse_program("def solve_turn(I):\n    return palette(I)\n"),
}


@pytest.mark.parametrize("which", BAD_PROGRAMS)
def test_programs_that_fail_or_give_no_grid(which, backend, monkeypatch):
    monkeypatch.setitem(globals(), "TURN", BAD_PROGRAMS[which])
    assert streamed(MIXED, backend) == [None] * len(MIXED)
    assert profiled(MIXED, backend) == ["counted"] * len(MIXED)
    processor = documents.GPUBatchProcessor(use_gpu=backend != "cpu", programs=[TURN])
    results = processor.process_tasks_batch([("a", {"train": [{"input": A, "output": A}], "test": [{"input": A}]})])
    assert results[0].solved_by == ()
    assert results[0].failed == (2 if which == "raises" else 0)
    called = arcbatt.call_many(TURN, [(grid,) for grid in MIXED], backend=backend)
    reasons = [one.reason if isinstance(one, Failed) else None for one in called]
    assert reasons == [Reason.ZERO_DIVISION if which == "raises" else None] * len(MIXED)


def test_every_public_function_is_here():
    """The names a user can call, less those that are no functions over batches."""
    others = "GPUBatchProcessor GPUDSLOperations GPUOptimizer AsyncEngine op remove_op auto_select_optimizer"
    others += " configure_gpu_memory get_optimal_batch_size gpu_memory_cleanup"
    others += " MegaBatchCoordinator BatchInput BatchResult"
    others += " Failed Grid Program Run Sample Task Engine compile make_engine library load_tasks mutants parse"
    others += " run score solve submit crossover evolve"
    tested = " ".join([*CASES, *OPERATIONS, others])
    names = [*arcbatt.__all__, *documents.__all__]
    missing = [name for name in names if name not in tested and not name.startswith("_")]
    assert missing == ["batch_process_samples_multi_gpu"]  # the same function as the one without multi
