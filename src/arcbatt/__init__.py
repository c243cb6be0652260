"""Run thousands of ARC programs on thousands of grids at once, exactly."""

import importlib
from typing import TYPE_CHECKING, Any

from arcbatt._version import __version__

if TYPE_CHECKING:
    from arcbatt.calls.accelerate import accelerate
    from arcbatt.calls.batching import batching
    from arcbatt.calls.custom import op, remove_op
    from arcbatt.calls.grids import (
        batch_grid_op_multi_gpu,
        batch_grid_op_optimized,
        batch_grid_operations,
        gpu_grid_transform,
    )
    from arcbatt.calls.handles import Batch
    from arcbatt.calls.many import call_each, call_many
    from arcbatt.calls.primitives import (
        GPUDSLOperations,
        batch_mapply_gpu,
        batch_o_g_gpu,
        batch_process_samples_gpu,
        batch_process_samples_multi_gpu,
        multi_mapply_gpu,
    )
    from arcbatt.calls.processor import GPUBatchProcessor
    from arcbatt.calls.stream import AsyncEngine
    from arcbatt.devtools.batt_profile import profile_batt_operations
    from arcbatt.gpu import (
        MultiGPUOptimizer,
        auto_select_optimizer,
        configure_gpu_memory,
        get_optimal_batch_size,
        gpu_memory_cleanup,
    )
    from arcbatt.language.failures import Failed

_LAZY = {
    "AsyncEngine": "calls.stream",
    "Batch": "calls.handles",
    "Failed": "language.failures",
    "GPUBatchProcessor": "calls.processor",
    "GPUDSLOperations": "calls.primitives",
    "MultiGPUOptimizer": "gpu",
    "accelerate": "calls.accelerate",
    "auto_select_optimizer": "gpu",
    "batch_grid_op_multi_gpu": "calls.grids",
    "batch_grid_op_optimized": "calls.grids",
    "batch_grid_operations": "calls.grids",
    "batch_mapply_gpu": "calls.primitives",
    "batch_o_g_gpu": "calls.primitives",
    "batch_process_samples_gpu": "calls.primitives",
    "batch_process_samples_multi_gpu": "calls.primitives",
    "batching": "calls.batching",
    "call_each": "calls.many",
    "call_many": "calls.many",
    "configure_gpu_memory": "gpu",
    "get_optimal_batch_size": "gpu",
    "gpu_grid_transform": "calls.grids",
    "gpu_memory_cleanup": "gpu",
    "multi_mapply_gpu": "calls.primitives",
    "op": "calls.custom",
    "profile_batt_operations": "devtools.batt_profile",
    "remove_op": "calls.custom",
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
