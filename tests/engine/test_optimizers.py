from __future__ import annotations

import pytest

from arcbatt import documents, dsl
from arcbatt.calls import optimizers
from arcbatt.calls.optimizers import GPUOptimizer, MultiGPUOptimizer, auto_select_optimizer
from arcbatt.errors import UsageError
from engine import fake_cupy

GRIDS = [((1, 0, 2), (0, 0, 2)), ((3, 4), (5, 6))]


@pytest.mark.parametrize(("count", "kind"), [(0, type(None)), (1, GPUOptimizer), (4, MultiGPUOptimizer)])
def test_what_suits_the_machine(monkeypatch, count, kind):
    monkeypatch.setattr(optimizers, "gpu_count", lambda: count)
    assert type(auto_select_optimizer()) is kind


def test_the_names_are_those_of_the_documents():
    assert documents.auto_select_optimizer is auto_select_optimizer
    assert documents.MultiGPUOptimizer is MultiGPUOptimizer


def test_how_many_gpus(monkeypatch):
    fake_cupy.install(monkeypatch, free=1 << 30, count=4)
    assert MultiGPUOptimizer().num_gpus == 4
    some = MultiGPUOptimizer(num_gpus=3)
    assert [one.number for one in some.devices] == [0, 1, 2]
    with pytest.raises(UsageError, match="num_gpus is a number above 0"):
        MultiGPUOptimizer(num_gpus=0)


def test_shared_among_gpus_by_the_documents_names(monkeypatch):
    asked = []

    def shared(grids, op, num_gpus=None):
        asked.append(num_gpus)
        return [dsl.rot90(grid) for grid in grids]

    monkeypatch.setattr(optimizers, "gpu_count", lambda: 2)
    monkeypatch.setattr(optimizers, "batch_grid_op_multi_gpu", shared)
    optimizer = MultiGPUOptimizer()
    assert optimizer.batch_grid_op_multi_gpu(samples=GRIDS, operation=dsl.rot90, num_gpus=4) == shared(GRIDS, dsl.rot90)
    assert asked == [2, None]


def test_without_a_gpu_both_run_on_the_cpu(monkeypatch):
    monkeypatch.setattr(optimizers, "gpu_count", lambda: 0)
    want = [dsl.rot90(grid) for grid in GRIDS]
    assert GPUOptimizer().device is None
    assert GPUOptimizer().batch_grid_op_optimized(GRIDS, dsl.rot90, vectorized=False) == want
    assert MultiGPUOptimizer().batch_grid_op_multi_gpu(GRIDS, dsl.rot90) == want
