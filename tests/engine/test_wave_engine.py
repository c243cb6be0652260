"""The engine of waves without a GPU: its outcomes, and what goes to the tiers below, against the CPU engine's."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from arcbatt.calls.custom import op, remove_op
from arcbatt.compiler.program_set import compile
from arcbatt.data.packing import pack_samples
from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine import custom_build, parted
from arcbatt.engine.api import RunRequest
from arcbatt.engine.choose import make_engine
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.cuda.compile import CompileError
from arcbatt.engine.outputs import Route
from arcbatt.engine.tiers import CPU
from arcbatt.engine.waves import ends, kernels
from arcbatt.errors import UsageError
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program, parse_text
from compiler.support import LIBRARY
from emulated import _waves_1, _waves_32
from engine import fake_cupy

TASKS = list(load_tasks("arcagi"))
SAMPLES = [sample for task in TASKS[::40] for sample in task.samples][:10]
HEAVY = parse_program(
    "def solve_heavy(I):\n x = asindices(canvas(ZERO, (16, 16)))\n O = prapply(connect, x, x)\n return O"
)


@pytest.fixture
def waves(monkeypatch):
    return fake_cupy.install(monkeypatch, free=1 << 28)


def check(waves, programs, samples=SAMPLES, outputs="grid", heap_bytes=0, engine=None, **options):
    """Compare all outcomes; the engine's own."""
    compiled = compile(programs)
    engine = engine or waves.WaveEngine(compiled, threads=1, heap_bytes=heap_bytes)
    found = engine.run(samples, outputs, **options)
    expected = CpuEngine(compiled, threads=1).run(samples, outputs, **options)
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    if outputs == "grid":
        for row in range(len(samples)):
            for column in range(len(compiled.names)):
                one, other = found.grid(row, column), expected.grid(row, column)
                assert (one is None) == (other is None)
                assert one is None or np.array_equal(one, other)
    return found


def test_the_library(waves):
    found = check(waves, LIBRARY[::8])
    assert found.matches.any()
    assert not found.recovered_errors


@pytest.mark.parametrize("seed", range(3))
def test_random_programs_with_fewer_steps(waves, seed):
    source = Generator(f"wave engine {seed}")
    programs = [source.program(f"solve_{number}", lines=12, samples=number % 3 == 0) for number in range(40)]
    programs += mutants(LIBRARY[seed::8], 40, seed)
    for options in ({}, {"max_steps": 2_000}, {"max_total": 5_000}):
        check(waves, programs, SAMPLES[:4], "hash", **options)


def test_what_does_not_fit_with_others_runs_apart_and_then_on_the_cpu(waves):
    programs = [*LIBRARY[::20], HEAVY]
    for heap_bytes, on_cpu in ((1 << 27, False), (1 << 23, True)):
        engine = waves.WaveEngine(compile(programs), threads=1, heap_bytes=heap_bytes)
        found = check(waves, programs, SAMPLES[:4], "hash", heap_bytes=heap_bytes, engine=engine)
        heavy = found.route[:, found.names.index(HEAVY.name)]
        assert bool(heavy.any()) == on_cpu
        if on_cpu:
            assert found.routes[int(heavy.max()) - 1].tier == CPU
            assert engine.device_stats.tried[0].values == len(programs)
            assert [one.values for one in engine.device_stats.tried].count(1) < 4  # not again on all other samples
        assert on_cpu == any(not one.fitted for one in engine.device_stats.tried)
        assert not np.delete(found.route, found.names.index(HEAVY.name), axis=1).any()


def test_a_run_again_does_the_same(waves):
    compiled = compile([*LIBRARY[::30], HEAVY])
    engine = waves.WaveEngine(compiled, threads=1, heap_bytes=1 << 23)
    first, second = (engine.run(SAMPLES[:4], "hash") for _ in range(2))
    assert np.array_equal(first.hashes, second.hashes)
    other = engine.run(SAMPLES[4:9], "match")
    assert np.array_equal(other.statuses, CpuEngine(compiled, threads=1).run(SAMPLES[4:9]).statuses)


COUNTED = """
def solve_long(I):
    return canvas(TWO, astuple(ONE, power(compose(increment, identity), size(ofcolor(I, ONE)))(ONE)))

def solve_in_a_loop(I):
    x1 = power(rbind(shift, RIGHT), size(ofcolor(I, ONE)))
    return fill(I, THREE, mapply(x1, apply(toindices, objects(I, T, F, T))))

def solve_short(I):
    return power(vmirror, THREE)(I)
"""


