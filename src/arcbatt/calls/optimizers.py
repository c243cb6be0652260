"""Operations on many grids, for the GPUs there are: what the predecessor's generated files ask for by these names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from arcbatt.calls.grids import GridOptimizer, Operation, batch_grid_op_multi_gpu
from arcbatt.calls.many import Results
from arcbatt.engine.choose import gpu_count
from arcbatt.engine.devices import Device, device, devices
from arcbatt.errors import UsageError


class GPUOptimizer(GridOptimizer):
    """Operations on one GPU, or on the CPU engine where there is none; results say which it was."""

    @property
    def device(self) -> Device | None:
        """The GPU, or None."""
        return device(0) if gpu_count() else None


class MultiGPUOptimizer(GridOptimizer):
    """Operations shared among GPUs: all of them, or the first `num_gpus`. Without GPUs they run on the CPU engine."""

    def __init__(self, num_gpus: int | None = None) -> None:
        if num_gpus is not None and num_gpus < 1:
            raise UsageError(f"num_gpus is a number above 0, got {num_gpus}")
        count = gpu_count()
        self.num_gpus = count if num_gpus is None else min(num_gpus, count)
        """How many are used."""

    @property
    def devices(self) -> Sequence[Device]:
        """The GPUs."""
        return devices()[: self.num_gpus]

    def batch_grid_op_multi_gpu(
        self, samples: Iterable[Any], operation: Operation, num_gpus: int | None = None
    ) -> Results:
        """The operation on each grid, shared among the GPUs or so many of them."""
        count = self.num_gpus if num_gpus is None else min(num_gpus, self.num_gpus)
        return batch_grid_op_multi_gpu(samples, operation, count or None)


def auto_select_optimizer() -> GPUOptimizer | MultiGPUOptimizer | None:
    """What suits this machine: for several GPUs, for one, or None where there is none."""
    count = gpu_count()
    return MultiGPUOptimizer() if count > 1 else GPUOptimizer() if count else None
