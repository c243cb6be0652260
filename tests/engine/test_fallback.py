"""What cannot run on a GPU runs on what is left: equal values, and it is said what fell back, how often and why."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.engine import choose, cpu
from arcbatt.engine.choose import backend_for, make_engine, why_no_gpu
from arcbatt.engine.cuda.compile import CompileError
from arcbatt.engine.outputs import Outputs
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.results import Results
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_STEPS
from arcbatt.runs.options import RunOptions
from arcbatt.runs.runner import run
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
    return fake_cupy.install(monkeypatch, free=1 << 28)


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


# --- no GPU to begin with ---
def without_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)


def raising(text):
    def count():
        raise sys.modules["cupy"].cuda.runtime.CUDARuntimeError(text)

    return count


NO_DEVICE = {
    "no device": (lambda: 0, "no NVIDIA device was found; check nvidia-smi"),
    "no driver, or too old": (
        raising("cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version"),
        "update the driver, or a CuPy for an older CUDA",
    ),
    "a device that does not answer": (
        raising("cudaErrorNoDevice: no CUDA-capable device is detected"),
        "no NVIDIA device can be used (cudaErrorNoDevice",
    ),
}


def test_without_cupy(monkeypatch, want):
    without_cupy(monkeypatch)
    remedy = "pip install 'arcbatt[cuda]'"
    assert remedy in why_no_gpu()
    result = make_engine("gpu", PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    (why,) = to_cpu(result)
    assert remedy in why
    assert result.rerouted().total() == ALL
    with pytest.raises(UsageError, match="pip install"):
        backend_for("cuda")


@pytest.mark.parametrize("case", NO_DEVICE)
def test_without_a_device(cuda, monkeypatch, want, case):
    count, words = NO_DEVICE[case]
    monkeypatch.setattr(cuda.cupy.cuda.runtime, "getDeviceCount", count)
    assert words in why_no_gpu()
    with pytest.raises(UsageError, match="use --backend cpu"):
        backend_for("cuda")
    result = make_engine("gpu", PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    (why,) = to_cpu(result)
    assert words in why
    assert result.rerouted().total() == ALL
    assert choose.gpu_count() == 0
    assert RunOptions.parse_devices("all") == ()


@pytest.mark.parametrize("backend", ["gpu", "cuda"])
def test_kernels_that_do_not_compile(cuda, monkeypatch, want, backend):
    def fails(*_, **__):
        raise CompileError("the GPU kernel did not compile: error: expected a ';'")

    monkeypatch.setattr(kernels, "compiled", fails)
    result = make_engine(backend, PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    assert [*to_cpu(result)] == ["GPU 0 failed: CompileError: the GPU kernel did not compile: error: expected a ';'"]


@pytest.mark.parametrize("backend", ["gpu", "auto"])
def test_a_run_never_fails_for_lack_of_a_gpu(monkeypatch, backend):
    without_cupy(monkeypatch)
    summary = run(RunOptions(backend=backend), PROGRAMS, TASKS)
    same_run(summary)
    assert (summary.rerouted().total() == summary.evaluations) == (backend == "gpu")


# --- memory ---
def test_all_of_it_fits_in_the_fraction(cuda, fake, want):
    engine = cuda.WaveEngine.of(PROGRAMS, memory_fraction=0.5)
    same(engine.run(SAMPLES, "grid"), want)
    assert 0 < engine.waves.runner(MAX_STEPS).heap.words * 4 <= 0.5 * (1 << 28)


def test_a_limit_of_the_pool_is_kept(cuda, fake, want):
    fake.pool.set_limit(size=128 << 20)
    result = cuda.WaveEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    assert fake.pool.peak <= 128 << 20
    assert not to_cpu(result)


def test_a_heap_there_is_no_memory_for_is_made_smaller(cuda, fake, want):
    fake.pool.set_limit(size=96 << 20)
    engine = cuda.WaveEngine.of(PROGRAMS, heap_bytes=1 << 27)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert engine.waves.runner(MAX_STEPS).heap.words * 4 == 1 << 26
    assert not to_cpu(result)


def test_out_of_memory_makes_batches_smaller(cuda, fake, monkeypatch, want):
    make = Results.make
    seen = []

    def small(cupy, samples, *rest):
        seen.append(samples)
        if samples > 6:
            raise fake.cuda.memory.OutOfMemoryError(1 << 30, 0)
        return make(cupy, samples, *rest)

    monkeypatch.setattr(Results, "make", small)
    engine = cuda.WaveEngine.of(PROGRAMS)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert seen[0] == 24
    assert sum(samples for samples in seen if samples <= 6) == 24, "each sample once"
    assert not to_cpu(result)


def test_what_there_is_no_memory_for_at_all_goes_to_the_cpu(cuda, fake, monkeypatch, want):
    def none(*_):
        raise fake.cuda.memory.OutOfMemoryError(1 << 30, 0)

    monkeypatch.setattr(Results, "make", none)
    result = cuda.WaveEngine.of(PROGRAMS).run(SAMPLES, "grid")
    same(result, want)
    assert set(to_cpu(result)) == {"too big or too long for GPU 0"}
    assert result.rerouted().total() == ALL


def test_no_memory_for_a_heap(cuda, fake, want):
    fake.pool.set_limit(size=1 << 16)
    result = cuda.WaveEngine.of(PROGRAMS).run(SAMPLES, "hash")
    np.testing.assert_array_equal(result.hashes, want.hashes)
    assert result.rerouted().total() == ALL
    assert fake.pool.peak <= 1 << 16


# --- a device that fails in the middle ---
def test_the_rest_of_a_run_goes_to_the_cpu(cuda, fake, want):
    engine = cuda.WaveEngine.of(PROGRAMS)
    engine.run(SAMPLES[:2], "grid")
    fake.fail_at = len(fake.launches) + 20
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    why = "GPU 0 failed: _CudaError: cudaErrorIllegalAddress: an illegal memory access was encountered"
    assert set(to_cpu(result)) == {why}
    assert result.recovered_errors == {why: 1}
    launches = len(fake.launches)
    again = engine.run(SAMPLES, "grid")
    same(again, want)
    assert set(to_cpu(again)) == {why}
    assert again.rerouted().total() == ALL
    assert len(fake.launches) == launches


def test_a_device_that_another_thread_loses_as_a_run_begins(cuda, fake, monkeypatch, want):
    engine = cuda.WaveEngine.of(PROGRAMS)
    empty = Outputs.empty

    def lost_meanwhile(*args):
        engine.waves.lost = "GPU 0 failed"
        return empty(*args)

    monkeypatch.setattr(Outputs, "empty", lost_meanwhile)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert not fake.launches  # it is not tried again,
    assert result.rerouted().total() == ALL  # and that is said
    assert result.recovered_errors == {"GPU 0 failed": 1}


def test_a_worker_does_not_go_on_after_it(cuda, fake):
    fake.fail_at = 1
    engine = cuda.WaveEngine.of(PROGRAMS, keep_going=False)
    with pytest.raises(RuntimeError, match="cudaErrorIllegalAddress"):
        engine.run(SAMPLES)


@pytest.mark.parametrize("backend", ["gpu", "cuda"])
def test_a_whole_run_says_so(cuda, fake, backend, capsys):
    from arcbatt.cli.summary import Shape, print_run

    fake.fail_at = 1
    summary = run(RunOptions(backend=backend), PROGRAMS, TASKS)
    same_run(summary)
    assert summary.backends == {"cuda": summary.evaluations}
    assert summary.rerouted().total() == summary.evaluations
    print_run(summary.record, Shape())
    shown = capsys.readouterr().out
    assert f"rerouted: {summary.evaluations:,} evaluations ran on another tier" in shown
    assert "1 GPU 0 failed: _CudaError: cudaErrorIllegalAddress" in shown
