"""Run thousands of ARC programs on thousands of grids at once, exactly."""

import importlib
from typing import TYPE_CHECKING, Any

from arcbatt._version import __version__

if TYPE_CHECKING:
    from arcbatt.api.accelerate import accelerate
    from arcbatt.api.batching import batching
    from arcbatt.api.calls import call_each, call_many
    from arcbatt.api.custom import op, remove_op
    from arcbatt.api.grids import (
        batch_grid_op_multi_gpu,
        batch_grid_op_optimized,
        batch_grid_operations,
        gpu_grid_transform,
    )
    from arcbatt.api.handles import Batch
    from arcbatt.api.primitives import (
        GPUDSLOperations,
        batch_mapply_gpu,
        batch_o_g_gpu,
        batch_process_samples_gpu,
        batch_process_samples_multi_gpu,
        multi_mapply_gpu,
    )
    from arcbatt.api.processor import GPUBatchProcessor
    from arcbatt.api.profiling import profile_batt_operations
    from arcbatt.api.stream import AsyncEngine
    from arcbatt.backends.outcome import Failed
    from arcbatt.gpu import (
        MultiGPUOptimizer,
        auto_select_optimizer,
        configure_gpu_memory,
        get_optimal_batch_size,
        gpu_memory_cleanup,
    )

_LAZY = {
    "AsyncEngine": "api.stream",
    "Batch": "api.handles",
    "Failed": "backends.outcome",
    "GPUBatchProcessor": "api.processor",
    "GPUDSLOperations": "api.primitives",
    "MultiGPUOptimizer": "gpu",
    "accelerate": "api.accelerate",
    "auto_select_optimizer": "gpu",
    "batch_grid_op_multi_gpu": "api.grids",
    "batch_grid_op_optimized": "api.grids",
    "batch_grid_operations": "api.grids",
    "batch_mapply_gpu": "api.primitives",
    "batch_o_g_gpu": "api.primitives",
    "batch_process_samples_gpu": "api.primitives",
    "batch_process_samples_multi_gpu": "api.primitives",
    "batching": "api.batching",
    "call_each": "api.calls",
    "call_many": "api.calls",
    "configure_gpu_memory": "gpu",
    "get_optimal_batch_size": "gpu",
    "gpu_grid_transform": "api.grids",
    "gpu_memory_cleanup": "gpu",
    "multi_mapply_gpu": "api.primitives",
    "op": "api.custom",
    "profile_batt_operations": "api.profiling",
    "remove_op": "api.custom",
}
"""Public names and the modules they are in, loaded when they are first used."""

__all__ = [
    "AsyncEngine",
    "Batch",
    "Failed",
    "GPUBatchProcessor",
    "GPUDSLOperations",
    "MultiGPUOptimizer",
    "__version__",
    "accelerate",
    "auto_select_optimizer",
    "batch_grid_op_multi_gpu",
    "batch_grid_op_optimized",
    "batch_grid_operations",
    "batch_mapply_gpu",
    "batch_o_g_gpu",
    "batch_process_samples_gpu",
    "batch_process_samples_multi_gpu",
    "batching",
    "call_each",
    "call_many",
    "configure_gpu_memory",
    "get_optimal_batch_size",
    "gpu_grid_transform",
    "gpu_memory_cleanup",
    "multi_mapply_gpu",
    "op",
    "profile_batt_operations",
    "remove_op",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'arcbatt' has no attribute {name!r}")
    return getattr(importlib.import_module(f"arcbatt.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
