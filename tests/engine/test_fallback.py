"""What cannot run on a GPU runs on what is left: equal values, and it is said what fell back, how often and why."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from arcbatt.compiler.abi import LAUNCH, PROGRESS
from arcbatt.data.tasks import load_tasks
from arcbatt.engine import cpu
from arcbatt.engine.cuda.compile import KernelOptions
from arcbatt.engine.cuda.results import Results
from arcbatt.engine.outputs import Outputs
from arcbatt.runs.options import RunOptions
from arcbatt.runs.runner import run
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_sample
from engine import fake_cupy
from engine.routes import to_cpu, to_dynamic

PROGRAMS = LIBRARY[::40]
SAMPLES = [random_sample(seed) for seed in range(24)]
TASKS = list(load_tasks("arcagi"))[:6]
ALL = len(SAMPLES) * len(PROGRAMS)


@pytest.fixture
def cuda(monkeypatch):
    """The GPU backend over a CuPy that is none."""
    return fake_cupy.install(monkeypatch, free=1 << 26)


@pytest.fixture
def fake(cuda):
    return cuda.cupy


@pytest.fixture(scope="module")
def want():
    return cpu.CpuEngine.of(PROGRAMS).run(SAMPLES, "grid")


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    assert to_dynamic(got) == to_dynamic(want)
    for sample in range(len(want.done)):
        for program in range(len(want.names)):
            ours, theirs = got.grid(sample, program), want.grid(sample, program)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


def same_run(summary):
    """Whether a run's record is that of the CPU engine."""
    plain = run(RunOptions(backend="cpu"), PROGRAMS, TASKS)
    assert list(summary.record.dump()) == list(plain.record.dump())


# --- memory ---
def test_all_of_it_fits_in_the_fraction(cuda, fake, want):
    engine = cuda.CudaEngine.of(PROGRAMS, memory_fraction=0.5)
    same(engine.run(SAMPLES, "grid"), want)
    assert 0 < fake.pool.peak <= 0.5 * (1 << 26)


def test_fewer_arenas_where_the_pool_is_small(cuda, fake, want):
    fake.pool.set_limit(size=6 << 20)
    engine = cuda.CudaEngine.of(PROGRAMS, arena_bytes=1 << 18, kernel=KernelOptions(blocks=2))
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert fake.pool.peak <= 6 << 20
    a_block = engine.cuda.kernel.groups
    assert max(fake.launches) * a_block < engine.cuda.groups
    assert not result.recovered_errors
    assert not to_cpu(result)


def test_out_of_memory_halves_the_launches(cuda, fake, monkeypatch, want):
    make = Results.make
    seen = []

    def small(cupy, samples, *rest):
        seen.append(samples)
        if samples > 6:
            raise fake.cuda.memory.OutOfMemoryError(1 << 30, 0)
        return make(cupy, samples, *rest)

    monkeypatch.setattr(Results, "make", small)
    engine = cuda.CudaEngine.of(PROGRAMS)
    progress = []
    result = engine.run(SAMPLES, "grid", progress=progress.append)
    same(result, want)
    assert seen == [24, 12, 6, 6, 6, 6]
    assert progress == [6, 12, 18, 24, 24]
    assert result.recovered_errors == {"GPU 0 ran out of memory: launches were halved": 2}
    assert not to_cpu(result)
    assert not engine.run(SAMPLES, "grid").recovered_errors  # it is remembered


def test_a_sample_that_does_not_fit_at_all_goes_to_the_cpu(cuda, fake, monkeypatch, want):
    def none(*_):
        raise fake.cuda.memory.OutOfMemoryError(1 << 30, 0)

    monkeypatch.setattr(Results, "make", none)
    result = cuda.CudaEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    assert set(to_cpu(result)) == {"a sample did not fit in the memory of GPU 0"}
    assert result.rerouted().total() == ALL


def test_no_room_for_a_block_of_arenas(cuda, fake, want):
    fake.pool.set_limit(size=1 << 16)
    result = cuda.CudaEngine.of(PROGRAMS, slices=1).run(SAMPLES, "hash")
    np.testing.assert_array_equal(result.hashes, want.hashes)
    assert result.rerouted().total() == ALL
    assert fake.pool.peak <= 1 << 16


