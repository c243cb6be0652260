"""Devices, memory, workers and fallbacks on a real GPU. Needs no data but what is here:

PYTHONPATH=src python3 -m pytest --noconftest -m gpu tests/gpu
"""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from arcbatt.compiler.graph import merge
from arcbatt.devtools.measure import speed_of
from arcbatt.documents import (
    MultiGPUOptimizer,
    auto_select_optimizer,
    configure_gpu_memory,
    get_optimal_batch_size,
    gpu_memory_cleanup,
)
from arcbatt.engine import auto, cpu, speeds
from arcbatt.engine.choose import gpu_count, make_engine, why_no_gpu
from arcbatt.engine.cuda.device import device_count
from arcbatt.engine.devices import devices
from arcbatt.engine.waves import kernels
from arcbatt.engine.waves.ahead import kernels_of
from arcbatt.engine.waves.device_kernels import compile_for_devices, kept_kernels
from compiler.support import LIBRARY, random_sample
from engine.routes import to_cpu

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'arcbatt[cuda]'")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_count() == 0, reason="there is no NVIDIA GPU"),
]
GRAPH = merge(LIBRARY[::4])
SAMPLES = [random_sample(seed) for seed in range(200)]


@pytest.fixture(scope="module")
def want():
    return cpu.CpuEngine.of(GRAPH).run(SAMPLES, "grid")


@pytest.fixture
def pool():
    """CuPy's pool, empty and without a limit before and after."""
    found = cupy.get_default_memory_pool()
    for _ in range(2):
        found.set_limit(size=0)
        found.free_all_blocks()
        if _ == 0:
            yield found


def same(got, want):
    for name in ("statuses", "matches", "agreement", "hashes", "done"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name), name)
    for row in range(0, len(want.done), 5):
        for column in range(0, len(want.names), 3):
            ours, theirs = got.grid(row, column), want.grid(row, column)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)


def test_devices():
    assert why_no_gpu() is None
    found = devices()
    assert len(found) == gpu_count() >= 1
    for one in found:
        assert one.supported
        assert 0 < one.free_memory <= one.memory
        print(one, one.kind, one.architecture)


def test_kernels_are_compiled_ahead_and_found(tmp_path, monkeypatch, want):
    (made,) = compile_for_devices(kernels_of(LIBRARY[::4]), [0], tmp_path)
    monkeypatch.setenv("ARCBATT_CUBINS", str(tmp_path))
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "cache"))
    assert kept_kernels(0).path == made.path
    monkeypatch.setattr("arcbatt.engine.cuda.compile.compiled", None)  # nothing is compiled any more
    monkeypatch.setattr(kernels, "_MODULES", {})
    same(make_engine("cuda", GRAPH).run(SAMPLES, "grid"), want)


@pytest.mark.parametrize("fraction", [0.8, 0.02])
def test_peak_use_stays_below_the_fraction(pool, want, fraction):
    limit = configure_gpu_memory(0, fraction)
    assert pool.get_limit() == limit.limit
    engine = make_engine("cuda", GRAPH)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert not to_cpu(result)
    assert 0 < pool.total_bytes() <= limit.limit <= fraction * limit.free
    del engine, result
    assert gpu_memory_cleanup() >= 0


def test_little_memory_means_fewer_samples_at_a_time_then_the_cpu(pool, want):
    for limit in (512 << 20, 200 << 20, 2 << 20):
        pool.free_all_blocks()
        pool.set_limit(size=limit)
        engine = make_engine("cuda", GRAPH)
        same(engine.run(SAMPLES, "grid"), want)
        assert pool.total_bytes() <= limit
        del engine


def test_batch_sizes():
    assert get_optimal_batch_size(400, 10**9) > 64
    assert get_optimal_batch_size(400, 100) == 100


@pytest.mark.parametrize("workers", [2, 3])
def test_several_workers_on_one_device(workers, want):
    engine = make_engine("cuda", GRAPH, devices=(0,) * workers)
    for _ in range(2):
        result = engine.run(SAMPLES, "grid")
        same(result, want)
        assert not to_cpu(result)
        assert not result.recovered_errors
    assert len(engine.pool.processes) == workers


def test_every_device(want):
    if gpu_count() < 2:
        pytest.skip("there is one GPU")
    result = make_engine("cuda", GRAPH, devices=range(gpu_count())).run(SAMPLES, "grid")
    same(result, want)
    assert not to_cpu(result)


def test_a_worker_that_is_killed_is_replaced(want):
    engine = make_engine("cuda", GRAPH, devices=(0, 0))
    engine.run(SAMPLES[:20])
    killed = engine.pool.processes[0]
    os.kill(killed, signal.SIGKILL)
    result = engine.run(SAMPLES, "grid")
    same(result, want)
    assert not to_cpu(result)
    assert any("SIGKILL" in text for text in result.recovered_errors)
    assert killed not in engine.pool.processes


def test_a_poisoned_context_costs_a_worker(want, tmp_path):
    """A worker whose context is lost is replaced; tests/engine/poison.py does that to the first one."""
    from arcbatt.engine.workers import WorkerEngine, engine_worker

    spec = engine_worker("GPU 0", "engine.poison:Engine", marker=str(tmp_path / "poisoned"))
    result = WorkerEngine.of(GRAPH, specs=[spec, spec], backend="cuda").run(SAMPLES, "grid")
    same(result, want)
    assert not to_cpu(result)
    assert any("cudaError" in text or "CUDA_ERROR" in text for text in result.recovered_errors), result.recovered_errors


def test_auto_finds_the_faster_one(monkeypatch, want):
    monkeypatch.setattr(auto, "MEASURABLE", 0.0)
    monkeypatch.setattr(auto, "known_start", lambda name: 0.0)
    monkeypatch.setattr(auto, "record_start", lambda name, seconds: print(f"{name} took {seconds:.2f} s to start"))
    choice = auto.Choice(evaluations=10**12)
    result = make_engine("auto", GRAPH, choice=choice).run(SAMPLES, "grid")
    same(result, want)
    print(choice.rates)
    assert choice.rates.keys() >= {"cpu", "cuda"}


def test_speeds_of_both_engines():
    found = {
        "cpu": speed_of(lambda: make_engine("cpu", GRAPH), SAMPLES),
        "cuda": speed_of(lambda: make_engine("cuda", GRAPH), SAMPLES),
    }
    print(found, speeds.crossover(found["cpu"], found["cuda"]))
    assert all(one.rate > 0 for one in found.values())


def test_optimizers():
    grids = [((1, 2), (3, 4)), ((5, 6, 7),)] * 4
    optimizer = auto_select_optimizer()
    assert optimizer is not None
    results = optimizer.batch_grid_op_optimized(grids, "rot90")
    assert results[0] == ((3, 1), (4, 2))
    assert results.ran["cuda"] == len(grids)
    assert MultiGPUOptimizer().batch_grid_op_multi_gpu(grids, "rot90") == list(results)
