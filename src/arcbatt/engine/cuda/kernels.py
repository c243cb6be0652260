"""The GPU kernel of each device: whether it is compiled and kept, and compiling it ahead."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcbatt.engine.cuda.compile import KernelOptions, cubin, kept_cubin
from arcbatt.engine.devices import cupy_for, devices


@dataclass(frozen=True)
class Kernel:
    """The kernel of a device: where its machine code is kept, and how long it took to compile if it was just done."""

    device: int
    path: Path
    seconds: float = 0.0


def kept_kernel(number: int, folder: Path | None = None) -> Kernel | None:
    """The kernel of a device if it is compiled and kept."""
    cupy = cupy_for(number)
    path = kept_cubin(cupy.cuda.nvrtc, KernelOptions(), _architecture(cupy, number), folder=folder)
    return Kernel(number, path) if path else None


def compile_ahead(
    numbers: Iterable[int] | None = None, folder: Path | None = None, *, whole: bool = False
) -> list[Kernel]:
    """Compile the kernel for devices (all, if None), so that no run has to wait for it; devices of a kind share one.

    With `whole`, fully optimized, which takes minutes.
    """
    made = []
    options = KernelOptions().whole if whole else KernelOptions()
    for number in [one.number for one in devices() if one.supported] if numbers is None else numbers:
        cupy = cupy_for(number)
        start = time.perf_counter()
        path = cubin(cupy.cuda.nvrtc, options, _architecture(cupy, number), folder=folder)
        made.append(Kernel(number, path, time.perf_counter() - start))
    return made


def _architecture(cupy: Any, number: int) -> int:
    return int(cupy.cuda.Device(number).compute_capability)
