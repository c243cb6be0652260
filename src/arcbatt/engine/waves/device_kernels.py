"""The kernels of each device: whether some are compiled ahead, and compiling them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcbatt.engine.cuda.compile import KernelOptions, Progress
from arcbatt.engine.devices import cupy_for, devices
from arcbatt.engine.waves import ahead


@dataclass(frozen=True)
class DeviceKernels:
    """The archive of kernels for a device, and how long it took to make if it was just done."""

    device: int
    path: Path
    seconds: float = 0.0


def kept_kernels(number: int) -> DeviceKernels | None:
    """The kernels of a device that are compiled ahead."""
    path = ahead.kept_archive(_architecture(cupy_for(number), number))
    return DeviceKernels(number, path) if path else None


def compile_for_devices(
    wanted: Sequence[KernelOptions],
    numbers: Iterable[int] | None = None,
    folder: Path | None = None,
    *,
    progress: Progress = lambda done, total: None,
) -> list[DeviceKernels]:
    """Compile kernels ahead for devices (all, if None), so that no run has to wait; devices of a kind share them."""
    made: list[DeviceKernels] = []
    known: dict[int, Path] = {}
    for number in [one.number for one in devices() if one.supported] if numbers is None else numbers:
        cupy = cupy_for(number)
        start = time.perf_counter()
        arch = _architecture(cupy, number)
        if arch not in known:
            (known[arch],) = ahead.compile_ahead(wanted, [arch], folder, nvrtc=cupy.cuda.nvrtc, progress=progress)
        made.append(DeviceKernels(number, known[arch], time.perf_counter() - start))
    return made


def _architecture(cupy: Any, number: int) -> int:
    return int(cupy.cuda.Device(number).compute_capability)
