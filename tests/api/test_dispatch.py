"""What happens when there is a GPU, with a backend that only says it is one."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

import arcbatt
from arcbatt import dsl
from arcbatt.api.calls import engine_for
from arcbatt.backends import calls, cpu

A = ((1, 0, 2), (0, 0, 2))
B = ((3, 4), (5, 6))


class Engine(cpu.Engine):
    backend = "cuda"

    def __init__(self, graph, *, devices=(), **options):
        super().__init__(graph, **options)
        self.devices = devices


@pytest.fixture
def gpu(monkeypatch):
    made = ModuleType("arcbatt.backends.cuda")
    made.device_count = lambda: 2
    made.Engine = Engine
    monkeypatch.setitem(sys.modules, "arcbatt.backends.cuda", made)
    monkeypatch.setitem(sys.modules, "cupy", np)
    monkeypatch.setattr(arcbatt.backends, "cuda", made, raising=False)
    engine_for.cache_clear()
    yield made
    engine_for.cache_clear()


def test_grids_run_on_the_gpu_and_say_so(gpu):
    results = arcbatt.batch_grid_operations([A, B], "rot90")
    assert results == [dsl.rot90(A), dsl.rot90(B)]
    assert (results.backend, results.note, results.ran) == ("cuda", "", {"cuda": 2})


def test_workers_that_find_no_gpu_leave_the_work_to_the_cpu_engine(gpu):
    results = arcbatt.batch_grid_op_multi_gpu([A, B], "rot90", num_gpus=2)
    assert results == [dsl.rot90(A), dsl.rot90(B)]
    assert results.ran == {"cpu: no worker is left": 2, "cuda": 0}


def test_what_is_no_grid_comes_from_the_cpu_engine_and_is_counted(gpu):
    results = arcbatt.batch_grid_operations([A, B], "palette")
    assert results == [dsl.palette(A), dsl.palette(B)]
    assert results.ran == {"cpu": 2, "cuda": 0}


def test_array_functions_get_the_gpus_arrays(gpu):
    results = arcbatt.batch_grid_operations([A, A], lambda grid: grid + 1)
    assert results[0] == ((2, 1, 3), (1, 1, 3))
    assert results.backend == "cuda"


def test_calls_of_arguments_say_where_they_run(gpu):
    results = arcbatt.call_many("fill", [(A, 3, frozenset({(0, 0)}))])
    assert results.backend == "cpu"
    assert "not calls of arguments" in results.note
    gpu.CallEngine = calls.CallEngine
    results = arcbatt.call_many("fill", [(A, 3, frozenset({(0, 0)}))])
    assert (results.backend, results.note) == ("cuda", "")


def test_a_processor_uses_it(gpu):
    processor = arcbatt.GPUBatchProcessor(programs=[])
    assert processor.use_gpu
    assert processor.note == ""
    assert arcbatt.GPUDSLOperations().use_gpu
    assert not arcbatt.GPUDSLOperations(use_gpu=False).use_gpu
