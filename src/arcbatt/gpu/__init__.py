"""GPUs and their memory, and operations on grids for whichever device is there. Importing it needs no GPU."""

from arcbatt.gpu.detect import Device, devices
from arcbatt.gpu.memory import configure_gpu_memory, get_optimal_batch_size, gpu_memory_cleanup
from arcbatt.gpu.optimizers import GPUOptimizer, MultiGPUOptimizer, auto_select_optimizer

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
