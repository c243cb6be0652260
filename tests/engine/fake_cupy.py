"""As much of CuPy as the GPU engine uses, over NumPy: a launch runs the kernel's code on emulated lanes."""

from __future__ import annotations

import importlib
import sys
import weakref
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import arcbatt.engine.waves
from arcbatt.engine.cuda.compile import LANES
from arcbatt.engine.waves import kernels
from emulated import _waves_1, _waves_32, _waves_64


class _Array(np.ndarray):
    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self, out=None, **_):
        if out is None:
            return np.array(self)
        out[...] = self
        return out

    def set(self, array, **_):
        self[...] = array


class Pool:
    """A memory pool that keeps nothing: counts what is allocated, the most there was, and refuses beyond its limit."""

    def __init__(self, memory: type[Exception]) -> None:
        self.error = memory
        self.limit = self.used = self.peak = self.freed = 0

    def made(self, array: np.ndarray) -> _Array:
        """An array that counts as the device's."""
        size = array.nbytes
        if self.limit and self.used + size > self.limit:
            raise self.error(size, self.used)
        self.used += size
        self.peak = max(self.peak, self.used)
        weakref.finalize(array, self.release, size)
        return array.view(_Array)

    def release(self, size: int) -> None:
        self.used -= size

    def used_bytes(self) -> int:
        return self.used

    total_bytes = used_bytes

    def free_bytes(self) -> int:
        return 0

    def get_limit(self) -> int:
        return self.limit

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        assert fraction is None
        self.limit = size

    def free_all_blocks(self) -> None:
        self.freed += 1


_LEFT = 0x5B
"""What some bytes of new memory are."""
_USED = 1 << 26
"""How much of new memory was in use before."""


class _OutOfMemoryError(MemoryError):
    def __init__(self, size: int, total: int, limit: int = 0) -> None:
        super().__init__(f"out of memory allocating {size} bytes (allocated so far: {total} bytes)")


class _CudaError(RuntimeError):
    """CuPy's runtime error, made from its text."""


class _Function:
    """A kernel of waves, on one lane or on emulated lanes as its file's name says; blocks have fewer here."""

    most_groups = 3

    def __init__(self, fake: Any, name: str, path: str) -> None:
        core = {1: _waves_1, LANES: _waves_32, kernels.BLOCK: _waves_64}[int(path.rpartition("-")[2])]
        self.fake, self.launch = fake, getattr(core, name.replace("arcbatt_", "launch_"))

    def __call__(self, blocks: tuple[int, ...], threads: tuple[int], args: tuple[Any, ...]) -> None:
        whole = args[0] if len(args) == 1 else np.array(args, np.uint64)
        groups = min(self.most_groups, int(np.prod(blocks)))

        def run() -> None:
            self.fake.launches.append(groups)
            if self.fake.fail_at == len(self.fake.launches):
                raise _CudaError("cudaErrorIllegalAddress: an illegal memory access was encountered")
            self.launch(whole.ctypes.data, groups)

        if self.fake.captured is None:
            run()
        else:
            self.fake.captured.append(run)


class _Device:
    attributes = {"MultiProcessorCount": 1}  # noqa: RUF012
    compute_capability = "90"
    current = 0

    def __init__(self, number: int = 0) -> None:
        self.id = number

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def synchronize(self):
        return None


class _Event:
    done = True

    def __init__(self, **_: Any) -> None:
        return None

    def record(self, *_: Any) -> None:
        return None

    synchronize = record


class _Graph:
    def __init__(self, launches: list[Any]) -> None:
        self.launches = launches

    def launch(self, _: Any) -> None:
        for one in self.launches:
            one()


class _Stream:
    fake: Any = None

    def __init__(self, **_: Any) -> None:
        return None

    def begin_capture(self) -> None:
        self.fake.captured = []

    def end_capture(self) -> _Graph:
        launches, self.fake.captured = self.fake.captured, None
        return _Graph(launches)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def synchronize(self) -> None:
        return None

    def wait_event(self, _: Any) -> None:
        return None

    def record(self, event: Any = None) -> Any:
        return event or _Event()


def _garbage(shape: Any, kind: Any = float) -> Any:
    """Memory as a device gives it: with what others left there, some of which looks as if all were well."""
    array = np.zeros(shape, kind)
    first = array.reshape(-1).view(np.uint8)[:_USED]
    first[4::8] = first[7::8] = _LEFT
    return array


def module(free: int, count: int = 1, name: bytes = b"NVIDIA H200") -> ModuleType:
    """The module; `free` is how much memory a device says it has. `launches` has the blocks of each launch.

    With `fail_at` set, the launch of that number (from 1) meets an error of the device.
    """
    fake: Any = ModuleType("cupy")
    fake.__version__ = "0.fake"
    fake.launches, fake.fail_at = [], 0
    fake.pool = Pool(_OutOfMemoryError)

    def made(make: Any) -> Any:
        return lambda *args, **options: fake.pool.made(make(*args, **options))

    fake.asarray = made(lambda array: np.array(array, order="C"))
    fake.zeros, fake.empty, fake.full = made(np.zeros), made(_garbage), made(np.full)
    fake.flatnonzero, fake.sort, fake.unique = made(np.flatnonzero), made(np.sort), np.unique
    fake.captured = None
    fake.RawModule = lambda path: SimpleNamespace(get_function=lambda name: _Function(fake, name, path))
    fake.get_default_memory_pool = lambda: fake.pool
    fake.get_default_pinned_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None, n_free_blocks=lambda: 0)
    properties = {"name": name, "major": 9, "minor": 0, "totalGlobalMem": 2 * free, "multiProcessorCount": 1}
    runtime = SimpleNamespace(
        getDeviceCount=lambda: count,
        memGetInfo=lambda: (free, 2 * free),
        getDeviceProperties=lambda number: properties,
        driverGetVersion=lambda: 13000,
        runtimeGetVersion=lambda: 13000,
        CUDARuntimeError=_CudaError,
    )
    fake.cuda = SimpleNamespace(
        Device=_Device,
        Event=_Event,
        Stream=type("Stream", (_Stream,), {"fake": fake}),
        runtime=runtime,
        driver=SimpleNamespace(CUDADriverError=type("CUDADriverError", (RuntimeError,), {})),
        memory=SimpleNamespace(OutOfMemoryError=_OutOfMemoryError),
        nvrtc=SimpleNamespace(getVersion=lambda: (13, 0)),
        get_elapsed_time=lambda *_: 0.0,
    )
    fake.cuda.alloc_pinned_memory = bytearray
    return fake


def compiled_waves(_: Any, wanted: Any, __: Any) -> dict[Any, Path]:
    """In place of machine code, names by width."""
    return {one: Path(f"wave-{one.lanes}") for one in wanted}


def for_waves(monkeypatch: Any, free: int = 1 << 30) -> Any:
    """A CuPy that is none, for waves; their kernels are named by their width alone."""

    monkeypatch.setattr(kernels, "compiled", compiled_waves)
    return module(free=free)


def install(monkeypatch: Any, **options: Any) -> Any:
    """Have CuPy be such a module, and the GPU's engine one over it, for a test; returns the engine's module."""
    name = "arcbatt.engine.waves.engine"
    for one in ("cupy", name):
        monkeypatch.setitem(sys.modules, one, None)  # so that what is there now comes back
    monkeypatch.setattr(arcbatt.engine.waves, "engine", None, raising=False)
    sys.modules["cupy"] = module(**options)
    for_waves(monkeypatch)
    del sys.modules[name]
    return importlib.import_module(name)
