"""The names of the five documents arcbatt began with, loaded when they are first used; docs/seeds.md explains them."""

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from arcbatt.calls.grids import (
        batch_grid_op_multi_gpu,
        batch_grid_op_optimized,
        batch_grid_operations,
        gpu_grid_transform,
    )
    from arcbatt.calls.optimizers import GPUOptimizer, MultiGPUOptimizer, auto_select_optimizer
    from arcbatt.calls.primitives import (
        GPUDSLOperations,
        batch_mapply_gpu,
        batch_o_g_gpu,
        batch_process_samples_gpu,
        batch_process_samples_multi_gpu,
        multi_mapply_gpu,
    )
    from arcbatt.calls.processor import GPUBatchProcessor
    from arcbatt.devtools.batt_profile import profile_batt_operations
    from arcbatt.engine.device_memory import configure_gpu_memory, get_optimal_batch_size, gpu_memory_cleanup
    from arcbatt.runs.coordinator import BatchInput, BatchResult, MegaBatchCoordinator

_LAZY = {
    "BatchInput": "runs.coordinator",
    "BatchResult": "runs.coordinator",
    "GPUBatchProcessor": "calls.processor",
    "GPUDSLOperations": "calls.primitives",
    "GPUOptimizer": "calls.optimizers",
    "MegaBatchCoordinator": "runs.coordinator",
    "MultiGPUOptimizer": "calls.optimizers",
    "auto_select_optimizer": "calls.optimizers",
    "batch_grid_op_multi_gpu": "calls.grids",
    "batch_grid_op_optimized": "calls.grids",
    "batch_grid_operations": "calls.grids",
    "batch_mapply_gpu": "calls.primitives",
    "batch_o_g_gpu": "calls.primitives",
    "batch_process_samples_gpu": "calls.primitives",
    "batch_process_samples_multi_gpu": "calls.primitives",
    "configure_gpu_memory": "engine.device_memory",
    "get_optimal_batch_size": "engine.device_memory",
    "gpu_grid_transform": "calls.grids",
    "gpu_memory_cleanup": "engine.device_memory",
    "multi_mapply_gpu": "calls.primitives",
    "profile_batt_operations": "devtools.batt_profile",
}
"""Public names and the modules they are in."""

__all__ = [
    "BatchInput",
    "BatchResult",
    "GPUBatchProcessor",
    "GPUDSLOperations",
    "GPUOptimizer",
    "MegaBatchCoordinator",
    "MultiGPUOptimizer",
    "auto_select_optimizer",
    "batch_grid_op_multi_gpu",
    "batch_grid_op_optimized",
    "batch_grid_operations",
    "batch_mapply_gpu",
    "batch_o_g_gpu",
    "batch_process_samples_gpu",
    "batch_process_samples_multi_gpu",
    "configure_gpu_memory",
    "get_optimal_batch_size",
    "gpu_grid_transform",
    "gpu_memory_cleanup",
    "multi_mapply_gpu",
    "profile_batt_operations",
]


if not TYPE_CHECKING:  # a type checker knows every name from the imports above, and no other

    def __getattr__(name):
        if name not in _LAZY:
            raise AttributeError(f"module 'arcbatt.documents' has no attribute {name!r}")
        return getattr(importlib.import_module(f"arcbatt.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
