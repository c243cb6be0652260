"""GPUs and their memory, and operations on grids for whichever device is there. Importing it needs no GPU."""

from arcbatt.calls.optimizers import GPUOptimizer, MultiGPUOptimizer, auto_select_optimizer
from arcbatt.engine.device_memory import configure_gpu_memory, get_optimal_batch_size, gpu_memory_cleanup
from arcbatt.engine.devices import Device, devices

__all__ = [
    "Device",
    "GPUOptimizer",
    "MultiGPUOptimizer",
    "auto_select_optimizer",
    "configure_gpu_memory",
    "devices",
    "get_optimal_batch_size",
    "gpu_memory_cleanup",
]
