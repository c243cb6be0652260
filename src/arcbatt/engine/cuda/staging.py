"""Copies between host and GPU beside the launches: page-locked buffers, separate streams, threads that wait.

A launch keeps its thread until it has ended. So what belongs to the part before (results to the host, and there to
their places) is done by another thread meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class Staging:
    """Copies one after the other on its own stream, through page-locked memory that is kept for the next ones."""

    def __init__(self, cupy: Any, device: int) -> None:
        self._cupy = cupy
        self._device = device
        with cupy.cuda.Device(device):
            self._stream = cupy.cuda.Stream(non_blocking=True)
        self._buffers: dict[str, Any] = {}

    def to_device(self, name: str, array: NDArray[Any]) -> Any:
        """The array on the device; a buffer is known by its name."""
        with self._cupy.cuda.Device(self._device), self._stream:
            there = self._cupy.empty(array.shape, array.dtype)
            if array.size:
                staged = self._buffer(name, array.shape, array.dtype)
                staged[...] = array
                there.set(staged, stream=self._stream)  # without it the copy would wait for the launch
                self._stream.synchronize()
        return there

    def to_host(self, name: str, array: Any) -> NDArray[Any]:
        """The array on the host, to be used up before the next one of that name."""
        staged = self._buffer(name, array.shape, array.dtype)
        if array.size:
            with self._cupy.cuda.Device(self._device), self._stream:
                array.get(stream=self._stream, out=staged)
                self._stream.synchronize()
        return staged

    def _buffer(self, name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        count = int(np.prod(shape, dtype=np.int64))
        size = count * np.dtype(kind).itemsize
        kept = self._buffers.get(name)
        if kept is None or len(kept) < size:
            kept = self._cupy.cuda.alloc_pinned_memory(max(size, 1))
            kept = self._buffers[name] = np.frombuffer(kept, np.uint8, max(size, 1))
        view: NDArray[Any] = kept[:size].view(kind).reshape(shape)
        return view


class Beside:
    """Does things beside the thread that has them done, or at once where there is only one part."""

    def __init__(self, parts: bool) -> None:
        self._pool = ThreadPoolExecutor(1) if parts else None

    def __enter__(self) -> Beside:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True)

    def do(self, what: Callable[..., T], *args: Any) -> Future[T]:
        """Have something done; what it raises comes with its result."""
        if self._pool is not None:
            return self._pool.submit(what, *args)
        done: Future[T] = Future()
        done.set_result(what(*args))
        return done
