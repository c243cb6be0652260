"""Memory of GPUs: a limit, cleaning up, and how many samples fit."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from arcbatt.data.packing import pack_samples
from arcbatt.engine.choose import gpu_count, why_no_gpu
from arcbatt.engine.cpu import ARENA_BYTES as CPU_ARENA_BYTES
from arcbatt.engine.devices import cupy_for
from arcbatt.engine.outputs import Outputs
from arcbatt.errors import UsageError
from arcbatt.language.sample import Sample
from arcbatt.support.machine import cores, host_memory

FRACTION: Final = 0.8
"""Of the memory that is free, how much is used unless told otherwise."""
_TABLES: Final = ((24 << 30, (128, 64, 32)), (0, (64, 32, 16)))
"""Samples a batch at least, for grids of up to 10x10, 20x20 and beyond, by memory of the device."""


@dataclass(frozen=True)
class MemoryLimit:
    """What engines on a GPU may allocate, in bytes, and of how much that was free."""

    device: int
    limit: int
    free: int


def configure_gpu_memory(device_id: int = 0, memory_fraction: float = FRACTION) -> MemoryLimit:
    """Limit CuPy's memory pool for a GPU to a fraction of its free memory; engines on it then keep to that limit.

    What the pool holds already counts as free. Raises UsageError where there is no such GPU.
    """
    if not 0 < memory_fraction <= 1:
        raise UsageError(f"memory_fraction is above 0 and at most 1, got {memory_fraction}")
    cupy = cupy_for(device_id)
    with cupy.cuda.Device(device_id):
        pool = cupy.get_default_memory_pool()
        free = int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.total_bytes())
        limit = int(memory_fraction * free)
        if pool.used_bytes() < pool.total_bytes() and pool.total_bytes() > limit:
            pool.free_all_blocks()
        pool.set_limit(size=limit)
    return MemoryLimit(device_id, limit, free)


def gpu_memory_cleanup() -> int:
    """Give memory that nothing uses back to the GPUs and to the host; how many bytes of GPU memory that were.

    Does nothing where no GPU is in use.
    """
    if "cupy" not in sys.modules or why_no_gpu() is not None:
        return 0
    cupy: Any = sys.modules["cupy"]
    freed = 0
    for number in range(gpu_count()):
        with cupy.cuda.Device(number):
            pool = cupy.get_default_memory_pool()
            before = int(pool.total_bytes())
            pool.free_all_blocks()
            freed += before - int(pool.total_bytes())
    cupy.get_default_pinned_memory_pool().free_all_blocks()
    return freed


def get_optimal_batch_size(
    grid_size: int, num_samples: int, *, programs: int = 1000, device_id: int = 0, memory_fraction: float = FRACTION
) -> int:
    """How many samples to run at once: as many as fit, of those there are.

    `grid_size` is the cells of a grid (400 for 20x20), `programs` how many run on each sample. From what a sample takes
    (its grids as they are packed, the results of every program with an output grid each) and the memory that is free on
    the GPU after the arenas; without a GPU, of this machine.
    """
    for name, value in (("grid_size", grid_size), ("num_samples", num_samples), ("programs", programs)):
        if value < 1:
            raise UsageError(f"{name} is a number above 0, got {value}")
    room = _room(device_id, memory_fraction)
    fitting = max(0, room.free - room.arenas) // sample_bytes(grid_size, programs)
    table = next(sizes for memory, sizes in _TABLES if room.total >= memory)
    least = table[0 if grid_size <= 100 else 1 if grid_size <= 400 else 2]
    return min(num_samples, max(least, fitting))


@lru_cache
def sample_bytes(grid_size: int, programs: int) -> int:
    """Bytes a sample takes on a device: packed, and its results with a grid of that size from every program.

    Measured on what is really allocated: the arrays of a packed sample with three demonstrations, and of results.
    """
    grids = [((0,) * grid_size,) for _ in range(8)]
    pairs = tuple(zip(grids[:3], grids[3:6], strict=True))
    packed = pack_samples([Sample(grids[6], pairs, grids[7])]).nbytes
    results = Outputs.empty(["one"], 1, "grid")
    assert results.hashes is not None
    assert results.grids is not None
    arrays: list[Any] = [results.statuses, results.matches, results.agreement, results.hashes]
    arrays += [results.grids.offset, results.grids.height, results.grids.width]
    return packed + programs * (sum(int(array.nbytes) for array in arrays) + grid_size)


@dataclass(frozen=True)
class _Room:
    total: int
    free: int
    """What may be used of it."""
    arenas: int
    """What values take of that while programs run: on a GPU half of it is theirs."""


def _room(device_id: int, fraction: float) -> _Room:
    if why_no_gpu() is not None:
        total, free = host_memory()
        return _Room(total, int(fraction * free), cores() * CPU_ARENA_BYTES)
    cupy = cupy_for(device_id)
    with cupy.cuda.Device(device_id):
        free, total = cupy.cuda.runtime.memGetInfo()
        pool = cupy.get_default_memory_pool()
        most = int(pool.get_limit()) or int(fraction * (free + pool.total_bytes()))
        room = max(0, most - int(pool.used_bytes()))
        return _Room(int(total), room, room // 2)
