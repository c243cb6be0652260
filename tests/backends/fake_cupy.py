"""As much of CuPy as the GPU engine uses, over NumPy: a launch runs the kernel's code by lanes that take turns."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from arcbatt import _core_lanes


class _Array(np.ndarray):
    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self, out=None):
        if out is None:
            return np.array(self)
        out[...] = self
        return out


def _made(make):
    return lambda *args, **options: make(*args, **options).view(_Array)


class _Function:
    def __call__(self, blocks: tuple[int], threads: tuple[int], args: tuple[Any, ...]) -> None:
        _core_lanes.launch(args[0].data.ptr, blocks[0] * threads[0] // 32)


class _Device:
    attributes = {"MultiProcessorCount": 1}  # noqa: RUF012
    compute_capability = "90"

    def __init__(self, number: int) -> None:
        assert number == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class _Event:
    def record(self):
        return None

    synchronize = record


def module(free: int) -> ModuleType:
    """The module; `free` is how much memory the device says it has."""
    fake: Any = ModuleType("cupy")
    fake.asarray = _made(np.ascontiguousarray)
    fake.zeros, fake.empty, fake.full = _made(np.zeros), _made(np.empty), _made(np.full)
    fake.RawModule = lambda path: SimpleNamespace(get_function=lambda name: _Function())
    fake.get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
    runtime = SimpleNamespace(
        getDeviceCount=lambda: 1, memGetInfo=lambda: (free, free), CUDARuntimeError=type("Error", (Exception,), {})
    )
    fake.cuda = SimpleNamespace(
        Device=_Device, Event=_Event, runtime=runtime, nvrtc=None, get_elapsed_time=lambda *_: 0.0
    )
    return fake