def test_powers_that_take_far_longer_than_all_others_are_left_to_the_cpu(waves):
    few = [Sample(((1, 0, 1), (0, number % 2, 0)), (), None) for number in range(150)]
    many = Sample(((0,) * 9, *((1,) * 9,) * 8), (), None)
    samples = pack_samples([*few[:40], many, *few[40:]])
    compiled = compile(parse_text(COUNTED).check())
    expected = CpuEngine(compiled, threads=1).execute(RunRequest(samples, outputs="hash"))
    engine = waves.WaveEngine(compiled, threads=1)
    for _ in range(4):  # the first, one after which launches are as large as that, one that is timed, one after it
        found = engine.execute(RunRequest(samples, outputs="hash"))
        assert np.array_equal(found.hashes, expected.hashes)
        assert np.array_equal(found.statuses, expected.statuses)
        assert np.argwhere(found.route).tolist() == [[40, 0], [40, 1]]


@pytest.mark.parametrize("processes", [0, 2])
def test_many_programs_run_by_groups(waves, monkeypatch, processes):
    monkeypatch.setattr(waves, "_MOST_PROGRAMS", 7)
    monkeypatch.setattr(parted, "helpful", lambda later, threads: processes)
    programs = [*LIBRARY[::20], HEAVY]
    for heap_bytes in (0, 1 << 23):
        found = check(waves, programs, SAMPLES[:4], "hash", heap_bytes=heap_bytes)
        assert found.route[:, found.names.index(HEAVY.name)].any() == bool(heap_bytes)
    engine = waves.WaveEngine(compile(programs), threads=1, heap_bytes=1 << 23)
    first, again = (engine.execute(RunRequest(pack_samples(SAMPLES[:4]), outputs="hash")) for _ in range(2))
    assert len(engine.waves.groups) == -(-len(programs) // 7)
    assert np.array_equal(first.hashes, again.hashes)
    stopped = engine.execute(RunRequest(pack_samples(SAMPLES[:4]), stop=lambda: True))
    assert not stopped.done.any()


def test_steps_count_for_the_programs_that_need_their_calls(waves):
    samples = pack_samples(SAMPLES[:6])
    light = ("vmirror(I)", "apply(first, I)", "extract(I, identity)")
    programs = [parse_program(f"def solve_{n}(I):\n return {text}") for n, text in enumerate(light)]
    compiled = compile([*programs, HEAVY])
    request = RunRequest(samples, outputs="hash", max_total=200_000)
    expected = CpuEngine(compiled, threads=1).execute(request)
    found = waves.WaveEngine(compiled, threads=1).execute(request)
    assert np.array_equal(found.hashes, expected.hashes)
    assert np.array_equal(found.statuses, expected.statuses)
    heavy = found.names.index(HEAVY.name)
    assert found.route[:, heavy].any()
    assert not np.delete(found.route, heavy, axis=1).any()


def test_a_device_that_fails_is_not_used_again(waves, monkeypatch):
    compiled = compile(LIBRARY[::40])
    engine = waves.WaveEngine(compiled, threads=1)

    def fail(*_, **__):
        raise RuntimeError("the device is gone")

    monkeypatch.setattr(waves.WaveRunner, "outputs", fail)
    found = engine.run(SAMPLES[:3], "hash")
    assert np.array_equal(found.hashes, CpuEngine(compiled, threads=1).run(SAMPLES[:3], "hash").hashes)
    assert "the device is gone" in engine.lost_device
    assert found.rerouted() == {Route(CPU, engine.lost_device): found.statuses.size}
    again = engine.run(SAMPLES[:3], "hash")
    assert np.array_equal(found.hashes, again.hashes)
    with pytest.raises(RuntimeError):
        waves.WaveEngine(compiled, threads=1, keep_going=False).run(SAMPLES[:3])


ODD = {
    "number": "return height(I)",
    "objects": "return o_g(I, R5)",
    "rows": "x1 = height(I)\n    return repeat(repeat(ONE, x1), TWO)",
    "nothing": "return crop(I, ORIGIN, ORIGIN)",
    "failing": "return first(sizefilter(o_g(I, R5), THREE_BY_THREE))",
    "void": "x1 = difference(asindices(I), asindices(I))\n    return ulcorner(x1)",
    "samples": "return apply(first, S)",
    "expected": "return hmirror(C)",
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_outputs(waves, name):
    params = "S, I, C" if name in ("samples", "expected") else "I"
    check(waves, [parse_program(f"def solve_a({params}):\n    {ODD[name]}\n")], TASKS[3].samples)


def odd_grid(seed, height, width, colours):
    draw = random.Random(seed)
    return Sample(tuple(tuple(draw.choice(colours) for _ in range(width)) for _ in range(height)))


def test_objects_in_every_mode_of_grids_of_all_sizes(waves):
    """Those that a warp has room for close by, and larger ones."""
    text = "".join(f"def solve_m{mode}(I):\n    return o_g(I, R{mode})\n\n" for mode in range(8))
    shapes = (1, 1), (1, 30), (30, 1), (3, 3), (9, 11), (20, 21), (25, 26), (30, 30), (29, 32)
    usual = [0], [0, 0, 1], [0, 0, 0, 1, 2], list(range(10))
    samples = [odd_grid(seed, *shape, usual[seed % 4]) for seed, shape in enumerate(shapes)]
    samples += [odd_grid(1, 31, 30, [0, 0, 3]), odd_grid(2, 5, 64, [0, 1])]
    samples += [odd_grid(3, 6, 6, [0, 1, 31, 32]), odd_grid(4, 6, 6, [0, -1, 5])]  # colours that labels are not for
    check(waves, parse_text(text).check(), samples, "hash")


def test_more_grids_than_the_pool_held(waves, monkeypatch):
    monkeypatch.setattr(ends, "_POOL_BYTES", 64)
    check(waves, LIBRARY[:2])


def test_threads_share_an_engine(waves):
    compiled = compile(LIBRARY[::50])
    engine, alone = waves.WaveEngine(compiled, threads=1), CpuEngine(compiled, threads=1)
    parts = [TASKS[number].samples for number in range(0, 80, 20)]
    with ThreadPoolExecutor(4) as pool:
        for found, samples in zip(pool.map(lambda part: engine.run(part, "hash"), parts), parts, strict=True):
            assert np.array_equal(found.hashes, alone.run(samples, "hash").hashes)


def test_a_device_that_is_not_there(waves):
    with pytest.raises(UsageError, match="no GPU number 3: 1 are visible"):
        waves.WaveEngine.of(LIBRARY[:1], devices=[3])


def test_a_run_can_be_stopped(waves):
    engine = waves.WaveEngine(compile(LIBRARY[::40]), threads=1)
    found = engine.execute(RunRequest(pack_samples(SAMPLES), stop=lambda: True))
    assert not found.done.any()


def test_it_is_chosen_by_name(waves):
    for name in ("cuda", "waves"):
        assert make_engine(name, LIBRARY[:2]).backend == waves.WaveEngine.backend == "cuda"


@pytest.fixture
def own():
    """Custom operations: one by an expression, one by a source; the kernels of waves know the latter."""

    def own_cells(grid, by):
        """Zeros become a number, others are divided by it."""

    def own_sum(a, b):
        """A sum."""
        return a + b

    op("Grid, Int -> Grid", cells="where(x == 0, by, max(x, at(0, 1)) // by)")(own_cells)
    op("Int, Int -> Int", source="out = a + b;\nreturn OK;")(own_sum)
    programs = parse_text(OWN).check()
    for core in (_waves_1, _waves_32):
        assert custom_build.missing(compile(programs).graph, core) == {}
    yield programs
    for name in ("own_cells", "own_sum"):
        remove_op(name)


OWN = """
def solve_cells(I):
    return rot90(own_cells(I, 3))

def solve_loop(I):
    x1 = apply(rbind(own_sum, TWO), palette(I))
    return canvas(maximum(x1), (own_sum(height(I), ONE), TWO))

def solve_plain(I):
    return hmirror(I)
"""


def test_custom_operations(waves, own):
    found = check(waves, own)
    assert not found.rerouted()
    assert found.matches.shape == (len(SAMPLES), 3)


def test_a_custom_operation_that_does_not_compile(waves, own, monkeypatch):
    compiled = kernels.compiled

    def fails(nvrtc, wanted, arch):
        if any(one.custom for one in wanted):
            raise CompileError("no such type")
        return compiled(nvrtc, wanted, arch)

    monkeypatch.setattr(kernels, "compiled", fails)
    found = check(waves, own)
    assert found.program_routes["solve_loop"].tier == CPU
    assert "does not compile for the GPU" in found.program_routes["solve_loop"].why
    assert found.rerouted().total() == len(SAMPLES)