def test_items_too_big_for_any_arena_are_named(cuda, fake):
    text = "return size(apply(rbind(shift, UNITY), repeat(asobject(I), 4000)))"
    programs = [parse_program(f"def solve_big(I):\n    {text}\n")]
    fake.pool.set_limit(size=1 << 19)
    result = cuda.CudaEngine.of(programs, arena_bytes=1 << 15).run(SAMPLES[:3], "hash")
    np.testing.assert_array_equal(result.hashes, cpu.CpuEngine.of(programs).run(SAMPLES[:3], "hash").hashes)
    assert to_cpu(result)["too big for an arena on GPU 0"] > 0


def test_what_fits_nowhere_is_tried_once_and_counted_when_it_is_done(cuda, fake, monkeypatch):
    """What overflows on the CPU too goes on, not by way of the CPU again; and it does not count as finished before."""
    make, ran = cpu.CpuTier.__init__, cpu.CpuTier.run
    tried = []

    def small(tier, *args, **options):
        make(tier, *args, **(options | {"arena_bytes": 0, "most_bytes": 0}))

    def counted(tier, request, *rest):
        tried.append(len(request.samples))
        ran(tier, request, *rest)

    monkeypatch.setattr(cpu.CpuTier, "__init__", small)
    monkeypatch.setattr(cpu.CpuTier, "run", counted)
    monkeypatch.setattr(cuda, "_LAUNCH_SAMPLES", (4, 4))
    fake.pool.set_limit(size=1 << 19)
    program = parse_program("def solve_big(I):\n    return size(asobject(upscale(I, 30)))\n")
    progress = []
    engine = cuda.CudaEngine.of([program, PROGRAMS[0]], arena_bytes=1 << 15, slices=2)
    result = engine.run(SAMPLES[:12], "hash", progress=progress.append)
    assert to_dynamic(result)["overflow"]
    assert sum(tried) == engine.cuda.last.on_cpu == to_cpu(result).total() + to_dynamic(result)["overflow"]
    assert progress == sorted(progress)
    assert progress[-1] == 12


# --- a device that fails in the middle ---
def test_the_rest_of_a_run_goes_to_the_cpu(cuda, fake, monkeypatch, want):
    monkeypatch.setattr(cuda, "_LAUNCH_SAMPLES", (5, 5))
    fake.fail_at = 3
    engine = cuda.CudaEngine.of(PROGRAMS, arena_bytes=1 << 22)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    why = "GPU 0 failed: _CudaError: cudaErrorIllegalAddress: an illegal memory access was encountered"
    assert set(to_cpu(result)) == {why}
    assert (result.route[10:] > 0).all()
    assert result.recovered_errors == {why: 1}
    launches = len(fake.launches)
    again = engine.run(SAMPLES, "grid")
    same(again, want)
    assert set(to_cpu(again)) == {why}
    assert again.rerouted().total() == ALL
    assert len(fake.launches) == launches


def test_a_device_that_another_thread_loses_as_a_run_begins(cuda, fake, monkeypatch, want):
    engine = cuda.CudaEngine.of(PROGRAMS)
    empty = Outputs.empty

    def lost_meanwhile(*args):
        engine.cuda.lost = "GPU 0 failed"
        return empty(*args)

    monkeypatch.setattr(Outputs, "empty", lost_meanwhile)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert not fake.launches  # it is not tried again,
    assert result.rerouted().total() == ALL  # and that is said
    assert result.recovered_errors == {"GPU 0 failed": 1}


def test_at_the_very_start(cuda, fake, want):
    fake.fail_at = 1
    result = cuda.CudaEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    assert result.rerouted().total() == ALL


def test_a_worker_does_not_go_on_after_it(cuda, fake):
    fake.fail_at = 1
    engine = cuda.CudaEngine.of(PROGRAMS, keep_going=False)
    with pytest.raises(RuntimeError, match="cudaErrorIllegalAddress"):
        engine.run(SAMPLES)


def test_a_launch_that_leaves_tasks_undone(cuda, fake, monkeypatch, want):
    engine = cuda.CudaEngine.of(PROGRAMS, arena_bytes=1 << 22)
    launch = engine.cuda._function

    def short(blocks, threads, args, **rest):
        """As a launch, but that it says a task is open still."""
        launch(blocks, threads, args, **rest)
        address = int(args[0].view(LAUNCH.dtype)["progress"][0])
        progress = (ctypes.c_uint32 * PROGRESS.words).from_address(address)
        progress[PROGRESS.place("open")] = 1

    monkeypatch.setattr(engine.cuda, "_function", short)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    why = "GPU 0 failed: UnfinishedError: 1 tasks of a launch were left undone"
    assert set(to_cpu(result)) == {why}
    assert result.rerouted().total() == ALL
    assert result.recovered_errors == {why: 1}
