"""What happens when there is a GPU, with a backend that only says it is one."""

from __future__ import annotations

import sys
import threading
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import arcbatt
import arcbatt.engine.waves
from arcbatt import documents, dsl
from arcbatt.calls.many import engine_for
from arcbatt.engine import calls, cpu

A = ((1, 0, 2), (0, 0, 2))
B = ((3, 4), (5, 6))


class Engine(cpu.CpuEngine):
    backend = "cuda"

    def __init__(self, graph, *, devices=(), **options):
        super().__init__(graph, **options)
        self.devices = devices


class CallEngine(calls.CallEngine):
    backend = "cuda"
    devices: set[int] = set()  # noqa: RUF012

    def __init__(self, graph, *, device=0, threads=None):
        super().__init__(graph, threads=threads)
        self.device = device

    def run(self, rows, **options):
        self.devices.add(self.device)
        return super().run(rows, **options)


class Device:
    """A GPU as CuPy has it; which one is the current one of a thread."""

    current = threading.local()

    def __init__(self, number):
        self.number = number

    def __enter__(self):
        self.current.number = self.number

    def __exit__(self, *_):
        del self.current.number


@pytest.fixture
def gpu(monkeypatch):
    made, made_calls = ModuleType("arcbatt.engine.waves.engine"), ModuleType("arcbatt.engine.waves.calls")
    made.WaveEngine = Engine
    made_calls.CallEngine = CallEngine
    cupy = ModuleType("cupy")
    runtime = SimpleNamespace(getDeviceCount=lambda: 2, CUDARuntimeError=RuntimeError)
    cupy.asarray, cupy.cuda = np.asarray, SimpleNamespace(Device=Device, runtime=runtime)
    CallEngine.devices.clear()
    monkeypatch.setitem(sys.modules, "arcbatt.engine.waves.engine", made)
    monkeypatch.setitem(sys.modules, "arcbatt.engine.waves.calls", made_calls)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(arcbatt.engine.waves, "engine", made, raising=False)
    engine_for.cache_clear()
    yield made
    engine_for.cache_clear()


def test_grids_run_on_the_gpu_and_say_so(gpu):
    results = documents.batch_grid_operations([A, B], "rot90")
    assert results == [dsl.rot90(A), dsl.rot90(B)]
    assert (results.backend, results.note, results.ran) == ("cuda", "", {"cuda": 2})
    assert CallEngine.devices == {0}


@pytest.mark.parametrize("asked", [1, 2, None, 5])
def test_grids_are_shared_among_gpus(gpu, asked):
    grids = [A, B, "no grid", A, ((7,),)]
    results = documents.batch_grid_op_multi_gpu(grids, "rot90", num_gpus=asked)
    assert results == documents.batch_grid_operations(grids, "rot90", backend="cpu")
    assert (results.backend, results.ran, results.finished) == ("cuda", {"cuda": 4, "not run: no grid": 1}, True)
    assert CallEngine.devices == ({0} if asked == 1 else {0, 1})
    assert results.note == ("5 GPUs were asked for, 2 are there" if asked == 5 else "")


@pytest.mark.parametrize("asked", [1, 2, 5])
def test_array_functions_are_shared_among_gpus(gpu, asked):
    seen = set()

    def plus(grid):
        seen.add(getattr(Device.current, "number", None))
        return grid + 1

    grids = [A, B, "no grid", A, ((7,),), A]
    results = documents.batch_grid_op_multi_gpu(grids, plus, num_gpus=asked)
    assert results == documents.batch_grid_operations(grids, lambda grid: grid + 1, backend="cpu")
    assert (results.backend, len(results.done), results.finished) == ("cuda", 6, True)
    assert seen == ({None} if asked == 1 else {0, 1})
    assert results.note == ("5 GPUs were asked for, 2 are there" if asked == 5 else "")


def test_what_is_no_grid_comes_from_the_gpu_too(gpu):
    results = documents.batch_grid_operations([A, B], "palette")
    assert results == [dsl.palette(A), dsl.palette(B)]
    assert results.ran == {"cuda": 2}


def test_array_functions_get_the_gpus_arrays(gpu):
    results = documents.batch_grid_operations([A, A], lambda grid: grid + 1)
    assert results[0] == ((2, 1, 3), (1, 1, 3))
    assert results.backend == "cuda"


def test_calls_of_arguments_say_where_they_run(gpu):
    results = arcbatt.call_many("fill", [(A, 3, frozenset({(0, 0)}))])
    assert (results.backend, results.note, results.ran) == ("cuda", "", {"cuda": 1})


def test_a_processor_uses_it(gpu):
    processor = documents.GPUBatchProcessor(programs=[])
    assert processor.use_gpu
    assert processor.note == ""
    assert documents.GPUDSLOperations().use_gpu
    assert not documents.GPUDSLOperations(use_gpu=False).use_gpu
